package server

import (
	"context"
	"maps"
	"sync"

	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/site/page"
)

// Policies decide which widgets may run code: widgets of the owners that the operator configured, and widgets of
// the current admins. Nil Policies trust the system user only.
type Policies struct {
	configured page.Policy
	accounts   *account.Accounts

	mu     sync.Mutex
	latest *page.Policy
}

// NewPolicies returns the policies of an operator. Accounts may be nil.
func NewPolicies(configured page.Policy, accounts *account.Accounts) *Policies {
	if configured.Cleaner == nil {
		configured.Cleaner = page.NewCleaner(defaultCleanedBytes, configured.Looks)
	}
	return &Policies{configured: configured, accounts: accounts}
}

// defaultCleanedBytes is the size of the cache of cleaned HTML.
const defaultCleanedBytes = 16 << 20

var systemOnly = &page.Policy{Cleaner: page.NewCleaner(defaultCleanedBytes, page.Looks{})}

// current returns the policy with the current admins. It returns the same pointer until the admins change, so that
// caches can compare pointers.
func (p *Policies) current(ctx context.Context) (*page.Policy, error) {
	if p == nil {
		return systemOnly, nil
	}
	admins, err := p.accounts.Admins(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.latest == nil || !maps.Equal(p.latest.Admins, admins) {
		latest := p.configured
		latest.Admins = admins
		p.latest = &latest
	}
	return p.latest, nil
}

// libraries returns the libraries that widgets may load.
func (p *Policies) libraries() page.Libraries {
	if p == nil {
		return nil
	}
	return p.configured.Libraries
}
