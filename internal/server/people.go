package server

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/wire"
)

// peopleAPI serves the sessions and API keys of all users, and links for new passwords, to admins.
type peopleAPI struct {
	accounts accountDirectory
	audit    *auditAPI
}

func (a *peopleAPI) routes() []route {
	return []route{
		{"POST", "/api/admin/users/password", smallBody, jsonEndpoint(a.setPassword), "Set a user's password and end all sessions of the user; for admins", jsonBody[userPassword]()},
		{"POST", "/api/admin/users/reset-link", smallBody, jsonEndpoint(a.resetLink), "A link with which a user can choose a new password, once within an hour. The caller passes it on to the user; for admins", jsonBody[userReference]()},
		{"POST", "/api/admin/users/token", smallBody, jsonEndpoint(a.token), "An access token of a user, valid for minutes; for admins", jsonBody[userReference]()},
		{"GET", "/api/admin/sessions", noBody, jsonEndpoint(a.sessions), "The sessions of a user, or of all users page by page; for admins", fields("user int?", "after text?", "inpage int 100")},
		{"DELETE", "/api/admin/sessions", noBody, jsonEndpoint(a.endSessions), "End a session of a user, or all sessions if id is missing; for admins", fields("user int", "id text?")},
		{"GET", "/api/admin/keys", noBody, jsonEndpoint(a.keys), "The API keys of a user, or of all users page by page, without the keys themselves; for admins", fields("user int?", "after text?", "inpage int 100")},
		{"POST", "/api/admin/keys", smallBody, jsonEndpoint(a.createKey), "Create an API key that acts for a user; this response alone contains it; for admins", jsonBody[adminKeyRequest]()},
		{"DELETE", "/api/admin/keys", noBody, jsonEndpoint(a.revokeKey), "Revoke an API key of a user; for admins", fields("user int", "id text")},
	}
}

// userReference names a user.
type userReference struct {
	ID graph.ID `json:"id"`
}

type userPassword struct {
	ID       graph.ID `json:"id"`
	Password string   `json:"password"`
}

func (a *peopleAPI) setPassword(req *request) (outcome, error) {
	var sent userPassword
	accounts, u, err := a.userIn(req, &sent, func() graph.ID { return sent.ID })
	if err != nil {
		return outcome{}, err
	}
	if err := accounts.SetPassword(req.Context(), u.ID, sent.Password); err != nil {
		return outcome{}, err
	}
	a.audit.add(req, action{"user.password", u.Email, "all sessions ended"})
	return outcome{true, "the password is set"}, nil
}

// userIn decodes the JSON body of a request of an admin, and returns the user that the body names. id returns the id of that user;
// userIn calls it after decoding.
func (a *peopleAPI) userIn(req *request, body any, id func() graph.ID) (*account.Accounts, account.User, error) {
	accounts, err := a.accounts.requireAdmin(req)
	if err != nil {
		return nil, account.User{}, err
	}
	if err := wire.Decode(req.body, body); err != nil {
		return nil, account.User{}, err
	}
	u, err := accounts.User(req.Context(), id())
	return accounts, u, err
}

type resetLink struct {
	Link    string    `json:"link"` // any holder of the link can set the password
	Expires time.Time `json:"expires"`
}

func (a *peopleAPI) resetLink(req *request) (resetLink, error) {
	var sent userReference
	accounts, u, err := a.userIn(req, &sent, func() graph.ID { return sent.ID })
	if err != nil {
		return resetLink{}, err
	}
	link, expires, err := accounts.ResetLink(req.Context(), u.ID)
	if err == nil {
		a.audit.add(req, action{"user.resetLink", u.Email, ""})
	}
	return resetLink{link, expires}, err
}

type userToken struct {
	Token string `json:"token"`
}

func (a *peopleAPI) token(req *request) (userToken, error) {
	var sent userReference
	accounts, u, err := a.userIn(req, &sent, func() graph.ID { return sent.ID })
	if err != nil {
		return userToken{}, err
	}
	token, err := accounts.Token(req.Context(), u.ID)
	if err == nil {
		a.audit.add(req, action{"user.token", u.Email, ""})
	}
	return userToken{token}, err
}

// adminSession is a session as admins see it.
type adminSession struct {
	User  graph.ID `json:"user"`
	Email string   `json:"email"`
	session
}

type sessionPage struct {
	Sessions []adminSession `json:"sessions"`
	Next     string         `json:"next"` // the cursor of the next page; "" after the last
}

func (a *peopleAPI) sessions(req *request) (sessionPage, error) {
	accounts, identity, err := a.accounts.requireAdminIdentity(req)
	if err != nil {
		return sessionPage{}, err
	}
	user, page, err := pageOfUser(req)
	if err != nil {
		return sessionPage{}, err
	}
	var found []account.Session
	var next string
	if user != 0 {
		found, err = accounts.Sessions(req.Context(), user)
	} else {
		found, next, err = accounts.AllSessions(req.Context(), page.after, page.limit)
	}
	list, emails := sessionPage{make([]adminSession, 0, len(found)), next}, emailsOf(req, accounts)
	for _, s := range found {
		list.Sessions = append(list.Sessions, adminSession{s.User, emails(s.User), session{s.ID, s.Device, s.Created, s.Used, s.Expires, s.ID == identity.SessionID}})
	}
	return list, err
}

// pageOfUser returns the fields "user", "after" and "inpage".
func pageOfUser(req *request) (graph.ID, textPage, error) {
	user, err := req.cursorField("user")
	if err != nil {
		return 0, textPage{}, err
	}
	page, err := req.textPage()
	return graph.ID(user), page, err
}

// emailsOf returns a function that maps users to their e-mail addresses, or to "" if the account was removed. It reads each
// account once.
func emailsOf(req *request, accounts *account.Accounts) func(graph.ID) string {
	known := map[graph.ID]string{}
	return func(user graph.ID) string {
		email, ok := known[user]
		if !ok {
			u, _ := accounts.User(req.Context(), user)
			email, known[user] = u.Email, u.Email
		}
		return email
	}
}

func (a *peopleAPI) endSessions(req *request) (outcome, error) {
	accounts, u, sent, err := a.userField(req)
	if err != nil {
		return outcome{}, err
	}
	detail := "one session"
	if sent["id"] != "" {
		err = accounts.EndSession(req.Context(), u.ID, sent["id"])
	} else {
		var n int
		n, err = accounts.EndSessions(req.Context(), u.ID)
		detail = fmt.Sprintf("all %d sessions", n)
	}
	if err != nil {
		return outcome{}, err
	}
	a.audit.add(req, action{"session.end", u.Email, detail})
	return outcome{true, "the session has ended"}, nil
}

// userField returns the user in the field "user" of a request of an admin, and the fields "user" and "id".
func (a *peopleAPI) userField(req *request) (*account.Accounts, account.User, wire.Fields, error) {
	accounts, err := a.accounts.requireAdmin(req)
	if err != nil {
		return nil, account.User{}, nil, err
	}
	sent, err := req.fields("user", "id")
	if err != nil {
		return nil, account.User{}, nil, err
	}
	id, err := sent.ID("user")
	if err != nil {
		return nil, account.User{}, nil, err
	}
	u, err := accounts.User(req.Context(), id)
	return accounts, u, sent, err
}

// adminKey is an API key as admins see it.
type adminKey struct {
	User  graph.ID `json:"user"`
	Email string   `json:"email"`
	keyInfo
}

type keyPage struct {
	Keys []adminKey `json:"keys"`
	Next string     `json:"next"` // the cursor of the next page; "" after the last
}

func (a *peopleAPI) keys(req *request) (keyPage, error) {
	accounts, err := a.accounts.requireAdmin(req)
	if err != nil {
		return keyPage{}, err
	}
	user, page, err := pageOfUser(req)
	if err != nil {
		return keyPage{}, err
	}
	var found []account.Key
	var next string
	if user != 0 {
		found, err = accounts.Keys(req.Context(), user)
	} else {
		found, next, err = accounts.AllKeys(req.Context(), page.after, page.limit)
	}
	list, emails := keyPage{make([]adminKey, 0, len(found)), next}, emailsOf(req, accounts)
	for _, k := range found {
		list.Keys = append(list.Keys, adminKey{k.User, emails(k.User), keyInfoOf(k)})
	}
	return list, err
}

type adminKeyRequest struct {
	User graph.ID `json:"user"`
	keyRequest
}

func (a *peopleAPI) createKey(req *request) (createdKey, error) {
	var sent adminKeyRequest
	accounts, u, err := a.userIn(req, &sent, func() graph.ID { return sent.User })
	if err != nil {
		return createdKey{}, err
	}
	created, secret, err := accounts.NewKey(req.Context(), sent.key(u.ID))
	if err == nil {
		a.audit.add(req, action{"key.create", u.Email, describeKey(created)})
	}
	return createdKey{secret, keyInfoOf(created)}, err
}

// describeKey returns the name and the rights of a key.
func describeKey(k account.Key) string {
	rights := "reads"
	if k.Write {
		rights = "reads and writes"
	}
	if len(k.Types) > 0 {
		rights += " " + strings.Join(slices.Sorted(slices.Values(k.Types)), " ")
	}
	return fmt.Sprintf("%s (%s): %s", k.Name, k.ID, rights)
}

func (a *peopleAPI) revokeKey(req *request) (outcome, error) {
	accounts, u, sent, err := a.userField(req)
	if err != nil {
		return outcome{}, err
	}
	if err := accounts.RevokeKey(req.Context(), u.ID, sent["id"]); err != nil {
		return outcome{}, err
	}
	a.audit.add(req, action{"key.revoke", u.Email, sent["id"]})
	return outcome{true, "the key has ended"}, nil
}
