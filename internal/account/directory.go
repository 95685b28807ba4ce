package account

import (
	"context"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A UserQuery selects accounts. Zero fields select all.
type UserQuery struct {
	After    graph.ID // only accounts after this one, in the order of Users
	Text     string   // only accounts whose e-mail or name contains this text, in any case
	Admins   bool     // only admins
	Disabled bool     // only disabled accounts
	Limit    int      // 1 or more
}

const (
	// maxSearchedUsers is the maximum number of accounts that one call of SearchUsers reads.
	maxSearchedUsers = 20_000
	usersAtOnce      = 1_000
)

// SearchUsers returns up to q.Limit accounts, and the cursor of the next page, which is 0 after the last account. It reads at
// most maxSearchedUsers accounts, so a page that is not full, or even empty, may have a cursor.
func (a *Accounts) SearchUsers(ctx context.Context, q UserQuery) (found []User, cursor graph.ID, err error) {
	for read := 0; read < maxSearchedUsers; {
		users, err := a.Users(ctx, q.After, usersAtOnce)
		if err != nil || len(users) == 0 {
			return found, 0, err
		}
		for _, u := range users {
			q.After = u.ID
			if !q.selects(u) {
				continue
			}
			if found = append(found, u); len(found) == q.Limit {
				return found, u.ID, nil
			}
		}
		if read += len(users); len(users) < usersAtOnce {
			return found, 0, nil
		}
	}
	return found, q.After, nil
}

func (q UserQuery) selects(u User) bool {
	if q.Admins && !u.Admin || q.Disabled && !u.Disabled {
		return false
	}
	text := strings.ToLower(q.Text)
	for _, part := range []string{u.Email, u.Name.Username, u.Name.First + " " + u.Name.Last} {
		if strings.Contains(strings.ToLower(part), text) {
			return true
		}
	}
	return false
}

// AllSessions returns up to limit sessions of all users after a cursor, and the cursor of the next page, which is "" after the last.
func (a *Accounts) AllSessions(ctx context.Context, after string, limit int) (sessions []Session, cursor string, err error) {
	return listAll[Session](ctx, a.kv, kv.Range{Prefix: sessionPrefix, After: after, Limit: limit})
}

// AllKeys returns up to limit API keys of all users after a cursor, and the cursor of the next page, which is "" after the last.
func (a *Accounts) AllKeys(ctx context.Context, after string, limit int) (keys []Key, cursor string, err error) {
	return listAll[Key](ctx, a.kv, kv.Range{Prefix: keyPrefix, After: after, Limit: limit})
}

// listAll returns the values of the range r. r.After is a cursor without the prefix of the keys.
func listAll[T any](ctx context.Context, from kv.Store, r kv.Range) (values []T, cursor string, err error) {
	if r.After != "" {
		r.After = r.Prefix + r.After
	}
	found, err := from.List(ctx, r)
	if err != nil {
		return nil, "", err
	}
	values = make([]T, len(found))
	for i, e := range found {
		if err := decode(e, &values[i]); err != nil {
			return nil, "", err
		}
	}
	if len(found) == r.Limit {
		cursor = strings.TrimPrefix(found[len(found)-1].Key, r.Prefix)
	}
	return values, cursor, nil
}

// EndSession ends a session of a user. It returns a NotFound error if the user has no session with this id.
func (a *Accounts) EndSession(ctx context.Context, user graph.ID, id string) error {
	_, version, err := read[Session](ctx, a.kv, sessionKey(user, id))
	if err == nil && version == 0 {
		err = graph.Errorf(graph.NotFound, "session %q not found", graph.Clip(id))
	}
	if err != nil {
		return err
	}
	return a.SignOut(ctx, user, id)
}

// EndSessions ends all sessions of a user and returns their number.
func (a *Accounts) EndSessions(ctx context.Context, user graph.ID) (n int, err error) {
	ops, err := a.endSessions(ctx, user, "")
	if err != nil || len(ops) == 0 {
		return 0, err
	}
	return len(ops), a.revoke(ctx, ops...)
}

// ResetLink returns the URL of a page on which a user chooses a new password, and its expiry. The link works once. A person who
// has the URL can take over the account, so only admins may see it. It returns a NotFound error for an unknown user.
func (a *Accounts) ResetLink(ctx context.Context, user graph.ID) (url string, expires time.Time, err error) {
	u, err := a.existingAccount(ctx, user)
	if err != nil {
		return "", time.Time{}, err
	}
	token, err := a.createLink(ctx, link{For: purposeReset, User: u.ID, Replaces: digest(u.Password)}, resetLife)
	return a.address("/reset", token), a.now().Add(resetLife), err
}
