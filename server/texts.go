package server

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/wire"
)

// texts keeps what clients send of a long text apart from its concept, which holds it whole as well, until
// that arrives.
type texts struct{ kv kv.Store }

// What is kept of one user, where all strangers are one, and for how long.
const (
	mostTexts     = 200
	mostTextBytes = 64 << 20
	textLife      = 30 * 24 * time.Hour
)

// A text is what a user's list says of one that is kept.
type text struct {
	Bytes int       `json:"bytes"`
	Until time.Time `json:"until"`
}

// textList is where the list of a user's texts stands, under their sums.
func textList(user graph.ID) string { return fmt.Sprintf("text/%d/list", user) }

// textKey is where a part of a user's text stands. The text may be larger than a value can be.
func textKey(user graph.ID, sum string, part int) string {
	return fmt.Sprintf("text/%d/%s/%d", user, sum, part)
}

func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func (t texts) keep(ctx context.Context, user graph.ID, sent string) error {
	if t.kv == nil {
		return graph.Errorf(graph.Unavailable, "this store keeps no text without its concept")
	}
	return t.change(ctx, user, func(list map[string]text) ([]kv.Op, error) {
		sum, until := sumOf(sent), time.Now().Add(textLife)
		list[sum] = text{len(sent), until}
		bytes := 0
		for _, one := range list {
			bytes += one.Bytes
		}
		if len(list) > mostTexts || bytes > mostTextBytes {
			return nil, graph.Errorf(graph.TooLarge, "%d texts of %d bytes wait for their concepts; the most is %d of %d bytes",
				len(list), bytes, mostTexts, mostTextBytes)
		}
		var ops []kv.Op
		for part := range slices.Chunk([]byte(sent), kv.MaxValue) {
			ops = append(ops, kv.Put(textKey(user, sum, len(ops)), part).Until(until))
		}
		return ops, nil
	})
}

// arrived lets go of texts that concepts hold now.
func (t texts) arrived(ctx context.Context, user graph.ID, drafts []graph.ConceptDraft) error {
	var sums []string
	for _, d := range drafts {
		if d.Value != "" && !graph.Shared(d.Value) {
			sums = append(sums, sumOf(d.Value))
		}
	}
	if len(sums) == 0 || t.kv == nil {
		return nil
	}
	return t.change(ctx, user, func(list map[string]text) (ops []kv.Op, _ error) {
		for _, sum := range sums {
			for part := 0; part*kv.MaxValue < list[sum].Bytes; part++ {
				ops = append(ops, kv.Delete(textKey(user, sum, part)))
			}
			delete(list, sum)
		}
		return ops, nil
	})
}

// change applies what is decided from the list of a user's texts, together with the list as it is then. Without
// operations nothing has changed.
func (t texts) change(ctx context.Context, user graph.ID, decide func(list map[string]text) ([]kv.Op, error)) error {
	for {
		list, version, err := t.list(ctx, user)
		if err != nil {
			return err
		}
		ops, err := decide(list)
		if err != nil || len(ops) == 0 {
			return err
		}
		write := kv.Delete(textList(user))
		if len(list) > 0 {
			value, err := json.Marshal(list)
			if err != nil {
				return err
			}
			write = kv.Put(textList(user), value).Until(time.Now().Add(textLife))
		}
		err = t.kv.Commit(ctx, append(ops, write.If(version))...)
		if graph.KindOf(err) != graph.Conflict {
			return err
		}
	}
}

// list is a user's texts that have not expired.
func (t texts) list(ctx context.Context, user graph.ID) (map[string]text, int64, error) {
	list, version := map[string]text{}, kv.Absent
	found, err := t.kv.Get(ctx, textList(user))
	if err == nil && len(found) > 0 {
		version = found[0].Version
		err = json.Unmarshal(found[0].Value, &list)
	}
	now := time.Now()
	maps.DeleteFunc(list, func(_ string, one text) bool { return !now.Before(one.Until) })
	return list, version, err
}

// erase forgets the texts of a user.
func (t texts) erase(ctx context.Context, user graph.ID) error {
	return kv.Clear(ctx, t.kv, fmt.Sprintf("text/%d/", user))
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
