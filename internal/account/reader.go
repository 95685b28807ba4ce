package account

import (
	"context"
	"crypto/hmac"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
)

// Reader tokens identify the session of a browser that sends some reads without its token. They do not authenticate
// any other request; see docs/decisions/0028.

// readerToken returns the reader token of a session.
func (a *Accounts) readerToken(ctx context.Context, s session) (string, error) {
	secret, err := a.devices.get(ctx, a.kv)
	if err != nil {
		return "", err
	}
	user := s.User.String()
	return user + "." + s.ID + "." + encodeToken(keyedHash(secret, "reader", user, s.ID)), nil
}

// IdentifyReader returns the identity of a reader token, without the rights of an admin. It returns the identity of a
// guest if the token is not valid or its session has ended.
func (a *Accounts) IdentifyReader(ctx context.Context, token string) (Identity, error) {
	guest := Identity{Caller: access.Caller{User: graph.Anonymous}}
	user, id, mac, ok := splitToken(token)
	if !ok {
		return guest, nil
	}
	secret, err := a.devices.get(ctx, a.kv)
	if err != nil || !hmac.Equal([]byte(mac), []byte(encodeToken(keyedHash(secret, "reader", user.String(), id)))) {
		return guest, err
	}
	return a.SessionReader(ctx, user, id)
}

// SessionReader returns the identity of the user of a session with a session token, without the rights of an admin. It
// returns the identity of a guest if the session has ended or has no session token.
func (a *Accounts) SessionReader(ctx context.Context, user graph.ID, id string) (Identity, error) {
	guest := Identity{Caller: access.Caller{User: graph.Anonymous}}
	if strings.Contains(id, "/") { // part of a key of the kv store
		return guest, nil
	}
	s, version, err := read[session](ctx, a.kv, sessionKey(user, id))
	if err != nil || version == 0 || !s.HasSessionToken || !a.now().Before(s.Expires) {
		return guest, err
	}
	u, err := a.account(ctx, user)
	if err != nil || u.ID == 0 || u.Disabled {
		return guest, err
	}
	return Identity{Caller: access.Caller{User: u.ID}, SessionID: id}, nil
}

// CurrentTime returns the current time of the accounts, in whole milliseconds.
func (a *Accounts) CurrentTime() time.Time { return a.now() }
