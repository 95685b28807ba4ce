package account

import (
	"context"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A removedUser is a removed user whose data may remain in the graph.
type removedUser struct {
	User    graph.ID `json:"user"`
	Records Records  `json:"records"`
	Kept    bool     `json:"kept,omitempty"` // all data is erased except account records that other users use
}

const (
	removedPrefix = "account/gone/" // followed by the id of the user; the value is a removedUser
	gracePrefix   = "account/left/" // followed by the id of the user; expires after removalGrace
	// removalGrace is how long the tokens of a removed user may still remove the concept of the e-mail, as clients of
	// the contract do after removing an account.
	removalGrace = time.Minute
)

// Remove removes an account and ends its sessions and API keys. It returns a NotFound error if the account does
// not exist, and a Conflict error for the last enabled admin. The account's records are removed from the graph
// immediately; other data that only the user could read is erased by Run. Public data is kept; its owner is an id
// without an account.
func (a *Accounts) Remove(ctx context.Context, user graph.ID) (User, error) {
	for {
		u, ops, err := a.removalOps(ctx, user)
		if err != nil {
			return User{}, err
		}
		if err = a.revoke(ctx, ops...); err == nil {
			_, err = a.eraseRecords(ctx, removedUser{User: u.ID, Records: u.Records})
			a.wakeEraser()
		}
		if graph.KindOf(err) != graph.Conflict {
			return u.User, err
		}
	}
}

// removalOps returns an account and the operations that remove it.
func (a *Accounts) removalOps(ctx context.Context, user graph.ID) (account, []kv.Op, error) {
	u, err := a.existingAccount(ctx, user)
	if err != nil {
		return u, nil, err
	}
	ops, err := a.expectOtherAdmin(ctx, u)
	if err != nil {
		return u, nil, err
	}
	until := a.now().Add(removalGrace)
	ops = append(ops,
		kv.Delete(keyOf(userPrefix, user)).If(u.version),
		kv.Delete(emailKey(u.Email)),
		kv.Delete(keyOf(adminPrefix, user)),
		kv.Delete(keyOf(networksPrefix, user)),
		put(keyOf(removedPrefix, user), removedUser{User: user, Records: u.Records}),
		put(keyOf(gracePrefix, user), until).Until(until),
	)
	sessions, err := a.endSessions(ctx, user, "")
	if err != nil {
		return u, nil, err
	}
	keys, err := list[apiKey](ctx, a.kv, kv.Range{Prefix: keysOf(user)})
	for _, k := range keys {
		ops = append(ops, k.deleteOps()...)
	}
	return u, append(ops, sessions...), err
}

// removedUserIdentity returns the identity of a removed user, whose only right is to remove the concept of the e-mail.
// It returns an Unauthorized error if removalGrace has passed since the removal.
func (a *Accounts) removedUserIdentity(ctx context.Context, user graph.ID) (Identity, error) {
	until, version, err := read[time.Time](ctx, a.kv, keyOf(gracePrefix, user))
	if err == nil && (version == 0 || !a.now().Before(until)) {
		err = graph.Errorf(graph.Unauthorized, "the session has ended; sign in again")
	}
	return Identity{Caller: access.Caller{User: user, Scope: &access.Scope{Write: true, RemoveOnly: true, Types: []string{"the_email"}}}}, err
}

// ByConcept returns the account with the given id or user concept, or a NotFound error.
func (a *Accounts) ByConcept(ctx context.Context, id graph.ID) (User, error) {
	owner := id
	found, err := a.store.Concepts(ctx, []graph.ID{id})
	if err != nil {
		return User{}, err
	}
	if len(found) > 0 {
		owner = found[0].Owner
	}
	u, err := a.account(ctx, owner)
	if err == nil && (u.ID == 0 || id != u.ID && id != u.Records.User) {
		err = graph.Errorf(graph.NotFound, "concept %d is not a user", id)
	}
	return u.User, err
}
