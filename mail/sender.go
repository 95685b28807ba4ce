package mail

import (
	"context"
	"errors"
	"time"
)

// A Sender hands one mail to the world. It returns nil once somebody else is responsible for it. An error that is
// ErrRefused will not go away, one that is ErrDown will meet every other mail too; any other may pass.
type Sender interface {
	Send(ctx context.Context, l Letter) error
}

// What a Sender's errors may be.
var (
	ErrRefused = errors.New("refused for good")
	ErrDown    = errors.New("the mail server is not there")
)

// A Letter is a message for one of its recipients.
type Letter struct {
	*Message
	ID      string // the same each time it is sent; without a domain
	To      string
	Created time.Time
}
