package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

/*
A request may have rules. The server computes records from a rule and the stored data:

	rule        what the server changes in the batch
	increment   the value of a draft: the current value of its field, plus a number
	upsert      a draft of a record becomes the existing record that has the same value of a field, if there is one

	read LastSeq ─▶ read the records ─▶ change the batch ─▶ Write with graph.Unchanged
	     ▲                                                      │
	     └──────────────── graph.ErrChanged ◀───────────────────┘

A rule that was applied before, under the same local ids, is not applied again. Cost: four reads for an increment, and seven for an
upsert, for each attempt. Requests about the same record wait for each other, so that a second attempt is only needed after a write
without a rule, and with several servers.

Reasons for the design: docs/decisions/0039.
*/

// maxRuleAttempts is how often the batch of a request is computed at most. It is computed again if a record on
// which it depends has changed before the batch was written.
const maxRuleAttempts = 10

// ruleLocks is the number of locks that serialise requests about the same record.
const ruleLocks = 256

// writeRules writes a batch with the rules of its request. It returns the batch as it was written.
func (a *syncAPI) writeRules(req *request, sent wire.Sync, b graph.Batch) (graph.Batch, graph.Receipt, error) {
	first, err := newRules(req, b)
	if err != nil {
		return b, graph.Receipt{}, err
	}
	unlock, err := a.ruleLocks.Lock(req.Context(), a.ruleLocks.Indexes(first.keys(sent)...))
	if err != nil {
		return b, graph.Receipt{}, err
	}
	defer unlock()
	for range maxRuleAttempts {
		r, err := newRules(req, b)
		if err != nil {
			return b, graph.Receipt{}, err
		}
		if err := r.apply(sent); err != nil {
			return b, graph.Receipt{}, err
		}
		receipt, err := req.graph.Write(req.Context(), r.batch)
		if !errors.Is(err, graph.ErrChanged) {
			return r.batch, receipt, err
		}
	}
	return b, graph.Receipt{}, graph.Errorf(graph.Unavailable, "other requests keep changing the record: try again later")
}

// rules apply the rules of one request to a batch.
type rules struct {
	*request
	batch  graph.Batch
	drafts map[graph.ID]int      // local id of a concept → index of its draft
	known  map[graph.ID]graph.ID // local id of a concept that was sent before → its real id
	guard  *graph.Unchanged

	removed map[graph.ID]bool // the removals of connections in batch
}

func newRules(req *request, b graph.Batch) (*rules, error) {
	since, err := req.graph.LastSeq(req.Context())
	if err != nil {
		return nil, err
	}
	guard := &graph.Unchanged{Since: since}
	b.Concepts, b.Connections = slices.Clone(b.Concepts), slices.Clone(b.Connections)
	b.RemoveConnections, b.Unchanged = slices.Clone(b.RemoveConnections), guard
	r := &rules{request: req, batch: b, drafts: map[graph.ID]int{}, guard: guard, removed: setOf(b.RemoveConnections)}
	var local []graph.ID
	for i, d := range b.Concepts {
		r.drafts[d.LocalID] = i
		local = append(local, d.LocalID)
	}
	for _, c := range b.Connections {
		local = append(local, min(c.From, 0), min(c.Type, 0))
	}
	local = slices.DeleteFunc(local, func(id graph.ID) bool { return id == 0 })
	r.known, err = req.graph.ResolveIDs(req.Context(), b.Sender, local)
	return r, err
}

func (r *rules) apply(sent wire.Sync) error {
	for _, u := range sent.Upserts {
		if err := r.upsert(graph.ID(u.Concept), string(u.By)); err != nil {
			return err
		}
	}
	return r.increment(sent.Increments)
}

// keys returns the keys of the locks for a request. Requests about the same record have equal keys.
func (r *rules) keys(sent wire.Sync) (keys []string) {
	for _, u := range sent.Upserts {
		if d, ok := r.keyDraft(graph.ID(u.Concept), string(u.By)); ok {
			keys = append(keys, fmt.Sprintf("%s %s", d.TypeName, d.Value))
		}
	}
	targets := map[graph.ID]bool{}
	for _, i := range sent.Increments {
		targets[graph.ID(i.Concept)] = true
	}
	for _, c := range r.batch.Connections {
		if targets[c.To] {
			keys = append(keys, fmt.Sprint(r.real(c.From)))
		}
	}
	return keys
}

// real returns the real id of a concept that was sent before, or the id itself if the concept was not sent before.
func (r *rules) real(id graph.ID) graph.ID { return cmp.Or(r.known[id], id) }

// draft returns the draft of a local id.
func (r *rules) draft(id graph.ID) *graph.ConceptDraft {
	if i, ok := r.drafts[id]; ok {
		return &r.batch.Concepts[i]
	}
	return nil
}

// removeConnections adds removals of connections to the batch, each once.
func (r *rules) removeConnections(ids ...graph.ID) {
	for _, id := range ids {
		if id != 0 && !r.removed[id] {
			r.removed[id] = true
			r.batch.RemoveConnections = append(r.batch.RemoveConnections, id)
		}
	}
}

func setOf(ids []graph.ID) map[graph.ID]bool {
	set := make(map[graph.ID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// wholeRecords returns the existing records that drafts became through upserts: their connections, and the concepts in them.
func (req *request) wholeRecords(b graph.Batch) (concepts []graph.Concept, connections []graph.Connection, err error) {
	for _, d := range b.Concepts {
		if d.Becomes == 0 {
			continue
		}
		seen := map[graph.ID]bool{}
		for level := []graph.ID{d.Becomes}; len(level) > 0 && err == nil; {
			var links []graph.Connection
			links, err = req.graph.Links(req.Context(), graph.Links{Of: level, Types: []graph.ID{d.Becomes}})
			connections = append(connections, links...)
			level = nil
			for _, c := range links {
				if !seen[c.To] {
					seen[c.To] = true
					level = append(level, c.To)
				}
			}
			var found []graph.Concept
			if err == nil {
				found, err = req.graph.Concepts(req.Context(), level)
				concepts = append(concepts, found...)
			}
		}
	}
	return concepts, connections, err
}

// addRuleResults adds results of the rules to the response: the fields of existing records that the request did not
// send, and removals.
func (req *request) addRuleResults(out *wire.SyncResult, b graph.Batch) error {
	concepts, connections, err := req.wholeRecords(b)
	if err != nil {
		return err
	}
	listed := map[graph.ID]bool{}
	for _, c := range out.Connections {
		listed[c.Connection.ID] = true
	}
	connections = slices.DeleteFunc(connections, func(c graph.Connection) bool { return listed[c.ID] })
	for _, c := range concepts {
		out.Concepts = append(out.Concepts, wire.ResponseConcept{Concept: c})
	}
	out.Connections = append(out.Connections, wire.NewConnections(connections)...)
	for _, id := range b.RemoveConnections {
		if id.IsReal() {
			out.RemoveConnections = append(out.RemoveConnections, id)
		}
	}
	return nil
}
