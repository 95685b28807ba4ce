package account

import (
	"context"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Admins are the users who are admins and may sign in; of a nil Accounts nobody is. Who asks must not change
// the map. What takes the right away takes it at once from this server's answer, and from those of the others of
// a database within Trust.
func (a *Accounts) Admins(ctx context.Context) (map[graph.ID]bool, error) {
	if a == nil {
		return nil, nil
	}
	now := a.options.Now()
	if admins, ok := a.known.admins(now); ok {
		return admins, nil
	}
	remember := a.known.keepAdmins()
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
	remember(admins, now.Add(Trust))
	return admins, nil
}

func (k *known) admins(now time.Time) (map[graph.ID]bool, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.adminsAre, now.Before(k.adminsUntil)
}

// keepAdmins is to admins what keep is to tokens.
func (k *known) keepAdmins() func(admins map[graph.ID]bool, until time.Time) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	before := k.forgotten
	return func(admins map[graph.ID]bool, until time.Time) {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.forgotten == before {
			k.adminsAre, k.adminsUntil = admins, until
		}
	}
}
