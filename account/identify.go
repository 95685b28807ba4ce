package account

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
)

// An Identity is who asks, and by what right.
type Identity struct {
	auth.Caller
	// SignedIn is the session of an access token; it is empty for an API key and for Anonymous.
	SignedIn string
}

// Identify finds out who asks from an Authorization header. Nothing, and "Bearer" with nothing behind it, is
// Anonymous; an access token and an API key are their user. Anything else is an Unauthorized error. A nil
// Accounts knows no tokens.
//
// What ends a session, a key or an account ends it at once for the server that did it, and for the others of a
// database within Trust.
func (a *Accounts) Identify(ctx context.Context, authorization string) (Identity, error) {
	token := strings.TrimSpace(authorization)
	if scheme, rest, _ := strings.Cut(token, " "); strings.EqualFold(scheme, "bearer") {
		token = strings.TrimSpace(rest)
	}
	switch {
	case token == "":
		return Identity{Caller: auth.Caller{User: graph.Anonymous}}, nil
	case a == nil:
		return Identity{}, graph.Errorf(graph.Unauthorized, "the token cannot be verified; leave it out to ask as anonymous")
	}
	now, secret := a.options.Now(), [32]byte(digest(token))
	if who, ok := a.known.get(secret, now); ok {
		return who, nil
	}
	remember := a.known.keep()
	who, expires, err := a.lookUp(ctx, token)
	if err == nil {
		remember(secret, who, earlier(expires, now.Add(Trust)))
	}
	return who, err
}

// lookUp also says when the answer is over by itself, zero for never.
func (a *Accounts) lookUp(ctx context.Context, token string) (Identity, time.Time, error) {
	if strings.HasPrefix(token, KeyPrefix) {
		return a.byKey(ctx, token)
	}
	user, session, expires, err := a.verified(ctx, token)
	if err != nil {
		return Identity{}, expires, unverified(err)
	}
	who, err := a.standing(ctx, user, session)
	return who, expires, err
}

// unverified keeps our own trouble apart from that of the token.
func unverified(err error) error {
	var ours *graph.Error
	if errors.As(err, &ours) && ours.Kind != graph.Unauthorized {
		return ours
	}
	return graph.Wrap(graph.Unauthorized, err, "the token is not good, or not any more; renew it or sign in again")
}

// standing is the user of a session, if it has not ended.
func (a *Accounts) standing(ctx context.Context, user graph.ID, id string) (Identity, error) {
	s, version, err := read[Session](ctx, a.kv, sessionKey(user, id))
	if err != nil {
		return Identity{}, err
	}
	u, err := a.account(ctx, user)
	switch {
	case err != nil:
		return Identity{}, err
	case u.ID == 0:
		return a.leaver(ctx, user)
	case version == 0 || u.Disabled || !a.options.Now().Before(s.Expires):
		return Identity{}, graph.Errorf(graph.Unauthorized, "you were signed out; sign in again")
	}
	return Identity{Caller: auth.Caller{User: u.ID, Admin: u.Admin}, SignedIn: id}, nil
}

// Trust is how long a server goes on knowing whom it verified before it looks again.
const Trust = 5 * time.Second

func earlier(a, b time.Time) time.Time {
	if !a.IsZero() && a.Before(b) {
		return a
	}
	return b
}

// known remembers whom the tokens of the last moments belong to, by the hash of the token: verifying one
// costs more than most requests.
type known struct {
	mu          sync.RWMutex
	of          map[[32]byte]knownUntil
	adminsAre   map[graph.ID]bool
	adminsUntil time.Time
	forgotten   int
}

type knownUntil struct {
	who   Identity
	until time.Time
}

// mostKnown bounds the memory that takes, to a few megabytes.
const mostKnown = 10_000

func (k *known) get(secret [32]byte, now time.Time) (Identity, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	found, ok := k.of[secret]
	return found.who, ok && now.Before(found.until)
}

// keep returns what remembers an answer, unless something was forgotten since: then the answer may be out of
// date.
func (k *known) keep() func(secret [32]byte, who Identity, until time.Time) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	before := k.forgotten
	return func(secret [32]byte, who Identity, until time.Time) {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.forgotten != before {
			return
		}
		if k.of == nil || len(k.of) >= mostKnown {
			k.of = map[[32]byte]knownUntil{}
		}
		k.of[secret] = knownUntil{who, until}
	}
}

// forget makes every token be verified anew, and admins be looked up.
func (k *known) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.of = nil
	k.adminsUntil = time.Time{}
	k.forgotten++
}
