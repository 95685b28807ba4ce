package server

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/telemetry/usage"
)

// operationDataAPI serves the mail queue, the uploads of all users and the ranking of use to admins.
type operationDataAPI struct {
	queue    *mail.Queue // nil when the server sends no mail
	uploads  *uploadAPI
	usage    *usage.Tracker // nil when uses are not counted
	accounts accountDirectory
	audit    *auditAPI
}

func (a *operationDataAPI) routes() []route {
	return []route{
		{"GET", "/api/admin/mail", noBody, jsonEndpoint(a.mails), "E-mails of all users, newest first; state is queued, sent or failed; for admins", fields("state text?", "after text?", "inpage int 100")},
		{"POST", "/api/admin/mail/{id}/retry", noBody, jsonEndpoint(a.retryMail), "Retry a waiting or failed e-mail now; for admins", requestShape{}},
		{"DELETE", "/api/admin/mail/{id}", noBody, jsonEndpoint(a.removeMail), "Delete an e-mail in any state; for admins", requestShape{}},
		{"GET", "/api/admin/uploads", noBody, jsonEndpoint(a.listUploads), "The uploads of all users, by name, page by page; for admins", fields("after text?", "inpage int 100")},
		{"GET", "/api/admin/uploads/space", noBody, jsonEndpoint(a.space), "The space of uploads, and the users whose uploads take the most; for admins", fields("top int 20")},
		{"GET", "/api/admin/usage", noBody, jsonEndpoint(a.ranking), "The records that all users together use most; kind is concepts or connections; for admins", fields("kind text?", "top int 100")},
	}
}

type mailPage struct {
	Mails []mail.Status `json:"mails"`
	Next  string        `json:"next"` // the cursor of the next page; "" after the last
}

func (a *operationDataAPI) requireQueue(req *request) error {
	if err := req.requireAdmin(); err != nil {
		return err
	}
	if a.queue == nil {
		return graph.Errorf(graph.Unavailable, "this server sends no mail; start it with --mail")
	}
	return nil
}

func (a *operationDataAPI) mails(req *request) (mailPage, error) {
	if err := a.requireQueue(req); err != nil {
		return mailPage{}, err
	}
	sent, err := req.fields("state")
	if err != nil {
		return mailPage{}, err
	}
	state := mail.State(sent["state"])
	if state != "" && state != mail.Queued && state != mail.Sent && state != mail.Failed {
		return mailPage{}, graph.Errorf(graph.Invalid, "the state is %q; want queued, sent or failed", graph.Clip(sent["state"]))
	}
	page, err := req.textPage()
	if err != nil {
		return mailPage{}, err
	}
	found, next, err := a.queue.List(req.Context(), state, page.after, page.limit)
	return mailPage{append([]mail.Status{}, found...), next}, err
}

func (a *operationDataAPI) retryMail(req *request) (mail.Status, error) {
	if err := a.requireQueue(req); err != nil {
		return mail.Status{}, err
	}
	status, err := a.queue.Retry(req.Context(), req.PathValue("id"))
	if err == nil {
		a.audit.add(req, action{"mail.retry", status.ID, status.Subject})
	}
	return status, err
}

func (a *operationDataAPI) removeMail(req *request) (mail.Status, error) {
	if err := a.requireQueue(req); err != nil {
		return mail.Status{}, err
	}
	status, err := a.queue.Remove(req.Context(), req.PathValue("id"))
	if err == nil {
		a.audit.add(req, action{"mail.delete", status.ID, status.Subject})
	}
	return status, err
}

type adminUploadPage struct {
	Uploads []adminUpload `json:"uploads"`
	Next    string        `json:"next"` // the cursor of the next page; "" after the last
}

// adminUpload is an upload of any user.
type adminUpload struct {
	listedUpload
	Email string `json:"email"` // email of the owner; "" for a guest
}

func (a *operationDataAPI) listUploads(req *request) (adminUploadPage, error) {
	if err := req.requireAdmin(); err != nil {
		return adminUploadPage{}, err
	}
	uploads, err := a.uploads.get()
	if err != nil {
		return adminUploadPage{}, err
	}
	page, err := req.textPage()
	if err != nil {
		return adminUploadPage{}, err
	}
	found, next, err := uploads.ListAll(req.Context(), page.after, page.limit)
	list, email := adminUploadPage{make([]adminUpload, 0, len(found)), next}, a.emails(req)
	for _, r := range found {
		list.Uploads = append(list.Uploads, adminUpload{listedUpload{r, a.uploads.urlOf(req, r.Name)}, email(r.Owner)})
	}
	return list, err
}

func (a *operationDataAPI) emails(req *request) func(graph.ID) string {
	if a.accounts.accounts == nil {
		return func(graph.ID) string { return "" }
	}
	return emailsOf(req, a.accounts.accounts)
}

// uploadSpace is the space of uploads, in bytes.
type uploadSpace struct {
	Total  int64       `json:"total"`
	Quota  int64       `json:"quota"` // quota of each user
	Owners []userSpace `json:"owners"`
}

type userSpace struct {
	Owner graph.ID `json:"owner"`
	Email string   `json:"email"` // "" for guests
	Bytes int64    `json:"bytes"`
}

func (a *operationDataAPI) space(req *request) (uploadSpace, error) {
	if err := req.requireAdmin(); err != nil {
		return uploadSpace{}, err
	}
	uploads, err := a.uploads.get()
	if err != nil {
		return uploadSpace{}, err
	}
	top, err := topField(req, 20)
	if err != nil {
		return uploadSpace{}, err
	}
	var largest []upload.Space
	space := uploadSpace{Quota: uploads.Limits().Quota, Owners: []userSpace{}}
	largest, space.Total, err = uploads.Spaces(req.Context(), top)
	email := a.emails(req)
	for _, s := range largest {
		space.Owners = append(space.Owners, userSpace{s.Owner, email(s.Owner), s.Bytes})
	}
	return space, err
}

// topField returns the field "top", the length of a ranking.
func topField(req *request, byDefault int) (int, error) {
	sent, err := req.fields("top")
	if err != nil {
		return 0, err
	}
	top, err := sent.Int("top", byDefault)
	if err == nil && (top < 1 || top > maxMostUsed) {
		err = graph.Errorf(graph.Invalid, "the top %d; want 1 to %d", top, maxMostUsed)
	}
	return top, err
}

// A usedRecord is a record in the ranking of use.
type usedRecord struct {
	ID    graph.ID `json:"id"`
	Uses  float64  `json:"uses"`  // recent uses count more
	Type  string   `json:"type"`  // type of a concept
	Value string   `json:"value"` // value of a concept, cut to 80 bytes; "" for a composition
}

func (a *operationDataAPI) ranking(req *request) ([]usedRecord, error) {
	if err := req.requireAdmin(); err != nil {
		return nil, err
	}
	if a.usage == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server does not count uses; start it with --usage to count them")
	}
	sent, err := req.fields("kind")
	if err != nil {
		return nil, err
	}
	kind := usage.Kind(sent["kind"])
	if kind == "" {
		kind = usage.Concepts
	}
	if kind != usage.Concepts && kind != usage.Connections {
		return nil, graph.Errorf(graph.Invalid, "the kind is %q; want concepts or connections", graph.Clip(sent["kind"]))
	}
	top, err := topField(req, 100)
	if err != nil {
		return nil, err
	}
	scores, err := a.usage.Top(req.Context(), kind, top)
	if err != nil {
		return nil, err
	}
	all, ids := make([]usedRecord, len(scores)), make([]graph.ID, len(scores))
	for i, s := range scores {
		all[i], ids[i] = usedRecord{ID: s.ID, Uses: s.Uses}, s.ID
	}
	if kind == usage.Concepts {
		err = req.describeUsed(all, ids)
	}
	return all, err
}

// describeUsed sets the types and values of concepts.
func (req *request) describeUsed(all []usedRecord, ids []graph.ID) error {
	found, err := req.graph.Concepts(req.Context(), ids)
	if err != nil {
		return err
	}
	list, err := req.withTypes(found)
	if err != nil {
		return err
	}
	byID := map[graph.ID]int{}
	for i, c := range list {
		byID[c.Concept.ID] = i
	}
	for i := range all {
		n, known := byID[all[i].ID]
		if !known {
			continue
		}
		all[i].Value = graph.Clip(list[n].Concept.Value)
		if list[n].Type != nil {
			all[i].Type = list[n].Type.Value
		}
	}
	return nil
}
