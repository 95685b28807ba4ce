package server

import (
	"context"
	"maps"
	"sync"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/page"
)

// Policies are the rule of whose widgets may do what, as it is at a moment: what the operator decided, and who
// is an admin then. Nil Policies trust the system alone.
type Policies struct {
	decided  page.Policy
	accounts *account.Accounts

	mu  sync.Mutex
	now *page.Policy
}

// NewPolicies returns those of an operator. Accounts may be nil.
func NewPolicies(decided page.Policy, accounts *account.Accounts) *Policies {
	return &Policies{decided: decided, accounts: accounts}
}

var systemAlone = &page.Policy{}

// at is the policy now. As long as it stays the same it is the same pointer.
func (p *Policies) at(ctx context.Context) (*page.Policy, error) {
	if p == nil {
		return systemAlone, nil
	}
	admins, err := p.accounts.Admins(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil || !maps.Equal(p.now.Admins, admins) {
		now := p.decided
		now.Admins = admins
		p.now = &now
	}
	return p.now, nil
}

// libraries are those that widgets may load.
func (p *Policies) libraries() page.Libraries {
	if p == nil {
		return nil
	}
	return p.decided.Libraries
}
