package server

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/wire"
)

// texts keeps what clients send of a long text apart from its concept, which holds it whole as well, until
// that arrives.
type texts struct{ kv kv.Store }

// textKey is where a part of a user's text stands. The text may be larger than a value can be.
func textKey(user graph.ID, sum [sha256.Size]byte, part int) string {
	return fmt.Sprintf("text/%d/%x/%d", user, sum, part)
}

func (t texts) keep(ctx context.Context, user graph.ID, text string) error {
	if t.kv == nil {
		return graph.Errorf(graph.Unavailable, "this store keeps no text without its concept")
	}
	sum := sha256.Sum256([]byte(text))
	var ops []kv.Op
	for part := range slices.Chunk([]byte(text), kv.MaxValue) {
		ops = append(ops, kv.Put(textKey(user, sum, len(ops)), part))
	}
	return t.kv.Commit(ctx, ops...)
}

// erase forgets the texts of a user.
func (t texts) erase(ctx context.Context, user graph.ID) error {
	return kv.Clear(ctx, t.kv, fmt.Sprintf("text/%d/", user))
}

// arrived lets go of texts that concepts hold now.
func (t texts) arrived(ctx context.Context, user graph.ID, drafts []graph.ConceptDraft) error {
	var ops []kv.Op
	for _, d := range drafts {
		if d.Value == "" || graph.Shared(d.Value) {
			continue
		}
		sum := sha256.Sum256([]byte(d.Value))
		for part := 0; part*kv.MaxValue < len(d.Value); part++ {
			ops = append(ops, kv.Delete(textKey(user, sum, part)))
		}
	}
	if len(ops) == 0 || t.kv == nil {
		return nil
	}
	for some := range slices.Chunk(ops, kv.MaxOps) {
		if err := t.kv.Commit(ctx, some...); err != nil {
			return err
		}
	}
	return nil
}

// createText answers with a number that stands for the text.
func (s *Server) createText(q *request) (wire.Character, error) {
	var sent wire.Character
	if err := wire.Decode(q.body, &sent); err != nil {
		return sent, err
	}
	text := string(sent.Data)
	if err := graph.CheckText("data", text); err != nil {
		return sent, err
	}
	if err := q.mayWrite(); err != nil {
		return sent, err
	}
	if text != "" {
		if err := s.texts.keep(q.Context(), q.caller.User, text); err != nil {
			return sent, err
		}
	}
	sum := sha256.Sum256([]byte(text))
	number := binary.BigEndian.Uint64(sum[:]) % uint64(graph.MaxID)
	return wire.Character{ID: wire.Int(number), UserID: wire.Int(q.caller.User), Data: sent.Data, IsNew: true}, nil
}

// createCharacter has nothing to do: a short text is a value, and comes with its concept.
func (s *Server) createCharacter(q *request) (wire.Character, error) {
	var sent wire.Character
	if err := wire.Decode(q.body, &sent); err != nil {
		return sent, err
	}
	return s.character(q, string(sent.Data))
}

func (s *Server) characterByValue(q *request) (wire.Character, error) {
	fields, err := q.fields("character_value")
	if err != nil {
		return wire.Character{}, err
	}
	value, err := fields.Text("character_value")
	if err != nil {
		return wire.Character{}, err
	}
	return s.character(q, value)
}

// character is the oldest concept that has a value, as the record of a text; id 0 when there is none.
func (s *Server) character(q *request, value string) (wire.Character, error) {
	found, err := q.graph.ConceptsByValue(q.Context(), []graph.ValueKey{{Value: value}})
	if err != nil || len(found) == 0 {
		return wire.Character{Data: wire.Text(value)}, err
	}
	return wire.Character{ID: wire.Int(found[0].ID), UserID: wire.Int(found[0].Owner), Data: wire.Text(value)}, nil
}
