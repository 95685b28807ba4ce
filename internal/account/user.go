package account

import (
	"context"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A User is a user with an account.
type User struct {
	ID       graph.ID  `json:"id"` // owner of the user's records
	Email    string    `json:"email"`
	Name     Name      `json:"name,omitzero"`
	Admin    bool      `json:"admin,omitempty"`
	Disabled bool      `json:"disabled,omitempty"` // cannot sign in
	Created  time.Time `json:"created"`
	// Confirmed is when the user confirmed the e-mail; zero means not yet.
	Confirmed time.Time `json:"confirmed,omitzero"`
	// Records represent the user in the graph.
	Records Records `json:"records,omitzero"`
}

// A Name is the name given at sign-up. All fields are optional.
type Name struct {
	Type     string `json:"type,omitempty"`
	Username string `json:"username,omitempty"`
	Title    string `json:"title,omitempty"`
	First    string `json:"first,omitempty"`
	Last     string `json:"last,omitempty"`
}

// An account is the stored form of a User.
type account struct {
	User
	Password string `json:"password"`
	version  int64
}

const (
	userPrefix  = "account/user/"
	emailPrefix = "account/email/" // followed by the address in lower case; the value is the id of the user
	adminPrefix = "account/admin/" // followed by the id of an admin
)

func emailKey(email string) string { return emailPrefix + strings.ToLower(email) }

// maxEmailBytes is the maximum length of an address in RFC 5321, in bytes.
const maxEmailBytes = 254

// checkEmail returns an Invalid error unless email is a plain ASCII address. Other letters can look like ASCII ones or
// become ASCII in lower case, and few mail servers support them.
func checkEmail(email string) error {
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || strings.ContainsFunc(email, isInvalidInEmail) {
		return graph.Errorf(graph.Invalid, "%q is not an e-mail address", graph.Clip(email))
	}
	if len(email) > maxEmailBytes {
		return graph.Errorf(graph.Invalid, "the e-mail address has %d bytes; the maximum is %d", len(email), maxEmailBytes)
	}
	return nil
}

func isInvalidInEmail(r rune) bool {
	return r <= ' ' || r >= unicode.MaxASCII || strings.ContainsRune(`"<>()[]\,;:`, r)
}

// User returns the account with an id, or a NotFound error.
func (a *Accounts) User(ctx context.Context, id graph.ID) (User, error) {
	found, err := a.existingAccount(ctx, id)
	return found.User, err
}

// ByEmail returns the account with an e-mail, or a NotFound error.
func (a *Accounts) ByEmail(ctx context.Context, email string) (User, error) {
	found, err := a.byEmail(ctx, email)
	if err == nil && found.ID == 0 {
		err = graph.Errorf(graph.NotFound, "no user has the e-mail %q", graph.Clip(email))
	}
	return found.User, err
}

// account returns the stored account, or the zero account if there is none.
func (a *Accounts) account(ctx context.Context, id graph.ID) (account, error) {
	found, version, err := read[account](ctx, a.kv, keyOf(userPrefix, id))
	found.version = version
	return found, err
}

// existingAccount returns the stored account, or a NotFound error.
func (a *Accounts) existingAccount(ctx context.Context, id graph.ID) (account, error) {
	found, err := a.account(ctx, id)
	if err == nil && found.ID == 0 {
		err = graph.Errorf(graph.NotFound, "user %d not found", id)
	}
	return found, err
}

// byEmail is like account, but finds the account by its e-mail. It makes the same number of reads for known and
// unknown e-mails.
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

// updateAccount reads an account, applies f, and writes it together with the operations that f returns. It repeats
// these steps after a Conflict, because the account or an entry that f read was changed in the meantime. If the
// repetition expects the same versions and fails again, for example because f writes an entry that must be absent,
// it returns the Conflict.
func (a *Accounts) updateAccount(ctx context.Context, id graph.ID, f func(*account) ([]kv.Op, error)) (User, error) {
	for expected := []kv.Op(nil); ; {
		u, err := a.existingAccount(ctx, id)
		if err != nil {
			return User{}, err
		}
		ops, err := f(&u)
		if err != nil {
			return User{}, err
		}
		ops = append([]kv.Op{put(keyOf(userPrefix, id), u).If(u.version)}, ops...)
		err = a.kv.Commit(ctx, ops...)
		if graph.KindOf(err) != graph.Conflict || slices.EqualFunc(ops, expected, expectsSame) {
			return u.User, err
		}
		expected = ops
	}
}

// expectsSame reports whether two operations require the same version of the same entry.
func expectsSame(a, b kv.Op) bool { return a.Key == b.Key && a.IfVersion == b.IfVersion }
