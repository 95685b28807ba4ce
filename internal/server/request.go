package server

import (
	"net/http"
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/wire"
)

// A request is an HTTP request with its caller and, unless the endpoint reads the body itself, its whole body.
type request struct {
	*http.Request
	body           []byte
	caller         access.Caller
	graph          graph.Store // as the caller sees it
	owner          string      // the user, or the network of a guest, as the key for shared limits
	responseHeader http.Header
	endTurn        func() // ends the turn of the request; nil if it has none
}

// finishTurn ends the turn of the request, if it has one, so that the next request can begin.
func (req *request) finishTurn() {
	if req.endTurn != nil {
		req.endTurn()
	}
}

// id returns the id of the request, which is also in the response and in the log.
func (req *request) id() string { return req.responseHeader.Get(requestIDHeader) }

// fields returns the named values of a small request. The body takes precedence over the query string.
func (req *request) fields(names ...string) (wire.Fields, error) {
	fields := wire.Fields{}
	if len(req.body) > 0 {
		var err error
		if fields, err = wire.ReadFields(req.Header.Get("Content-Type"), req.body, names...); err != nil {
			return nil, err
		}
	}
	if req.URL.RawQuery == "" {
		return fields, nil
	}
	query := req.URL.Query()
	for _, name := range names {
		if _, ok := fields[name]; !ok && query.Has(name) {
			fields[name] = query.Get(name)
		}
	}
	return fields, nil
}

// idField returns the id in a field.
func (req *request) idField(name string) (graph.ID, error) {
	fields, err := req.fields(name)
	if err != nil {
		return 0, err
	}
	return fields.ID(name)
}

// textField returns the text in a field.
func (req *request) textField(name string) (string, error) {
	fields, err := req.fields(name)
	if err != nil {
		return "", err
	}
	return fields.Text(name)
}

// maxIDs is the maximum number of ids in a list: it limits the response, which is about a hundred times as long as
// the list.
const maxIDs = 100_000

// idList returns the ids in a body that is a JSON list. It returns a TooLarge error for more than maxIDs ids.
func (req *request) idList() ([]graph.ID, error) {
	ids, err := wire.DecodeIDs(req.body)
	if len(ids) > maxIDs {
		return nil, graph.Errorf(graph.TooLarge, "%d ids; the limit is %d", len(ids), maxIDs)
	}
	if err == nil {
		err = budget.Charge(req.Context(), int64(len(ids))*bytesPerID)
	}
	return ids, err
}

// bytesPerID is the memory, in bytes, for a concept that is read by its id, without its value: it is in lists and maps
// of the cache, and in the response.
const bytesPerID = 400

// sender returns the sender that is the namespace of the local ids of this request.
func (req *request) sender() graph.Sender {
	randomizer, _ := strconv.ParseInt(req.Header.Get("Randomizer"), 10, 64)
	return graph.Sender{User: req.caller.User, Session: req.caller.Session, Randomizer: randomizer}
}

// isGuest reports whether the caller is not signed in.
func (req *request) isGuest() bool { return req.caller.User == graph.Anonymous }

// owns reports whether the caller has full access to the files and e-mails of an owner. Files and e-mails of Anonymous
// belong to no user, so a guest does not own them.
func (req *request) owns(owner graph.ID) bool {
	return req.caller.Admin || owner == req.caller.User && owner != graph.Anonymous
}

func errSignedOut() error { return graph.Errorf(graph.Unauthorized, "the caller is not signed in") }

// requireAdmin returns an error unless the caller is an admin: Unauthorized for a guest, otherwise Forbidden.
func (req *request) requireAdmin() error {
	switch {
	case req.caller.Admin:
		return nil
	case req.isGuest():
		return errSignedOut()
	default:
		return graph.Errorf(graph.Forbidden, "only admins may see this")
	}
}

// requireKeyForAllTypes returns a Forbidden error for an API key that is restricted to some types, because files,
// e-mails and logs have no type.
func (req *request) requireKeyForAllTypes() error {
	if scope := req.caller.Scope; scope != nil && scope.Types != nil {
		return graph.Errorf(graph.Forbidden, "this API key is for instances of some types only")
	}
	return nil
}

// requireGraphWrite returns an error for a caller who may not write to the graph. It tries to write an empty batch.
func (req *request) requireGraphWrite() error {
	_, err := req.graph.Write(req.Context(), graph.Batch{Sender: req.sender()})
	return err
}

// A writePolicy decides who may store data outside the graph: files and e-mails.
type writePolicy struct{ anonymousWrites bool }

// require returns an error for a caller who may not store data.
func (p writePolicy) require(req *request) error {
	switch scope := req.caller.Scope; {
	case req.isGuest() && !p.anonymousWrites:
		return graph.Errorf(graph.Unauthorized, "the caller is not signed in, and this server accepts writes of users only")
	case scope != nil && !scope.Write:
		return graph.Errorf(graph.Forbidden, "this API key may only read")
	default:
		return req.requireKeyForAllTypes()
	}
}
