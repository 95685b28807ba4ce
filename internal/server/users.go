package server

import (
	"cmp"
	"crypto/subtle"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/wire"
)

// userAPI serves the administration of accounts, and the deletion of the caller's own account.
type userAPI struct {
	accounts  accountDirectory
	attempts  *attemptLimits
	audit     *auditAPI
	deleteKey string // allows its holder to delete any account; "" allows none
}

func (a *userAPI) routes() []route {
	deletion := fields("conceptId int", "apiKey text?")
	return []route{
		{"POST", "/api/deleteuser", noBody, jsonEndpoint(a.deleteUser), "Delete the caller's account, or another account if the caller has the right to do so; the response has the concept of the e-mail address of the account", deletion},
		{"DELETE", "/api/deleteuser", noBody, jsonEndpoint(a.deleteUser), "Delete an account, as with POST", deletion},
		{"GET", "/api/admin/users", noBody, jsonEndpoint(a.list), "All accounts, or those with the text in e-mail or name, page by page; for admins. state is admin or disabled", fields("after int?", "inpage int 100", "text text?", "state text?")},
		{"POST", "/api/admin/users", smallBody, jsonEndpoint(a.add), "Create an account; for admins", jsonBody[newUser]()},
		{"DELETE", "/api/admin/users", noBody, jsonEndpoint(a.remove), "Delete an account; for admins", fields("id int")},
		{"POST", "/api/admin/users/disable", smallBody, jsonEndpoint(a.setDisabled), "Disable or enable an account; for admins", jsonBody[userSwitch]()},
		{"POST", "/api/admin/users/admin", smallBody, jsonEndpoint(a.setAdmin), "Make a user an admin, or take the role away; for admins", jsonBody[userSwitch]()},
	}
}

// deletedUser holds the concept of the e-mail address of the deleted account.
type deletedUser struct {
	Success bool     `json:"success"`
	Message string   `json:"message"`
	Data    graph.ID `json:"data"`
}

func (a *userAPI) deleteUser(req *request) (deletedUser, error) {
	sent, err := req.fields("conceptId", "apiKey")
	if err != nil {
		return deletedUser{}, err
	}
	id, err := sent.ID("conceptId")
	if err != nil {
		return deletedUser{}, err
	}
	accounts, err := a.requireDeletion(req, id, sent["apiKey"])
	if err != nil {
		return deletedUser{}, err
	}
	u, err := accounts.ByConcept(req.Context(), id)
	if err != nil {
		return deletedUser{}, err
	}
	if _, err := accounts.Remove(req.Context(), u.ID); err != nil {
		return deletedUser{}, err
	}
	if u.ID != req.caller.User {
		a.audit.add(req, action{"user.remove", u.Email, ""})
	}
	return deletedUser{true, "the account is deleted", u.Records.Email}, nil
}

// requireDeletion returns the accounts if the caller may delete the account with the given concept. Users may delete
// their own account; admins and holders of the operator's key may delete any account.
func (a *userAPI) requireDeletion(req *request, concept graph.ID, key string) (*account.Accounts, error) {
	if a.deleteKey != "" && key != "" {
		succeed, err := a.attempts.countGuess(req, "delete user", a.attempts.addresses.network(req.Request))
		if err != nil {
			return nil, err
		}
		if subtle.ConstantTimeCompare([]byte(a.deleteKey), []byte(key)) == 1 {
			succeed()
			return a.accounts.get()
		}
	}
	accounts, identity, err := a.accounts.requireUser(req)
	if err != nil || identity.Admin {
		return accounts, err
	}
	u, err := accounts.User(req.Context(), identity.User)
	if err == nil && concept != u.ID && concept != u.Records.User {
		err = graph.Errorf(graph.Forbidden, "concept %d belongs to another user; only admins may delete the accounts of other users", concept)
	}
	return accounts, err
}

// userInfo is an account as admins see it.
type userInfo struct {
	ID        graph.ID   `json:"id"`
	Email     string     `json:"email"`
	Admin     bool       `json:"admin"`
	Disabled  bool       `json:"disabled"`
	Created   time.Time  `json:"created"`
	Confirmed *time.Time `json:"confirmed"`
	Name      string     `json:"name"` // the full name or the user name; "" if neither is known
	Concept   graph.ID   `json:"userConcept"`
	Entity    graph.ID   `json:"entityId"`
}

func userInfoOf(u account.User) userInfo {
	return userInfo{u.ID, u.Email, u.Admin, u.Disabled, u.Created, timeOrNull(u.Confirmed), cmp.Or(strings.TrimSpace(u.Name.First+" "+u.Name.Last), u.Name.Username), u.Records.User, u.Records.Entity}
}

// maxUsersOnPage is the maximum number of accounts on a page.
const maxUsersOnPage = 1_000

func (a *userAPI) list(req *request) ([]userInfo, error) {
	accounts, err := a.accounts.requireAdmin(req)
	if err != nil {
		return nil, err
	}
	wanted, err := readUserQuery(req)
	if err != nil {
		return nil, err
	}
	found, cursor, err := accounts.SearchUsers(req.Context(), wanted)
	if cursor != 0 {
		req.responseHeader.Set(cursorHeader, cursor.String())
	}
	all := make([]userInfo, len(found))
	for i, u := range found {
		all[i] = userInfoOf(u)
	}
	return all, err
}

// readUserQuery returns the fields "after", "inpage", "text" and "state". The error is Invalid for an unknown state, and for a limit out
// of range.
func readUserQuery(req *request) (account.UserQuery, error) {
	sent, err := req.fields("after", "inpage", "text", "state")
	if err != nil {
		return account.UserQuery{}, err
	}
	wanted := account.UserQuery{Text: sent["text"], Admins: sent["state"] == "admin", Disabled: sent["state"] == "disabled"}
	if sent["state"] != "" && !wanted.Admins && !wanted.Disabled {
		return wanted, graph.Errorf(graph.Invalid, "the state is %q; want admin or disabled", graph.Clip(sent["state"]))
	}
	wanted.Limit, err = sent.Int("inpage", 100)
	if err == nil && (wanted.Limit < 1 || wanted.Limit > maxUsersOnPage) {
		err = graph.Errorf(graph.Invalid, "%d accounts on a page; want 1 to %d", wanted.Limit, maxUsersOnPage)
	}
	if err == nil && sent["after"] != "" {
		wanted.After, err = sent.ID("after")
	}
	return wanted, err
}

type newUser struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Admin    bool   `json:"admin,omitempty"`
}

func (a *userAPI) add(req *request) (userInfo, error) {
	accounts, err := a.accounts.requireAdmin(req)
	if err != nil {
		return userInfo{}, err
	}
	var sent newUser
	if err := wire.Decode(req.body, &sent); err != nil {
		return userInfo{}, err
	}
	u, err := accounts.Add(req.Context(), account.Person{Email: sent.Email, Password: sent.Password}, sent.Admin)
	if err == nil {
		a.audit.add(req, action{"user.create", u.Email, roleOf(u.Admin)})
	}
	return userInfoOf(u), err
}

// roleOf returns the role of a user, for the audit log.
func roleOf(isAdmin bool) string {
	if isAdmin {
		return "admin"
	}
	return "user"
}

func (a *userAPI) remove(req *request) (userInfo, error) {
	accounts, err := a.accounts.requireAdmin(req)
	if err != nil {
		return userInfo{}, err
	}
	id, err := req.idField("id")
	if err != nil {
		return userInfo{}, err
	}
	u, err := accounts.Remove(req.Context(), id)
	if err == nil {
		a.audit.add(req, action{"user.remove", u.Email, ""})
	}
	return userInfoOf(u), err
}

// userSwitch switches a property of a user on or off.
type userSwitch struct {
	ID graph.ID `json:"id"`
	On bool     `json:"on"`
}

func (a *userAPI) setDisabled(req *request) (userInfo, error) {
	return a.set(req, func(accounts *account.Accounts, sent userSwitch) (account.User, error) {
		u, err := accounts.SetDisabled(req.Context(), sent.ID, sent.On)
		if err == nil {
			a.audit.add(req, action{map[bool]string{true: "user.disable", false: "user.enable"}[sent.On], u.Email, ""})
		}
		return u, err
	})
}

func (a *userAPI) setAdmin(req *request) (userInfo, error) {
	return a.set(req, func(accounts *account.Accounts, sent userSwitch) (account.User, error) {
		u, err := accounts.SetAdmin(req.Context(), sent.ID, sent.On)
		if err == nil {
			a.audit.add(req, action{"user.role", u.Email, roleOf(u.Admin)})
		}
		return u, err
	})
}

func (a *userAPI) set(req *request, apply func(*account.Accounts, userSwitch) (account.User, error)) (userInfo, error) {
	accounts, err := a.accounts.requireAdmin(req)
	if err != nil {
		return userInfo{}, err
	}
	var sent userSwitch
	if err := wire.Decode(req.body, &sent); err != nil {
		return userInfo{}, err
	}
	u, err := apply(accounts, sent)
	return userInfoOf(u), err
}
