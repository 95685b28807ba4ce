package server

import (
	"net/http"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) accountRoutes() []route {
	return []route{
		{"POST", "/api/auth/signup", few, s.said(answer(s.signUp)), "Make an account", sends[credentials]()},
		{"POST", "/api/v1/entity/signup", few, s.said(answer(s.signUpEntity)), "Make an account with a name", sends[newcomer]()},
		{"POST", "/api/auth/login", few, s.said(answer(s.signIn)), "Sign in: an access token, and a refresh token to renew it with", sends[credentials]()},
		{"POST", "/api/auth/refresh", few, answer(s.refreshTokens), "Trade a refresh token, which is good once, for a new pair", sends[refreshing]()},
		{"POST", "/api/auth/logout", none, answer(s.signOut), "End this session and its tokens", takes{}},
		{"GET", "/api/auth/me", none, answer(s.me), "Who asks", takes{}},
		{"GET", "/api/auth/sessions", none, answer(s.sessions), "Where the caller is signed in", takes{}},
		{"DELETE", "/api/auth/sessions", none, answer(s.endSession), "End a session of the caller", fields("id text")},
		{"POST", "/api/auth/password/forgot", few, answer(s.forgotPassword), "Send a link for choosing a new password to an e-mail, if somebody has it", sends[forgetful]()},
		{"POST", "/api/auth/password/reset", few, answer(s.resetPassword), "Choose a new password with the token of such a link", sends[resetting]()},
		{"POST", "/api/auth/password/change", few, answer(s.changePassword), "Replace the password and end every other session", sends[changing]()},
		{"POST", "/api/auth/email/confirm", few, answer(s.confirmEmail), "Confirm an e-mail with the token that was sent to it", sends[confirming]()},
		{"POST", "/api/auth/email/resend", none, answer(s.resendConfirmation), "Send that token again", takes{}},
		{"POST", "/api/auth/setup", few, answer(s.setUp), "Make the first admin with the token the server printed", sends[settingUp]()},
		{"GET", "/api/auth/keys", none, answer(s.keys), "The API keys of the caller, without their texts", takes{}},
		{"POST", "/api/auth/keys", few, answer(s.newKey), "Make an API key; its text is shown this once", sends[newKey]()},
		{"DELETE", "/api/auth/keys", none, answer(s.endKey), "End an API key of the caller", fields("id text")},
	}
}

// said makes refusals that a person should hear about 406: clients of the contract say nothing of others.
func (s *Server) said(a answerer) answerer {
	run := a.run
	a.run = func(w http.ResponseWriter, q *request) error {
		err := run(w, q)
		switch graph.KindOf(err) {
		case graph.Invalid, graph.Conflict, graph.Forbidden, graph.TooLarge:
			fail(w, q.Request, http.StatusNotAcceptable, err, s.options.Log)
			return nil
		default:
			return err
		}
	}
	return a
}

func (s *Server) accounts() (*account.Accounts, error) {
	if s.options.Accounts == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server keeps no accounts")
	}
	return s.options.Accounts, nil
}

// person is who asks, if they do so themselves: not Anonymous, and not a program with a key.
func (s *Server) person(q *request) (*account.Accounts, account.Identity, error) {
	a, err := s.accounts()
	if err != nil {
		return nil, account.Identity{}, err
	}
	who, err := a.Identify(q.Context(), q.Header.Get("Authorization"))
	switch {
	case err != nil:
	case who.User == graph.Anonymous:
		err = graph.Errorf(graph.Unauthorized, "nobody is signed in")
	case who.SignedIn == "":
		err = graph.Errorf(graph.Forbidden, "an API key may not do this; sign in with a password")
	}
	return a, who, err
}

type credentials struct {
	Email       string `json:"email"`
	Password    string `json:"password"`
	Application string `json:"application,omitempty"` // nobody reads it
}

// signedUp answers a signup with the new user's id and their concept.
type signedUp struct {
	Success     bool     `json:"success"`
	Message     string   `json:"message"`
	Data        graph.ID `json:"data"`
	RelatedData graph.ID `json:"relatedData"`
}

func (s *Server) signUp(q *request) (signedUp, error) {
	var sent credentials
	if err := wire.Decode(q.body, &sent); err != nil {
		return signedUp{}, err
	}
	u, err := s.newUser(q, account.Person{Email: sent.Email, Password: sent.Password})
	return signedUp{true, "the account is made", u.ID, u.Records.User}, err
}

func (s *Server) newUser(q *request, p account.Person) (account.User, error) {
	a, err := s.accounts()
	if err == nil {
		err = s.guess(q, "sign up", p.Email)
	}
	if err != nil {
		return account.User{}, err
	}
	return a.SignUp(q.Context(), p)
}

// newcomer is what a client of the contract sends for somebody with a name.
type newcomer struct {
	Type      string `json:"type,omitempty"`
	Username  string `json:"username,omitempty"`
	Title     string `json:"title,omitempty"`
	Email     string `json:"email"`
	Password  string `json:"password"`
	Timestamp string `json:"timestamp,omitempty"` // of the client's clock, which nobody trusts
	First     string `json:"fname,omitempty"`
	Last      string `json:"lname,omitempty"`
}

type entitySignedUp struct {
	Error   bool    `json:"error"`
	Success bool    `json:"success"`
	Message string  `json:"message"`
	Data    profile `json:"data"`
}

func (s *Server) signUpEntity(q *request) (entitySignedUp, error) {
	var sent newcomer
	if err := wire.Decode(q.body, &sent); err != nil {
		return entitySignedUp{}, err
	}
	u, err := s.newUser(q, account.Person{Email: sent.Email, Password: sent.Password, Name: account.Name{
		Type: sent.Type, Username: sent.Username, Title: sent.Title, First: sent.First, Last: sent.Last,
	}})
	return entitySignedUp{Success: true, Message: "the account is made", Data: profileOf(u)}, err
}

// profile is what clients of the contract keep of a user.
type profile struct {
	Email         string     `json:"email"`
	UserConcept   graph.ID   `json:"userConcept"`
	Entity        []userIn   `json:"entity"`
	EntityDetails entityIn   `json:"entityDetails"`
	Roles         []string   `json:"roles"`
	Confirmed     *time.Time `json:"confirmed"` // when the e-mail was shown to be theirs; null means not yet
}

type userIn struct {
	UserID graph.ID `json:"userId"`
}

type entityIn struct {
	ID graph.ID `json:"id"`
}

func profileOf(u account.User) profile {
	p := profile{
		Email: u.Email, UserConcept: u.Records.User, Entity: []userIn{{u.ID}},
		EntityDetails: entityIn{u.Records.Entity}, Roles: []string{"user"}, Confirmed: maybe(u.Confirmed),
	}
	if u.Admin {
		p.Roles = append(p.Roles, "admin")
	}
	return p
}

type signedIn struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Data    tokens `json:"data"`
}

type tokens struct {
	Token   string    `json:"token"`
	Refresh string    `json:"refreshtoken"`
	Expires time.Time `json:"expires"` // the token; the refresh token lives on
	Session string    `json:"session"`
	profile
}

func (s *Server) signIn(q *request) (signedIn, error) {
	var sent credentials
	if err := wire.Decode(q.body, &sent); err != nil {
		return signedIn{}, err
	}
	a, err := s.accounts()
	if err == nil {
		err = s.guess(q, "sign in", sent.Email)
	}
	if err != nil {
		return signedIn{}, err
	}
	signed, err := a.SignIn(q.Context(), sent.Email, sent.Password, q.UserAgent())
	return welcome(signed, "you are signed in"), err
}

func welcome(signed account.Signed, message string) signedIn {
	return signedIn{true, message, tokens{
		Token: signed.Token, Refresh: signed.Refresh, Expires: signed.Expires, Session: signed.Session,
		profile: profileOf(signed.User),
	}}
}

type refreshing struct {
	Refresh string `json:"refreshtoken"`
}

func (s *Server) refreshTokens(q *request) (signedIn, error) {
	var sent refreshing
	if err := wire.Decode(q.body, &sent); err != nil {
		return signedIn{}, err
	}
	a, err := s.accounts()
	if err == nil {
		err = s.redeem(q, "refresh")
	}
	if err != nil {
		return signedIn{}, err
	}
	signed, err := a.Refresh(q.Context(), sent.Refresh)
	return welcome(signed, "the tokens are new"), err
}

// done answers what has nothing to say but that it happened.
type done struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

func (s *Server) signOut(q *request) (done, error) {
	a, who, err := s.person(q)
	if err != nil {
		return done{}, err
	}
	return done{true, "you are signed out"}, a.SignOut(q.Context(), who.User, who.SignedIn)
}

// identity says who asks, also to a program with a key and to Anonymous.
type identity struct {
	UserID  graph.ID  `json:"userId"`
	Profile *profile  `json:"profile"` // null for Anonymous
	Key     *keyScope `json:"key"`     // what the API key may do, null without one
}

type keyScope struct {
	Write bool     `json:"write"`
	Types []string `json:"types"` // empty means all
}

func (s *Server) me(q *request) (identity, error) {
	who := identity{UserID: q.caller.User}
	if q.caller.User == graph.Anonymous {
		return who, nil
	}
	a, err := s.accounts()
	if err != nil {
		return who, err
	}
	u, err := a.User(q.Context(), q.caller.User)
	known := profileOf(u)
	who.Profile = &known
	if scope := q.caller.Scope; scope != nil {
		who.Key = &keyScope{scope.Write, append([]string{}, scope.Types...)}
	}
	return who, err
}

// session is one of the places where the caller is signed in.
type session struct {
	ID      string    `json:"id"`
	Device  string    `json:"device"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`
	Expires time.Time `json:"expires"`
	Current bool      `json:"current"`
}

func (s *Server) sessions(q *request) ([]session, error) {
	a, who, err := s.person(q)
	if err != nil {
		return nil, err
	}
	found, err := a.Sessions(q.Context(), who.User)
	all := make([]session, len(found))
	for i, one := range found {
		all[i] = session{one.ID, one.Device, one.Created, one.Used, one.Expires, one.ID == who.SignedIn}
	}
	return all, err
}

func (s *Server) endSession(q *request) (done, error) {
	a, who, err := s.person(q)
	if err != nil {
		return done{}, err
	}
	id, err := q.text("id")
	if err != nil {
		return done{}, err
	}
	return done{true, "the session has ended"}, a.SignOut(q.Context(), who.User, id)
}

// text reads a request that holds one text.
func (q *request) text(name string) (string, error) {
	fields, err := q.fields(name)
	if err != nil {
		return "", err
	}
	return fields.Text(name)
}
