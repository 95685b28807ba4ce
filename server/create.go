package server

import (
	"cmp"
	"math/rand/v2"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// Clients that are online reserve ids, use them at once and send the records afterwards, in requests that may
// overtake each other.
func (s *Server) creationRoutes() []route {
	return []route{
		{"GET", "/api/get_reserved_ids", none, answer(s.reserve), "Ids for new concepts, which nobody else will get", takes{}},
		{"GET", "/api/get_reserved_connection_ids", none, answer(s.reserve), "Ids for new connections, which nobody else will get", takes{}},
		{"POST", "/api/create_the_concept", s.options.MaxBody, answer(s.createConcepts), "Make concepts under ids that were reserved", sends[[]wire.NewConcept]()},
		{"POST", "/api/create_the_connection", many, answer(s.createConnections), "Make connections, as soon as their ends are there", sends[[]wire.NewConnection]()},
		{"POST", "/api/create_the_connection_new", many, answer(s.createConnections), "Make connections, as /api/create_the_connection does", sends[[]wire.NewConnection]()},
		{"POST", "/api/make-name-from-frontend", few, answer(s.makeName), "The concept that a value became; nothing is left to make", fields("newConceptId int", "referent text?", "typeId int?", "typeUserId int?")},
		{"POST", "/api/create_text_data", 2 * graph.MaxText, answer(s.createText), "Keep a long text until the concept that holds it arrives", sends[wire.Character]()},
		{"POST", "/api/create_character_data", few, answer(s.createCharacter), "What is known of a value; nothing is left to make", sends[wire.Character]()},
		{"POST", "/api/create-prototype", many, answer(s.createPrototype), "Make a prototype of a type", sends[wire.Prototype]()},
	}
}

// atOnce is how many ids are reserved for each request; clients ask again when fewer than five are left.
const atOnce = 20

func (s *Server) reserve(q *request) ([]graph.ID, error) {
	return q.graph.Reserve(q.Context(), q.caller.User, atOnce)
}

// createConcepts answers what the concepts became: one whose value was there before is that one.
func (s *Server) createConcepts(q *request) (wire.Concepts, error) {
	sent, err := wire.DecodeList[wire.NewConcept](q.body)
	if err != nil {
		return nil, err
	}
	drafts, err := wire.NewConceptDrafts(sent, func(id graph.ID) (string, error) { return s.nameOf(q.Context(), q.graph, id) })
	if err != nil {
		return nil, err
	}
	receipt, err := q.graph.Write(q.Context(), graph.Batch{Sender: q.sender(), Concepts: drafts})
	if err != nil {
		return nil, err
	}
	if err := s.texts.arrived(q.Context(), q.caller.User, drafts); err != nil {
		return nil, err
	}
	list := make(wire.Concepts, len(receipt.Concepts))
	for i, c := range receipt.Concepts {
		list[i] = wire.Typed{Concept: c, Ghost: drafts[i].Name()}
	}
	return list, s.nameTypes(q.Context(), q.graph, list)
}

// createConnections writes when all ends are there. What it answered is saved.
func (s *Server) createConnections(q *request) (wire.Connections, error) {
	sent, err := wire.DecodeList[wire.NewConnection](q.body)
	if err != nil {
		return nil, err
	}
	b := graph.Batch{Sender: q.senderOf(sent), Connections: wire.NewConnectionDrafts(sent, true)}
	ends := endsOf(b.Connections)
	if err := s.await(q, ends); err != nil {
		return nil, err
	}
	ends.name(b.Connections)
	receipt, err := q.graph.Write(q.Context(), b)
	if graph.KindOf(err) == graph.Invalid {
		// Some clients make ids up without saying so.
		b.Connections = wire.NewConnectionDrafts(sent, false)
		ends.name(b.Connections)
		receipt, err = q.graph.Write(q.Context(), b)
	}
	return made(b, receipt), err
}

// made lists connections under the names they were sent by; of two ends that are one concept there is none.
func made(b graph.Batch, receipt graph.Receipt) wire.Connections {
	list := wire.Connections{}
	for i, c := range receipt.Connections {
		if c.ID != 0 {
			list = append(list, wire.Link{Connection: c, Ghost: b.Connections[i].Name()})
		}
	}
	return list
}

// senderOf is the sender of records that say themselves which browser made them.
func (q *request) senderOf(sent []wire.NewConnection) graph.Sender {
	sender := q.sender()
	if len(sent) > 0 {
		sender.Randomizer = cmp.Or(sender.Randomizer, int64(sent[0].ApplicationID))
	}
	return sender
}

// localConnections are connections whose ends were sent before, by their local ids.
func (s *Server) localConnections(q *request) (wire.Connections, error) {
	sent, err := wire.DecodeList[wire.NewConnection](q.body)
	if err != nil {
		return nil, err
	}
	batch := wire.Sync{Connections: make([]wire.Connection, len(sent))}
	for i, c := range sent {
		batch.Connections[i] = c.Connection
	}
	synced, err := s.write(q, q.senderOf(sent), batch)
	return synced.Connections, err
}

// makeName has nothing to do: a value is found by its text from the moment it is there.
func (s *Server) makeName(q *request) (wire.Typed, error) {
	id, err := q.id("newConceptId")
	if err != nil {
		return wire.Typed{}, err
	}
	found, err := s.named(q, []graph.ID{id})
	if err != nil || len(found) == 0 {
		return wire.Typed{}, err
	}
	return found[0], nil
}

func (s *Server) createPrototype(q *request) (wire.Typed, error) {
	var sent wire.Prototype
	if err := wire.Decode(q.body, &sent); err != nil {
		return wire.Typed{}, err
	}
	// The ghosts are this request's alone.
	b, err := sent.Batch(q.sender(), graph.ID(-1<<40-rand.Int64N(1<<52)))
	if err != nil {
		return wire.Typed{}, err
	}
	receipt, err := q.graph.Write(q.Context(), b)
	return s.first(q, receipt.Concepts, err)
}
