package account

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Records are the concepts that stand for a user in the graph. They belong to the user, who alone reads them.
type Records struct {
	User   graph.ID `json:"user"`   // a composition the_user, connected to the entity
	Entity graph.ID `json:"entity"` // a composition the_entity of the e-mail and the name
	Email  graph.ID `json:"email"`  // the_email in it
}

// A part is a value in the entity of a user.
type part struct{ typeName, value string }

func (n Name) parts() []part {
	return []part{
		{"the_type", n.Type},
		{"the_username", n.Username},
		{"the_title", n.Title},
		{"the_first_name", n.First},
		{"the_last_name", n.Last},
	}
}

// recorded makes the records of a user who has none yet. An accident between an account and its records is
// mended at the next sign-in: the batch has ghosts of its own, so sent twice it makes the same records.
func (a *Accounts) recorded(ctx context.Context, u User) (User, error) {
	if u.Records != (Records{}) {
		return u, nil
	}
	receipt, err := a.graph.Write(ctx, recordsOf(u))
	if err != nil {
		return u, err
	}
	made := Records{User: receipt.Concepts[0].ID, Entity: receipt.Concepts[1].ID, Email: receipt.Concepts[2].ID}
	return a.change(ctx, u.ID, func(u *account) ([]kv.Op, error) {
		u.Records = made
		return nil, nil
	})
}

// The ghosts of the first two concepts of recordsOf; the parts come below.
const (
	ghostUser   graph.ID = -1
	ghostEntity graph.ID = -2
)

func recordsOf(u User) graph.Batch {
	b := graph.Batch{
		// System sends the records of each user as another sender, so their ghosts do not meet.
		Sender: graph.Sender{User: graph.System, Randomizer: int64(u.ID)},
		Concepts: []graph.ConceptDraft{
			{Ghost: ghostUser, Kind: graph.DraftComposition, TypeName: "the_user"},
			{Ghost: ghostEntity, Kind: graph.DraftComposition, TypeName: "the_entity"},
		},
		Connections: []graph.ConnectionDraft{
			{Ghost: -1, From: ghostUser, To: ghostEntity, TypeName: "the_user_entity", Order: graph.OrderLink},
		},
	}
	for _, p := range append([]part{{"the_email", u.Email}}, u.Name.parts()...) {
		if p.value == "" {
			continue
		}
		ghost := -graph.ID(len(b.Concepts)) - 1
		b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: ghost, TypeName: p.typeName, Value: p.value})
		b.Connections = append(b.Connections, graph.ConnectionDraft{
			Ghost: ghost, From: ghostEntity, To: ghost, Type: ghostEntity, Order: graph.OrderInternal,
		})
	}
	for i := range b.Concepts {
		b.Concepts[i].Owner = u.ID
	}
	for i := range b.Connections {
		b.Connections[i].Owner = u.ID
	}
	return b
}
