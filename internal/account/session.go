package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Session is a sign-in of a user on one device. Its refresh tokens replace each other; only the latest is valid.
type Session struct {
	ID      string    `json:"id"`
	User    graph.ID  `json:"user"`
	Device  string    `json:"device"` // name of the device, given by the client
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`    // when its tokens were renewed or its session token was used (recorded at most once an hour)
	Expires time.Time `json:"expires"` // when the session ends, unless its tokens are renewed or used before
}

// session is the stored form of a Session.
type session struct {
	Session
	Secret          []byte `json:"secret"`                    // hash of the secret in the current refresh token
	HasSessionToken bool   `json:"hasSessionToken,omitempty"` // whether the session has a session token; see session_token.go
	Token           []byte `json:"token,omitempty"`           // hash of the session token
}

const (
	// sessionLife is the lifetime of a refresh token, and of a session token that is not used.
	sessionLife = 30 * 24 * time.Hour
	// maxSessions is the maximum number of sessions of a user. A further session ends the least recently used
	// session.
	maxSessions    = 20
	sessionPrefix  = "account/session/" // followed by the user's id and the session's id
	maxDeviceBytes = 200
)

func sessionsPrefixOf(user graph.ID) string      { return keyOf(sessionPrefix, user) + "/" }
func sessionKey(user graph.ID, id string) string { return sessionsPrefixOf(user) + id }

// SignInResult is the result of a sign-in.
type SignInResult struct {
	User    User
	Session string // id of the session
	Token   string // access token or session token, for the header "Authorization: Bearer …"
	Refresh string // refresh token; it can be used once
	// Expires is when Token expires. The use of a session token postpones it.
	Expires time.Time
	// DeviceToken makes the device known to the account, for Client.DeviceTokens of later sign-ins. Only SignIn returns
	// it.
	DeviceToken string
	// ReaderToken identifies the session for IdentifyReader; "" if the client renews tokens, or if
	// Options.NoSessionTokens is set. Only SignIn returns it.
	ReaderToken string
}

// SignIn starts a session. For a wrong password and for an unknown e-mail it returns the same Unauthorized error,
// after the same amount of work. For a disabled account it returns an Unauthorized error if the password is right.
// After too many wrong passwords it returns a TooMany error with a WaitError as the cause, whether or not the account
// exists.
func (a *Accounts) SignIn(ctx context.Context, email, password string, from Client) (SignInResult, error) {
	u, err := a.byEmail(ctx, email)
	if err != nil {
		return SignInResult{}, err
	}
	client, err := a.recognizeClient(ctx, u, from)
	if err != nil {
		return SignInResult{}, err
	}
	attempt, err := a.guesses.begin(ctx, email, client, a.now())
	if err != nil {
		return SignInResult{}, err
	}
	for tries := 1; ; tries++ {
		signed, err := a.signInTo(ctx, u, signInInput{password, from, client, attempt})
		if !errors.Is(err, errAccountChanged) || tries == maxSignInTries {
			return signed, err
		}
		if u, err = a.account(ctx, u.ID); err != nil {
			return SignInResult{}, err
		}
	}
}

// maxSignInTries is the maximum number of tries of one sign-in. A further try is made if the account changed during the
// previous try, for example because a concurrent sign-in created the missing records of the account.
const maxSignInTries = 3

// A signInInput holds the data of a sign-in other than the account.
type signInInput struct {
	password string
	from     Client
	client   knownClient // the state of from for the account
	attempt  attempt
}

// signInTo checks the password, starts a session of the account as it was read, and returns its tokens. It returns
// errAccountChanged if the account has changed since it was read.
func (a *Accounts) signInTo(ctx context.Context, u account, c signInInput) (SignInResult, error) {
	isValid, err := a.passwords.matches(ctx, cmp.Or(u.Password, a.passwords.unknownUserHash), c.password)
	switch {
	case err != nil:
		return SignInResult{}, err
	case !isValid || u.ID == 0:
		return SignInResult{}, graph.Errorf(graph.Unauthorized, "the e-mail or the password is wrong")
	case u.Disabled:
		return SignInResult{}, firstError(a.kv.Commit(ctx, c.attempt.succeed()), graph.Errorf(graph.Unauthorized, "this account is disabled"))
	}
	if u, err = a.upgradeAccount(ctx, u, c.password); err != nil {
		return SignInResult{}, err
	}
	networkOps, err := a.networkOps(ctx, u, c.from)
	if err != nil {
		return SignInResult{}, err
	}
	signed, err := a.startSession(ctx, u, c.from, append(networkOps, c.attempt.succeed())...)
	if err == nil {
		signed.DeviceToken, err = a.newDeviceToken(ctx, u, c.client)
	}
	return signed, err
}

// upgradeAccount brings an account up to date at sign-in: it renews a password hash with an outdated cost, and creates
// missing records. It returns errAccountChanged if the password has changed since the account was read.
func (a *Accounts) upgradeAccount(ctx context.Context, u account, password string) (account, error) {
	isOutdated := a.passwords.isOutdated(u.Password)
	if !isOutdated && u.Records != (Records{}) {
		return u, nil
	}
	hash := u.Password
	if isOutdated {
		var err error
		if hash, err = a.passwords.hash(ctx, password); err != nil {
			return u, err
		}
		if _, err = a.updateAccount(ctx, u.ID, func(current *account) ([]kv.Op, error) {
			if current.Password != u.Password {
				return nil, errAccountChanged
			}
			current.Password = hash
			return nil, nil
		}); err != nil {
			return u, err
		}
	}
	if _, err := a.ensureRecords(ctx, u.User); err != nil {
		return u, err
	}
	current, err := a.account(ctx, u.ID)
	if err == nil && current.Password != hash {
		err = errAccountChanged
	}
	return current, err
}

var errAccountChanged = graph.Errorf(graph.Unauthorized, "the account changed during the request; sign in again")

// startSession starts a session and commits the operations more with it. The session has a session token unless the
// client renews tokens or Options.NoSessionTokens is set. It returns errAccountChanged if the account has changed since
// it was read, because the password may have changed.
func (a *Accounts) startSession(ctx context.Context, u account, from Client, more ...kv.Op) (SignInResult, error) {
	now := a.now()
	s := session{Session: Session{
		ID: encodeToken(randomBytes(16)), User: u.ID, Device: clip(from.Name, maxDeviceBytes),
		Created: now, Used: now, Expires: now.Add(sessionLife),
	}}
	s.HasSessionToken = !from.RenewsTokens && !a.options.NoSessionTokens
	ops, err := a.endExcessSessions(ctx, u.ID)
	if err != nil {
		return SignInResult{}, err
	}
	reader := ""
	if s.HasSessionToken {
		if reader, err = a.readerToken(ctx, s); err != nil {
			return SignInResult{}, err
		}
	}
	signed, err := a.issueTokens(ctx, u.User, s, kv.Absent, slices.Concat(ops, more, []kv.Op{kv.Expect(keyOf(userPrefix, u.ID), u.version)})...)
	if graph.KindOf(err) == graph.Conflict {
		return SignInResult{}, errAccountChanged
	}
	signed.ReaderToken = reader
	return signed, err
}

// issueTokens writes a session with a new secret, commits the operations with it, and returns its tokens. The error is
// a Conflict if the session, or the entry of an operation, does not have the expected version.
func (a *Accounts) issueTokens(ctx context.Context, u User, s session, version int64, ops ...kv.Op) (SignInResult, error) {
	secret := encodeToken(randomBytes(32))
	s.Secret = digest(secret)
	token, expires, err := a.signAccessToken(ctx, u, s)
	if err != nil {
		return SignInResult{}, err
	}
	if s.HasSessionToken {
		s.Token = digest(token)
	}
	ops = append(ops, put(sessionKey(u.ID, s.ID), s).Until(s.Expires).If(version))
	refresh := fmt.Sprintf("%d.%s.%s", u.ID, s.ID, secret)
	return SignInResult{User: u, Session: s.ID, Token: token, Refresh: refresh, Expires: expires}, a.kv.Commit(ctx, ops...)
}

// endExcessSessions returns the operations that end the least recently used sessions, so that there are at most
// maxSessions after one more session has started.
func (a *Accounts) endExcessSessions(ctx context.Context, user graph.ID) ([]kv.Op, error) {
	all, err := a.Sessions(ctx, user)
	var ops []kv.Op
	for _, s := range all[min(len(all), maxSessions-1):] {
		ops = append(ops, kv.Delete(sessionKey(user, s.ID)))
	}
	return ops, err
}

// Sessions returns the sessions of a user, most recently used first.
func (a *Accounts) Sessions(ctx context.Context, user graph.ID) ([]Session, error) {
	all, err := list[Session](ctx, a.kv, kv.Range{Prefix: sessionsPrefixOf(user)})
	slices.SortFunc(all, func(s, t Session) int { return t.Used.Compare(s.Used) })
	return all, err
}

// Refresh exchanges a refresh token for a new pair of tokens, and makes the network of the client known to the account.
// It returns an Unauthorized error for a token that is not the latest of a session. A token with the id of a session and
// another secret, such as an earlier token, also ends the session. So do two concurrent uses of the latest token, and a
// token of a disabled or removed user.
func (a *Accounts) Refresh(ctx context.Context, token string, from Client) (SignInResult, error) {
	invalid := graph.Errorf(graph.Unauthorized, "the refresh token is invalid or was used; sign in again")
	user, id, secret, ok := splitToken(token)
	if !ok {
		return SignInResult{}, invalid
	}
	s, version, err := read[session](ctx, a.kv, sessionKey(user, id))
	if err != nil || version == 0 || !a.now().Before(s.Expires) {
		return SignInResult{}, firstError(err, invalid)
	}
	u, err := a.account(ctx, user)
	if err != nil {
		return SignInResult{}, err
	}
	if subtle.ConstantTimeCompare(s.Secret, digest(secret)) != 1 || u.ID == 0 || u.Disabled {
		return SignInResult{}, firstError(a.SignOut(ctx, user, id), invalid)
	}
	s.Used = a.now()
	s.Expires = s.Used.Add(sessionLife)
	if s.HasSessionToken {
		s.Expires = s.sessionTokenEnd(s.Used)
	}
	networkOps, err := a.networkOps(ctx, u, from)
	if err != nil {
		return SignInResult{}, err
	}
	signed, err := a.issueTokens(ctx, u.User, s, version, networkOps...)
	if graph.KindOf(err) == graph.Conflict { // two requests used the token at the same time
		return SignInResult{}, firstError(a.SignOut(ctx, user, id), invalid)
	}
	return signed, err
}

// splitToken returns the parts of a refresh token or a reader token. It does not verify the secret.
func splitToken(token string) (user graph.ID, id, secret string, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > 200 || graph.CheckText("token", token) != nil {
		return 0, "", "", false
	}
	user, err := graph.ParseID(parts[0])
	return user, parts[1], parts[2], err == nil
}

// SignOut ends a session of a user. It is idempotent.
func (a *Accounts) SignOut(ctx context.Context, user graph.ID, session string) error {
	return a.revoke(ctx, kv.Delete(sessionKey(user, session)))
}

// endSessions returns the operations that end all sessions of a user except the session with the id keepID; "" ends
// all.
func (a *Accounts) endSessions(ctx context.Context, user graph.ID, keepID string) ([]kv.Op, error) {
	all, err := a.Sessions(ctx, user)
	var ops []kv.Op
	for _, s := range all {
		if s.ID != keepID {
			ops = append(ops, kv.Delete(sessionKey(user, s.ID)))
		}
	}
	return ops, err
}

// revoke commits operations that revoke rights, and clears the cache of identities.
func (a *Accounts) revoke(ctx context.Context, ops ...kv.Op) error {
	defer a.cache.clear()
	return a.kv.Commit(ctx, ops...)
}

func encodeToken(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// digest hashes a random secret. The entropy of the secret makes a slow hash unnecessary.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func clip(s string, maxBytes int) string { return strings.ToValidUTF8(s[:min(len(s), maxBytes)], "") }
