package account

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A Mailer takes mail for delivery. When Send returns without an error the mail will be tried until it is
// delivered or refused for good.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// A Mail is a plain text to one person, about their account.
type Mail struct {
	User              graph.ID
	To, Subject, Text string
}
