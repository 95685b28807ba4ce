package spec

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

// A Graph is the graph of a case. Types are given by name; the type of a connection is a name or the id of a concept
// of the case. Ids are local to the case, and smaller ids are older.
type Graph struct {
	Concepts    []Concept    `json:"concepts"`
	Connections []Connection `json:"connections"`
}

// A Concept of a case. Without Owner and Access it belongs to user 7 and is private.
type Concept struct {
	ID     graph.ID     `json:"id"`
	Type   string       `json:"type"`
	Value  *string      `json:"value,omitempty"` // nil for a composition
	Owner  graph.ID     `json:"owner,omitempty"`
	Access graph.Access `json:"access,omitempty"`
}

// A Connection of a case. Owner and Access default as in a Concept.
type Connection struct {
	ID     graph.ID        `json:"id"`
	From   graph.ID        `json:"from"`
	To     graph.ID        `json:"to"`
	Type   json.RawMessage `json:"type"`
	Owner  graph.ID        `json:"owner,omitempty"`
	Access graph.Access    `json:"access,omitempty"`
}

// A Seeded store contains the graph of a case under ids of the store.
type Seeded struct {
	graph.Store
	real map[graph.ID]graph.ID // id in the case → id in the store
	back map[graph.ID]graph.ID // id in the store → id in the case
}

// firstType is the id, in a case, of the type that is mentioned first. Further types have the next ids.
const firstType graph.ID = 9001

// Seed writes the graph of a case to an empty store. The record with id n is created n seconds after the start of 2024.
func Seed(t *testing.T, store graph.Store, g Graph) Seeded {
	t.Helper()
	s, err := Write(t.Context(), store, g)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Write is like Seed, but needs no test.
func Write(ctx context.Context, store graph.Store, g Graph) (Seeded, error) {
	var types []string
	batch := graph.Batch{Sender: graph.Sender{User: 7}}
	for _, c := range g.Concepts {
		d := graph.ConceptDraft{
			LocalID: -c.ID, Kind: graph.DraftComposition, TypeName: c.Type, Owner: c.Owner, Access: c.Access, Created: Created(c.ID),
		}
		if c.Value != nil {
			d.Kind, d.Value = graph.DraftValue, *c.Value
		}
		types = append(types, c.Type)
		batch.Concepts = append(batch.Concepts, d)
	}
	for _, c := range g.Connections {
		d := graph.ConnectionDraft{
			LocalID: -c.ID, From: -c.From, To: -c.To, Owner: c.Owner, Access: c.Access, Created: Created(c.ID),
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
		s.addID(-batch.Concepts[i].LocalID, c.ID)
	}
	for i, c := range receipt.Connections {
		s.addID(-batch.Connections[i].LocalID, c.ID)
	}
	return s, s.addTypes(ctx, types)
}

// Created returns the time of creation of a record of a case.
func Created(id graph.ID) time.Time {
	return time.Date(2024, 1, 1, 0, 0, int(id), 0, time.UTC)
}

func (s Seeded) addID(id, real graph.ID) {
	s.real[id], s.back[real] = real, id
}

// addTypes assigns ids of the case to types, in order of their first mention.
func (s Seeded) addTypes(ctx context.Context, names []string) error {
	found, err := graph.TypesNamed(ctx, s, names...)
	next := firstType
	for _, name := range names {
		typ, known := found[name]
		if _, isAssigned := s.back[typ.ID]; !known || isAssigned {
			continue
		}
		s.addID(next, typ.ID)
		next++
	}
	return err
}

// RealID converts an id of the case to an id of the store. Unknown ids are returned unchanged.
func (s Seeded) RealID(id graph.ID) graph.ID {
	if real, known := s.real[id]; known {
		return real
	}
	return id
}

// RealIDs converts ids of the case to ids of the store.
func (s Seeded) RealIDs(ids []graph.ID) []graph.ID {
	real := make([]graph.ID, len(ids))
	for i, id := range ids {
		real[i] = s.RealID(id)
	}
	return real
}

// CaseID converts an id of the store to an id of the case. Unknown ids are returned unchanged.
func (s Seeded) CaseID(id graph.ID) graph.ID {
	if id, known := s.back[id]; known {
		return id
	}
	return id
}

// CaseIDs converts ids of the store to ids of the case.
func (s Seeded) CaseIDs(real []graph.ID) []graph.ID {
	ids := make([]graph.ID, len(real))
	for i, id := range real {
		ids[i] = s.CaseID(id)
	}
	return ids
}

var textOrNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\d+`)

// CaseJSON replaces all ids of the store in JSON text with ids of the case.
func (s Seeded) CaseJSON(data string) string {
	return textOrNumber.ReplaceAllStringFunc(data, func(token string) string {
		n, err := strconv.ParseInt(token, 10, 64)
		if err != nil {
			return token
		}
		return s.CaseID(graph.ID(n)).String()
	})
}
