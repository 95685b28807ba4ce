package account

import (
	"cmp"
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Users returns up to limit accounts whose ids are greater than after, in order of id.
func (a *Accounts) Users(ctx context.Context, after graph.ID, limit int) ([]User, error) {
	r := kv.Range{Prefix: userPrefix, Limit: limit}
	if after != 0 {
		r.After = keyOf(userPrefix, after)
	}
	return list[User](ctx, a.kv, r)
}

// A PasswordChange is a new password that a user sets by means of the current password.
type PasswordChange struct {
	Old, New string
	Session  string // id of the session that does not end; "" means that all sessions end
}

// ChangePassword replaces the password and ends all sessions of the user except change.Session. Errors: Unauthorized if
// change.Old is not the current password, Invalid if change.New is too short or too long, and NotFound.
func (a *Accounts) ChangePassword(ctx context.Context, user graph.ID, change PasswordChange) error {
	u, err := a.existingAccount(ctx, user)
	if err != nil {
		return err
	}
	isCurrent, err := a.passwords.matches(ctx, u.Password, change.Old)
	if err == nil && !isCurrent {
		err = graph.Errorf(graph.Unauthorized, "the old password is wrong")
	}
	if err != nil {
		return err
	}
	return a.setPassword(ctx, user, passwordUpdate{text: change.New, exceptSession: change.Session, replacesHash: u.Password})
}

// SetPassword replaces the password and ends all sessions of the user. Errors: Invalid for a password that is too
// short or too long, and NotFound.
func (a *Accounts) SetPassword(ctx context.Context, user graph.ID, password string) error {
	return a.setPassword(ctx, user, passwordUpdate{text: password})
}

// A passwordUpdate is a password to store.
type passwordUpdate struct {
	text          string
	exceptSession string // id of the session that does not end; "" means that all sessions end
	replacesHash  string // unless "", the stored hash must still equal replacesHash
}

// setPassword replaces the password and ends sessions.
func (a *Accounts) setPassword(ctx context.Context, user graph.ID, p passwordUpdate) error {
	hash, err := a.newPassword(ctx, p.text)
	if err != nil {
		return err
	}
	_, err = a.updateAndRevoke(ctx, user, func(u *account) ([]kv.Op, error) {
		if p.replacesHash != "" && u.Password != p.replacesHash {
			return nil, errAccountChanged
		}
		u.Password = hash
		return a.endSessions(ctx, u.ID, p.exceptSession)
	})
	return err
}

// SetDisabled disables or enables an account. Disabling ends the sessions of the user and suspends the API keys.
// Errors: NotFound, and Conflict if the last enabled admin would be disabled.
func (a *Accounts) SetDisabled(ctx context.Context, user graph.ID, disabled bool) (User, error) {
	return a.updateAndRevoke(ctx, user, func(u *account) ([]kv.Op, error) {
		u.Disabled = disabled
		if !disabled {
			return nil, nil
		}
		other, err := a.expectOtherAdmin(ctx, *u)
		if err != nil {
			return nil, err
		}
		sessions, err := a.endSessions(ctx, u.ID, "")
		return append(other, sessions...), err
	})
}

// SetAdmin grants or revokes the rights of an admin. Errors: NotFound, and Conflict if the last enabled admin would
// lose the rights.
func (a *Accounts) SetAdmin(ctx context.Context, user graph.ID, admin bool) (User, error) {
	return a.updateAndRevoke(ctx, user, func(u *account) ([]kv.Op, error) {
		if admin {
			u.Admin = true
			return []kv.Op{put(keyOf(adminPrefix, u.ID), u.ID)}, nil
		}
		other, err := a.expectOtherAdmin(ctx, *u)
		u.Admin = false
		return append(other, kv.Delete(keyOf(adminPrefix, u.ID))), err
	})
}

// updateAndRevoke is like updateAccount, for changes that may revoke rights: it clears the cache of identities.
func (a *Accounts) updateAndRevoke(ctx context.Context, user graph.ID, f func(*account) ([]kv.Op, error)) (User, error) {
	defer a.cache.clear()
	return a.updateAccount(ctx, user, f)
}

// expectOtherAdmin returns a Conflict error if u is the last enabled admin. The returned operation must be part of
// the commit: it requires that another admin is unchanged, in case that admin is demoted at the same time.
func (a *Accounts) expectOtherAdmin(ctx context.Context, u account) ([]kv.Op, error) {
	if !u.Admin {
		return nil, nil
	}
	admins, err := list[graph.ID](ctx, a.kv, kv.Range{Prefix: adminPrefix})
	if err != nil {
		return nil, err
	}
	for _, id := range admins {
		other, err := a.account(ctx, id)
		if err != nil {
			return nil, err
		}
		if other.Admin && !other.Disabled && other.ID != u.ID {
			return []kv.Op{kv.Expect(keyOf(userPrefix, id), other.version)}, nil
		}
	}
	return nil, graph.Errorf(graph.Conflict, "%s is the last admin; create another one first", u.Email)
}

// HasAdmin reports whether there is an admin.
func (a *Accounts) HasAdmin(ctx context.Context) (bool, error) {
	found, err := a.kv.List(ctx, kv.Range{Prefix: adminPrefix, Limit: 1})
	return len(found) > 0, err
}

// SetupLink returns the URL of a page that creates the first admin. It can be used once, within a day. Only the
// operator may see it.
func (a *Accounts) SetupLink(ctx context.Context) (string, error) {
	token, err := a.createLink(ctx, link{For: purposeSetup}, setupLife)
	return a.address("/setup", token), err
}

// setUpKey is written with the first admin. If several concurrent requests with different links have found no admin, only one of
// these requests can write the key.
const setUpKey = "account/setup"

// SetUp creates the first admin, with the token in the URL of SetupLink. Errors: Invalid for an expired link or
// malformed data, and Conflict if there is an admin, the e-mail is in use, or another request used the link.
func (a *Accounts) SetUp(ctx context.Context, token string, p Person) (User, error) {
	_, version, err := read[bool](ctx, a.kv, setUpKey)
	if err != nil {
		return User{}, err
	}
	if exists, err := a.HasAdmin(ctx); err != nil || exists {
		return User{}, firstError(err, graph.Errorf(graph.Conflict, "there is already an admin"))
	}
	_, used, err := a.readLink(ctx, token, purposeSetup)
	if graph.KindOf(err) == graph.Invalid {
		err = graph.Errorf(graph.Invalid, "this setup link has expired; the server prints a new one when it starts")
	}
	if err != nil {
		return User{}, err
	}
	u, ops, err := a.prepareAccount(ctx, p, true)
	if err != nil {
		return User{}, err
	}
	err = a.kv.Commit(ctx, append(ops, used, put(setUpKey, true).If(cmp.Or(version, kv.Absent)))...)
	if graph.KindOf(err) == graph.Conflict {
		err = graph.Errorf(graph.Conflict, "another request used a setup link or this e-mail at the same time")
	}
	if err != nil {
		return User{}, err
	}
	return a.ensureRecords(ctx, u.User)
}
