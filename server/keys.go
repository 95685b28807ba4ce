package server

import (
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/wire"
)

type newKey struct {
	Name    string     `json:"name"`
	Write   bool       `json:"write,omitempty"`   // it may write as well as read
	Types   []string   `json:"types,omitempty"`   // only instances of these types; empty means all
	Expires *time.Time `json:"expires,omitempty"` // null means never
}

// key is an API key without its text, which nobody has but who made it.
type key struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Write   bool       `json:"write"`
	Types   []string   `json:"types"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires"`
	Used    *time.Time `json:"used"` // to the minute
}

type madeKey struct {
	Key string `json:"key"` // for the header Authorization, as in "Bearer weft_…"
	key
}

func (s *Server) keys(q *request) ([]key, error) {
	a, who, err := s.person(q)
	if err != nil {
		return nil, err
	}
	found, err := a.Keys(q.Context(), who.User)
	all := make([]key, len(found))
	for i, k := range found {
		all[i] = keyOf(k)
	}
	return all, err
}

func keyOf(k account.Key) key {
	return key{k.ID, k.Name, k.Write, append([]string{}, k.Types...), k.Created, maybe(k.Expires), maybe(k.Used)}
}

func maybe(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (s *Server) newKey(q *request) (madeKey, error) {
	a, who, err := s.person(q)
	if err != nil {
		return madeKey{}, err
	}
	var sent newKey
	if err := wire.Decode(q.body, &sent); err != nil {
		return madeKey{}, err
	}
	want := account.Key{User: who.User, Name: sent.Name, Write: sent.Write, Types: sent.Types}
	if sent.Expires != nil {
		want.Expires = *sent.Expires
	}
	made, secret, err := a.NewKey(q.Context(), want)
	return madeKey{secret, keyOf(made)}, err
}

func (s *Server) endKey(q *request) (done, error) {
	a, who, err := s.person(q)
	if err != nil {
		return done{}, err
	}
	id, err := q.text("id")
	if err != nil {
		return done{}, err
	}
	return done{true, "the key has ended"}, a.RevokeKey(q.Context(), who.User, id)
}
