package server

import (
	"context"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/wire"
)

// contactAPI serves messages of visitors to the operator. A message is stored as a record of the system user, which
// only admins can read, and is sent to the operator by e-mail.
type contactAPI struct {
	views      *storeViews
	attempts   *attemptLimits
	queue      *mail.Queue // nil if the server sends no mail
	recipients []string    // the operator's addresses; none means that messages are only stored
	errors     errorResponder
}

func (a *contactAPI) routes() []route {
	return []route{
		{"POST", "/api/v1/contact", smallBody, a.endpoint(), "Write to the operator, without an account. The response to a submitted form is a page", fields("name text", "email text", "message text", "topic text?", "website text?")},
	}
}

// contactFields lists the fields of a message. The field website is invisible to people; spam programs fill it in.
var contactFields = []string{"name", "email", "topic", "message", "website"}

const (
	maxContactLineRunes    = 200
	maxContactMessageRunes = 10_000
)

// contactResult is the response to a message.
type contactResult struct {
	Success bool     `json:"success"`
	ID      graph.ID `json:"id"` // id of the record, which only admins can read
}

// endpoint responds with a page when a browser submits a form without scripts, and with JSON otherwise.
func (a *contactAPI) endpoint() endpoint {
	inJSON := jsonEndpoint(a.add)
	run := func(w http.ResponseWriter, req *request) error {
		if !isForm(req) || !strings.Contains(req.Header.Get("Accept"), "text/html") {
			return inJSON.run(w, req)
		}
		_, err := a.add(req)
		view := formView{formPage: formPage{Title: "Contact"}, Closed: true}
		switch kind := graph.KindOf(err); kind {
		case "":
			view.Title, view.Thanks = "Thank you", "Your message has arrived. We answer by e-mail."
			return writeForm(w, http.StatusOK, view)
		case graph.Internal:
			return err
		default:
			view.Refusal = "The message was not sent: " + messageOf(err) + ". Go back to change it; your text is still there."
			return writeForm(w, statusOf[kind], view)
		}
	}
	return endpoint{run: run, response: reflect.TypeFor[contactResult]()}
}

// add stores a message and sends it to the operator by e-mail. A failure to send it is only logged, because the
// message is stored.
func (a *contactAPI) add(req *request) (contactResult, error) {
	if err := a.attempts.countCall(req, "contact"); err != nil {
		return contactResult{}, err
	}
	m, err := readContactMessage(req)
	if err != nil {
		return contactResult{}, err
	}
	id, err := a.store(req.Context(), m)
	if err != nil {
		return contactResult{}, err
	}
	if err := a.notifyOperator(req.Context(), m); err != nil {
		a.errors.log.ErrorContext(req.Context(), "a message to the operator is stored, but not mailed", "id", id, "error", err)
	}
	return contactResult{Success: true, ID: id}, nil
}

func (a *contactAPI) store(ctx context.Context, m contactMessage) (graph.ID, error) {
	b := graph.Batch{Sender: graph.Sender{User: graph.System, Randomizer: rand.Int64()}}
	record := composition.RecordValue(m.members(time.Now())...)
	if _, err := composition.Build(&b, "the_contact_message", record, &composition.LocalIDs{}); err != nil {
		return 0, err
	}
	for i := range b.Concepts {
		b.Concepts[i].Access = graph.Private
	}
	for i := range b.Connections {
		b.Connections[i].Access = graph.Private
	}
	receipt, err := a.views.as(access.System).Write(ctx, b)
	if err != nil {
		return 0, err
	}
	return receipt.Concepts[0].ID, nil
}

// notifyOperator queues an e-mail to the operator. Replies to it go to the visitor.
func (a *contactAPI) notifyOperator(ctx context.Context, m contactMessage) error {
	if len(a.recipients) == 0 || a.queue == nil {
		return nil
	}
	subject := "Message from " + m.name
	if m.topic != "" {
		subject += ": " + m.topic
	}
	_, err := a.queue.Send(ctx, mail.Message{
		To: a.recipients, ReplyTo: m.email, Subject: graph.Clip(subject), Text: m.message + "\n\n-- \n" + m.name + " <" + m.email + ">\n",
	})
	return err
}

type contactMessage struct{ name, email, topic, message string }

func (m contactMessage) members(now time.Time) []composition.Member {
	all := []composition.Member{
		{Key: "name", Value: composition.TextValue(m.name)},
		{Key: "email", Value: composition.TextValue(m.email)},
	}
	if m.topic != "" {
		all = append(all, composition.Member{Key: "topic", Value: composition.TextValue(m.topic)})
	}
	return append(all,
		composition.Member{Key: "message", Value: composition.TextValue(m.message)},
		composition.Member{Key: "time", Value: composition.TextValue(now.UTC().Format(time.RFC3339))})
}

func readContactMessage(req *request) (contactMessage, error) {
	fields, err := readContactFields(req)
	if err != nil {
		return contactMessage{}, err
	}
	for _, name := range contactFields {
		fields[name] = strings.TrimSpace(strings.ReplaceAll(fields[name], "\r\n", "\n"))
		if err := graph.CheckText(name, fields[name]); err != nil {
			return contactMessage{}, err
		}
	}
	m := contactMessage{name: fields["name"], email: fields["email"], topic: fields["topic"], message: fields["message"]}
	if fields["website"] != "" {
		return m, graph.Errorf(graph.Invalid, "website: must be empty")
	}
	if m.email, err = mail.Address(m.email); err != nil {
		return m, graph.Wrap(graph.Invalid, err, "email")
	}
	return m, m.check()
}

// readContactFields reads a form exactly as browsers send it. It does not use wire.ReadFields, which also accepts
// the malformed forms of other clients.
func readContactFields(req *request) (map[string]string, error) {
	if !isForm(req) {
		return wire.ReadFields(req.Header.Get("Content-Type"), req.body, contactFields...)
	}
	sent, err := url.ParseQuery(string(req.body))
	if err != nil {
		return nil, graph.Wrap(graph.Invalid, err, "the form cannot be read")
	}
	fields := map[string]string{}
	for _, name := range contactFields {
		fields[name] = sent.Get(name)
	}
	return fields, nil
}

func isForm(req *request) bool {
	contentType, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	return contentType == "application/x-www-form-urlencoded"
}

func (m contactMessage) check() error {
	for _, field := range []struct{ name, value string }{{"name", m.name}, {"topic", m.topic}} {
		name, value := field.name, field.value
		if utf8.RuneCountInString(value) > maxContactLineRunes || strings.ContainsFunc(value, breaksLine) {
			return graph.Errorf(graph.Invalid, "%s: want one line of at most %d characters", name, maxContactLineRunes)
		}
	}
	switch n := utf8.RuneCountInString(m.message); {
	case m.name == "":
		return graph.Errorf(graph.Invalid, "name: is missing")
	case n == 0:
		return graph.Errorf(graph.Invalid, "message: is missing")
	case n > maxContactMessageRunes:
		return graph.Errorf(graph.TooLarge, "message: has %d characters; the limit is %d", n, maxContactMessageRunes)
	}
	return nil
}

// breaksLine reports whether a character ends a line or is another control character.
func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
