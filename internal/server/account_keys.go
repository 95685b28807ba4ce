package server

import (
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/wire"
)

type keyRequest struct {
	Name    string     `json:"name"`
	Write   bool       `json:"write,omitempty"`   // whether the key may also write
	Types   []string   `json:"types,omitempty"`   // restricts the key to instances of these types; empty means all
	Expires *time.Time `json:"expires,omitempty"` // null means never
}

// keyInfo describes an API key without the key itself, which the server does not store.
type keyInfo struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Write   bool       `json:"write"`
	Types   []string   `json:"types"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires"`
	Used    *time.Time `json:"used"` // updated at most once a minute
}

type createdKey struct {
	Key string `json:"key"` // for the header Authorization, as in "Bearer weft_…"
	keyInfo
}

func (a *accountAPI) keys(req *request) ([]keyInfo, error) {
	accounts, identity, err := a.accounts.requireUser(req)
	if err != nil {
		return nil, err
	}
	found, err := accounts.Keys(req.Context(), identity.User)
	all := make([]keyInfo, len(found))
	for i, k := range found {
		all[i] = keyInfoOf(k)
	}
	return all, err
}

func keyInfoOf(k account.Key) keyInfo {
	return keyInfo{k.ID, k.Name, k.Write, append([]string{}, k.Types...), k.Created, timeOrNull(k.Expires), timeOrNull(k.Used)}
}

func (a *accountAPI) createKey(req *request) (createdKey, error) {
	accounts, identity, err := a.accounts.requireUser(req)
	if err != nil {
		return createdKey{}, err
	}
	var sent keyRequest
	if err := wire.Decode(req.body, &sent); err != nil {
		return createdKey{}, err
	}
	created, secret, err := accounts.NewKey(req.Context(), sent.key(identity.User))
	return createdKey{secret, keyInfoOf(created)}, err
}

// key returns the wanted key of a user.
func (sent keyRequest) key(user graph.ID) account.Key {
	wanted := account.Key{User: user, Name: sent.Name, Write: sent.Write, Types: sent.Types}
	if sent.Expires != nil {
		wanted.Expires = *sent.Expires
	}
	return wanted
}

func (a *accountAPI) revokeKey(req *request) (outcome, error) {
	accounts, identity, err := a.accounts.requireUser(req)
	if err != nil {
		return outcome{}, err
	}
	id, err := req.textField("id")
	if err != nil {
		return outcome{}, err
	}
	return outcome{true, "the key has ended"}, accounts.RevokeKey(req.Context(), identity.User, id)
}
