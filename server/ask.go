package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/semaphore"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// An Asker turns questions in plain English into queries: a language model of the operator's, behind an address that
// takes {"question": …} and answers {"query": …} with a schema query as the wire has them. What it says is never run
// here; it is checked and handed to who asked.
type Asker struct {
	url    string
	name   string // of a header that proves who asks; "" when there is none
	secret string
	client *http.Client
	room   *semaphore.Weighted
}

const (
	askPatience  = 20 * time.Second
	mostAsking   = 4        // at a time
	longestAsked = 500      // characters
	longestQuery = 64 << 10 // bytes of what the model says
)

// NewAsker takes the address, and a header as in "Authorization: Bearer …" or "".
func NewAsker(address, header string) (*Asker, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, graph.Errorf(graph.Invalid, "%q is no address of a language model; want http:// or https://", address)
	}
	name, secret, named := strings.Cut(header, ":")
	if header != "" && (!named || strings.TrimSpace(name) == "" || strings.ContainsAny(header, "\r\n")) {
		return nil, graph.Errorf(graph.Invalid, "the header for the language model is not of the form Name: value")
	}
	return &Asker{
		url: address, name: strings.TrimSpace(name), secret: strings.TrimSpace(secret),
		client: &http.Client{
			Timeout:       askPatience,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		room: semaphore.NewWeighted(mostAsking),
	}, nil
}

type asking struct {
	Question string `json:"question"`
}

// asked is a query that nobody has run yet.
type asked struct {
	Query json.RawMessage `json:"query"`
}

// asks says whether there is somebody to ask.
type asks struct {
	On bool `json:"on"`
}

func (s *Server) mayAsk(*request) (asks, error) { return asks{s.options.Asker != nil}, nil }

func (s *Server) ask(q *request) (asked, error) {
	var sent asking
	if err := wire.Decode(q.body, &sent); err != nil {
		return asked{}, err
	}
	if s.options.Asker == nil {
		return asked{}, graph.Errorf(graph.Unavailable, "this server has no language model to ask")
	}
	sent.Question = strings.TrimSpace(sent.Question)
	if n := utf8.RuneCountInString(sent.Question); n == 0 || n > longestAsked {
		return asked{}, graph.Errorf(graph.Invalid, "the question has %d characters; want 1 to %d", n, longestAsked)
	}
	if err := q.held(s.attempts.wait(s.from(q, "ask"), time.Minute)); err != nil {
		return asked{}, err
	}
	return s.options.Asker.propose(q.Context(), sent)
}

// propose asks the model. Its words never reach who asked, except as a query that makes sense.
func (a *Asker) propose(ctx context.Context, question asking) (asked, error) {
	if !a.room.TryAcquire(1) {
		return asked{}, graph.Errorf(graph.TooMany, "the language model is busy; try again in a while")
	}
	defer a.room.Release(1)
	said, err := a.post(ctx, question)
	if err != nil {
		return asked{}, graph.Wrap(graph.Unavailable, err, "the language model does not answer")
	}
	var answer asked
	if err := json.Unmarshal(said, &answer); err != nil {
		return asked{}, graph.Errorf(graph.Unavailable, "the language model did not answer with a query")
	}
	var proposed wire.Query
	err = wire.Decode(answer.Query, &proposed)
	if err == nil {
		err = proposed.Graph().Check()
	}
	if err != nil {
		return asked{}, graph.Wrap(graph.Unavailable, err, "the language model proposed a query that makes no sense")
	}
	return answer, nil
}

func (a *Asker) post(ctx context.Context, question asking) ([]byte, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if a.name != "" {
		r.Header.Set(a.name, a.secret)
	}
	answer, err := a.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New(answer.Status)
	}
	said, err := io.ReadAll(io.LimitReader(answer.Body, longestQuery+1))
	if len(said) > longestQuery {
		err = errors.New("the answer is too long")
	}
	return said, err
}
