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
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/wire"
)

// textBuffer stores long values that clients send separately, until the concepts with these values arrive. The
// concepts contain the values again.
//
// Keys: text/<user>/list lists the values of a user by their hash; text/<user>/<hash>/<n> is the nth part of a
// value, which may be too long for one entry.
type textBuffer struct{ kv kv.Store }

// The limits of one user; all guests together count as one user.
const (
	maxBufferedTexts     = 200
	maxBufferedTextBytes = 64 << 20
	textLifetime         = 30 * 24 * time.Hour
)

// bufferedText is the entry of a text in the list of its user.
type bufferedText struct {
	Bytes int       `json:"bytes"`
	Until time.Time `json:"until"`
}

func textPrefix(user graph.ID) string { return fmt.Sprintf("text/%d/", user) }

func textListKey(user graph.ID) string { return textPrefix(user) + "list" }

func textPartKey(user graph.ID, hash string, part int) string {
	return fmt.Sprintf("%s%s/%d", textPrefix(user), hash, part)
}

func hashText(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// add stores a value of a user. The error is TooLarge beyond the limits of the user, and Unavailable if the store
// keeps no entries.
func (t *textBuffer) add(ctx context.Context, user graph.ID, text string) error {
	if t.kv == nil {
		return graph.Errorf(graph.Unavailable, "this store cannot keep a text without its concept")
	}
	return t.update(ctx, user, func(list map[string]bufferedText) ([]kv.Op, error) {
		hash, until := hashText(text), time.Now().Add(textLifetime)
		list[hash] = bufferedText{len(text), until}
		bytes := 0
		for _, entry := range list {
			bytes += entry.Bytes
		}
		if len(list) > maxBufferedTexts || bytes > maxBufferedTextBytes {
			return nil, graph.Errorf(graph.TooLarge, "%d texts of %d bytes are waiting for their concepts; the limit is %d of %d bytes",
				len(list), bytes, maxBufferedTexts, maxBufferedTextBytes)
		}
		var ops []kv.Op
		for part := range slices.Chunk([]byte(text), kv.MaxValue) {
			ops = append(ops, kv.Put(textPartKey(user, hash, len(ops)), part).Until(until))
		}
		return ops, nil
	})
}

// removeStored removes the values that drafts now contain.
func (t *textBuffer) removeStored(ctx context.Context, user graph.ID, drafts []graph.ConceptDraft) error {
	var hashes []string
	for _, d := range drafts {
		if d.Value != "" && !graph.IsShared(d.Value) {
			hashes = append(hashes, hashText(d.Value))
		}
	}
	if len(hashes) == 0 || t.kv == nil {
		return nil
	}
	return t.update(ctx, user, func(list map[string]bufferedText) (ops []kv.Op, _ error) {
		for _, hash := range hashes {
			for part := 0; part*kv.MaxValue < list[hash].Bytes; part++ {
				ops = append(ops, kv.Delete(textPartKey(user, hash, part)))
			}
			delete(list, hash)
		}
		return ops, nil
	})
}

// update commits the operations that change returns, together with the list as change has modified it. If another
// request has changed the list in the meantime, update calls change again with the new list. If change returns no
// operations, update writes nothing.
func (t *textBuffer) update(ctx context.Context, user graph.ID, change func(list map[string]bufferedText) ([]kv.Op, error)) error {
	for {
		list, version, err := t.list(ctx, user)
		if err != nil {
			return err
		}
		ops, err := change(list)
		if err != nil || len(ops) == 0 {
			return err
		}
		write := kv.Delete(textListKey(user))
		if len(list) > 0 {
			value, err := json.Marshal(list)
			if err != nil {
				return err
			}
			write = kv.Put(textListKey(user), value).Until(time.Now().Add(textLifetime))
		}
		err = t.kv.Commit(ctx, append(ops, write.If(version))...)
		if graph.KindOf(err) != graph.Conflict {
			return err
		}
	}
}

// list returns a user's values that have not expired, and the version of the list.
func (t *textBuffer) list(ctx context.Context, user graph.ID) (map[string]bufferedText, int64, error) {
	list, version := map[string]bufferedText{}, kv.Absent
	found, err := t.kv.Get(ctx, textListKey(user))
	if err == nil && len(found) > 0 {
		version = found[0].Version
		err = json.Unmarshal(found[0].Value, &list)
	}
	now := time.Now()
	maps.DeleteFunc(list, func(_ string, entry bufferedText) bool { return !now.Before(entry.Until) })
	return list, version, err
}

// erase removes the values of a deleted user.
func (t *textBuffer) erase(ctx context.Context, user graph.ID) error {
	return kv.Clear(ctx, t.kv, textPrefix(user))
}

// createText stores a long value and returns it as a text record. The id of the record is a number derived from
// the value.
func (a *createAPI) createText(req *request) (wire.Character, error) {
	var sent wire.Character
	if err := wire.Decode(req.body, &sent); err != nil {
		return sent, err
	}
	text := string(sent.Data)
	if err := graph.CheckText("data", text); err != nil {
		return sent, err
	}
	if err := req.requireGraphWrite(); err != nil {
		return sent, err
	}
	if text != "" {
		if err := a.texts.add(req.Context(), req.caller.User, text); err != nil {
			return sent, err
		}
	}
	sum := sha256.Sum256([]byte(text))
	number := binary.BigEndian.Uint64(sum[:]) % uint64(graph.MaxID)
	return wire.Character{ID: wire.Int(number), UserID: wire.Int(req.caller.User), Data: sent.Data, IsNew: true}, nil
}
