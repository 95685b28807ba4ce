package server

import (
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/mail"
)

// mailAPI sends e-mail for users.
type mailAPI struct {
	queue             *mail.Queue // nil when the server sends no mail
	uploads           *uploadAPI
	writes            writePolicy
	accounts          accountDirectory
	requiresConfirmed bool // only users with a confirmed e-mail address may send
}

func (a *mailAPI) routes() []route {
	const to, toMany = "toAddress text", "ccAddresses text?"
	rest := []string{"heading text", "body text?", "attachments file?"}
	single, bulk := fields(append([]string{to}, rest...)...), fields(append([]string{toMany, to + "?"}, rest...)...)
	return []route{
		{"POST", "/api/sendmail", maxMailBody, jsonEndpoint(a.send), "Send an e-mail, with files or the addresses of uploads attached", single},
		{"POST", "/api/sendmail/personal", maxMailBody, jsonEndpoint(a.send), "The same as /api/sendmail", single},
		{"POST", "/api/sendmail/bulk", maxMailBody, jsonEndpoint(a.sendMany), "Send an e-mail to several recipients, who do not see each other", bulk},
		{"POST", "/api/sendmail/bulk/personal", maxMailBody, jsonEndpoint(a.sendMany), "The same as /api/sendmail/bulk", bulk},
		{"GET", "/api/mail/{id}", noBody, jsonEndpoint(a.status), "The state of an e-mail, for its sender and admins", requestShape{}},
		{"GET", "/api/mail/failed", noBody, jsonEndpoint(a.failed), "E-mails that could not be delivered, newest first, for admins", fields("after text?", "inpage int 100")},
	}
}

// maxMailBody is the maximum size of a request that sends an e-mail, in bytes: attachments, and a body of text in
// which JSON escapes every character.
const maxMailBody = mail.MaxAttachmentBytes + 4*mail.MaxBody

type queuedMail struct {
	Success bool     `json:"success"`
	Message string   `json:"message"`
	Data    queuedID `json:"data"`
}

type queuedID struct {
	ID string `json:"id"`
}

func (a *mailAPI) send(req *request) (queuedMail, error) {
	return a.enqueue(req, func(m mailRequest) []string { return []string{m.To} })
}

func (a *mailAPI) sendMany(req *request) (queuedMail, error) {
	return a.enqueue(req, func(m mailRequest) []string {
		to := m.CC
		if m.To != "" {
			to = append(to, m.To)
		}
		slices.Sort(to)
		return slices.Compact(to)
	})
}

func (a *mailAPI) enqueue(req *request, recipients func(mailRequest) []string) (queuedMail, error) {
	queue, err := a.requireQueue(req)
	if err != nil {
		return queuedMail{}, err
	}
	if err := a.requireSender(req); err != nil {
		return queuedMail{}, err
	}
	sent, err := readMailRequest(req)
	if err != nil {
		return queuedMail{}, err
	}
	m := mail.Message{Owner: req.caller.User, To: recipients(sent), Subject: sent.Heading, Attachments: sent.files}
	m.Text, m.HTML = mail.Clean(sent.Body)
	if err := a.attachUploads(req, &m, sent.Attachments); err != nil {
		return queuedMail{}, err
	}
	id, err := queue.Send(req.Context(), m)
	if graph.KindOf(err) == graph.TooMany {
		nextHour := time.Now().Truncate(time.Hour).Add(time.Hour)
		req.responseHeader.Set("Retry-After", strconv.Itoa(int(time.Until(nextHour).Seconds())+1))
	}
	return queuedMail{Success: err == nil, Message: "the mail is queued", Data: queuedID{id}}, err
}

// requireQueue returns the queue. The error is Unavailable if the server sends no mail, Unauthorized for a guest,
// because the server must not be an open relay, and Forbidden for an API key that is limited to some types.
func (a *mailAPI) requireQueue(req *request) (*mail.Queue, error) {
	if a.queue == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server sends no mail; its operator can switch that on with --mail")
	}
	if req.isGuest() {
		return nil, graph.Errorf(graph.Unauthorized, "only users who are signed in may send mail")
	}
	return a.queue, req.requireKeyForAllTypes()
}

// requireSender returns an error for a user who may not send e-mail. The operator may require a confirmed
// address: an account is free, but a confirmed address requires a working mailbox, which makes spam more
// expensive.
func (a *mailAPI) requireSender(req *request) error {
	if err := a.writes.require(req); err != nil {
		return err
	}
	if !a.requiresConfirmed || req.caller.Admin {
		return nil
	}
	accounts, err := a.accounts.get()
	if err != nil {
		return err
	}
	user, err := accounts.User(req.Context(), req.caller.User)
	if err == nil && user.Confirmed.IsZero() {
		err = graph.Errorf(graph.Forbidden, "confirm your e-mail address before sending mail; the link was mailed on signing up, and /api/auth/email/resend mails it again")
	}
	return err
}

// attachUploads attaches the caller's uploads with the given URLs. It reads them from this server's storage and never
// fetches a URL.
func (a *mailAPI) attachUploads(req *request, m *mail.Message, addresses []string) error {
	if len(addresses) == 0 {
		return nil
	}
	uploads, err := a.uploads.get()
	if err != nil {
		return err
	}
	remaining := int64(mail.MaxAttachmentBytes)
	for _, address := range addresses[:min(len(addresses), mail.MaxAttachments+1)] {
		r, err := uploads.Find(req.Context(), uploadName(address))
		if err == nil && !req.owns(r.Owner) {
			err = graph.Errorf(graph.NotFound, "the caller has no such upload")
		}
		if err != nil {
			return graph.Wrap(graph.KindOf(err), err, "the attachment %q", graph.Clip(address))
		}
		if remaining -= r.Size; remaining < 0 {
			return graph.Errorf(graph.TooLarge, "the attachments are more than %d bytes together", mail.MaxAttachmentBytes)
		}
		attachment, err := a.readAttachment(req, uploads, r)
		if err != nil {
			return err
		}
		m.Attachments = append(m.Attachments, attachment)
	}
	return nil
}

func (a *mailAPI) readAttachment(req *request, uploads *upload.Uploads, r upload.Record) (mail.Attachment, error) {
	_, content, err := uploads.Open(req.Context(), r.Name)
	if err != nil {
		return mail.Attachment{}, a.uploads.errors.warnUnavailable(req, err)
	}
	data, err := io.ReadAll(content)
	if err = errors.Join(err, content.Close()); err != nil {
		return mail.Attachment{}, err
	}
	name := path.Base(r.Original)
	if r.Original == "" {
		name = r.Name
	}
	return mail.Attachment{Name: name, Kind: r.Kind, Data: data}, nil
}

func (a *mailAPI) status(req *request) (mail.Status, error) {
	queue, err := a.requireQueue(req)
	if err != nil {
		return mail.Status{}, err
	}
	status, err := queue.Status(req.Context(), req.PathValue("id"))
	if err == nil && !req.owns(status.Owner) {
		err = graph.Errorf(graph.NotFound, "unknown mail %q", status.ID)
	}
	if err != nil {
		return mail.Status{}, err
	}
	if !req.caller.Admin { // the replies of mail servers reveal details of this server
		for i := range status.To {
			status.To[i].Error = ""
		}
	}
	return status, nil
}

type failedMails struct {
	Mails []mail.Status `json:"mails"`
	Next  string        `json:"next"` // the cursor of the next page; "" after the last
}

func (a *mailAPI) failed(req *request) (failedMails, error) {
	queue, err := a.requireQueue(req)
	if err != nil {
		return failedMails{}, err
	}
	if !req.caller.Admin {
		return failedMails{}, graph.Errorf(graph.Forbidden, "only admins may see the e-mails of other users")
	}
	page, err := req.textPage()
	if err != nil {
		return failedMails{}, err
	}
	list, next, err := queue.Dead(req.Context(), page.after, page.limit)
	return failedMails{list, next}, err
}
