package account

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// claims are the contents of an access token. Clients may read them; the server uses only the subject and the session,
// and reads all other data from the store.
type claims struct {
	jwt.RegisteredClaims
	Session string `json:"sid"`
	Admin   bool   `json:"adm,omitempty"`
	Use     string `json:"use,omitempty"` // useSession in a session token
}

const (
	issuer = "weft"
	// algorithm is symmetric: the servers that sign tokens also verify them, and HMAC is fast.
	algorithm = "HS256"
	// signingLife is how long a key signs tokens. The key is then stored for the same time again, so that it can verify the tokens
	// that it has signed.
	signingLife   = 30 * 24 * time.Hour
	signingPrefix = "account/signing/" // followed by the number of the key
)

// Token starts a session of a user and returns an access token. Without a refresh token, the session ends when the
// token expires. It returns a NotFound error if the user does not exist.
func (a *Accounts) Token(ctx context.Context, user graph.ID) (string, error) {
	u, err := a.User(ctx, user)
	if err != nil {
		return "", err
	}
	s := session{Session: Session{ID: encodeToken(randomBytes(16)), User: u.ID, Device: "token", Created: a.now(), Used: a.now()}}
	s.Expires = s.Created.Add(a.options.TokenLife)
	signed, err := a.issueTokens(ctx, u, s, kv.Absent)
	return signed.Token, err
}

// signAccessToken returns an access token or session token of a session, and the time at which it expires. Using a
// session token postpones this time. The signature of a session token is valid until maxSessionTokenLife after the
// sign-in.
func (a *Accounts) signAccessToken(ctx context.Context, u User, s session) (string, time.Time, error) {
	now := a.now()
	number := a.signingNumber()
	key, err := a.signing.key(ctx, a.kv, number, true)
	if err != nil {
		return "", now, err
	}
	expires := now.Add(a.options.TokenLife)
	until, use := expires, ""
	if s.HasSessionToken {
		expires, until, use = s.Expires, s.Created.Add(maxSessionTokenLife), useSession
	}
	token := jwt.NewWithClaims(jwt.GetSigningMethod(algorithm), claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{a.audience}, Subject: u.ID.String(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(until),
			// Times are in seconds. Without an id, two tokens of a session in the same second would be equal.
			ID: encodeToken(randomBytes(16)),
		},
		Session: s.ID,
		Admin:   u.Admin,
		Use:     use,
	})
	token.Header["kid"] = strconv.FormatInt(number, 10)
	signed, err := token.SignedString(key)
	return signed, expires, err
}

// verifyToken returns the user, session and expiry of a token with a valid signature that has not expired.
func (a *Accounts) verifyToken(ctx context.Context, token string) (user graph.ID, session string, expires time.Time, err error) {
	var parsed claims
	_, err = jwt.ParseWithClaims(token, &parsed, func(t *jwt.Token) (any, error) {
		name, _ := t.Header["kid"].(string)
		number, err := strconv.ParseInt(name, 10, 64)
		if now := a.signingNumber(); err != nil || number != now && number != now-1 {
			return nil, graph.Errorf(graph.Unauthorized, "the signing key %q is not in use", graph.Clip(name))
		}
		return a.signing.key(ctx, a.kv, number, false)
	}, jwt.WithValidMethods([]string{algorithm}), jwt.WithIssuer(issuer), jwt.WithAudience(a.audience),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(a.options.Now))
	if err != nil {
		return 0, "", time.Time{}, err
	}
	user, err = graph.ParseID(parsed.Subject)
	return user, parsed.Session, parsed.ExpiresAt.Time, err
}

// signingNumber returns the number of the key that signs at present.
func (a *Accounts) signingNumber() int64 { return a.now().UnixMilli() / signingLife.Milliseconds() }

// signing caches the keys that sign tokens. The time since 1970 is divided into periods of signingLife, and the number
// of a key is the number of its period. Servers of one database therefore agree on the number of a key without
// communication.
type signing struct {
	mu   sync.Mutex
	keys map[int64][]byte
}

// key returns the key with a number. If the key does not exist, it creates the key if create is true; otherwise it
// returns an Unauthorized error.
func (s *signing) key(ctx context.Context, entries kv.Store, number int64, create bool) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key, ok := s.keys[number]; ok {
		return key, nil
	}
	name := signingPrefix + strconv.FormatInt(number, 10)
	key, version, err := read[[]byte](ctx, entries, name)
	if err == nil && version == 0 && create {
		until := time.UnixMilli((number + 2) * signingLife.Milliseconds())
		err = entries.Commit(ctx, put(name, randomBytes(32)).Until(until).If(kv.Absent))
		if err == nil || graph.KindOf(err) == graph.Conflict {
			key, version, err = read[[]byte](ctx, entries, name)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case version == 0:
		return nil, graph.Errorf(graph.Unauthorized, "unknown signing key %d", number)
	}
	if s.keys == nil || len(s.keys) > 2 { // the previous and the current key are in use
		s.keys = map[int64][]byte{}
	}
	s.keys[number] = key
	return key, nil
}
