package account

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Users lists accounts, up to limit of them after one (0 means from the start).
func (a *Accounts) Users(ctx context.Context, after graph.ID, limit int) ([]User, error) {
	r := kv.Range{Prefix: userPrefix, Limit: limit}
	if after != 0 {
		r.After = under(userPrefix, after)
	}
	return list[User](ctx, a.kv, r)
}

// ChangePassword replaces a password that the user knows, and ends every session but one. Unauthorized when
// they do not know it.
func (a *Accounts) ChangePassword(ctx context.Context, user graph.ID, session, old, password string) error {
	u, err := a.account(ctx, user)
	if err != nil {
		return err
	}
	good, err := a.passwords.matches(ctx, u.Password, old)
	if err == nil && !good {
		err = graph.Errorf(graph.Unauthorized, "the old password is wrong")
	}
	if err != nil {
		return err
	}
	return a.setPassword(ctx, user, session, password, u.Password)
}

// SetPassword replaces a password and ends every session of the user.
func (a *Accounts) SetPassword(ctx context.Context, user graph.ID, password string) error {
	return a.setPassword(ctx, user, "", password, "")
}

// setPassword lets one session stay, and wants the account to have the hash that was looked at, if there is one.
func (a *Accounts) setPassword(ctx context.Context, user graph.ID, stays, password, was string) error {
	hash, err := a.newPassword(ctx, password)
	if err != nil {
		return err
	}
	_, err = a.revoking(ctx, user, func(u *account) ([]kv.Op, error) {
		if was != "" && u.Password != was {
			return nil, changed()
		}
		u.Password = hash
		return a.signOutAll(ctx, u.ID, stays)
	})
	return err
}

// SetDisabled takes away or gives back the right to sign in. It takes the sessions along, and keys are not good
// while it lasts.
func (a *Accounts) SetDisabled(ctx context.Context, user graph.ID, disabled bool) (User, error) {
	return a.revoking(ctx, user, func(u *account) ([]kv.Op, error) {
		u.Disabled = disabled
		if !disabled {
			return nil, nil
		}
		other, err := a.notLast(ctx, *u)
		if err != nil {
			return nil, err
		}
		sessions, err := a.signOutAll(ctx, u.ID, "")
		return append(other, sessions...), err
	})
}

// SetAdmin makes a user an admin, or no longer.
func (a *Accounts) SetAdmin(ctx context.Context, user graph.ID, admin bool) (User, error) {
	return a.revoking(ctx, user, func(u *account) ([]kv.Op, error) {
		if admin {
			u.Admin = true
			return []kv.Op{put(under(adminPrefix, u.ID), u.ID)}, nil
		}
		other, err := a.notLast(ctx, *u)
		u.Admin = false
		return append(other, kv.Delete(under(adminPrefix, u.ID))), err
	})
}

// revoking changes an account in a way that may take rights away.
func (a *Accounts) revoking(ctx context.Context, user graph.ID, f func(*account) ([]kv.Op, error)) (User, error) {
	defer a.known.forget()
	return a.change(ctx, user, f)
}

// notLast refuses what would leave a server without an admin. What it returns goes into the commit: it expects that
// the admin who is left was not touched meanwhile, as by somebody who takes this right from them.
func (a *Accounts) notLast(ctx context.Context, u account) ([]kv.Op, error) {
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
			return []kv.Op{kv.Expect(under(userPrefix, id), other.version)}, nil
		}
	}
	return nil, graph.Errorf(graph.Conflict, "%s is the last admin; make another one first", u.Email)
}

// HasAdmin says whether anybody is an admin.
func (a *Accounts) HasAdmin(ctx context.Context) (bool, error) {
	found, err := a.kv.List(ctx, kv.Range{Prefix: adminPrefix, Limit: 1})
	return len(found) > 0, err
}

// SetupLink returns the address of a page on which somebody makes themselves the first admin, once and within a
// day. It is for whoever started the server.
func (a *Accounts) SetupLink(ctx context.Context) (string, error) {
	token, err := a.link(ctx, link{For: settingUp}, setupLife)
	return a.address("/setup", token), err
}

// SetUp makes the first admin with the token of such a link.
func (a *Accounts) SetUp(ctx context.Context, token string, p Person) (User, error) {
	if has, err := a.HasAdmin(ctx); err != nil || has {
		return User{}, either(err, graph.Errorf(graph.Conflict, "there is an admin already"))
	}
	_, used, err := a.follow(ctx, token, settingUp)
	if graph.KindOf(err) == graph.Invalid {
		err = graph.Errorf(graph.Invalid, "this is not the link of this server any more; it prints a new one when it starts")
	}
	if err != nil {
		return User{}, err
	}
	u, ops, err := a.draft(ctx, p, true)
	if err != nil {
		return User{}, err
	}
	err = a.kv.Commit(ctx, append(ops, used)...)
	if graph.KindOf(err) == graph.Conflict {
		err = graph.Errorf(graph.Conflict, "somebody was faster")
	}
	if err != nil {
		return User{}, err
	}
	return a.recorded(ctx, u.User)
}
