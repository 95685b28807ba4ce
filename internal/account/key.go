package account

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Key is an API key: it lets a program act for a user within a scope. It never has the rights of an admin.
type Key struct {
	ID      string    `json:"id"`
	User    graph.ID  `json:"user"`
	Name    string    `json:"name"`
	Write   bool      `json:"write"`           // permits writing as well as reading
	Types   []string  `json:"types,omitempty"` // restricts the key to instances of these types; empty means all
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero means never
	Used    time.Time `json:"used,omitzero"`    // last use, to the minute
}

// apiKey is the stored form of a Key.
type apiKey struct {
	Key
	Secret []byte `json:"secret"` // hash of the secret
}

const (
	// KeyPrefix is the prefix of all API keys, so that scanners can find leaked keys.
	KeyPrefix = "weft_"

	keyPrefix       = "account/key/"    // followed by the user's id and the key's id
	secretPrefix    = "account/secret/" // followed by the hash of the secret; the value is the key of the apiKey
	maxKeysPerUser  = 100
	maxTypesPerKey  = 100
	maxKeyNameBytes = 100
)

func keysOf(user graph.ID) string           { return keyOf(keyPrefix, user) + "/" }
func secretKey(hash []byte) string          { return secretPrefix + hex.EncodeToString(hash) }
func (k Key) key() string                   { return keysOf(k.User) + k.ID }
func (k Key) hasExpired(now time.Time) bool { return !k.Expires.IsZero() && !now.Before(k.Expires) }
func (k Key) scope() *access.Scope          { return &access.Scope{Write: k.Write, Types: k.Types} }

// NewKey creates an API key with the user, name, scope and expiry of k. It returns the secret, which is not stored.
func (a *Accounts) NewKey(ctx context.Context, k Key) (Key, string, error) {
	if err := a.checkKey(ctx, k); err != nil {
		return Key{}, "", err
	}
	secret := KeyPrefix + encodeToken(randomBytes(32))
	k.ID, k.Created, k.Used = encodeToken(randomBytes(9)), a.now(), time.Time{}
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
	case k.Name == "" || len(k.Name) > maxKeyNameBytes:
		return graph.Errorf(graph.Invalid, "a key needs a name of up to %d bytes", maxKeyNameBytes)
	case k.hasExpired(a.now()):
		return graph.Errorf(graph.Invalid, "the expiry of the key, %s, has passed", k.Expires.Format(time.RFC3339))
	case len(k.Types) > maxTypesPerKey:
		return graph.Errorf(graph.Invalid, "the key has %d types; the maximum is %d", len(k.Types), maxTypesPerKey)
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
	if err == nil && len(all) >= maxKeysPerUser {
		err = graph.Errorf(graph.TooLarge, "the user has %d keys, the maximum", maxKeysPerUser)
	}
	return err
}

// Keys returns the keys of a user, newest first.
func (a *Accounts) Keys(ctx context.Context, user graph.ID) ([]Key, error) {
	all, err := list[Key](ctx, a.kv, kv.Range{Prefix: keysOf(user)})
	all = slices.DeleteFunc(all, func(k Key) bool { return k.hasExpired(a.now()) })
	slices.SortFunc(all, func(k, l Key) int { return l.Created.Compare(k.Created) })
	return all, err
}

// RevokeKey ends a key of a user. It returns a NotFound error if the user has no key with this id.
func (a *Accounts) RevokeKey(ctx context.Context, user graph.ID, id string) error {
	k, version, err := read[apiKey](ctx, a.kv, keysOf(user)+id)
	if err == nil && version == 0 {
		err = graph.Errorf(graph.NotFound, "key %q not found", graph.Clip(id))
	}
	if err != nil {
		return err
	}
	return a.revoke(ctx, k.deleteOps()...)
}

func (k apiKey) deleteOps() []kv.Op {
	return []kv.Op{kv.Delete(k.key()), kv.Delete(secretKey(k.Secret))}
}

// keyIdentity returns the identity of the user that an API key acts for, and the expiry of the key.
func (a *Accounts) keyIdentity(ctx context.Context, secret string) (Identity, time.Time, error) {
	invalid := graph.Errorf(graph.Unauthorized, "the API key is invalid or has ended")
	name, version, err := read[string](ctx, a.kv, secretKey(digest(secret)))
	if err != nil || version == 0 {
		return Identity{}, time.Time{}, firstError(err, invalid)
	}
	k, version, err := read[apiKey](ctx, a.kv, name)
	if err != nil || version == 0 || k.hasExpired(a.now()) {
		return Identity{}, time.Time{}, firstError(err, invalid)
	}
	u, err := a.account(ctx, k.User)
	if err != nil || u.ID == 0 || u.Disabled {
		return Identity{}, time.Time{}, firstError(err, invalid)
	}
	a.storeLastUse(ctx, k, version)
	return Identity{Caller: access.Caller{User: k.User, Scope: k.scope()}}, k.Expires, nil
}

// storeLastUse stores the time of the last use of a key, to the minute. If it fails, the request continues.
func (a *Accounts) storeLastUse(ctx context.Context, k apiKey, version int64) {
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
		a.options.Log.WarnContext(ctx, "cannot store the last use of a key", "key", k.ID, "error", err)
	}
}

// firstError returns internal if it is not nil, and otherwise the error to report to the caller.
func firstError(internal, report error) error {
	if internal != nil {
		return internal
	}
	return report
}
