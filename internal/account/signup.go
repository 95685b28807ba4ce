package account

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Person is the data of a sign-up.
type Person struct {
	Email, Password string
	Name            Name
}

// SignUp creates an account and sends a link that confirms the e-mail. A failure to send the link is only logged.
// Errors: Forbidden if Options.Closed is set, and the errors of Add.
func (a *Accounts) SignUp(ctx context.Context, p Person) (User, error) {
	if a.options.Closed {
		return User{}, graph.Errorf(graph.Forbidden, "sign-up is disabled; ask the operator of this server for an account")
	}
	u, err := a.Add(ctx, p, false)
	if err != nil {
		return User{}, err
	}
	if err := a.sendConfirmation(ctx, u); err != nil {
		a.options.Log.ErrorContext(ctx, "cannot send a confirmation e-mail", "user", u.ID, "error", err)
	}
	return u, nil
}

// Add creates an account. When it returns nil, the account is durable. Errors: Invalid for a malformed e-mail, password
// or name, and Conflict if the e-mail is in use.
func (a *Accounts) Add(ctx context.Context, p Person, admin bool) (User, error) {
	u, ops, err := a.prepareAccount(ctx, p, admin)
	if err != nil {
		return User{}, err
	}
	if admin {
		defer a.cache.clear()
	}
	err = a.kv.Commit(ctx, ops...)
	if graph.KindOf(err) == graph.Conflict {
		err = emailInUseError(p.Email)
	}
	if err != nil {
		return User{}, err
	}
	return a.ensureRecords(ctx, u.User)
}

// prepareAccount returns a new account and the operations that create it.
func (a *Accounts) prepareAccount(ctx context.Context, p Person, admin bool) (account, []kv.Op, error) {
	u := account{User: User{Email: p.Email, Name: p.Name, Admin: admin, Created: a.now()}}
	if err := a.checkPerson(ctx, p); err != nil {
		return u, nil, err
	}
	var err error
	if u.Password, err = a.passwords.hash(ctx, p.Password); err != nil {
		return u, nil, err
	}
	ids, err := a.store.Reserve(ctx, graph.System, 1)
	if err != nil {
		return u, nil, err
	}
	u.ID = ids[0]
	ops := []kv.Op{put(emailKey(p.Email), u.ID).If(kv.Absent), put(keyOf(userPrefix, u.ID), u).If(kv.Absent)}
	if admin {
		ops = append(ops, put(keyOf(adminPrefix, u.ID), u.ID))
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
		if part.value != "" && !graph.IsShared(part.value) {
			return graph.Errorf(graph.Invalid, "%q is too long for a name", graph.Clip(part.value))
		}
	}
	existing, err := a.byEmail(ctx, p.Email)
	if err == nil && existing.ID != 0 {
		err = emailInUseError(p.Email)
	}
	return err
}

func emailInUseError(email string) error {
	return graph.Errorf(graph.Conflict, "the e-mail %q is already in use", graph.Clip(email))
}
