package vectors

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Graph is a small graph in a case. Types go by their names; the type of a connection is a name, or the
// id of a concept of the case. Ids are the case's own, and smaller means older.
type Graph struct {
	Concepts    []Concept    `json:"concepts"`
	Connections []Connection `json:"connections"`
}

// A Concept of a case belongs to user 7 and is private, unless it says something else.
type Concept struct {
	ID     graph.ID     `json:"id"`
	Type   string       `json:"type"`
	Value  *string      `json:"value,omitempty"` // left out for a composition
	Owner  graph.ID     `json:"owner,omitempty"`
	Access graph.Access `json:"access,omitempty"`
}

// A Connection of a case, likewise.
type Connection struct {
	ID     graph.ID        `json:"id"`
	From   graph.ID        `json:"from"`
	To     graph.ID        `json:"to"`
	Type   json.RawMessage `json:"type"`
	Owner  graph.ID        `json:"owner,omitempty"`
	Access graph.Access    `json:"access,omitempty"`
}

// A Seeded store holds the graph of a case under ids of its own.
type Seeded struct {
	graph.Store
	real map[graph.ID]graph.ID // id in the case → id in the store
	back map[graph.ID]graph.ID
}

// firstType is the id in a case of the type that is mentioned first; the next one has the next.
const firstType graph.ID = 9001

// Seed writes the graph of a case into an empty store. Concept and connection n are n seconds younger
// than 2024.
func Seed(t *testing.T, store graph.Store, g Graph) Seeded {
	t.Helper()
	s, err := Write(t.Context(), store, g)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Write is Seed without a test.
func Write(ctx context.Context, store graph.Store, g Graph) (Seeded, error) {
	var types []string
	batch := graph.Batch{Sender: graph.Sender{User: 7}}
	for _, c := range g.Concepts {
		d := graph.ConceptDraft{
			Ghost: -c.ID, Kind: graph.DraftComposition, TypeName: c.Type, Owner: c.Owner, Access: c.Access, Created: Created(c.ID),
		}
		if c.Value != nil {
			d.Kind, d.Value = graph.DraftValue, *c.Value
		}
		types = append(types, c.Type)
		batch.Concepts = append(batch.Concepts, d)
	}
	for _, c := range g.Connections {
		d := graph.ConnectionDraft{
			Ghost: -c.ID, From: -c.From, To: -c.To, Owner: c.Owner, Access: c.Access, Created: Created(c.ID),
		}
		if err := json.Unmarshal(c.Type, &d.TypeName); err == nil {
			types = append(types, d.TypeName)
		} else if err := json.Unmarshal(c.Type, &d.Type); err != nil {
			return Seeded{}, fmt.Errorf("connection %d: type %s is neither a name nor an id", c.ID, c.Type)
		}
		d.Type = -d.Type
		batch.Connections = append(batch.Connections, d)
	}
	receipt, err := store.Write(ctx, batch)
	if err != nil {
		return Seeded{}, err
	}
	s := Seeded{Store: store, real: map[graph.ID]graph.ID{}, back: map[graph.ID]graph.ID{}}
	for i, c := range receipt.Concepts {
		s.know(-batch.Concepts[i].Ghost, c.ID)
	}
	for i, c := range receipt.Connections {
		s.know(-batch.Connections[i].Ghost, c.ID)
	}
	return s, s.knowTypes(ctx, types)
}

// Created is when a record of a case was made.
func Created(id graph.ID) time.Time {
	return time.Date(2024, 1, 1, 0, 0, int(id), 0, time.UTC)
}

func (s Seeded) know(id, real graph.ID) {
	s.real[id], s.back[real] = real, id
}

func (s Seeded) knowTypes(ctx context.Context, names []string) error {
	found, err := graph.TypesNamed(ctx, s, names...)
	next := firstType
	for _, name := range names {
		typ, known := found[name]
		if _, again := s.back[typ.ID]; !known || again {
			continue
		}
		s.know(next, typ.ID)
		next++
	}
	return err
}

// Real is the id in the store of an id in the case; one that the case does not know stays as it is.
func (s Seeded) Real(id graph.ID) graph.ID {
	if real, known := s.real[id]; known {
		return real
	}
	return id
}

// RealIDs is Real for many.
func (s Seeded) RealIDs(ids []graph.ID) []graph.ID {
	real := make([]graph.ID, len(ids))
	for i, id := range ids {
		real[i] = s.Real(id)
	}
	return real
}

// Case is the id in the case of an id in the store.
func (s Seeded) Case(id graph.ID) graph.ID {
	if id, known := s.back[id]; known {
		return id
	}
	return id
}

// CaseIDs is Case for many.
func (s Seeded) CaseIDs(real []graph.ID) []graph.ID {
	ids := make([]graph.ID, len(real))
	for i, id := range real {
		ids[i] = s.Case(id)
	}
	return ids
}

var textOrNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\d+`)

// CaseJSON is JSON with ids of the store turned into ids of the case.
func (s Seeded) CaseJSON(data string) string {
	return textOrNumber.ReplaceAllStringFunc(data, func(token string) string {
		n, err := strconv.ParseInt(token, 10, 64)
		if err != nil {
			return token
		}
		return s.Case(graph.ID(n)).String()
	})
}
