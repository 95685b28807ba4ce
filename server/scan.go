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
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/store/raw"
)

// scans are the requests that read through the whole store: one of a user at a time, and few of all.
type scans struct {
	mu sync.Mutex
	by map[graph.ID]bool
}

const mostScans = 4

func (s *scans) begin(user graph.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.by[user]:
		return graph.Errorf(graph.TooMany, "one request of yours reads through the whole store already; wait for its answer")
	case len(s.by) >= mostScans:
		return graph.Errorf(graph.Unavailable, "%d requests read through the whole store already; try again in a moment", mostScans)
	case s.by == nil:
		s.by = map[graph.ID]bool{}
	}
	s.by[user] = true
	return nil
}

func (s *scans) end(user graph.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.by, user)
}

// places are where users go on reading a table, as texts that only the servers of this store can read: the row they
// stand at may be somebody else's.
type places struct {
	kv      kv.Store
	mu      sync.Mutex
	sealing cipher.AEAD // nil until it is needed
}

func newPlaces(store kv.Store) *places {
	if store == nil {
		store = &kv.Memory{}
	}
	return &places{kv: store}
}

func (p *places) sealer(ctx context.Context) (cipher.AEAD, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sealing != nil {
		return p.sealing, nil
	}
	key, err := p.key(ctx)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	p.sealing, err = cipher.NewGCMWithRandomNonce(block)
	return p.sealing, err
}

// key is made once for all servers of the store.
func (p *places) key(ctx context.Context) ([]byte, error) {
	const at = "server/place-key"
	for {
		found, err := p.kv.Get(ctx, at)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return found[0].Value, nil
		}
		key := make([]byte, 32)
		_, _ = rand.Read(key) // it never fails
		if err := p.kv.Commit(ctx, kv.Put(at, key).If(kv.Absent)); err != nil && graph.KindOf(err) != graph.Conflict {
			return nil, err
		}
	}
}

func (p *places) seal(ctx context.Context, t raw.Table, user graph.ID, key raw.Row) (string, error) {
	sealing, err := p.sealer(ctx)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(key)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(sealing.Seal(nil, nil, text, sealedFor(t, user))), nil
}

// open reads a place back. "" is the start, which has no key.
func (p *places) open(ctx context.Context, t raw.Table, user graph.ID, place string) (raw.Row, error) {
	if place == "" {
		return nil, nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(place)
	if err != nil {
		return nil, noPlace(place)
	}
	sealing, err := p.sealer(ctx)
	if err != nil {
		return nil, err
	}
	text, err := sealing.Open(nil, nil, sealed, sealedFor(t, user))
	if err != nil {
		return nil, noPlace(place)
	}
	var numbers []int64
	if err := json.Unmarshal(text, &numbers); err != nil {
		return nil, noPlace(place)
	}
	key := make(raw.Row, len(numbers))
	for i, n := range numbers {
		key[i] = n
	}
	return key, nil
}

func sealedFor(t raw.Table, user graph.ID) []byte { return []byte(t.Name + " " + user.String()) }

func noPlace(place string) error {
	return graph.Errorf(graph.Invalid, "the field %q is %q; want what the header %s last said, or start again without it",
		"after", graph.Clip(place), moreHeader)
}
