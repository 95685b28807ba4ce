// Package client accesses a Weft server from Go programs.
//
// A Client implements graph.Store over HTTP, so the packages query and composition work with it. It can also run
// a query on the server, which takes a single request:
//
//	c := client.New("https://weft.example.com")
//	defer c.Close()
//	c.Token = os.Getenv("WEFT_KEY") // an API key; without a token the client is a guest
//	answer, err := c.Query(ctx, wire.Query{Type: "the_person", Inpage: 20})
//
// # Requests per method
//
//	Query, Explain, Write          one
//	Concepts, Connections          one per 10,000 ids
//	ConceptsByValue, ResolveIDs    one per key or id
//	ConceptsByType, CountByType    two, and one more per 10,000 instances; a page in descending order reads all
//	Links, CountLinks              one or more per concept; Links sends eight at a time
//	Identity, LastSeq              one
//
// # Limits of the HTTP contract
//
// Changes, Check, Reserve and ResolveConnections are not available and return an Unavailable error, as does a Write with
// reserved ids, RequireOwner, Becomes, Unchanged or Absent. ConceptsByValue finds at most one concept per key. ResolveIDs ignores reserved ids.
//
// # Errors
//
// Errors of the server keep their graph.ErrorKind and message. The kind is Unavailable if the server cannot be
// reached or returns an error in another form, and Internal if a response does not follow the contract. A Write that
// fails with Unavailable may have been committed; writing the same batch again is safe if its drafts have local ids.
package client

import (
	"bytes"
	"cmp"
	"context"
	crand "crypto/rand"
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

// A Client is a graph.Store on a server. It reads and writes with the permissions of the owner of its token. Without
// a token it is a guest, and the records that it writes are shared by all users. It is safe for concurrent use.
type Client struct {
	// HTTP sends the requests. It may be replaced before the first request.
	HTTP *http.Client
	// Token is an access token of a user or an API key of a program. Set it before the first request.
	Token string

	url string
	// lastLocalID is the last local id that was assigned to a draft without one; the wire contract requires one.
	// It starts at a random number, so that clients of one user do not collide.
	lastLocalID atomic.Int64
	sender      graph.Sender // the sender of all submissions
	session     session
}

var _ graph.Store = (*Client)(nil)

// New returns a client of the server at a URL such as http://127.0.0.1:8080. It does not send a request.
func New(url string) *Client {
	c := &Client{
		HTTP: &http.Client{
			Transport: &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, Proxy: http.ProxyFromEnvironment},
			Timeout:   5 * time.Minute,
		},
		url: strings.TrimRight(url, "/"),
	}
	c.lastLocalID.Store(-1<<40 - rand.Int64N(1<<52))
	c.sender = graph.Sender{User: graph.Anonymous, Session: crand.Text(), Randomizer: rand.Int64N(1 << 52)}
	return c
}

// Close closes idle connections.
func (c *Client) Close() error {
	c.HTTP.CloseIdleConnections()
	return nil
}

// Query runs a query on the server with one request. The answer holds ids, but no Connections and no Plan; see
// Explain.
func (c *Client) Query(ctx context.Context, q wire.Query) (query.Answer, error) {
	q.Explain = false
	var a wire.Answer
	if err := c.post(ctx, "/api/freeschema-query", q, &a); err != nil {
		return query.Answer{}, err
	}
	found, err := a.Graph()
	found.Order = cmp.Or(q.Graph().Order, query.Descending)
	return found, err
}

// Explain runs a query on the server and returns its plan as text, one line per step (see query.Plan). Estimates, and
// steps that depend on them, are only visible to administrators.
func (c *Client) Explain(ctx context.Context, q wire.Query) (string, error) {
	q.Explain = true
	var a wire.Answer
	err := c.post(ctx, "/api/freeschema-query", q, &a)
	return a.Plan, err
}

// post sends body as JSON and decodes the response into result.
func (c *Client) post(ctx context.Context, path string, body, result any) error {
	return c.send(ctx, request{method: http.MethodPost, path: path, body: body}, result)
}

// get requests a path and decodes the response into result.
func (c *Client) get(ctx context.Context, path string, result any) error {
	return c.send(ctx, request{method: http.MethodGet, path: path}, result)
}

// A request is an HTTP request to the server.
type request struct {
	method, path string
	header       http.Header
	body         any // encoded as JSON; nil for none
}

// maxResponseBytes is the maximum size of a response. A longer response is cut off and therefore fails to decode.
const maxResponseBytes = 1 << 30

// send sends a request and decodes the response into result. An error response is returned as an error. If the server refuses the
// access token of a session, send renews it and sends the request again.
func (c *Client) send(ctx context.Context, r request, result any) error {
	token, before := c.token(ctx), c.Tokens()
	err := c.sendOnce(ctx, r, result, token)
	if graph.KindOf(err) != graph.Unauthorized || before.Refresh == "" || c.renew(ctx, before) != nil {
		return err
	}
	return c.sendOnce(ctx, r, result, c.token(ctx))
}

// sendOnce sends a request with a token, or without one if it is "".
func (c *Client) sendOnce(ctx context.Context, r request, result any, token string) error {
	message, err := c.newRequest(ctx, r, token)
	if err != nil {
		return err
	}
	response, err := c.HTTP.Do(message)
	if err != nil {
		return graph.Wrap(graph.Unavailable, err, "%s does not respond", c.url)
	}
	defer response.Body.Close()
	return c.decode(r.path, response, result)
}

func (c *Client) decode(path string, response *http.Response, result any) error {
	content, err := io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	if err != nil {
		return graph.Wrap(graph.Unavailable, err, "the response of %s ended after %d bytes", c.url, len(content))
	}
	if response.StatusCode != http.StatusOK {
		return responseError(response.Status, content)
	}
	if err := json.Unmarshal(content, result); err != nil {
		return graph.Wrap(graph.Internal, err, "the response of %s%s is not the JSON that the contract defines", c.url, path)
	}
	return nil
}

// newRequest encodes the body of a request and adds the token.
func (c *Client) newRequest(ctx context.Context, r request, token string) (*http.Request, error) {
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, graph.Wrap(graph.Invalid, err, "the request cannot be encoded as JSON")
		}
		body = bytes.NewReader(text)
	}
	message, err := http.NewRequestWithContext(ctx, r.method, c.url+r.path, body)
	if err != nil {
		return nil, graph.Wrap(graph.Invalid, err, "%q is not the URL of a server", c.url)
	}
	maps.Copy(message.Header, r.header)
	if token != "" {
		message.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		message.Header.Set("Content-Type", "application/json")
	}
	return message, nil
}

// responseError returns the error that an error response describes.
func responseError(status string, content []byte) error {
	var e wire.Error
	if err := json.Unmarshal(content, &e); err != nil || e.Kind == "" {
		return graph.Errorf(graph.Unavailable, "the server responded with %s", status)
	}
	err := graph.Errorf(e.Kind, "%s", e.Message)
	if len(e.Refusals) > 0 {
		return NewRefusedError(err, e.Refusals)
	}
	return err
}

// senderHeader returns the headers that identify a sender. The token identifies a user, the session identifies a
// guest.
func (c *Client) senderHeader(sender graph.Sender) (http.Header, error) {
	header := http.Header{"Randomizer": {strconv.FormatInt(sender.Randomizer, 10)}}
	switch {
	case c.isSignedIn():
		return header, nil
	case sender.User != graph.Anonymous:
		return nil, graph.Errorf(graph.Unauthorized, "without a token the sender must be %d (anonymous), not %d",
			graph.Anonymous, sender.User)
	}
	header.Set("X-Session-Id", sender.Session)
	return header, nil
}

// unsupported returns the error for an operation that the wire contract does not have.
func unsupported(operation string) error {
	return graph.Errorf(graph.Unavailable, "the wire contract does not support this operation: %s", operation)
}
