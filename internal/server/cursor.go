package server

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/raw"
)

// cursorSealer encrypts the cursors of lists of owned records. A cursor is the key of a table row that may belong to
// another user; so only the servers of this store can read the cursor.
type cursorSealer struct {
	kv   kv.Store
	mu   sync.Mutex
	aead cipher.AEAD // nil until first used
}

// newCursorSealer returns a sealer that keeps its key in a store, or in memory if store is nil.
func newCursorSealer(store kv.Store) *cursorSealer {
	if store == nil {
		store = &kv.Memory{}
	}
	return &cursorSealer{kv: store}
}

func (s *cursorSealer) cipher(ctx context.Context) (cipher.AEAD, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aead != nil {
		return s.aead, nil
	}
	key, err := s.loadKey(ctx)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	s.aead, err = cipher.NewGCMWithRandomNonce(block)
	return s.aead, err
}

const (
	cursorKeyName  = "server/place-key"
	cursorKeyBytes = 32 // AES-256
)

// loadKey returns the key that all servers of the store share, and creates the key if there is none.
func (s *cursorSealer) loadKey(ctx context.Context) ([]byte, error) {
	for {
		found, err := s.kv.Get(ctx, cursorKeyName)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return found[0].Value, nil
		}
		key := make([]byte, cursorKeyBytes)
		_, _ = rand.Read(key) // never fails
		err = s.kv.Commit(ctx, kv.Put(cursorKeyName, key).If(kv.Absent))
		if err != nil && graph.KindOf(err) != graph.Conflict {
			return nil, err
		}
	}
}

// seal returns the cursor after the row with the given key. The cursor is valid for one user and table.
func (s *cursorSealer) seal(ctx context.Context, t raw.Table, user graph.ID, key raw.Row) (string, error) {
	aead, err := s.cipher(ctx)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(key)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, text, cursorContext(t, user))), nil
}

// open returns the key of the row in a cursor, or nil for "", the start of the list.
func (s *cursorSealer) open(ctx context.Context, t raw.Table, user graph.ID, cursor string) (raw.Row, error) {
	if cursor == "" {
		return nil, nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return nil, invalidCursor(cursor)
	}
	aead, err := s.cipher(ctx)
	if err != nil {
		return nil, err
	}
	text, err := aead.Open(nil, nil, sealed, cursorContext(t, user))
	if err != nil {
		return nil, invalidCursor(cursor)
	}
	var numbers []int64
	if err := json.Unmarshal(text, &numbers); err != nil {
		return nil, invalidCursor(cursor)
	}
	key := make(raw.Row, len(numbers))
	for i, n := range numbers {
		key[i] = n
	}
	return key, nil
}

// cursorContext binds a cursor to a table and a user.
func cursorContext(t raw.Table, user graph.ID) []byte { return []byte(t.Name + " " + user.String()) }

func invalidCursor(cursor string) error {
	return graph.Errorf(graph.Invalid, "the field %q is %q; want the value of the last response header %s, or no field to start again",
		"after", graph.Clip(cursor), cursorHeader)
}
