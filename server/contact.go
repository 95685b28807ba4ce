package server

import (
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/mail"
	"github.com/weft-graph/weft/wire"
)

// contactFields are those of a message. The website is a field that no person sees: programs that fill in every field
// give themselves away.
var contactFields = []string{"name", "email", "topic", "message", "website"}

// longestLine and longestMessage are in characters.
const (
	longestLine    = 200
	longestMessage = 10_000
)

// A contacted is the answer to somebody who wrote to the operator.
type contacted struct {
	Success bool     `json:"success"`
	ID      graph.ID `json:"id"` // of the record, which only admins read
}

// contact answers with a page when a browser sends a form without scripts, and else with JSON.
func (s *Server) contact() answerer {
	inJSON := answer(s.keepContact)
	run := func(w http.ResponseWriter, q *request) error {
		if !isForm(q) || !strings.Contains(q.Header.Get("Accept"), "text/html") {
			return inJSON.run(w, q)
		}
		_, err := s.keepContact(q)
		page := drawn{form: form{Title: "Contact"}, Shut: true}
		switch kind := graph.KindOf(err); kind {
		case "":
			page.Title, page.Thank = "Thank you", "Your message has arrived. We answer by e-mail."
			return draw(w, http.StatusOK, page)
		case graph.Internal:
			return err
		default:
			page.Refusal = "The message was not sent: " + sentence(err) + ". Go back to change it; what you wrote is still there."
			return draw(w, status[kind], page)
		}
	}
	return answerer{run: run, gives: reflect.TypeFor[contacted]()}
}

// keepContact stores a message, and lets the operator know by mail. The writer need not be signed in, and never reads
// it back: it is the system's.
func (s *Server) keepContact(q *request) (contacted, error) {
	if err := q.held(s.attempts.wait(s.from(q, "contact"), time.Minute)); err != nil {
		return contacted{}, err
	}
	m, err := readContact(q)
	if err != nil {
		return contacted{}, err
	}
	b := graph.Batch{Sender: graph.Sender{User: graph.System, Randomizer: rand.Int64()}}
	record := composition.RecordValue(m.members(time.Now())...)
	if _, err := composition.Build(&b, "the_contact_message", record, &composition.Ghosts{}); err != nil {
		return contacted{}, err
	}
	for i := range b.Concepts {
		b.Concepts[i].Access = graph.Private
	}
	for i := range b.Connections {
		b.Connections[i].Access = graph.Private
	}
	receipt, err := s.as(auth.System).Write(q.Context(), b)
	if err != nil {
		return contacted{}, err
	}
	id := receipt.Concepts[0].ID
	if err := s.tellOperator(q, m); err != nil { // it is stored, and that is what the writer is told
		s.options.Log.ErrorContext(q.Context(), "a message to the operator is stored, but not mailed", "id", id, "error", err)
	}
	return contacted{Success: true, ID: id}, nil
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

func readContact(q *request) (contactMessage, error) {
	fields, err := readContactFields(q)
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

// readContactFields reads a form as browsers send it, where wire.ReadFields makes allowances for other clients.
func readContactFields(q *request) (map[string]string, error) {
	if !isForm(q) {
		return wire.ReadFields(q.Header.Get("Content-Type"), q.body, contactFields...)
	}
	sent, err := url.ParseQuery(string(q.body))
	if err != nil {
		return nil, graph.Wrap(graph.Invalid, err, "the form cannot be read")
	}
	fields := map[string]string{}
	for _, name := range contactFields {
		fields[name] = sent.Get(name)
	}
	return fields, nil
}

func isForm(q *request) bool {
	kind, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	return kind == "application/x-www-form-urlencoded"
}

func (m contactMessage) check() error {
	for name, value := range map[string]string{"name": m.name, "topic": m.topic} {
		if utf8.RuneCountInString(value) > longestLine || strings.ContainsFunc(value, breaks) {
			return graph.Errorf(graph.Invalid, "%s: want one line of at most %d characters", name, longestLine)
		}
	}
	switch n := utf8.RuneCountInString(m.message); {
	case m.name == "":
		return graph.Errorf(graph.Invalid, "name: is missing")
	case n == 0:
		return graph.Errorf(graph.Invalid, "message: is missing")
	case n > longestMessage:
		return graph.Errorf(graph.TooLarge, "message: has %d characters; the most is %d", n, longestMessage)
	}
	return nil
}

// breaks says whether a character ends a line, or is none that can be seen.
func breaks(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// tellOperator queues a mail to those whom the operator named. An answer to it goes to who wrote.
func (s *Server) tellOperator(q *request, m contactMessage) error {
	if len(s.options.ContactTo) == 0 || s.options.Mail == nil {
		return nil
	}
	subject := "Message from " + m.name
	if m.topic != "" {
		subject += ": " + m.topic
	}
	_, err := s.options.Mail.Send(q.Context(), mail.Message{
		To: s.options.ContactTo, ReplyTo: m.email, Subject: graph.Clip(subject), Text: m.message + "\n\n-- \n" + m.name + " <" + m.email + ">\n",
	})
	return err
}
