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

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/shares"
	"github.com/weft-graph/weft/wire"
)

// askAPI turns questions in plain English into queries.
type askAPI struct {
	asker    *Asker // nil without a language model
	attempts *attemptLimits
}

func (a *askAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/ask", noBody, jsonEndpoint(a.status), "Whether the operator has a language model that turns questions into queries", requestShape{}},
		{"POST", "/api/v1/ask", smallBody, jsonEndpoint(a.ask), "A query for a question in plain English: proposed by the language model and checked, but not run", jsonBody[question]()},
	}
}

type question struct {
	Question string `json:"question"`
}

// proposedQuery is a query that was checked but not run.
type proposedQuery struct {
	Query json.RawMessage `json:"query"`
}

// askStatus reports whether there is a language model.
type askStatus struct {
	On bool `json:"on"`
}

func (a *askAPI) status(*request) (askStatus, error) { return askStatus{a.asker != nil}, nil }

func (a *askAPI) ask(req *request) (proposedQuery, error) {
	var sent question
	if err := wire.Decode(req.body, &sent); err != nil {
		return proposedQuery{}, err
	}
	if a.asker == nil {
		return proposedQuery{}, graph.Errorf(graph.Unavailable, "this server has no language model")
	}
	sent.Question = strings.TrimSpace(sent.Question)
	if n := utf8.RuneCountInString(sent.Question); n == 0 || n > maxQuestionRunes {
		return proposedQuery{}, graph.Errorf(graph.Invalid, "the question has %d characters; want 1 to %d", n, maxQuestionRunes)
	}
	if err := a.attempts.countUserCall(req, "ask"); err != nil {
		return proposedQuery{}, err
	}
	return a.asker.propose(req.Context(), req.owner, sent)
}

// An Asker turns questions in plain English into queries. It is a client of the operator's language model, an HTTP
// endpoint that takes {"question": …} and responds with {"query": …}, a schema query in its wire form. The server
// checks the proposed query and returns it to the caller, but never runs it.
type Asker struct {
	url         string
	headerName  string // of the header that authenticates this server; "" for none
	headerValue string
	client      *http.Client
	calls       shares.Gate
}

const (
	modelTimeout          = 20 * time.Second
	maxModelCalls         = 4 // concurrent calls
	maxQuestionRunes      = 500
	maxModelResponseBytes = 64 << 10
)

// NewAsker returns a client of the model at an address. The header, as in "Authorization: Bearer …", authenticates this
// server; it may be empty. A malformed address or header is an Invalid error.
func NewAsker(address, header string) (*Asker, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, graph.Errorf(graph.Invalid, "invalid address %q of a language model; want http:// or https://", address)
	}
	name, value, hasColon := strings.Cut(header, ":")
	if header != "" && (!hasColon || strings.TrimSpace(name) == "" || strings.ContainsAny(header, "\r\n")) {
		return nil, graph.Errorf(graph.Invalid, "the header for the language model is not of the form Name: value")
	}
	return &Asker{
		url: address, headerName: strings.TrimSpace(name), headerValue: strings.TrimSpace(value),
		client: &http.Client{
			Timeout:       modelTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		calls: shares.Gate{What: "questions to the language model", Total: maxModelCalls},
	}, nil
}

// propose asks the model. The caller never sees the model's response, except as a query that passed the checks.
func (a *Asker) propose(ctx context.Context, owner string, question question) (proposedQuery, error) {
	leave, err := a.calls.Enter(owner, 1)
	if err != nil {
		return proposedQuery{}, err
	}
	defer leave()
	text, err := a.post(ctx, question)
	if err != nil {
		return proposedQuery{}, graph.Wrap(graph.Unavailable, err, "the language model does not respond")
	}
	var proposed proposedQuery
	if err := json.Unmarshal(text, &proposed); err != nil {
		return proposedQuery{}, graph.Errorf(graph.Unavailable, "the language model did not respond with a query")
	}
	var parsed wire.Query
	err = wire.Decode(proposed.Query, &parsed)
	if err == nil {
		err = parsed.Graph().Check()
	}
	if err != nil {
		return proposedQuery{}, graph.Wrap(graph.Unavailable, err, "the language model proposed an invalid query")
	}
	return proposed, nil
}

// post sends a question and returns the body of the response.
func (a *Asker) post(ctx context.Context, question question) ([]byte, error) {
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
	if a.headerName != "" {
		r.Header.Set(a.headerName, a.headerValue)
	}
	response, err := a.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxModelResponseBytes+1))
	if len(text) > maxModelResponseBytes {
		err = errors.New("the response is too long")
	}
	return text, err
}
