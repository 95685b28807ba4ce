package account

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A Mailer sends e-mail. When Send returns nil, the message is queued durably: the mailer retries until the message is
// delivered, rejected permanently, or too old.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// A Mail is a plain-text e-mail message to a user about their account.
type Mail struct {
	User    graph.ID // the account that the message is about
	To      string   // e-mail address
	Subject string
	Text    string
}
