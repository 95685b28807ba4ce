package account

import "context"

// A Mailer takes mail for delivery. When Send returns without an error the mail will be tried until it is
// delivered or refused for good.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// A Mail is a plain text to one person.
type Mail struct {
	To, Subject, Text string
}
