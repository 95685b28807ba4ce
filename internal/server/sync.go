package server

import (
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/keylock"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/wire"
)

// syncAPI serves clients that write batches of records with local ids, made offline or online. An atomic request is
// written completely or not at all. Any other request is written without the connections that are refused.
type syncAPI struct {
	randomizers  randomizers
	ruleLocks    *keylock.Locks
	maxBatchBody int64
}

func (a *syncAPI) routes() []route {
	return []route{
		{"POST", "/api/v1/local-concepts", a.maxBatchBody, writeEndpoint(a.sync), "Write a batch of records with local ids: all or nothing if it is atomic, otherwise without the connections that are refused", jsonBody[wire.Sync]()},
		{"POST", "/api/v1/local-concepts-without-auth", a.maxBatchBody, writeEndpoint(a.sync), "The same as /api/v1/local-concepts", jsonBody[wire.Sync]()},
		{"POST", "/api/v1/local-connections", a.maxBatchBody, writeEndpoint(a.syncConnections), "Write connections whose ends were sent before, under local ids", jsonBody[[]wire.NewConnection]()},
		{"POST", "/api/v1/local-concepts-translate", smallBody, jsonEndpoint(a.translate), "The concept that a local id became", fields("id int")},
	}
}

func (a *syncAPI) sync(req *request) (wire.SyncResult, error) {
	var sent wire.Sync
	if err := wire.Decode(req.body, &sent); err != nil {
		return wire.SyncResult{}, err
	}
	return a.write(req, req.sender(), sent)
}

// syncConnections writes connections whose ends were sent before and are given by their local ids.
func (a *syncAPI) syncConnections(req *request) (wire.Connections, error) {
	sent, err := wire.DecodeList[wire.NewConnection](req.body)
	if err != nil {
		return nil, err
	}
	batch := wire.Sync{Connections: make([]wire.Connection, len(sent))}
	for i, c := range sent {
		batch.Connections[i] = c.Connection
	}
	synced, err := a.write(req, req.senderOf(sent), batch)
	return synced.Connections, err
}

func (a *syncAPI) write(req *request, sender graph.Sender, sent wire.Sync) (wire.SyncResult, error) {
	if err := req.requireStore(sent.Store); err != nil {
		return wire.SyncResult{}, err
	}
	batch, err := sent.Batch(sender, req.typeName)
	if err != nil {
		return wire.SyncResult{}, err
	}
	if sent.IsAtomic() { // clients of the contract do not send atomic batches
		req.Request = req.WithContext(schemas.AsTyped(req.Context()))
	} else if err := req.followEnds(batch); err != nil {
		return wire.SyncResult{}, err
	}
	var receipt graph.Receipt
	if sent.HasRules() {
		batch, receipt, err = a.writeRules(req, sent, batch)
	} else {
		receipt, err = req.graph.Write(req.Context(), batch)
	}
	var refused []wire.RefusedConnection
	if err != nil {
		if schemas.RefusalsOf(err) != nil { // a record without some of its parts would be worse than no record
			return wire.SyncResult{}, err
		}
		if err = req.notFoundIfMissing(batch, err); sent.IsAtomic() || !concernsOneConnection(batch, err) {
			return wire.SyncResult{}, err
		}
		good := &goodConnections{request: req, concepts: batch}
		if batch, receipt, err = good.write(err); err != nil {
			return wire.SyncResult{}, err
		}
		refused = good.refused
	}
	a.randomizers.add(sender)
	result, err := syncResult(req, sent, batch, receipt)
	result.Refused = refused
	return result, err
}

// requireStore returns a Conflict error for a request with ids of another store, because the same ids identify
// other records in this store. Clients may leave out the store.
func (req *request) requireStore(expected string) error {
	if expected == "" {
		return nil
	}
	store, err := req.graph.Identity(req.Context())
	if err == nil && expected != store {
		err = graph.Errorf(graph.Conflict, "the ids of this request are from the store %s, and this one is %s", graph.Clip(expected), store)
	}
	return err
}

// syncResult returns the stored records of a batch, each local id once. The records that the client sent under real
// ids follow.
func syncResult(req *request, sent wire.Sync, b graph.Batch, receipt graph.Receipt) (wire.SyncResult, error) {
	out := wire.SyncResult{Seq: receipt.Seq}
	listed := map[graph.ID]bool{}
	for i, c := range receipt.Concepts {
		if localID := b.Concepts[i].LocalID; !listed[localID] {
			listed[localID] = true
			out.Concepts = append(out.Concepts, wire.ResponseConcept{Concept: c, LocalID: localID})
		}
	}
	listedConnections := map[graph.ID]bool{0: true} // 0: the two ends became one concept
	for i, c := range receipt.Connections {
		if !listedConnections[c.ID] {
			listedConnections[c.ID] = true
			out.Connections = append(out.Connections, wire.ResponseConnection{Connection: c, LocalID: b.Connections[i].LocalID})
		}
	}
	ids, connectionIDs := sent.Existing()
	concepts, err := req.graph.Concepts(req.Context(), ids)
	if err != nil {
		return out, err
	}
	localIDOf := map[graph.ID]graph.ID{}
	for _, c := range sent.Concepts {
		localIDOf[graph.ID(c.ID)] = graph.ID(c.GhostID)
	}
	for _, c := range concepts {
		out.Concepts = append(out.Concepts, wire.ResponseConcept{Concept: c, LocalID: localIDOf[c.ID]})
	}
	connections, err := req.graph.Connections(req.Context(), connectionIDs)
	if err != nil {
		return out, err
	}
	out.Connections = append(out.Connections, wire.NewConnections(connections)...)
	if sent.HasRules() {
		if err := req.addRuleResults(&out, b); err != nil {
			return out, err
		}
	}
	return out, req.addTypes(out.Concepts)
}

// translate returns the concept that a local id became. Clients of the contract send no Randomizer here. The server
// uses the Randomizer with which the same session sent batches, if there was only one.
func (a *syncAPI) translate(req *request) (wire.ResponseConcept, error) {
	id, err := req.idField("id")
	if err != nil {
		return wire.ResponseConcept{}, err
	}
	if !id.IsLocal() {
		return wire.ResponseConcept{}, graph.Errorf(graph.Invalid, "id %d is not a local id", id)
	}
	sender := req.sender()
	if req.Header.Get("Randomizer") == "" {
		sender = a.randomizers.complete(sender)
	}
	realIDs, err := req.graph.ResolveIDs(req.Context(), sender, []graph.ID{id})
	if err != nil || len(realIDs) == 0 {
		return wire.ResponseConcept{}, err
	}
	found, err := req.graph.Concepts(req.Context(), []graph.ID{realIDs[id]})
	typed, err := req.firstWithType(found, err)
	typed.LocalID = id
	return typed, err
}

// maxRandomizers limits the memory for randomizers. When the number is exceeded, all randomizers are dropped.
const maxRandomizers = 10_000

// randomizers holds the randomizer of recent users and sessions; 0 marks a session that used several randomizers.
type randomizers struct {
	mu     sync.Mutex
	recent map[graph.Sender]int64 // keyed by the sender without its randomizer
}

func (r *randomizers) add(sender graph.Sender) {
	randomizer := sender.Randomizer
	sender.Randomizer = 0
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recent == nil || len(r.recent) >= maxRandomizers {
		r.recent = map[graph.Sender]int64{}
	}
	if previous, known := r.recent[sender]; known && previous != randomizer {
		randomizer = 0
	}
	r.recent[sender] = randomizer
}

// complete returns a sender with the randomizer of its session.
func (r *randomizers) complete(sender graph.Sender) graph.Sender {
	sender.Randomizer = 0
	r.mu.Lock()
	defer r.mu.Unlock()
	sender.Randomizer = r.recent[sender]
	return sender
}
