package server

import (
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/wire"
)

// accountAPI serves accounts: signing up and in, sessions, passwords, confirmed e-mail addresses and API keys.
type accountAPI struct {
	accounts  accountDirectory
	attempts  *attemptLimits
	publicURL string
	// setsReaderCookies makes the sign-in of a client that does not renew tokens set cookies. They identify the user
	// of reads without identity; see identityless.go.
	setsReaderCookies bool
}

func (a *accountAPI) routes() []route {
	return []route{
		{"POST", signUpPath, smallBody, jsonEndpoint(a.signUp), "Create an account", jsonBody[credentials]()},
		{"POST", namedSignUpPath, smallBody, jsonEndpoint(a.signUpWithName), "Create an account with a name", jsonBody[namedCredentials]()},
		{"POST", signInPath, smallBody, jsonEndpoint(a.signIn), "Sign in: an access token, and a refresh token to renew it", jsonBody[credentials]()},
		{"POST", "/api/auth/refresh", smallBody, jsonEndpoint(a.refresh), "Exchange a refresh token, which can be used once, for a new pair", jsonBody[refreshRequest]()},
		{"POST", "/api/Auth/refresh", smallBody, jsonEndpoint(a.refresh), "The same as /api/auth/refresh", jsonBody[refreshRequest]()},
		{"POST", "/api/auth/logout", noBody, jsonEndpoint(a.signOut), "End this session and its tokens", requestShape{}},
		{"GET", "/api/auth/me", noBody, jsonEndpoint(a.me), "The caller's user, profile and API key", requestShape{}},
		{"GET", "/api/auth/sessions", noBody, jsonEndpoint(a.sessions), "The caller's sessions", requestShape{}},
		{"DELETE", "/api/auth/sessions", noBody, jsonEndpoint(a.endSession), "End a session of the caller", fields("id text")},
		{"POST", "/api/auth/password/forgot", smallBody, jsonEndpoint(a.forgotPassword), "Mail a link for choosing a new password, if an account has this e-mail address", jsonBody[forgotRequest]()},
		{"POST", "/api/auth/password/reset", smallBody, jsonEndpoint(a.resetPassword), "Choose a new password with the token of a mailed link", jsonBody[resetRequest]()},
		{"POST", "/api/auth/password/change", smallBody, jsonEndpoint(a.changePassword), "Replace the password and end all other sessions", jsonBody[changeRequest]()},
		{"POST", "/api/auth/email/confirm", smallBody, jsonEndpoint(a.confirmEmail), "Confirm an e-mail address with the token that was sent to it", jsonBody[confirmRequest]()},
		{"POST", "/api/auth/email/resend", noBody, jsonEndpoint(a.resendConfirmation), "Mail the token for confirming the e-mail address again", requestShape{}},
		{"POST", "/api/auth/setup", smallBody, jsonEndpoint(a.setUp), "Create the first admin with the token that the server printed", jsonBody[setupRequest]()},
		{"GET", "/api/auth/keys", noBody, jsonEndpoint(a.keys), "The caller's API keys, without the keys themselves", requestShape{}},
		{"POST", "/api/auth/keys", smallBody, jsonEndpoint(a.createKey), "Create an API key; this response alone contains it", jsonBody[keyRequest]()},
		{"DELETE", "/api/auth/keys", noBody, jsonEndpoint(a.revokeKey), "Revoke an API key of the caller", fields("id text")},
	}
}

// An accountDirectory holds the accounts of this server, if it has any.
type accountDirectory struct{ accounts *account.Accounts }

// get returns the accounts, or an Unavailable error.
func (d accountDirectory) get() (*account.Accounts, error) {
	if d.accounts == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server has no accounts")
	}
	return d.accounts, nil
}

// requireUser returns the accounts and the identity of a caller who is signed in. It returns an Unauthorized error for
// a guest, and a Forbidden error for an API key.
func (d accountDirectory) requireUser(req *request) (*account.Accounts, account.Identity, error) {
	accounts, err := d.get()
	if err != nil {
		return nil, account.Identity{}, err
	}
	identity, err := accounts.Identify(req.Context(), req.Header.Get("Authorization"))
	switch {
	case err != nil:
	case identity.User == graph.Anonymous:
		err = errSignedOut()
	case identity.SessionID == "":
		err = graph.Errorf(graph.Forbidden, "an API key may not do this; sign in with a password")
	}
	return accounts, identity, err
}

// requireAdmin returns the accounts for an admin who is signed in. It returns a Forbidden error for other users, and
// the errors of requireUser.
func (d accountDirectory) requireAdmin(req *request) (*account.Accounts, error) {
	accounts, _, err := d.requireAdminIdentity(req)
	return accounts, err
}

// requireAdminIdentity is like requireAdmin, and also returns the identity of the admin.
func (d accountDirectory) requireAdminIdentity(req *request) (*account.Accounts, account.Identity, error) {
	accounts, identity, err := d.requireUser(req)
	if err == nil && !identity.Admin {
		err = graph.Errorf(graph.Forbidden, "only admins may do this")
	}
	return accounts, identity, err
}

// outcome is the result of an action that returns no data.
type outcome struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

type credentials struct {
	Email       string `json:"email"`
	Password    string `json:"password"`
	Application string `json:"application,omitempty"` // ignored
	Refresh     bool   `json:"refresh,omitempty"`     // in a sign-in: the client renews its tokens
}

// createdAccount holds the ids of the new user and of their concept.
type createdAccount struct {
	Success     bool     `json:"success"`
	Message     string   `json:"message"`
	Data        graph.ID `json:"data"`
	RelatedData graph.ID `json:"relatedData"`
}

func (a *accountAPI) signUp(req *request) (createdAccount, error) {
	var sent credentials
	if err := wire.Decode(req.body, &sent); err != nil {
		return createdAccount{}, err
	}
	u, err := a.createUser(req, account.Person{Email: sent.Email, Password: sent.Password})
	return createdAccount{true, "the account is created", u.ID, u.Records.User}, err
}

func (a *accountAPI) createUser(req *request, p account.Person) (account.User, error) {
	accounts, err := a.accounts.get()
	if err == nil {
		err = a.attempts.countCall(req, "sign up")
	}
	if err != nil {
		return account.User{}, err
	}
	return accounts.SignUp(req.Context(), p)
}

// namedCredentials is the body of a sign-up with a name, as clients of the contract send it.
type namedCredentials struct {
	Type      string `json:"type,omitempty"`
	Username  string `json:"username,omitempty"`
	Title     string `json:"title,omitempty"`
	Email     string `json:"email"`
	Password  string `json:"password"`
	Timestamp string `json:"timestamp,omitempty"` // time of the client's clock; ignored
	First     string `json:"fname,omitempty"`
	Last      string `json:"lname,omitempty"`
}

type createdProfile struct {
	Error   bool    `json:"error"`
	Success bool    `json:"success"`
	Message string  `json:"message"`
	Data    profile `json:"data"`
}

func (a *accountAPI) signUpWithName(req *request) (createdProfile, error) {
	var sent namedCredentials
	if err := wire.Decode(req.body, &sent); err != nil {
		return createdProfile{}, err
	}
	u, err := a.createUser(req, account.Person{Email: sent.Email, Password: sent.Password, Name: account.Name{
		Type: sent.Type, Username: sent.Username, Title: sent.Title, First: sent.First, Last: sent.Last,
	}})
	return createdProfile{Success: true, Message: "the account is created", Data: profileOf(u)}, err
}

// profile is the data that clients of the contract store about a user.
type profile struct {
	Email         string        `json:"email"`
	UserConcept   graph.ID      `json:"userConcept"`
	Entity        []profileUser `json:"entity"`
	EntityDetails profileEntity `json:"entityDetails"`
	Roles         []string      `json:"roles"`
	Confirmed     *time.Time    `json:"confirmed"` // when the e-mail address was confirmed; null if it was not
}

type profileUser struct {
	UserID graph.ID `json:"userId"`
}

type profileEntity struct {
	ID graph.ID `json:"id"`
}

func profileOf(u account.User) profile {
	p := profile{
		Email: u.Email, UserConcept: u.Records.User, Entity: []profileUser{{u.ID}},
		EntityDetails: profileEntity{u.Records.Entity}, Roles: []string{"user"}, Confirmed: timeOrNull(u.Confirmed),
	}
	if u.Admin {
		p.Roles = append(p.Roles, "admin")
	}
	return p
}

// timeOrNull returns nil, which is null in JSON, for the zero time.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

type signedIn struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Data    tokens `json:"data"`
}

type tokens struct {
	Token   string    `json:"token"`
	Refresh string    `json:"refreshtoken"`
	Expires time.Time `json:"expires"` // when the access token expires; the refresh token is valid longer
	Session string    `json:"session"`
	profile
}

func (a *accountAPI) signIn(req *request) (signedIn, error) {
	var sent credentials
	if err := wire.Decode(req.body, &sent); err != nil {
		return signedIn{}, err
	}
	accounts, err := a.accounts.get()
	if err != nil {
		return signedIn{}, err
	}
	client := a.attempts.client(req)
	client.RenewsTokens = sent.Refresh
	signed, err := accounts.SignIn(req.Context(), sent.Email, sent.Password, client)
	if err != nil {
		return signedIn{}, retryAfterWait(req, err)
	}
	isSecure := isHTTPS(req, a.publicURL)
	req.responseHeader.Add("Set-Cookie", newDeviceCookie(signed.User.ID, signed.DeviceToken, isSecure).String())
	if a.setsReaderCookies && signed.ReaderToken != "" {
		for _, cookie := range newReaderCookies(signed.ReaderToken, isSecure) {
			req.responseHeader.Add("Set-Cookie", cookie.String())
		}
	}
	return newSignedIn(signed, "you are signed in"), nil
}

// isHTTPS reports whether browsers reach this server by HTTPS.
func isHTTPS(req *request, publicURL string) bool {
	return strings.HasPrefix(siteURL(req.Request, publicURL), "https:")
}

func newSignedIn(signed account.SignInResult, message string) signedIn {
	return signedIn{true, message, tokens{
		Token: signed.Token, Refresh: signed.Refresh, Expires: signed.Expires, Session: signed.Session,
		profile: profileOf(signed.User),
	}}
}

type refreshRequest struct {
	Refresh string `json:"refreshtoken"`
}

func (a *accountAPI) refresh(req *request) (signedIn, error) {
	var sent refreshRequest
	if err := wire.Decode(req.body, &sent); err != nil {
		return signedIn{}, err
	}
	accounts, err := a.accounts.get()
	if err != nil {
		return signedIn{}, err
	}
	signed, err := accounts.Refresh(req.Context(), sent.Refresh, a.attempts.client(req))
	return newSignedIn(signed, "the tokens are new"), a.attempts.countFailure(req, "refresh", err)
}

func (a *accountAPI) signOut(req *request) (outcome, error) {
	accounts, identity, err := a.accounts.requireUser(req)
	if err != nil {
		return outcome{}, err
	}
	return outcome{true, "you are signed out"}, accounts.SignOut(req.Context(), identity.User, identity.SessionID)
}

// callerIdentity describes the caller, which may be a program with a key or a guest.
type callerIdentity struct {
	UserID  graph.ID  `json:"userId"`
	Profile *profile  `json:"profile"` // null for a guest
	Key     *keyScope `json:"key"`     // the rights of the API key; null without one
}

type keyScope struct {
	Write bool     `json:"write"`
	Types []string `json:"types"` // empty means all
}

func (a *accountAPI) me(req *request) (callerIdentity, error) {
	me := callerIdentity{UserID: req.caller.User}
	if req.isGuest() {
		return me, nil
	}
	accounts, err := a.accounts.get()
	if err != nil {
		return me, err
	}
	u, err := accounts.User(req.Context(), req.caller.User)
	userProfile := profileOf(u)
	me.Profile = &userProfile
	if scope := req.caller.Scope; scope != nil {
		me.Key = &keyScope{scope.Write, append([]string{}, scope.Types...)}
	}
	return me, err
}

// session is one of the caller's sessions.
type session struct {
	ID      string    `json:"id"`
	Device  string    `json:"device"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"` // last use
	Expires time.Time `json:"expires"`
	Current bool      `json:"current"`
}

func (a *accountAPI) sessions(req *request) ([]session, error) {
	accounts, identity, err := a.accounts.requireUser(req)
	if err != nil {
		return nil, err
	}
	found, err := accounts.Sessions(req.Context(), identity.User)
	all := make([]session, len(found))
	for i, s := range found {
		all[i] = session{s.ID, s.Device, s.Created, s.Used, s.Expires, s.ID == identity.SessionID}
	}
	return all, err
}

func (a *accountAPI) endSession(req *request) (outcome, error) {
	accounts, identity, err := a.accounts.requireUser(req)
	if err != nil {
		return outcome{}, err
	}
	id, err := req.textField("id")
	if err != nil {
		return outcome{}, err
	}
	return outcome{true, "the session has ended"}, accounts.SignOut(req.Context(), identity.User, id)
}
