// Package account knows who somebody is: people with an e-mail and a password, where they are signed in, and
// the keys they hand to programs. What it keeps stands in the kv store beside the graph, under "account/";
// secrets stand there only as hashes and never get into the graph.
//
// Somebody who signs in gets two texts. The access token is signed, short-lived and sent with every request.
// The refresh token is good once, for the next pair; using one twice shows that it was stolen, and ends the
// sign-in for everybody who has part in it.
package account

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Options are what the operator decides. The zero value lets everybody sign up and sends no mail.
type Options struct {
	// TokenLife is how long an access token is good; 0 means 15 minutes.
	TokenLife time.Duration
	// Closed says that only admins make accounts.
	Closed bool
	// Mailer sends what has to reach people; nil means that nothing is sent.
	Mailer Mailer
	// URL is what links in mails start with, without a slash at the end.
	URL string
	Log *slog.Logger
	// Now tells the time; nil means time.Now.
	Now func() time.Time
	// Guessable hashes passwords at next to no cost, which is for tests.
	Guessable bool
}

// Accounts are those of one store. They are safe for use by many goroutines and, where the database is, by
// many servers.
type Accounts struct {
	options   Options
	kv        kv.Store
	graph     graph.Store
	audience  string // of tokens: the identity of the store
	passwords *hasher
	signing   signing
	known     known
	left      chan struct{} // wakes Run when somebody left
	erasers   []Eraser
}

// An Eraser removes what is kept elsewhere only about a user. It may be called again for a user of whom nothing
// is left.
type Eraser func(ctx context.Context, user graph.ID) error

// New returns the accounts of a store that has a kv store beside it.
func New(ctx context.Context, store graph.Store, o Options) (*Accounts, error) {
	keep := kv.In(store)
	if keep == nil {
		return nil, graph.Errorf(graph.Unavailable, "this store has no place for accounts")
	}
	identity, err := store.Identity(ctx)
	if err != nil {
		return nil, err
	}
	if o.TokenLife == 0 {
		o.TokenLife = 15 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &Accounts{options: o, kv: keep, graph: store, audience: identity, passwords: newHasher(o.cost()), left: make(chan struct{}, 1)}
	a.Erasing(a.eraseLinks)
	return a, nil
}

// Through makes what accounts write to the graph go through a store that stands before it, so that watchers
// and caches hear of it. It must be called before the accounts are used.
func (a *Accounts) Through(store graph.Store) { a.graph = store }

// Erasing says what else is to be erased of users who left. It must be called before the accounts are used.
func (a *Accounts) Erasing(all ...Eraser) { a.erasers = append(a.erasers, all...) }

// now is in whole milliseconds, like everything that is kept.
func (a *Accounts) now() time.Time { return a.options.Now().UTC().Truncate(time.Millisecond) }

// read returns what stands under a key, with its version; the version of what is not there is 0.
func read[T any](ctx context.Context, from kv.Store, key string) (T, int64, error) {
	var v T
	found, err := from.Get(ctx, key)
	if err != nil || len(found) == 0 {
		return v, 0, err
	}
	return v, found[0].Version, decode(found[0], &v)
}

// list returns what stands in a range.
func list[T any](ctx context.Context, from kv.Store, r kv.Range) ([]T, error) {
	found, err := from.List(ctx, r)
	if err != nil {
		return nil, err
	}
	all := make([]T, len(found))
	for i, e := range found {
		if err := decode(e, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func decode(e kv.Entry, into any) error {
	if err := json.Unmarshal(e.Value, into); err != nil {
		return graph.Wrap(graph.Internal, err, "the entry %q cannot be read", e.Key)
	}
	return nil
}

// put writes v, which is one of our own records: they all have a JSON form.
func put(key string, v any) kv.Op {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return kv.Put(key, text)
}

func under(prefix string, id graph.ID) string { return prefix + strconv.FormatInt(int64(id), 10) }
