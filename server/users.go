package server

import (
	"crypto/subtle"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) userRoutes() []route {
	remove := fields("conceptId int", "apiKey text?")
	return []route{
		{"POST", "/api/deleteuser", none, answer(s.deleteUser), "End an account, one's own unless one may end others, and say which concept is its e-mail", remove},
		{"DELETE", "/api/deleteuser", none, answer(s.deleteUser), "End an account, as POST does", remove},
		{"GET", "/api/admin/users", none, answer(s.users), "All accounts, a page of them; for admins", fields("after int?", "inpage int 100")},
		{"POST", "/api/admin/users", few, answer(s.addUser), "Make an account for somebody; for admins", sends[newUser]()},
		{"DELETE", "/api/admin/users", none, answer(s.removeUser), "End an account; for admins", fields("id int")},
		{"POST", "/api/admin/users/disable", few, answer(s.disableUser), "Take away or give back the right to sign in; for admins", sends[switching]()},
		{"POST", "/api/admin/users/admin", few, answer(s.makeAdmin), "Make somebody an admin, or no longer; for admins", sends[switching]()},
	}
}

// endedUser answers the end of an account with the concept of its e-mail.
type endedUser struct {
	Success bool     `json:"success"`
	Message string   `json:"message"`
	Data    graph.ID `json:"data"`
}

func (s *Server) deleteUser(q *request) (endedUser, error) {
	sent, err := q.fields("conceptId", "apiKey")
	if err != nil {
		return endedUser{}, err
	}
	id, err := sent.ID("conceptId")
	if err != nil {
		return endedUser{}, err
	}
	a, err := s.mayDelete(q, id, sent["apiKey"])
	if err != nil {
		return endedUser{}, err
	}
	u, err := a.ByConcept(q.Context(), id)
	if err != nil {
		return endedUser{}, err
	}
	if _, err := a.Remove(q.Context(), u.ID); err != nil {
		return endedUser{}, err
	}
	return endedUser{true, "the account is gone", u.Records.Email}, nil
}

// mayDelete says whether a request may end an account: one's own always, that of another as an admin or with
// the operator's key.
func (s *Server) mayDelete(q *request, concept graph.ID, key string) (*account.Accounts, error) {
	if want := s.options.DeleteUserKey; want != "" && key != "" {
		if err := s.redeem(q, "delete user"); err != nil {
			return nil, err
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(key)) == 1 {
			return s.accounts()
		}
	}
	a, who, err := s.person(q)
	if err != nil || who.Admin {
		return a, err
	}
	u, err := a.User(q.Context(), who.User)
	if err == nil && concept != u.ID && concept != u.Records.User {
		err = graph.Errorf(graph.Forbidden, "%d is somebody else, and only admins may end the accounts of others", concept)
	}
	return a, err
}

// admin is the accounts, if an admin asks, themselves.
func (s *Server) admin(q *request) (*account.Accounts, error) {
	a, who, err := s.person(q)
	if err == nil && !who.Admin {
		err = graph.Errorf(graph.Forbidden, "only admins may do this")
	}
	return a, err
}

// user is an account as admins see it.
type user struct {
	ID        graph.ID   `json:"id"`
	Email     string     `json:"email"`
	Admin     bool       `json:"admin"`
	Disabled  bool       `json:"disabled"`
	Created   time.Time  `json:"created"`
	Confirmed *time.Time `json:"confirmed"`
	Concept   graph.ID   `json:"userConcept"`
	Entity    graph.ID   `json:"entityId"`
}

func userOf(u account.User) user {
	return user{u.ID, u.Email, u.Admin, u.Disabled, u.Created, maybe(u.Confirmed), u.Records.User, u.Records.Entity}
}

// mostUsers is how many accounts a page holds.
const mostUsers = 1_000

func (s *Server) users(q *request) ([]user, error) {
	a, err := s.admin(q)
	if err != nil {
		return nil, err
	}
	sent, err := q.fields("after", "inpage")
	if err != nil {
		return nil, err
	}
	limit, err := sent.Int("inpage", 100)
	if err == nil && (limit < 1 || limit > mostUsers) {
		err = graph.Errorf(graph.Invalid, "%d accounts on a page; want 1 to %d", limit, mostUsers)
	}
	if err != nil {
		return nil, err
	}
	var after graph.ID
	if sent["after"] != "" {
		if after, err = sent.ID("after"); err != nil {
			return nil, err
		}
	}
	found, err := a.Users(q.Context(), after, limit)
	all := make([]user, len(found))
	for i, u := range found {
		all[i] = userOf(u)
	}
	return all, err
}

type newUser struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Admin    bool   `json:"admin,omitempty"`
}

func (s *Server) addUser(q *request) (user, error) {
	a, err := s.admin(q)
	if err != nil {
		return user{}, err
	}
	var sent newUser
	if err := wire.Decode(q.body, &sent); err != nil {
		return user{}, err
	}
	u, err := a.Add(q.Context(), account.Person{Email: sent.Email, Password: sent.Password}, sent.Admin)
	return userOf(u), err
}

func (s *Server) removeUser(q *request) (user, error) {
	a, err := s.admin(q)
	if err != nil {
		return user{}, err
	}
	id, err := q.id("id")
	if err != nil {
		return user{}, err
	}
	u, err := a.Remove(q.Context(), id)
	return userOf(u), err
}

// switching turns something on or off for a user.
type switching struct {
	ID graph.ID `json:"id"`
	On bool     `json:"on"`
}

func (s *Server) disableUser(q *request) (user, error) {
	return s.turn(q, func(a *account.Accounts, sent switching) (account.User, error) {
		return a.SetDisabled(q.Context(), sent.ID, sent.On)
	})
}

func (s *Server) makeAdmin(q *request) (user, error) {
	return s.turn(q, func(a *account.Accounts, sent switching) (account.User, error) {
		return a.SetAdmin(q.Context(), sent.ID, sent.On)
	})
}

func (s *Server) turn(q *request, f func(*account.Accounts, switching) (account.User, error)) (user, error) {
	a, err := s.admin(q)
	if err != nil {
		return user{}, err
	}
	var sent switching
	if err := wire.Decode(q.body, &sent); err != nil {
		return user{}, err
	}
	u, err := f(a, sent)
	return userOf(u), err
}
