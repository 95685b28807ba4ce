package server

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/telemetry/usage"
	"github.com/weft-graph/weft/wire"
)

// usageAPI counts how often records are used and lists the most used records.
type usageAPI struct {
	tracker *usage.Tracker // nil when uses are not counted
	views   *storeViews
}

func (a *usageAPI) routes() []route {
	const path = "/api/v1/access-tracker/"
	return []route{
		{"POST", path + "sync-access-tracker", largeBody, jsonEndpoint(a.count), "Count how often the caller used concepts and connections", jsonBody[usageCounts]()},
		{"GET", path + "list-concepts-file", noBody, jsonEndpoint(a.listConcepts), "The concepts used most: by the caller, then by all users", fields("top int 200")},
		{"GET", path + "list-connections-file", noBody, jsonEndpoint(a.listConnections), "The connections used most: by the caller, then by all users", fields("top int 200")},
	}
}

// usageCounts holds numbers of uses by id.
type usageCounts struct {
	Concepts    map[string]wire.Int `json:"concepts"`
	Connections map[string]wire.Int `json:"connections"`
}

func (a *usageAPI) count(req *request) (outcome, error) {
	if err := a.requireTracker(); err != nil {
		return outcome{}, err
	}
	if req.isGuest() {
		return outcome{}, errSignedOut()
	}
	var sent usageCounts
	if err := wire.Decode(req.body, &sent); err != nil {
		return outcome{}, err
	}
	if n := len(sent.Concepts) + len(sent.Connections); n > usage.MaxIDs {
		return outcome{}, graph.Errorf(graph.TooLarge, "%d ids; the limit is %d", n, usage.MaxIDs)
	}
	own, err := readableCounts(req.Context(), req.graph, sent)
	if err != nil {
		return outcome{}, err
	}
	public, err := readableCounts(req.Context(), a.views.public(), sent)
	if err != nil {
		return outcome{}, err
	}
	return outcome{true, "the uses are counted"}, a.tracker.Count(req.Context(), req.caller.User, own, public)
}

func (a *usageAPI) requireTracker() error {
	if a.tracker == nil {
		return graph.Errorf(graph.Unavailable, "this server does not count uses; start it with --usage to count them")
	}
	return nil
}

// readableCounts returns the counts of records that a reader can see. Unknown ids are not an error, because a client
// may have counted records that were then removed.
func readableCounts(ctx context.Context, r graph.Reader, sent usageCounts) (usage.Counts, error) {
	counts := usage.Counts{Concepts: usage.Uses{}, Connections: usage.Uses{}}
	concepts, err := r.Concepts(ctx, realIDs(sent.Concepts))
	if err != nil {
		return counts, err
	}
	for _, c := range concepts {
		counts.Concepts[c.ID] = int64(sent.Concepts[c.ID.String()])
	}
	connections, err := r.Connections(ctx, realIDs(sent.Connections))
	for _, c := range connections {
		counts.Connections[c.ID] = int64(sent.Connections[c.ID.String()])
	}
	return counts, err
}

func realIDs(uses map[string]wire.Int) []graph.ID {
	ids := make([]graph.ID, 0, len(uses))
	for text := range uses {
		if id, err := graph.ParseID(text); err == nil && id.IsReal() {
			ids = append(ids, id)
		}
	}
	return ids
}

const (
	defaultListed  = 200
	maxMostUsed    = 1_000
	rankedIDsLimit = usage.MaxOwn + usage.MaxAll // the number of records that the tracker ranks for a user
)

type conceptList struct {
	Data wire.Concepts `json:"data"`
}

// AppendJSON appends the JSON of the list.
func (l conceptList) AppendJSON(b []byte) []byte {
	return append(l.Data.AppendJSON(append(b, `{"data":`...)), '}')
}

type connectionList struct {
	Data wire.Connections `json:"data"`
}

// AppendJSON appends the JSON of the list.
func (l connectionList) AppendJSON(b []byte) []byte {
	return append(l.Data.AppendJSON(append(b, `{"data":`...)), '}')
}

func (a *usageAPI) listConcepts(req *request) (conceptList, error) {
	n, err := a.listLength(req)
	if err != nil {
		return conceptList{}, err
	}
	found, err := mostUsed(req, mostUsedQuery{a.tracker, usage.Concepts, n}, req.graph.Concepts)
	if err != nil {
		return conceptList{}, err
	}
	list, err := req.withTypes(found)
	return conceptList{list}, err
}

func (a *usageAPI) listConnections(req *request) (connectionList, error) {
	n, err := a.listLength(req)
	if err != nil {
		return connectionList{}, err
	}
	found, err := mostUsed(req, mostUsedQuery{a.tracker, usage.Connections, n}, req.graph.Connections)
	return connectionList{wire.NewConnections(found)}, err
}

func (a *usageAPI) listLength(req *request) (int, error) {
	if err := a.requireTracker(); err != nil {
		return 0, err
	}
	fields, err := req.fields("top")
	if err != nil {
		return 0, err
	}
	top, err := fields.Int("top", defaultListed)
	return min(max(top, 0), maxMostUsed), err
}

// A mostUsedQuery requests the n most used records of a kind.
type mostUsedQuery struct {
	tracker *usage.Tracker
	kind    usage.Kind
	n       int
}

// mostUsed returns the most used records among those that the caller may read. Hidden and removed records do not
// count towards n.
func mostUsed[T any](req *request, q mostUsedQuery, read func(context.Context, []graph.ID) ([]T, error)) ([]T, error) {
	ids, err := q.tracker.Ranking(req.Context(), req.caller.User, q.kind, rankedIDsLimit)
	var found []T
	for err == nil && len(found) < q.n && len(ids) > 0 {
		chunk := ids[:min(len(ids), q.n)]
		ids = ids[len(chunk):]
		var records []T
		records, err = read(req.Context(), chunk)
		found = append(found, records...)
	}
	return found[:min(q.n, len(found))], err
}
