package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A Session is one place where somebody is signed in: a family of refresh tokens of which one is good.
type Session struct {
	ID      string    `json:"id"`
	User    graph.ID  `json:"user"`
	Device  string    `json:"device"` // what it called itself
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`    // when its tokens were last renewed
	Expires time.Time `json:"expires"` // unless its tokens are renewed before
}

// session is a Session as it is kept.
type session struct {
	Session
	Secret []byte `json:"secret"` // of the refresh token that is good, hashed
}

const (
	// sessionLife is how long a refresh token is good.
	sessionLife = 30 * 24 * time.Hour
	// mostSessions is how many places somebody is signed in; the one unused for longest makes room.
	mostSessions  = 20
	sessionPrefix = "account/session/" // and the user's id, and the session's
	longestDevice = 200
)

func sessionsOf(user graph.ID) string            { return under(sessionPrefix, user) + "/" }
func sessionKey(user graph.ID, id string) string { return sessionsOf(user) + id }

// Signed is what somebody gets who signs in.
type Signed struct {
	User    User
	Session string // its id
	Token   string // for the header Authorization, as in "Bearer …"
	Refresh string // good once, for the next pair
	Expires time.Time
}

// SignIn starts a session. For a wrong password and an e-mail that nobody has the error is the same, after the
// same work: Unauthorized.
func (a *Accounts) SignIn(ctx context.Context, email, password, device string) (Signed, error) {
	u, err := a.byEmail(ctx, email)
	if err != nil {
		return Signed{}, err
	}
	good, err := a.passwords.matches(ctx, cmp.Or(u.Password, a.passwords.nobody), password)
	switch {
	case err != nil:
		return Signed{}, err
	case !good || u.ID == 0:
		return Signed{}, graph.Errorf(graph.Unauthorized, "the e-mail or the password is wrong")
	case u.Disabled:
		return Signed{}, graph.Errorf(graph.Unauthorized, "this account is disabled")
	}
	if u, err = a.mended(ctx, u, password); err != nil {
		return Signed{}, err
	}
	return a.start(ctx, u, device)
}

// mended is an account whose password is kept at today's cost, and that has records.
func (a *Accounts) mended(ctx context.Context, u account, password string) (account, error) {
	if !a.passwords.dated(u.Password) && u.Records != (Records{}) {
		return u, nil
	}
	hash, err := a.passwords.hash(ctx, password)
	if err != nil {
		return u, err
	}
	if _, err = a.change(ctx, u.ID, func(now *account) ([]kv.Op, error) {
		if now.Password != u.Password {
			return nil, changed()
		}
		now.Password = hash
		return nil, nil
	}); err != nil {
		return u, err
	}
	if _, err := a.recorded(ctx, u.User); err != nil {
		return u, err
	}
	now, err := a.account(ctx, u.ID)
	if err == nil && now.Password != hash {
		err = changed()
	}
	return now, err
}

func changed() error {
	return graph.Errorf(graph.Unauthorized, "this account has just been changed; sign in again")
}

// start begins a session of a user, unless the account has changed since it was read: the password may not be
// the right one any more.
func (a *Accounts) start(ctx context.Context, u account, device string) (Signed, error) {
	now := a.now()
	s := session{Session: Session{
		ID: text(random(16)), User: u.ID, Device: clip(device, longestDevice),
		Created: now, Used: now, Expires: now.Add(sessionLife),
	}}
	ops, err := a.makeRoom(ctx, u.ID)
	if err != nil {
		return Signed{}, err
	}
	signed, err := a.hand(ctx, u.User, s, kv.Absent, append(ops, kv.Expect(under(userPrefix, u.ID), u.version))...)
	if graph.KindOf(err) == graph.Conflict {
		return Signed{}, changed()
	}
	return signed, err
}

// hand writes a session with a new secret, and hands out the tokens that go with it.
func (a *Accounts) hand(ctx context.Context, u User, s session, version int64, more ...kv.Op) (Signed, error) {
	secret := text(random(32))
	s.Secret = digest(secret)
	token, expires, err := a.issue(ctx, u, s.ID)
	if err != nil {
		return Signed{}, err
	}
	more = append(more, put(sessionKey(u.ID, s.ID), s).Until(s.Expires).If(version))
	refresh := fmt.Sprintf("%d.%s.%s", u.ID, s.ID, secret)
	return Signed{User: u, Session: s.ID, Token: token, Refresh: refresh, Expires: expires}, a.kv.Commit(ctx, more...)
}

// makeRoom ends the sessions that are too many once there is one more.
func (a *Accounts) makeRoom(ctx context.Context, user graph.ID) ([]kv.Op, error) {
	all, err := a.Sessions(ctx, user)
	var ops []kv.Op
	for _, s := range all[min(len(all), mostSessions-1):] {
		ops = append(ops, kv.Delete(sessionKey(user, s.ID)))
	}
	return ops, err
}

// Sessions lists where a user is signed in, the most recently used first.
func (a *Accounts) Sessions(ctx context.Context, user graph.ID) ([]Session, error) {
	all, err := list[Session](ctx, a.kv, kv.Range{Prefix: sessionsOf(user)})
	slices.SortFunc(all, func(s, t Session) int { return t.Used.Compare(s.Used) })
	return all, err
}

// Refresh trades a refresh token for a new pair. Unauthorized for anything that is not the good one; one that
// was good before ends the session.
func (a *Accounts) Refresh(ctx context.Context, token string) (Signed, error) {
	bad := graph.Errorf(graph.Unauthorized, "this refresh token is not good any more; sign in again")
	user, id, secret, ok := parseRefresh(token)
	if !ok {
		return Signed{}, bad
	}
	s, version, err := read[session](ctx, a.kv, sessionKey(user, id))
	if err != nil || version == 0 || !a.now().Before(s.Expires) {
		return Signed{}, either(err, bad)
	}
	u, err := a.account(ctx, user)
	if err != nil {
		return Signed{}, err
	}
	if subtle.ConstantTimeCompare(s.Secret, digest(secret)) != 1 || u.ID == 0 || u.Disabled {
		return Signed{}, either(a.SignOut(ctx, user, id), bad)
	}
	s.Used = a.now()
	s.Expires = s.Used.Add(sessionLife)
	signed, err := a.hand(ctx, u.User, s, version)
	if graph.KindOf(err) == graph.Conflict { // it was used twice at once
		return Signed{}, either(a.SignOut(ctx, user, id), bad)
	}
	return signed, err
}

func parseRefresh(token string) (user graph.ID, id, secret string, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > 200 || graph.CheckText("token", token) != nil {
		return 0, "", "", false
	}
	user, err := graph.ParseID(parts[0])
	return user, parts[1], parts[2], err == nil
}

// SignOut ends a session of a user; one that is not there is no error.
func (a *Accounts) SignOut(ctx context.Context, user graph.ID, session string) error {
	return a.revoke(ctx, kv.Delete(sessionKey(user, session)))
}

// signOutAll are the operations that end the sessions of a user, but for one that may stay.
func (a *Accounts) signOutAll(ctx context.Context, user graph.ID, stays string) ([]kv.Op, error) {
	all, err := a.Sessions(ctx, user)
	var ops []kv.Op
	for _, s := range all {
		if s.ID != stays {
			ops = append(ops, kv.Delete(sessionKey(user, s.ID)))
		}
	}
	return ops, err
}

// revoke commits what ends somebody's rights. This server forgets at once who it knew.
func (a *Accounts) revoke(ctx context.Context, ops ...kv.Op) error {
	defer a.known.forget()
	return a.kv.Commit(ctx, ops...)
}

func text(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// digest hashes a secret of so many random bits that a slow hash would add nothing.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func clip(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }
