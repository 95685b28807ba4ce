// Package account implements authentication: accounts with e-mail and password, sessions, access tokens and API keys.
//
// State is stored in the kv store next to the graph, under "account/". Secrets are stored only as hashes:
//
//	user/ID            the account                      email/ADDRESS   id of its user (address in lower case)
//	admin/ID           one entry per admin              link/HASH       a link sent by e-mail, see link.go
//	session/ID/ID      a session                        signing/N       keys that sign access tokens
//	key/ID/ID          an API key                       secret/HASH     key of the entry of an API key
//	gone/ID            data of a removed user that must still be erased
//	left/ID            a removed user whose tokens may still remove the concept of the e-mail
//	guess/…            number of wrong passwords of the last hour, see guess.go
//	setup              exists since the first admin was created with a link
//	networks/ID        networks from which the user signed in    device-secret   key of device tokens, see device.go
//
// The user's e-mail and name are also records in the graph, private to the user (record.go).
//
// A sign-in returns two tokens. The access token is signed, short-lived, and sent with every request. The refresh token
// can be used once, for the next pair. A second use shows that the token was stolen, and ends the session:
//
//	SignIn ──► session ──Refresh(current token)──► session, new pair of tokens
//	              │
//	              └──Refresh(earlier token), SignOut, SetPassword, SetDisabled, Remove──► ended
//
// A client that does not renew tokens receives a session token instead, which is valid as long as the session; see
// session_token.go.
//
// All writes are atomic commits with expected versions, so several servers can share a database. Identify caches the
// results of verifying tokens for IdentityCacheTime: the server that ends a session refuses its tokens immediately,
// and other servers do so within IdentityCacheTime.
//
// Costs: signing in hashes a password (argon2id, 19 MiB, a few at a time). Identify needs no read if the token is
// cached; otherwise two reads for an access token, and three for an API key. A session token needs the same two reads,
// and one commit an hour. A sign-in takes about nine reads and one or two commits. Erasing removed users reads the
// whole store.
//
// Reasons for the design: docs/decisions/0006.
package account

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Options are the settings of the operator. The zero value permits sign-up and sends no e-mail.
type Options struct {
	// TokenLife is the lifetime of an access token; 0 means 15 minutes.
	TokenLife time.Duration
	// NoSessionTokens means that even clients that do not renew tokens receive a short-lived access token.
	NoSessionTokens bool
	// Closed disables sign-up: only admins create accounts.
	Closed bool
	// Mailer sends e-mail to users; nil means that no e-mail is sent.
	Mailer Mailer
	// URL is the prefix of links in e-mail, without a trailing slash.
	URL string
	// Attempts is the maximum number of wrong passwords that one network or known device may send for one account in an
	// hour, and that one network may send for all accounts in a minute; 0 means 10. All clients that an account knows
	// may together send five times as many for this account in an hour, and so may all clients that the account does
	// not know; see guess.go.
	Attempts int
	// BeginErasing, unless it is nil, is called when Run begins to erase the data of removed users. It returns a function that is called
	// at the end, with the error and the time until the next run.
	BeginErasing func() (end func(err error, next time.Duration))
	// Log receives failures of background work; nil discards them.
	Log *slog.Logger
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
	// InsecureHashes makes hashing of passwords cheap and insecure. It is for tests.
	InsecureHashes bool
}

// Accounts manages the accounts of one store. It is safe for concurrent use, and each of several servers on one
// database may have its own Accounts.
type Accounts struct {
	options   Options
	kv        kv.Store
	store     graph.Store
	audience  string // audience of tokens: the identity of the store
	passwords *hasher
	signing   signing
	cache     identityCache
	guesses   *guessLimits
	devices   deviceSecret
	removed   chan struct{} // wakes Run after the removal of a user
	erasers   []Eraser
}

// An Eraser removes the data about a removed user that another package stores. It is idempotent.
type Eraser func(ctx context.Context, user graph.ID) error

// New returns the accounts of a store. It returns an Unavailable error if the store has no kv store.
func New(ctx context.Context, store graph.Store, o Options) (*Accounts, error) {
	entries := kv.In(store)
	if entries == nil {
		return nil, graph.Errorf(graph.Unavailable, "this store cannot hold accounts")
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
	if o.BeginErasing == nil {
		o.BeginErasing = func() func(error, time.Duration) { return func(error, time.Duration) {} }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &Accounts{
		options: o, kv: entries, store: store, audience: identity, passwords: newHasher(o.cost()),
		guesses: newGuessLimits(o.Attempts, entries), removed: make(chan struct{}, 1),
	}
	a.AddErasers(a.eraseLinks)
	return a, nil
}

// UseStore makes accounts write to the graph through the given wrapper of the store, so that subscribers and caches see
// the changes. It must be called before the accounts are used.
func (a *Accounts) UseStore(store graph.Store) { a.store = store }

// AddErasers adds erasers for removed users. It must be called before the accounts are used.
func (a *Accounts) AddErasers(all ...Eraser) { a.erasers = append(a.erasers, all...) }

// now returns the current time in whole milliseconds, the precision of stored times.
func (a *Accounts) now() time.Time { return a.options.Now().UTC().Truncate(time.Millisecond) }

// read returns the value of a key and its version. The version is 0 if the key has no entry.
func read[T any](ctx context.Context, from kv.Store, key string) (T, int64, error) {
	var v T
	found, err := from.Get(ctx, key)
	if err != nil || len(found) == 0 {
		return v, 0, err
	}
	return v, found[0].Version, decode(found[0], &v)
}

// list returns the values of a range of keys.
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
		return graph.Wrap(graph.Internal, err, "cannot decode the entry %q", e.Key)
	}
	return nil
}

// put returns the operation that writes v as JSON. The types of this package always marshal.
func put(key string, v any) kv.Op {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return kv.Put(key, text)
}

func keyOf(prefix string, id graph.ID) string { return prefix + strconv.FormatInt(int64(id), 10) }
