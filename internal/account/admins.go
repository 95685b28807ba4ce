package account

import (
	"context"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Admins returns the ids of the enabled admins, or an empty map if a is nil. The caller must not modify the map. A
// change by this server has effect immediately, a change by another server of the database within IdentityCacheTime.
func (a *Accounts) Admins(ctx context.Context) (map[graph.ID]bool, error) {
	if a == nil {
		return nil, nil
	}
	now := a.options.Now()
	if admins, ok := a.cache.admins(now); ok {
		return admins, nil
	}
	addToCache := a.cache.beginCachingAdmins()
	ids, err := list[graph.ID](ctx, a.kv, kv.Range{Prefix: adminPrefix})
	if err != nil {
		return nil, err
	}
	admins := map[graph.ID]bool{}
	for _, id := range ids {
		u, err := a.account(ctx, id)
		if err != nil {
			return nil, err
		}
		if u.Admin && !u.Disabled {
			admins[id] = true
		}
	}
	addToCache(admins, now.Add(IdentityCacheTime))
	return admins, nil
}

// admins returns the cached ids of the admins, and whether they are still valid.
func (k *identityCache) admins(now time.Time) (map[graph.ID]bool, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.adminIDs, now.Before(k.adminsUntil)
}

// beginCachingAdmins returns a function that caches admins read after this call, as beginCaching does for tokens.
func (k *identityCache) beginCachingAdmins() func(admins map[graph.ID]bool, until time.Time) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	before := k.generation
	return func(admins map[graph.ID]bool, until time.Time) {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.generation == before {
			k.adminIDs, k.adminsUntil = admins, until
		}
	}
}
