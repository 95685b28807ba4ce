package account

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A Person is somebody who wants an account.
type Person struct {
	Email, Password string
	Name            Name
}

// SignUp makes an account for somebody who asks for it themselves, and sends them a link that confirms their
// e-mail. Errors: Forbidden when only admins make accounts, and those of Add.
func (a *Accounts) SignUp(ctx context.Context, p Person) (User, error) {
	if a.options.Closed {
		return User{}, graph.Errorf(graph.Forbidden, "nobody can sign up here; ask whoever runs this server for an account")
	}
	u, err := a.Add(ctx, p, false)
	if err != nil {
		return User{}, err
	}
	if err := a.sendConfirmation(ctx, u); err != nil {
		a.options.Log.ErrorContext(ctx, "the mail that confirms an e-mail was not sent", "user", u.ID, "error", err)
	}
	return u, nil
}

// Add makes an account. When it returns without an error the account is there to sign in with, whatever
// happens to the process. Errors: Invalid for what is no e-mail, password or name, and Conflict for an e-mail
// that somebody has.
func (a *Accounts) Add(ctx context.Context, p Person, admin bool) (User, error) {
	u, ops, err := a.draft(ctx, p, admin)
	if err != nil {
		return User{}, err
	}
	if admin {
		defer a.known.forget()
	}
	err = a.kv.Commit(ctx, ops...)
	if graph.KindOf(err) == graph.Conflict {
		err = taken(p.Email)
	}
	if err != nil {
		return User{}, err
	}
	return a.recorded(ctx, u.User)
}

// draft is an account that wants to exist, and the operations that make it.
func (a *Accounts) draft(ctx context.Context, p Person, admin bool) (account, []kv.Op, error) {
	u := account{User: User{Email: p.Email, Name: p.Name, Admin: admin, Created: a.now()}}
	if err := a.checkPerson(ctx, p); err != nil {
		return u, nil, err
	}
	var err error
	if u.Password, err = a.passwords.hash(ctx, p.Password); err != nil {
		return u, nil, err
	}
	ids, err := a.graph.Reserve(ctx, graph.System, 1)
	if err != nil {
		return u, nil, err
	}
	u.ID = ids[0]
	ops := []kv.Op{put(emailKey(p.Email), u.ID).If(kv.Absent), put(under(userPrefix, u.ID), u).If(kv.Absent)}
	if admin {
		ops = append(ops, put(under(adminPrefix, u.ID), u.ID))
	}
	return u, ops, nil
}

func (a *Accounts) checkPerson(ctx context.Context, p Person) error {
	if err := checkEmail(p.Email); err != nil {
		return err
	}
	if err := checkPassword(p.Password); err != nil {
		return err
	}
	for _, part := range p.Name.parts() {
		if err := graph.CheckText(part.typeName, part.value); err != nil {
			return err
		}
		if part.value != "" && !graph.Shared(part.value) {
			return graph.Errorf(graph.Invalid, "%q is too long for a name", graph.Clip(part.value))
		}
	}
	there, err := a.byEmail(ctx, p.Email)
	if err == nil && there.ID != 0 {
		err = taken(p.Email)
	}
	return err
}

func taken(email string) error {
	return graph.Errorf(graph.Conflict, "somebody has an account with the e-mail %q already", graph.Clip(email))
}
