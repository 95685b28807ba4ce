package account

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A Key lets a program act for a user, within a scope. It never has the rights of an admin.
type Key struct {
	ID      string    `json:"id"`
	User    graph.ID  `json:"user"`
	Name    string    `json:"name"`
	Write   bool      `json:"write"`           // it may write as well as read
	Types   []string  `json:"types,omitempty"` // only instances of these types; empty means all
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero means never
	Used    time.Time `json:"used,omitzero"`    // to the minute
}

// apiKey is a Key as it is kept.
type apiKey struct {
	Key
	Secret []byte `json:"secret"` // hashed
}

const (
	// KeyPrefix starts every API key, so that those that leak can be found by searching for it.
	KeyPrefix = "weft_"

	keyPrefix    = "account/key/"    // and the user's id, and the key's
	secretPrefix = "account/secret/" // and the hash of an API key: the key of its entry
	mostKeys     = 100               // of one user
	mostTypes    = 100               // of one key
	longestName  = 100               // in bytes
)

func keysOf(user graph.ID) string     { return under(keyPrefix, user) + "/" }
func secretKey(hash []byte) string    { return secretPrefix + hex.EncodeToString(hash) }
func (k Key) key() string             { return keysOf(k.User) + k.ID }
func (k Key) over(now time.Time) bool { return !k.Expires.IsZero() && !now.Before(k.Expires) }
func (k Key) scope() *auth.Scope      { return &auth.Scope{Write: k.Write, Types: k.Types} }

// NewKey makes an API key from the user, name, scope and end of k. Its text is returned here and never again.
func (a *Accounts) NewKey(ctx context.Context, k Key) (Key, string, error) {
	if err := a.checkKey(ctx, k); err != nil {
		return Key{}, "", err
	}
	secret := KeyPrefix + text(random(32))
	k.ID, k.Created, k.Used = text(random(9)), a.now(), time.Time{}
	k.Expires = k.Expires.UTC().Truncate(time.Millisecond)
	hash := digest(secret)
	ops := []kv.Op{
		put(k.key(), apiKey{k, hash}).If(kv.Absent),
		put(secretKey(hash), k.key()).If(kv.Absent),
	}
	if !k.Expires.IsZero() {
		for i := range ops {
			ops[i] = ops[i].Until(k.Expires)
		}
	}
	return k, secret, a.kv.Commit(ctx, ops...)
}

func (a *Accounts) checkKey(ctx context.Context, k Key) error {
	switch {
	case k.Name == "" || len(k.Name) > longestName:
		return graph.Errorf(graph.Invalid, "a key needs a name of up to %d bytes", longestName)
	case k.over(a.now()):
		return graph.Errorf(graph.Invalid, "the key would have ended on %s", k.Expires.Format(time.RFC3339))
	case len(k.Types) > mostTypes:
		return graph.Errorf(graph.Invalid, "%d types; the most a key may be for is %d", len(k.Types), mostTypes)
	}
	for _, name := range k.Types {
		if err := graph.CheckTypeName(name); err != nil {
			return err
		}
	}
	if err := graph.CheckText("name", k.Name); err != nil {
		return err
	}
	if _, err := a.User(ctx, k.User); err != nil {
		return err
	}
	all, err := a.Keys(ctx, k.User)
	if err == nil && len(all) >= mostKeys {
		err = graph.Errorf(graph.TooLarge, "%d keys are the most somebody may have", mostKeys)
	}
	return err
}

// Keys lists the keys of a user, the newest first.
func (a *Accounts) Keys(ctx context.Context, user graph.ID) ([]Key, error) {
	all, err := list[Key](ctx, a.kv, kv.Range{Prefix: keysOf(user)})
	all = slices.DeleteFunc(all, func(k Key) bool { return k.over(a.now()) })
	slices.SortFunc(all, func(k, l Key) int { return l.Created.Compare(k.Created) })
	return all, err
}

// RevokeKey ends a key of a user, or says NotFound.
func (a *Accounts) RevokeKey(ctx context.Context, user graph.ID, id string) error {
	k, version, err := read[apiKey](ctx, a.kv, keysOf(user)+id)
	if err == nil && version == 0 {
		err = graph.Errorf(graph.NotFound, "there is no key %q", graph.Clip(id))
	}
	if err != nil {
		return err
	}
	return a.revoke(ctx, k.end()...)
}

func (k apiKey) end() []kv.Op { return []kv.Op{kv.Delete(k.key()), kv.Delete(secretKey(k.Secret))} }

// byKey is whom an API key acts for.
func (a *Accounts) byKey(ctx context.Context, secret string) (Identity, time.Time, error) {
	bad := graph.Errorf(graph.Unauthorized, "there is no such API key, or not any more")
	name, version, err := read[string](ctx, a.kv, secretKey(digest(secret)))
	if err != nil || version == 0 {
		return Identity{}, time.Time{}, either(err, bad)
	}
	k, version, err := read[apiKey](ctx, a.kv, name)
	if err != nil || version == 0 || k.over(a.now()) {
		return Identity{}, time.Time{}, either(err, bad)
	}
	u, err := a.account(ctx, k.User)
	if err != nil || u.ID == 0 || u.Disabled {
		return Identity{}, time.Time{}, either(err, bad)
	}
	a.noteUse(ctx, k, version)
	return Identity{Caller: auth.Caller{User: k.User, Scope: k.scope()}}, k.Expires, nil
}

// noteUse keeps when a key was last used, to the minute. That it could not is no reason to refuse the request.
func (a *Accounts) noteUse(ctx context.Context, k apiKey, version int64) {
	now := a.now()
	if now.Sub(k.Used) < time.Minute {
		return
	}
	k.Used = now
	use := put(k.key(), k).If(version)
	if !k.Expires.IsZero() {
		use = use.Until(k.Expires)
	}
	if err := a.kv.Commit(ctx, use); err != nil && graph.KindOf(err) != graph.Conflict {
		a.options.Log.WarnContext(ctx, "the use of a key was not noted", "key", k.ID, "error", err)
	}
}

// either is what went wrong on our side, or else what is wrong with the request.
func either(ours, theirs error) error {
	if ours != nil {
		return ours
	}
	return theirs
}
