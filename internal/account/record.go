package account

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Records holds the ids of the concepts that represent a user in the graph. They are private to the user.
type Records struct {
	User   graph.ID `json:"user"`   // composition of type the_user, connected to the entity
	Entity graph.ID `json:"entity"` // composition of type the_entity, with the e-mail and the name
	Email  graph.ID `json:"email"`  // the concept of type the_email in Entity
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

// ensureRecords creates the records of a user without records. If the process ends between creating an account and its
// records, the next sign-in creates them. The batch has fixed local ids, so writing it again returns the same records.
func (a *Accounts) ensureRecords(ctx context.Context, u User) (User, error) {
	if u.Records != (Records{}) {
		return u, nil
	}
	receipt, err := a.store.Write(ctx, recordsOf(u))
	if err != nil {
		return u, err
	}
	records := Records{User: receipt.Concepts[0].ID, Entity: receipt.Concepts[1].ID, Email: receipt.Concepts[2].ID}
	return a.updateAccount(ctx, u.ID, func(u *account) ([]kv.Op, error) {
		u.Records = records
		return nil, nil
	})
}

// The local ids of the first two concepts of recordsOf. The parts have lower ids.
const (
	localUserID   graph.ID = -1
	localEntityID graph.ID = -2
)

func recordsOf(u User) graph.Batch {
	b := graph.Batch{
		// System sends the records of each user with a different Randomizer, so that their local ids do not
		// collide.
		Sender: graph.Sender{User: graph.System, Randomizer: int64(u.ID)},
		Concepts: []graph.ConceptDraft{
			{LocalID: localUserID, Kind: graph.DraftComposition, TypeName: "the_user"},
			{LocalID: localEntityID, Kind: graph.DraftComposition, TypeName: "the_entity"},
		},
		Connections: []graph.ConnectionDraft{
			{LocalID: -1, From: localUserID, To: localEntityID, TypeName: "the_user_entity", Order: graph.OrderLink},
		},
	}
	for _, p := range append([]part{{"the_email", u.Email}}, u.Name.parts()...) {
		if p.value == "" {
			continue
		}
		localID := -graph.ID(len(b.Concepts)) - 1
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: localID, TypeName: p.typeName, Value: p.value})
		b.Connections = append(b.Connections, graph.ConnectionDraft{
			LocalID: localID, From: localEntityID, To: localID, Type: localEntityID, Order: graph.OrderInternal,
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
