package account

import (
	"context"
	"time"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A leaver is a user whose account has ended and of whom something may still be in the graph.
type leaver struct {
	User    graph.ID `json:"user"`
	Records Records  `json:"records"`
	Kept    bool     `json:"kept,omitempty"` // all is erased but records that others use
}

const (
	gonePrefix = "account/gone/" // and an id: a leaver
	leftPrefix = "account/left/" // and an id, for as long as leaving takes
	// leaving is how long the tokens of an account that ended are good for removing the concept of its e-mail,
	// which clients of the contract do next.
	leaving = time.Minute
)

// Remove ends an account: nobody can sign in to it, and no session or key of it is good any more. Its records
// leave the graph at once, and what else only the user could read when Run gets round to it. What the user made
// public stays, owned by an id that is nobody's any more.
func (a *Accounts) Remove(ctx context.Context, user graph.ID) (User, error) {
	for {
		u, ops, err := a.removal(ctx, user)
		if err != nil {
			return User{}, err
		}
		if err = a.revoke(ctx, ops...); err == nil {
			_, err = a.eraseRecords(ctx, leaver{User: u.ID, Records: u.Records})
			a.awake()
		}
		if graph.KindOf(err) != graph.Conflict {
			return u.User, err
		}
	}
}

func (a *Accounts) removal(ctx context.Context, user graph.ID) (account, []kv.Op, error) {
	u, err := a.account(ctx, user)
	if err == nil && u.ID == 0 {
		err = graph.Errorf(graph.NotFound, "there is no user %d", user)
	}
	if err != nil {
		return u, nil, err
	}
	ops, err := a.notLast(ctx, u)
	if err != nil {
		return u, nil, err
	}
	until := a.now().Add(leaving)
	ops = append(ops,
		kv.Delete(under(userPrefix, user)).If(u.version),
		kv.Delete(emailKey(u.Email)),
		kv.Delete(under(adminPrefix, user)),
		put(under(gonePrefix, user), leaver{User: user, Records: u.Records}),
		put(under(leftPrefix, user), until).Until(until),
	)
	sessions, err := a.signOutAll(ctx, user, "")
	if err != nil {
		return u, nil, err
	}
	keys, err := list[apiKey](ctx, a.kv, kv.Range{Prefix: keysOf(user)})
	for _, k := range keys {
		ops = append(ops, k.end()...)
	}
	return u, append(ops, sessions...), err
}

// leaver is a user whose account has just ended: they may still remove the concept of their e-mail.
func (a *Accounts) leaver(ctx context.Context, user graph.ID) (Identity, error) {
	until, version, err := read[time.Time](ctx, a.kv, under(leftPrefix, user))
	if err == nil && (version == 0 || !a.now().Before(until)) {
		err = graph.Errorf(graph.Unauthorized, "you were signed out; sign in again")
	}
	return Identity{Caller: auth.Caller{User: user, Scope: &auth.Scope{Write: true, Types: []string{"the_email"}}}}, err
}

// ByConcept returns the account whose user concept or id this is, or a NotFound error.
func (a *Accounts) ByConcept(ctx context.Context, id graph.ID) (User, error) {
	owner := id
	found, err := a.graph.Concepts(ctx, []graph.ID{id})
	if err != nil {
		return User{}, err
	}
	if len(found) > 0 {
		owner = found[0].Owner
	}
	u, err := a.account(ctx, owner)
	if err == nil && (u.ID == 0 || id != u.ID && id != u.Records.User) {
		err = graph.Errorf(graph.NotFound, "concept %d is no user", id)
	}
	return u.User, err
}
