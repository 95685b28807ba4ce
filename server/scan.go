package server

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"sync"

	"github.com/weft-graph/weft/graph"
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

// places are where users go on reading a table, as texts that only this server can read: the row they stand
// at may be somebody else's.
type places struct{ sealing cipher.AEAD }

func newPlaces() places {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // 32 bytes are a key
	}
	sealing, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return places{sealing}
}

func (p places) seal(t raw.Table, user graph.ID, key raw.Row) string {
	text, err := json.Marshal(key)
	if err != nil {
		panic(err) // these keys are numbers
	}
	return base64.RawURLEncoding.EncodeToString(p.sealing.Seal(nil, nil, text, sealedFor(t, user)))
}

// open reads a place back. "" is the start, which has no key.
func (p places) open(t raw.Table, user graph.ID, place string) (raw.Row, error) {
	if place == "" {
		return nil, nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(place)
	if err != nil {
		return nil, noPlace(place)
	}
	text, err := p.sealing.Open(nil, nil, sealed, sealedFor(t, user))
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
