package account

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
)

// Session tokens are the access tokens of clients that do not renew tokens (Client.RenewsTokens). A session token is
// valid as long as its session: until it was not used for 30 days, the session is ended, or maxSessionTokenLife has
// passed.
//
// It is a signed token like other access tokens, because clients may read its claims. It is verified by its hash, which
// is stored with the session, because the signing key may be replaced before the session ends. Its signature matters
// only for the token of a removed account, whose session no longer exists.

const (
	// maxSessionTokenLife is the maximum lifetime of a session token, from the sign-in, however often it is used.
	maxSessionTokenLife = 365 * 24 * time.Hour
	// sessionUseInterval is the minimum time between two recorded uses of a session token.
	sessionUseInterval = time.Hour
	// useSession is the value of claims.Use in a session token.
	useSession = "session"
)

// errSessionTokenEnded is the cause of the errors that IsSessionTokenEnded reports.
var errSessionTokenEnded = errors.New("the session of a client that does not renew tokens has ended")

// IsSessionTokenEnded reports whether an error of Identify means that the caller sent the session token of an ended
// session. The client cannot renew such a token. IsSessionTokenEnded also returns true for tokens of other issuers,
// which clients still have after an application has moved to this server.
func IsSessionTokenEnded(err error) bool { return errors.Is(err, errSessionTokenEnded) }

func sessionTokenEndedError() error {
	return graph.Wrap(graph.Unauthorized, errSessionTokenEnded, "the session has ended; sign in again")
}

// parseUnverified returns the claims of a token without verifying its signature, and whether they could be parsed.
func parseUnverified(token string) (claims, bool) {
	var unverified claims
	_, _, err := jwt.NewParser().ParseUnverified(token, &unverified)
	return unverified, err == nil
}

// sessionTokenIdentity verifies a session token by its hash. It returns the time at which the session ends without
// further use.
func (a *Accounts) sessionTokenIdentity(ctx context.Context, token string, unverified claims) (Identity, time.Time, error) {
	user, err := graph.ParseID(unverified.Subject)
	if err != nil {
		return Identity{}, time.Time{}, sessionTokenEndedError()
	}
	s, version, err := read[session](ctx, a.kv, sessionKey(user, unverified.Session))
	if err != nil {
		return Identity{}, time.Time{}, err
	}
	now := a.now()
	if version == 0 || subtle.ConstantTimeCompare(s.Token, digest(token)) != 1 || !now.Before(s.Expires) {
		return a.endedTokenIdentity(ctx, token, user)
	}
	u, err := a.account(ctx, user)
	if err != nil {
		return Identity{}, time.Time{}, err
	}
	if u.ID == 0 || u.Disabled {
		return a.endedTokenIdentity(ctx, token, user)
	}
	if now.Sub(s.Used) >= sessionUseInterval {
		s.Used, s.Expires = now, s.sessionTokenEnd(now)
		// Another server may have stored the use at the same time. A use that is not stored does not make the token
		// invalid.
		if err := a.kv.Commit(ctx, put(sessionKey(user, s.ID), s).Until(s.Expires).If(version)); err != nil && graph.KindOf(err) != graph.Conflict {
			a.options.Log.WarnContext(ctx, "cannot store the use of a session", "error", err)
		}
	}
	return Identity{Caller: access.Caller{User: u.ID, Admin: u.Admin}, SessionID: s.ID, HasSessionToken: true}, s.Expires, nil
}

// sessionTokenEnd returns the time at which a session with a session token ends if it is not used after now.
func (s session) sessionTokenEnd(now time.Time) time.Time {
	end := s.Created.Add(maxSessionTokenLife)
	if next := now.Add(sessionLife); next.Before(end) {
		return next
	}
	return end
}

// endedTokenIdentity returns an Unauthorized error, except for the token of an account that was removed less than
// removalGrace ago; see removedUserIdentity.
func (a *Accounts) endedTokenIdentity(ctx context.Context, token string, user graph.ID) (Identity, time.Time, error) {
	u, err := a.account(ctx, user)
	if err != nil {
		return Identity{}, time.Time{}, err
	}
	if u.ID != 0 {
		return Identity{}, time.Time{}, sessionTokenEndedError()
	}
	if _, _, expires, err := a.verifyToken(ctx, token); err == nil {
		if who, err := a.removedUserIdentity(ctx, user); err == nil {
			return who, expires, nil
		}
	}
	return Identity{}, time.Time{}, sessionTokenEndedError()
}
