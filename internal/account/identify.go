package account

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
)

// An Identity is an authenticated caller.
type Identity struct {
	access.Caller
	// SessionID is the id of the session of an access token or session token; empty for API keys, for guests, and for
	// the tokens of removed users.
	SessionID string
	// HasSessionToken means that the token is valid as long as the session: the client does not renew it.
	HasSessionToken bool
}

// Identify authenticates the caller by an Authorization header. An empty header, or "Bearer" alone, is Anonymous. An
// access token, a session token or an API key identifies its user. For any other token, and for every token if a is
// nil, it returns an Unauthorized error.
//
// After a session, a key or an account has ended, the server that ended it refuses the tokens immediately, and other
// servers of the database refuse them within IdentityCacheTime.
func (a *Accounts) Identify(ctx context.Context, authorization string) (Identity, error) {
	token := strings.TrimSpace(authorization)
	if scheme, rest, _ := strings.Cut(token, " "); strings.EqualFold(scheme, "bearer") {
		token = strings.TrimSpace(rest)
	}
	switch {
	case token == "":
		return Identity{Caller: access.Caller{User: graph.Anonymous}}, nil
	case a == nil:
		return Identity{}, graph.Errorf(graph.Unauthorized, "the token cannot be verified; omit it to make anonymous requests")
	}
	now, secret := a.options.Now(), [32]byte(digest(token))
	if who, ok := a.cache.get(secret, now); ok {
		return who, nil
	}
	addToCache := a.cache.beginCaching()
	who, expires, err := a.lookUp(ctx, token)
	if err == nil {
		addToCache(secret, who, earlier(expires, now.Add(IdentityCacheTime)))
	}
	return who, err
}

// lookUp verifies a token. It returns the time at which the token expires; zero means never.
func (a *Accounts) lookUp(ctx context.Context, token string) (Identity, time.Time, error) {
	if strings.HasPrefix(token, KeyPrefix) {
		return a.keyIdentity(ctx, token)
	}
	unverified, isParsed := parseUnverified(token)
	switch {
	case isParsed && unverified.Issuer == issuer && unverified.Use == useSession:
		return a.sessionTokenIdentity(ctx, token, unverified)
	case isParsed && unverified.Issuer != issuer:
		return Identity{}, time.Time{}, graph.Wrap(graph.Unauthorized, errSessionTokenEnded, "the token is of another issuer; sign in again")
	}
	user, session, expires, err := a.verifyToken(ctx, token)
	if err != nil {
		return Identity{}, expires, tokenError(err)
	}
	who, err := a.sessionIdentity(ctx, user, session)
	return who, expires, err
}

// tokenError returns internal errors unchanged, and turns errors of the token into Unauthorized.
func tokenError(err error) error {
	var graphError *graph.Error
	if errors.As(err, &graphError) && graphError.Kind != graph.Unauthorized {
		return graphError
	}
	return graph.Wrap(graph.Unauthorized, err, "the token is invalid or expired; renew it or sign in again")
}

// sessionIdentity returns the identity of the user of a session. It returns an Unauthorized error if the session has
// ended or the account is disabled.
func (a *Accounts) sessionIdentity(ctx context.Context, user graph.ID, id string) (Identity, error) {
	s, version, err := read[Session](ctx, a.kv, sessionKey(user, id))
	if err != nil {
		return Identity{}, err
	}
	u, err := a.account(ctx, user)
	switch {
	case err != nil:
		return Identity{}, err
	case u.ID == 0:
		return a.removedUserIdentity(ctx, user)
	case version == 0 || u.Disabled || !a.options.Now().Before(s.Expires):
		return Identity{}, graph.Errorf(graph.Unauthorized, "the session has ended; sign in again")
	}
	return Identity{Caller: access.Caller{User: u.ID, Admin: u.Admin}, SessionID: id}, nil
}

// IdentityCacheTime is how long a server caches the result of verifying a token.
const IdentityCacheTime = 5 * time.Second

func earlier(a, b time.Time) time.Time {
	if !a.IsZero() && a.Before(b) {
		return a
	}
	return b
}

// identityCache caches the identities of recently used tokens by the hash of the token, because verifying a token costs
// more than most requests.
type identityCache struct {
	mu          sync.RWMutex
	identities  map[[32]byte]cachedIdentity
	adminIDs    map[graph.ID]bool
	adminsUntil time.Time
	generation  int // incremented by clear
}

type cachedIdentity struct {
	identity Identity
	until    time.Time
}

// maxCachedTokens is the maximum number of cached tokens, which take a few megabytes.
const maxCachedTokens = 10_000

func (k *identityCache) get(secret [32]byte, now time.Time) (Identity, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	found, ok := k.identities[secret]
	return found.identity, ok && now.Before(found.until)
}

// beginCaching returns a function that caches an identity read after this call. The returned function does nothing if
// the cache was cleared in the meantime, because the identity may be out of date.
func (k *identityCache) beginCaching() func(secret [32]byte, who Identity, until time.Time) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	before := k.generation
	return func(secret [32]byte, who Identity, until time.Time) {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.generation != before {
			return
		}
		if k.identities == nil || len(k.identities) >= maxCachedTokens {
			k.identities = map[[32]byte]cachedIdentity{}
		}
		k.identities[secret] = cachedIdentity{who, until}
	}
}

// clear clears the cache, so that tokens and admins are read again.
func (k *identityCache) clear() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.identities = nil
	k.adminsUntil = time.Time{}
	k.generation++
}
