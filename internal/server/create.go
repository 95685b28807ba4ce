package server

import (
	"cmp"
	"math/rand/v2"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// createAPI serves clients that are online: they reserve ids, use them immediately and send the records later, in
// requests that may arrive in any order.
type createAPI struct {
	waiter       *conceptWaiter
	texts        *textBuffer
	maxBatchBody int64
}

func (a *createAPI) routes() []route {
	return []route{
		{"GET", "/api/get_reserved_ids", noBody, jsonEndpoint(a.reserve), "Reserve ids for new concepts of the caller", requestShape{}},
		{"GET", "/api/get_reserved_connection_ids", noBody, jsonEndpoint(a.reserve), "Reserve ids for new connections of the caller", requestShape{}},
		{"POST", "/api/create_the_concept", a.maxBatchBody, writeEndpoint(a.createConcepts), "Create concepts under reserved ids", jsonBody[[]wire.NewConcept]()},
		{"POST", "/api/create_the_connection", largeBody, writeEndpoint(a.createConnections), "Create connections, as soon as the concepts at their ends exist", jsonBody[[]wire.NewConnection]()},
		{"POST", "/api/create_the_connection_new", largeBody, writeEndpoint(a.createConnections), "The same as /api/create_the_connection", jsonBody[[]wire.NewConnection]()},
		{"POST", "/api/make-name-from-frontend", smallBody, jsonEndpoint(a.makeName), "The concept of a value. Creates nothing: the value of an existing concept is found by its text", fields("newConceptId int", "referent text?", "typeId int?", "typeUserId int?")},
		{"POST", "/api/create_text_data", 2 * graph.MaxTextBytes, writeEndpoint(a.createText), "Keep a long text until the concept that contains it arrives", jsonBody[wire.Character]()},
		{"POST", "/api/create_character_data", smallBody, jsonEndpoint(a.createCharacter), "The text record of a value. Creates nothing, because a short text arrives with its concept", jsonBody[wire.Character]()},
		{"POST", "/api/create-prototype", largeBody, writeEndpoint(a.createPrototype), "Create a prototype of a type", jsonBody[wire.Prototype]()},
	}
}

// reservedIDs is the number of ids that a request reserves. Clients reserve more when fewer than five are left.
const reservedIDs = 20

func (a *createAPI) reserve(req *request) ([]graph.ID, error) {
	return req.graph.Reserve(req.Context(), req.caller.User, reservedIDs)
}

// createConcepts returns the stored concepts. A concept whose value already existed is returned with the existing id.
func (a *createAPI) createConcepts(req *request) (wire.Concepts, error) {
	sent, err := wire.DecodeList[wire.NewConcept](req.body)
	if err != nil {
		return nil, err
	}
	drafts, err := wire.NewConceptDrafts(sent, req.typeName)
	if err != nil {
		return nil, err
	}
	receipt, err := req.graph.Write(req.Context(), graph.Batch{Sender: req.sender(), Concepts: drafts})
	if err != nil {
		return nil, err
	}
	if err := a.texts.removeStored(req.Context(), req.caller.User, drafts); err != nil {
		return nil, err
	}
	list := make(wire.Concepts, len(receipt.Concepts))
	for i, c := range receipt.Concepts {
		list[i] = wire.ResponseConcept{Concept: c, LocalID: drafts[i].SentID()}
	}
	return list, req.addTypes(list)
}

// createConnections waits for the concepts at the ends and writes the connections. It leaves out bad connections. If all are bad, it
// returns an error.
func (a *createAPI) createConnections(req *request) (wire.Connections, error) {
	sent, err := wire.DecodeList[wire.NewConnection](req.body)
	if err != nil {
		return nil, err
	}
	ends := endsOf(wire.NewConnectionDrafts(sent, true))
	if err := a.waiter.wait(req, ends); err != nil {
		sent = ends.withoutMissing(sent)
		if graph.KindOf(err) != graph.NotFound || len(sent) == 0 || len(sent) > maxPartialBatch {
			return nil, err
		}
	}
	var b graph.Batch
	var receipt graph.Receipt
	for _, withIDs := range []bool{true, false} {
		if b, err = req.connectionsBatch(sent, ends, withIDs); err != nil {
			return nil, err
		}
		if receipt, err = req.graph.Write(req.Context(), b); graph.KindOf(err) != graph.Invalid {
			break
		}
	}
	if err != nil && concernsOneConnection(b, err) {
		return req.createGoodConnections(sent, ends, err)
	}
	return createdConnections(b, receipt), err
}

// connectionsBatch returns a batch of connections. withIDs determines whether the connections keep the ids that they were
// sent with, because some clients invent ids instead of reserving them.
func (req *request) connectionsBatch(sent []wire.NewConnection, ends *connectionEnds, withIDs bool) (graph.Batch, error) {
	b := graph.Batch{Sender: req.senderOf(sent), Connections: wire.NewConnectionDrafts(sent, withIDs)}
	ends.replaceAliases(b.Connections)
	return b, req.followEnds(b)
}

// createGoodConnections writes the good connections among connections that were refused together. Without good
// connections, it returns the refusal.
func (req *request) createGoodConnections(sent []wire.NewConnection, ends *connectionEnds, refusal error) (wire.Connections, error) {
	for _, withIDs := range []bool{true, false} {
		b, err := req.connectionsBatch(sent, ends, withIDs)
		if err != nil {
			return nil, err
		}
		good := &goodConnections{request: req, concepts: b}
		written, receipt, err := good.write(refusal)
		if err == nil {
			return createdConnections(written, receipt), nil
		}
		if !concernsOneConnection(b, err) {
			return nil, err
		}
	}
	return nil, refusal
}

// createdConnections returns the connections of a receipt under the ids they were sent with. It leaves out connections
// whose two ends became one concept.
func createdConnections(b graph.Batch, receipt graph.Receipt) wire.Connections {
	list := wire.Connections{}
	for i, c := range receipt.Connections {
		if c.ID != 0 {
			list = append(list, wire.ResponseConnection{Connection: c, LocalID: b.Connections[i].SentID()})
		}
	}
	return list
}

// senderOf returns the sender of connections. If the headers contain no randomizer, it takes the one in the first
// connection.
func (req *request) senderOf(sent []wire.NewConnection) graph.Sender {
	sender := req.sender()
	if len(sent) > 0 {
		sender.Randomizer = cmp.Or(sender.Randomizer, int64(sent[0].ApplicationID))
	}
	return sender
}

func (a *createAPI) makeName(req *request) (wire.ResponseConcept, error) {
	id, err := req.idField("newConceptId")
	if err != nil {
		return wire.ResponseConcept{}, err
	}
	return req.concept(id)
}

func (a *createAPI) createCharacter(req *request) (wire.Character, error) {
	var sent wire.Character
	if err := wire.Decode(req.body, &sent); err != nil {
		return sent, err
	}
	return req.character(string(sent.Data))
}

func (a *createAPI) createPrototype(req *request) (wire.ResponseConcept, error) {
	var sent wire.Prototype
	if err := wire.Decode(req.body, &sent); err != nil {
		return wire.ResponseConcept{}, err
	}
	// A random first local id makes the local ids of this request differ from all other local ids of the sender.
	b, err := sent.Batch(req.sender(), graph.ID(-1<<40-rand.Int64N(1<<52)))
	if err != nil {
		return wire.ResponseConcept{}, err
	}
	receipt, err := req.graph.Write(req.Context(), b)
	return req.firstWithType(receipt.Concepts, err)
}
