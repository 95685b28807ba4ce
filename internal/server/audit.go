package server

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/audit"
	"github.com/weft-graph/weft/internal/store/kv"
)

// auditAPI lists the audit log, and adds entries for the areas in which admins change something.
type auditAPI struct {
	log       *audit.Log // nil when the store keeps no entries
	accounts  *account.Accounts
	addresses clientAddresses
	errors    errorResponder
}

func newAuditAPI(entries kv.Store, accounts *account.Accounts, addresses clientAddresses, errors errorResponder) *auditAPI {
	a := &auditAPI{accounts: accounts, addresses: addresses, errors: errors}
	if entries != nil {
		a.log = audit.New(entries, nil)
	}
	return a
}

func (a *auditAPI) routes() []route {
	return []route{
		{"GET", "/api/admin/audit", noBody, jsonEndpoint(a.list), "What admins did, newest first: who, what, to whom, when, from which address", fields(
			"before int?", "by int?", "action text?", "text text?", "limit int 100")},
	}
}

// An action is an action of an admin, for the audit log.
type action struct {
	name   string // such as "user.disable"
	target string // such as an e-mail address
	detail string // never a secret
}

// add records an action that the caller has completed. If add fails, it only logs the error, because the action is done and an
// error in the response would make the admin repeat the action.
func (a *auditAPI) add(req *request, done action) {
	if a.log == nil {
		return
	}
	e := audit.Entry{By: req.caller.User, Action: done.name, Target: done.target, Detail: done.detail, Address: a.addresses.of(req.Request).String()}
	if a.accounts != nil {
		if u, err := a.accounts.User(req.Context(), req.caller.User); err == nil {
			e.ByEmail = u.Email
		}
	}
	if err := a.log.Add(req.Context(), e); err != nil {
		a.errors.log.ErrorContext(req.Context(), "cannot write the audit log", "request", req.id(), "action", done.name, "user", e.By, "error", err)
	}
}

// auditPage is a page of the audit log.
type auditPage struct {
	Entries []audit.Entry `json:"entries"`
	Next    int64         `json:"next"` // the value of before for the next page; 0 after the last
}

func (a *auditAPI) list(req *request) (auditPage, error) {
	if err := req.requireAdmin(); err != nil {
		return auditPage{}, err
	}
	if a.log == nil {
		return auditPage{}, graph.Errorf(graph.Unavailable, "this store cannot hold an audit log")
	}
	sent, err := req.fields("before", "by", "action", "text", "limit")
	if err != nil {
		return auditPage{}, err
	}
	wanted := audit.Query{Action: sent["action"], Text: sent["text"]}
	if wanted.Limit, err = sent.Int("limit", 100); err != nil {
		return auditPage{}, err
	}
	if wanted.Before, err = req.cursorField("before"); err != nil {
		return auditPage{}, err
	}
	by, err := req.cursorField("by")
	if err != nil {
		return auditPage{}, err
	}
	wanted.By = graph.ID(by)
	page := auditPage{Entries: []audit.Entry{}}
	found, next, err := a.log.List(req.Context(), wanted)
	page.Entries, page.Next = append(page.Entries, found...), next
	return page, err
}
