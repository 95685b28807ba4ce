package account

import (
	"context"
	"net/mail"
	"strings"
	"time"
	"unicode"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A User is somebody with an account.
type User struct {
	ID       graph.ID  `json:"id"` // owns what they write
	Email    string    `json:"email"`
	Name     Name      `json:"name,omitzero"`
	Admin    bool      `json:"admin,omitempty"`
	Disabled bool      `json:"disabled,omitempty"` // may not sign in
	Created  time.Time `json:"created"`
	// Confirmed is when the e-mail was shown to be theirs; zero means not yet.
	Confirmed time.Time `json:"confirmed,omitzero"`
	// The user in the graph: see Records.
	Records Records `json:"records,omitzero"`
}

// A Name is what people say about themselves when they sign up. Everything in it may be empty.
type Name struct {
	Type     string `json:"type,omitempty"`
	Username string `json:"username,omitempty"`
	Title    string `json:"title,omitempty"`
	First    string `json:"first,omitempty"`
	Last     string `json:"last,omitempty"`
}

// An account is a user as it is kept.
type account struct {
	User
	Password string `json:"password"`
	version  int64
}

const (
	userPrefix  = "account/user/"
	emailPrefix = "account/email/" // and the address in lower case: the id of its user
	adminPrefix = "account/admin/" // and an id, for each admin
)

func emailKey(email string) string { return emailPrefix + strings.ToLower(email) }

// longestEmail is as much as mail servers take.
const longestEmail = 254

// checkEmail returns an Invalid error for what is no plain address that mail can be sent to. Letters beyond ASCII
// look like others, or become others in lower case, and only some mail servers can read them.
func checkEmail(email string) error {
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || strings.ContainsFunc(email, oddInEmail) {
		return graph.Errorf(graph.Invalid, "%q is not an e-mail address", graph.Clip(email))
	}
	if len(email) > longestEmail {
		return graph.Errorf(graph.Invalid, "an e-mail address may have %d bytes, and this one has %d", longestEmail, len(email))
	}
	return nil
}

func oddInEmail(r rune) bool {
	return r <= ' ' || r >= unicode.MaxASCII || strings.ContainsRune(`"<>()[]\,;:`, r)
}

// User returns an account by its id, or a NotFound error.
func (a *Accounts) User(ctx context.Context, id graph.ID) (User, error) {
	found, err := a.account(ctx, id)
	if err == nil && found.ID == 0 {
		err = graph.Errorf(graph.NotFound, "there is no user %d", id)
	}
	return found.User, err
}

// ByEmail returns an account by its e-mail, or a NotFound error.
func (a *Accounts) ByEmail(ctx context.Context, email string) (User, error) {
	found, err := a.byEmail(ctx, email)
	if err == nil && found.ID == 0 {
		err = graph.Errorf(graph.NotFound, "nobody here has the e-mail %q", graph.Clip(email))
	}
	return found.User, err
}

// account is the zero account when there is none.
func (a *Accounts) account(ctx context.Context, id graph.ID) (account, error) {
	found, version, err := read[account](ctx, a.kv, under(userPrefix, id))
	found.version = version
	return found, err
}

// byEmail asks as often for those who are not there as for those who are.
func (a *Accounts) byEmail(ctx context.Context, email string) (account, error) {
	var id graph.ID
	if checkEmail(email) == nil {
		var err error
		if id, _, err = read[graph.ID](ctx, a.kv, emailKey(email)); err != nil {
			return account{}, err
		}
	}
	return a.account(ctx, id)
}

// change reads an account, lets f change it, and writes it with the operations that f adds. When somebody
// else was faster, f is asked again.
func (a *Accounts) change(ctx context.Context, id graph.ID, f func(*account) ([]kv.Op, error)) (User, error) {
	for {
		u, err := a.account(ctx, id)
		if err == nil && u.ID == 0 {
			err = graph.Errorf(graph.NotFound, "there is no user %d", id)
		}
		if err != nil {
			return User{}, err
		}
		more, err := f(&u)
		if err != nil {
			return User{}, err
		}
		err = a.kv.Commit(ctx, append([]kv.Op{put(under(userPrefix, id), u).If(u.version)}, more...)...)
		if graph.KindOf(err) != graph.Conflict {
			return u.User, err
		}
	}
}
