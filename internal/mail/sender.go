package mail

import (
	"context"
	"errors"
	"time"
)

// A Sender sends e-mails. Send returns nil when another system has accepted responsibility for the e-mail. ErrRejected
// is a permanent error for this e-mail. ErrUnreachable concerns all e-mails. Any other error may be temporary.
type Sender interface {
	Send(ctx context.Context, l Email) error
}

// Errors of a Sender.
var (
	ErrRejected    = errors.New("rejected permanently")
	ErrUnreachable = errors.New("the mail server is not reachable")
)

// An Email is a message to one of its recipients.
type Email struct {
	*Message
	ID      string    // the same in every attempt; without a domain
	To      string    // address of the recipient
	Created time.Time // when the message was queued
}
