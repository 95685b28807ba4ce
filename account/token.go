package account

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// claims are what an access token says. Programs may read them; this one believes only the first two, and
// looks the rest up.
type claims struct {
	jwt.RegisteredClaims
	Session string `json:"sid"`
	Admin   bool   `json:"adm,omitempty"`
}

const (
	issuer = "weft"
	// Tokens are signed and checked by the same few servers, so one shared key does, and is fast.
	algorithm = "HS256"
	// signingLife is how long a key signs. It is kept as long again, for the tokens it signed.
	signingLife   = 30 * 24 * time.Hour
	signingPrefix = "account/signing/" // and the number of the key
)

// Token signs a user in for the life of one access token, which cannot be renewed.
func (a *Accounts) Token(ctx context.Context, user graph.ID) (string, error) {
	u, err := a.User(ctx, user)
	if err != nil {
		return "", err
	}
	s := session{Session: Session{ID: text(random(16)), User: u.ID, Device: "token", Created: a.now(), Used: a.now()}}
	s.Expires = s.Created.Add(a.options.TokenLife)
	signed, err := a.hand(ctx, u, s, kv.Absent)
	return signed.Token, err
}

func (a *Accounts) issue(ctx context.Context, u User, session string) (string, time.Time, error) {
	now := a.now()
	number := a.signingNumber()
	key, err := a.signing.key(ctx, a.kv, number, true)
	if err != nil {
		return "", now, err
	}
	expires := now.Add(a.options.TokenLife)
	token := jwt.NewWithClaims(jwt.GetSigningMethod(algorithm), claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{a.audience}, Subject: u.ID.String(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires),
			// Times are in seconds: without it two tokens of one session and one second are the same.
			ID: text(random(16)),
		},
		Session: session,
		Admin:   u.Admin,
	})
	token.Header["kid"] = strconv.FormatInt(number, 10)
	signed, err := token.SignedString(key)
	return signed, expires, err
}

// verified returns the user and the session of a token that one of our keys signed and that is not over.
func (a *Accounts) verified(ctx context.Context, token string) (user graph.ID, session string, expires time.Time, err error) {
	var said claims
	_, err = jwt.ParseWithClaims(token, &said, func(t *jwt.Token) (any, error) {
		name, _ := t.Header["kid"].(string)
		number, err := strconv.ParseInt(name, 10, 64)
		if now := a.signingNumber(); err != nil || number != now && number != now-1 {
			return nil, graph.Errorf(graph.Unauthorized, "no key %q is in use", graph.Clip(name))
		}
		return a.signing.key(ctx, a.kv, number, false)
	}, jwt.WithValidMethods([]string{algorithm}), jwt.WithIssuer(issuer), jwt.WithAudience(a.audience),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(a.options.Now))
	if err != nil {
		return 0, "", time.Time{}, err
	}
	user, err = graph.ParseID(said.Subject)
	return user, said.Session, said.ExpiresAt.Time, err
}

// signingNumber is that of the key that signs now.
func (a *Accounts) signingNumber() int64 { return a.now().UnixMilli() / signingLife.Milliseconds() }

// signing holds the keys that tokens are signed with. A key has a number, that of the time it signs in, so
// servers of one database agree on it without talking.
type signing struct {
	mu   sync.Mutex
	keys map[int64][]byte
}

// key returns the key with a number, made if it is not there and may be.
func (s *signing) key(ctx context.Context, keep kv.Store, number int64, create bool) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key, ok := s.keys[number]; ok {
		return key, nil
	}
	name := signingPrefix + strconv.FormatInt(number, 10)
	key, version, err := read[[]byte](ctx, keep, name)
	if err == nil && version == 0 && create {
		until := time.UnixMilli((number + 2) * signingLife.Milliseconds())
		err = keep.Commit(ctx, put(name, random(32)).Until(until).If(kv.Absent))
		if err == nil || graph.KindOf(err) == graph.Conflict {
			key, version, err = read[[]byte](ctx, keep, name)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case version == 0:
		return nil, graph.Errorf(graph.Unauthorized, "nobody here has signed with the key %d", number)
	}
	if s.keys == nil || len(s.keys) > 2 { // the one before and this one are in use
		s.keys = map[int64][]byte{}
	}
	s.keys[number] = key
	return key, nil
}
