// Package client is the graph at the far end of a cable: a Weft server, asked in the words of its
// contract.
//
// The contract tells less than a store knows. What it cannot say is refused with an Unavailable error that
// names it, never answered halfway.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// A Client is a graph.Store at a URL, as whoever its token belongs to sees it. Without a token it is anonymous,
// and what it writes belongs to everybody. It is safe for use by many goroutines.
type Client struct {
	// HTTP carries the requests; replace it before the first.
	HTTP *http.Client
	// Token signs in: an access token or, for a program, an API key. Set it before the first request.
	Token string

	url string
	// Drafts without a ghost still need one on the way: these numbers are this client's alone.
	ghost atomic.Int64
}

var _ graph.Store = (*Client)(nil)

// New returns a client of the server at a URL such as http://127.0.0.1:8080. It asks nothing yet.
func New(url string) *Client {
	c := &Client{
		HTTP: &http.Client{
			Transport: &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, Proxy: http.ProxyFromEnvironment},
			Timeout:   5 * time.Minute,
		},
		url: strings.TrimRight(url, "/"),
	}
	c.ghost.Store(-1<<40 - rand.Int64N(1<<52))
	return c
}

// Close lets go of idle connections.
func (c *Client) Close() error {
	c.HTTP.CloseIdleConnections()
	return nil
}

// Query runs a query on the server: one request, however many levels. The connections themselves are not in the answer,
// and neither is a plan; see Explain.
func (c *Client) Query(ctx context.Context, q wire.Query) (query.Answer, error) {
	q.Explain = false
	var a wire.Answer
	if err := c.post(ctx, "/api/freeschema-query", nil, q, &a); err != nil {
		return query.Answer{}, err
	}
	found, err := a.Graph()
	found.Order = cmp.Or(q.Graph().Order, query.Descending)
	return found, err
}

// Explain runs a query on the server, which tells how it went about it: an outline with a line for each step. Only an
// administrator is told what it expected, and what it did because of that.
func (c *Client) Explain(ctx context.Context, q wire.Query) (string, error) {
	q.Explain = true
	var a wire.Answer
	err := c.post(ctx, "/api/freeschema-query", nil, q, &a)
	return a.Plan, err
}

// post sends a value as JSON and decodes the answer. An answer that is an error is returned as one.
func (c *Client) post(ctx context.Context, path string, header http.Header, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return graph.Wrap(graph.Invalid, err, "this cannot be sent")
	}
	return c.do(ctx, http.MethodPost, path, header, bytes.NewReader(text), into)
}

func (c *Client) get(ctx context.Context, path string, into any) error {
	return c.do(ctx, http.MethodGet, path, nil, nil, into)
}

// mostAnswer bounds what a server can make us read, in bytes.
const mostAnswer = 1 << 30

func (c *Client) do(ctx context.Context, method, path string, header http.Header, body io.Reader, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		return graph.Wrap(graph.Invalid, err, "%q is not the URL of a server", c.url)
	}
	maps.Copy(r.Header, header)
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := c.HTTP.Do(r)
	if err != nil {
		return graph.Wrap(graph.Unavailable, err, "%s does not answer", c.url)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err != nil {
		return graph.Wrap(graph.Unavailable, err, "the answer of %s broke off after %d bytes", c.url, len(answer))
	}
	if response.StatusCode != http.StatusOK {
		return refused(response.Status, answer)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return graph.Wrap(graph.Internal, err, "%s%s answered something else than the contract says", c.url, path)
	}
	return nil
}

// refused is the error that the server sent, as it was there.
func refused(status string, answer []byte) error {
	var e wire.Error
	if err := json.Unmarshal(answer, &e); err != nil || e.Kind == "" {
		return graph.Errorf(graph.Unavailable, "the server answered %s", status)
	}
	return graph.Errorf(e.Kind, "%s", e.Message)
}

// from is the header that says who sends. Which user that is the token says.
func (c *Client) from(sender graph.Sender) (http.Header, error) {
	header := http.Header{"Randomizer": {strconv.FormatInt(sender.Randomizer, 10)}}
	switch {
	case c.Token != "":
		return header, nil
	case sender.User != graph.Anonymous:
		return nil, graph.Errorf(graph.Unauthorized, "without a token nobody is signed in: the sender must be %d, not %d",
			graph.Anonymous, sender.User)
	}
	header.Set("X-Session-Id", sender.Session)
	return header, nil
}

func unsupported(what string) error {
	return graph.Errorf(graph.Unavailable, "the contract has no way to %s over the wire", what)
}
