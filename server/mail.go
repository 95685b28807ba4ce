package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/mail"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) mailRoutes() []route {
	const one, several = "toAddress text", "ccAddresses text?"
	rest := []string{"heading text", "body text?", "attachments file?"}
	return []route{
		{"POST", "/api/sendmail", letters, answer(s.sendMail), "Send a mail, with files or the addresses of uploads attached", fields(append([]string{one}, rest...)...)},
		{"POST", "/api/sendmail/personal", letters, answer(s.sendMail), "Send a mail, as /api/sendmail does", fields(append([]string{one}, rest...)...)},
		{"POST", "/api/sendmail/bulk", letters, answer(s.sendMails), "Send a mail to many, each of whom sees no other", fields(append([]string{several, one + "?"}, rest...)...)},
		{"POST", "/api/sendmail/bulk/personal", letters, answer(s.sendMails), "Send a mail to many, as /api/sendmail/bulk does", fields(append([]string{several, one + "?"}, rest...)...)},
		{"POST", "/api/v1/contact", few, s.contact(), "Write to the operator, without an account; a form gets a page for an answer", fields("name text", "email text", "message text", "topic text?", "website text?")},
		{"GET", "/api/mail/{id}", none, answer(s.mailStatus), "What became of a mail, for its sender and admins", takes{}},
		{"GET", "/api/mail/failed", none, answer(s.failedMails), "Mails that were given up, newest first, for admins", fields("after text?", "inpage int 100")},
	}
}

// letters is the longest request that sends a mail, in bytes: attachments, and a body in JSON's longest form.
const letters = mail.MaxAttachmentBytes + 4*mail.MaxBody

// post is a request to send a mail. What else clients send, such as the token of a captcha, is nobody's business.
type post struct {
	To          string   `json:"toAddress"`
	CC          []string `json:"ccAddresses"`
	Heading     string   `json:"heading"`
	Body        string   `json:"body"`
	Attachments []string `json:"attachments"` // addresses of uploads
	files       []mail.Attachment
}

type posted struct {
	Success bool     `json:"success"`
	Message string   `json:"message"`
	Data    postedID `json:"data"`
}

type postedID struct {
	ID string `json:"id"`
}

func (s *Server) sendMail(q *request) (posted, error) {
	return s.post(q, func(p post) []string { return []string{p.To} })
}

func (s *Server) sendMails(q *request) (posted, error) {
	return s.post(q, func(p post) []string {
		to := p.CC
		if p.To != "" {
			to = append(to, p.To)
		}
		slices.Sort(to)
		return slices.Compact(to)
	})
}

func (s *Server) post(q *request, recipients func(post) []string) (posted, error) {
	queue, err := s.mail(q)
	if err != nil {
		return posted{}, err
	}
	if err := s.mayPost(q); err != nil {
		return posted{}, err
	}
	p, err := readPost(q)
	if err != nil {
		return posted{}, err
	}
	m := mail.Message{Owner: q.caller.User, To: recipients(p), Subject: p.Heading, Attachments: p.files}
	m.Text, m.HTML = mail.Clean(p.Body)
	if err := s.attach(q, &m, p.Attachments); err != nil {
		return posted{}, err
	}
	id, err := queue.Send(q.Context(), m)
	if graph.KindOf(err) == graph.TooMany {
		hour := time.Now().Truncate(time.Hour).Add(time.Hour)
		q.answer.Set("Retry-After", strconv.Itoa(int(time.Until(hour).Seconds())+1))
	}
	return posted{Success: err == nil, Message: "the mail is queued", Data: postedID{id}}, err
}

// mail returns the queue to those who are signed in: this is no open relay.
func (s *Server) mail(q *request) (*mail.Queue, error) {
	if s.options.Mail == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server sends no mail; its operator can switch that on with --mail")
	}
	if q.caller.User == graph.Anonymous {
		return nil, graph.Errorf(graph.Unauthorized, "only who is signed in sends mail")
	}
	return s.options.Mail, q.mayRead()
}

// mayPost says who may send: accounts cost nothing to make, but a confirmed one is worth something to its owner.
func (s *Server) mayPost(q *request) error {
	if err := s.mayWrite(q); err != nil {
		return err
	}
	if !s.options.MailConfirmed || q.caller.Admin {
		return nil
	}
	accounts, err := s.accounts()
	if err != nil {
		return err
	}
	user, err := accounts.User(q.Context(), q.caller.User)
	if err == nil && user.Confirmed.IsZero() {
		err = graph.Errorf(graph.Forbidden, "only whose own e-mail is confirmed sends mail; the link for that was mailed on signing up, and again by /api/auth/email/resend")
	}
	return err
}

// readPost reads JSON or multipart, and goes by the body: clients send forms under the name of JSON, and without
// their boundary.
func readPost(q *request) (post, error) {
	var p post
	if boundary, ok := boundaryOf(q); ok {
		err := p.readForm(multipart.NewReader(bytes.NewReader(q.body), boundary))
		return p, err
	}
	err := wire.Decode(q.body, &p)
	return p, err
}

func boundaryOf(q *request) (string, bool) {
	kind, params, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		return params["boundary"], true
	}
	line, _, _ := bytes.Cut(q.body, []byte("\n"))
	boundary, ok := strings.CutPrefix(strings.TrimSuffix(string(line), "\r"), "--")
	return boundary, ok && boundary != ""
}

func (p *post) readForm(parts *multipart.Reader) error {
	const most = 2 * (mail.MaxRecipients + mail.MaxAttachments)
	for range most {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return graph.Wrap(graph.Invalid, err, "the multipart body cannot be read")
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return graph.Wrap(graph.Invalid, err, "the multipart body breaks off")
		}
		if name := part.FileName(); name != "" {
			p.files = append(p.files, mail.Attachment{Name: name, Kind: part.Header.Get("Content-Type"), Data: content})
			continue
		}
		if err := p.set(part.FormName(), string(content)); err != nil {
			return err
		}
	}
	return graph.Errorf(graph.TooLarge, "the multipart body has more than %d parts", most)
}

func (p *post) set(name, value string) error {
	if err := graph.CheckText(name, value); err != nil {
		return err
	}
	switch strings.TrimSuffix(name, "[]") {
	case "toAddress":
		p.To = value
	case "heading":
		p.Heading = value
	case "body":
		p.Body = value
	case "ccAddresses":
		p.CC = append(p.CC, values(value)...)
	case "attachments":
		p.Attachments = append(p.Attachments, values(value)...)
	}
	return nil
}

// values reads a field that holds one text or a JSON list of them.
func values(text string) []string {
	var list []string
	switch {
	case json.Unmarshal([]byte(text), &list) == nil:
		return list
	case text == "":
		return nil
	default:
		return []string{text}
	}
}

// attach reads the caller's uploads. Nothing is fetched from anywhere else.
func (s *Server) attach(q *request, m *mail.Message, addresses []string) error {
	if len(addresses) == 0 {
		return nil
	}
	uploads, err := s.uploads()
	if err != nil {
		return err
	}
	room := int64(mail.MaxAttachmentBytes)
	for _, address := range addresses[:min(len(addresses), mail.MaxAttachments+1)] {
		r, err := uploads.Find(q.Context(), uploadName(address))
		if err == nil && !s.owns(q, r.Owner) {
			err = graph.Errorf(graph.NotFound, "no upload of the caller")
		}
		if err != nil {
			return graph.Wrap(graph.KindOf(err), err, "the attachment %q", graph.Clip(address))
		}
		if room -= r.Size; room < 0 {
			return graph.Errorf(graph.TooLarge, "the attachments are more than %d bytes together", mail.MaxAttachmentBytes)
		}
		_, content, err := uploads.Open(q.Context(), r.Name)
		if err != nil {
			return s.notices(q, err)
		}
		data, err := io.ReadAll(content)
		if err = errors.Join(err, content.Close()); err != nil {
			return err
		}
		name := path.Base(r.Original)
		if r.Original == "" {
			name = r.Name
		}
		m.Attachments = append(m.Attachments, mail.Attachment{Name: name, Kind: r.Kind, Data: data})
	}
	return nil
}

func (s *Server) mailStatus(q *request) (mail.Status, error) {
	queue, err := s.mail(q)
	if err != nil {
		return mail.Status{}, err
	}
	status, err := queue.Status(q.Context(), q.PathValue("id"))
	if err == nil && !s.owns(q, status.Owner) {
		err = graph.Errorf(graph.NotFound, "there is no mail %q", status.ID)
	}
	if err != nil {
		return mail.Status{}, err
	}
	if !q.caller.Admin { // what mail servers say tells about ours
		for i := range status.To {
			status.To[i].Error = ""
		}
	}
	return status, nil
}

type failedMails struct {
	Mails []mail.Status `json:"mails"`
	Next  string        `json:"next"` // where the next page begins; "" after the last
}

func (s *Server) failedMails(q *request) (failedMails, error) {
	queue, err := s.mail(q)
	if err != nil {
		return failedMails{}, err
	}
	if !q.caller.Admin {
		return failedMails{}, graph.Errorf(graph.Forbidden, "only admins see the mails of others")
	}
	fields, err := q.fields("after", "inpage")
	if err != nil {
		return failedMails{}, err
	}
	limit, err := fields.Int("inpage", 100)
	if err == nil {
		err = graph.CheckText("after", fields["after"])
	}
	if err != nil {
		return failedMails{}, err
	}
	limit = min(max(limit, 1), 1000)
	list, next, err := queue.Dead(q.Context(), fields["after"], limit)
	return failedMails{list, next}, err
}
