package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var batches = []behaviour{
	{"a receipt lists records in the order of the drafts", func(t *testing.T, s graph.Store) {
		got := write(t, s, graph.Batch{
			Sender:   alice,
			Concepts: []graph.ConceptDraft{value(-5, "the_name", "Ann"), typ(-9, "the_name"), composition(-1, "the_person"), value(-3, "the_name", "Ann")},
			Connections: []graph.ConnectionDraft{
				link(-1, "the_person_name", -5), link(-5, "the_name_of", -1), link(-5, "the_name_of", -3),
			},
		})
		ann, name, person := got.Concepts[0].ID, got.Concepts[1].ID, got.Concepts[2].ID
		want(t, "concepts", idsOf(got.Concepts), []graph.ID{ann, name, person, ann})
		want(t, "the type", got.Concepts[0].Type, name)
		want(t, "the first link", [2]graph.ID{got.Connections[0].From, got.Connections[0].To}, [2]graph.ID{person, ann})
		want(t, "the second link", [2]graph.ID{got.Connections[1].From, got.Connections[1].To}, [2]graph.ID{ann, person})
		want(t, "the skipped link", got.Connections[2].ID, 0)
	}},
	{"new ids ascend and start above the fixed ones", func(t *testing.T, s graph.Store) {
		last := graph.FirstFree - 1
		for range 3 {
			got := write(t, s, graph.Batch{
				Sender:      alice,
				Concepts:    []graph.ConceptDraft{composition(0, "the_a"), composition(0, "the_b")},
				Connections: []graph.ConnectionDraft{link(graph.The, "the_c", 5)},
			})
			for _, id := range append(idsOf(got.Concepts), got.Connections[0].ID) {
				if id <= last || id > graph.MaxID {
					t.Fatalf("id %d was given after %d", id, last)
				}
				last = id
			}
		}
	}},
	{"refuses a reference to an id that does not exist, and names the id", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		for _, d := range []graph.ConnectionDraft{
			link(123456789, "the_person_name", -1),
			link(-1, "the_person_name", 123456789),
			{From: -1, To: -2, Type: 123456789},
			link(123456789, "the_person_name", 123456789),
		} {
			text := expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{d}})
			if !strings.Contains(text, "123456789") {
				t.Errorf("%q does not name the id", text)
			}
		}
	}},
	{"a batch that is refused for its last draft or removal leaves nothing behind", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		rejected := graph.Batch{
			Sender:            alice,
			Concepts:          []graph.ConceptDraft{value(-30, "the_doomed", "lost"), composition(-31, "the_doomed")},
			Connections:       []graph.ConnectionDraft{{LocalID: -30, From: -31, To: -30, Type: -31}, link(-31, "the_person_name", -777)},
			RemoveConcepts:    []graph.ID{-1},
			RemoveConnections: []graph.ID{-1},
		}
		expectError(t, s, graph.Invalid, rejected)
		want(t, "its type", typeID(t, s, "the_doomed"), 0)
		want(t, "its value", byValue(t, s, graph.ValueKey{Value: "lost"}), []graph.ID{})
		want(t, "its local ids", read[map[graph.ID]graph.ID](t)(s.ResolveIDs(t.Context(), alice, []graph.ID{-30, -31})), map[graph.ID]graph.ID{})
		rejected.Connections = rejected.Connections[:1]
		rejected.RemoveConcepts = []graph.ID{graph.The}
		expectError(t, s, graph.Forbidden, rejected)
		want(t, "the type of the refused record", typeID(t, s, "the_doomed"), 0)
		want(t, "the change number of the record it would have removed", write(t, s, record).Seq, 0)
		rejected.RemoveConcepts = nil
		got := write(t, s, rejected)
		want(t, "concepts after sending it without the fault", len(concepts(t, s, idsOf(got.Concepts)...)), 2)
	}},
	{"refuses drafts that Batch.Check rejects", func(t *testing.T, s graph.Store) {
		ok := value(-1, "the_name", "Ann")
		for name, b := range map[string]graph.Batch{
			"a NUL":                         {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(-2, "the_name", "a\x00b")}},
			"invalid UTF-8":                 {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(-2, "the_name", "a\xffb")}},
			"an invalid type name":          {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(-2, "the_\xff", "a")}},
			"a positive local id":           {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(2, "the_name", "a")}},
			"one local id for two values":   {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(-1, "the_name", "Ben")}},
			"no user":                       {Concepts: []graph.ConceptDraft{ok}},
			"an owner below 0":              {Sender: alice, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Owner: -1}}},
			"an unknown access":             {Sender: alice, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Access: 6}}},
			"the year 10000":                {Sender: alice, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Created: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}}},
			"a connection without a target": {Sender: alice, Concepts: []graph.ConceptDraft{ok}, Connections: []graph.ConnectionDraft{link(-1, "the_x", 0)}},
			"a connection without a type":   {Sender: alice, Concepts: []graph.ConceptDraft{ok}, Connections: []graph.ConnectionDraft{{From: -1, To: 1}}},
			"removing id 0":                 {Sender: alice, Concepts: []graph.ConceptDraft{ok}, RemoveConcepts: []graph.ID{0}},
		} {
			t.Log(name)
			expectError(t, s, graph.Invalid, b)
		}
		expectError(t, s, graph.TooLarge, graph.Batch{Sender: alice, Concepts: make([]graph.ConceptDraft, graph.MaxBatchRecords+1)})
		want(t, "existing values", byValue(t, s, graph.ValueKey{Value: "Ann"}), []graph.ID{})
	}},
	{"a draft that requires its owner never becomes a concept of another user", func(t *testing.T, s graph.Store) {
		public := func(localID graph.ID, text string) graph.ConceptDraft {
			return graph.ConceptDraft{LocalID: localID, TypeName: "the_word", Value: text, Access: graph.Public}
		}
		requireOwner := func(d graph.ConceptDraft) graph.ConceptDraft {
			d.RequireOwner = true
			return d
		}
		bobsValue := writeConcepts(t, s, bob, public(-1, "theirs"))[0]
		writeConcepts(t, s, alice, public(-9, "theirs")) // a local id of Alice that is in use
		for _, d := range []graph.ConceptDraft{public(-1, "theirs"), public(-9, "theirs"), public(0, "theirs"), typ(-3, "the_word")} {
			b := graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(-7, "the_doomed"), requireOwner(d)}}
			if d.LocalID != 0 {
				b.RemoveConcepts = []graph.ID{d.LocalID}
			}
			expectError(t, s, graph.Conflict, b)
		}
		want(t, "a type of the refused batch", typeID(t, s, "the_doomed"), 0)
		want(t, "theirs", len(concepts(t, s, bobsValue)), 1)
		alicesValues := writeConcepts(t, s, alice, requireOwner(public(-4, "mine")), requireOwner(value(-5, "the_word", "theirs")), requireOwner(composition(-6, "the_a")))
		want(t, "sent again", writeConcepts(t, s, alice, requireOwner(public(-4, "mine")), requireOwner(value(-5, "the_word", "theirs")), requireOwner(composition(-6, "the_a"))), alicesValues)
		want(t, "a draft that does not require its owner", writeConcepts(t, s, alice, public(-8, "theirs"))[0], bobsValue)
	}},
	{"refuses a batch if a concept of its condition was touched since", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, composition(-1, "the_a"), composition(-2, "the_a"), value(-3, "the_word", "watched"))
		record, other := ids[0], ids[1]
		since := read[graph.Seq](t)(s.LastSeq(t.Context()))
		conditional := func(local graph.ID, concepts ...graph.ID) graph.Batch {
			return graph.Batch{
				Sender:      alice,
				Concepts:    []graph.ConceptDraft{value(local, "the_word", "watched")},
				Connections: []graph.ConnectionDraft{link(record, "the_a_word", local)},
				Unchanged:   &graph.Unchanged{Since: since, Concepts: concepts},
			}
		}
		write(t, s, graph.Batch{
			Sender:      bob,
			Concepts:    []graph.ConceptDraft{composition(-1, "the_a"), value(-2, "the_word", "watched")},
			Connections: []graph.ConnectionDraft{link(-1, "the_a_word", -2)},
		})
		write(t, s, conditional(-11, record, other, -11)) // the value of Bob is another concept
		for _, concepts := range [][]graph.ID{{record}, {-12}, {other, record}} {
			if err := writeError(t, s, conditional(-12, concepts...)); !errors.Is(err, graph.ErrChanged) || graph.KindOf(err) != graph.Conflict {
				t.Errorf("a batch that depends on %v: %v", concepts, err)
			}
		}
		want(t, "links", len(read[[]graph.Connection](t)(s.Links(t.Context(), graph.Links{Of: []graph.ID{record}}))), 1)
		write(t, s, conditional(-12, other))
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{other}})
		if err := writeError(t, s, conditional(-13, other)); !errors.Is(err, graph.ErrChanged) {
			t.Errorf("a batch that depends on a removed concept: %v", err)
		}
		since += 100
		if err := writeError(t, s, conditional(-14)); !errors.Is(err, graph.ErrChanged) {
			t.Errorf("a batch that depends on a change of the future: %v", err)
		}
		since = -1
		expectError(t, s, graph.Invalid, conditional(-15))
	}},
	{"refuses a batch if a value of its condition exists", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, value(-1, "the_word", "hidden"), value(-2, "the_other", "elsewhere"), typ(-3, "the_new"))
		word, other := typeID(t, s, "the_word"), typeID(t, s, "the_other")
		conditional := func(local graph.ID, values ...graph.TypedValue) graph.Batch {
			return graph.Batch{
				Sender: bob, Concepts: []graph.ConceptDraft{value(local, "the_word", "elsewhere")},
				Absent: &graph.Absent{Values: values, Locks: []int32{3, 5}},
			}
		}
		taken := graph.TypedValue{Type: word, Value: "hidden"}
		for _, values := range [][]graph.TypedValue{{taken}, {{Type: word, Value: "absent"}, taken}, {{Type: other, Value: "elsewhere"}}} {
			if err := writeError(t, s, conditional(-1, values...)); !errors.Is(err, graph.ErrPresent) || graph.KindOf(err) != graph.Conflict {
				t.Errorf("a batch that needs %v to be absent: %v", values, err)
			}
		}
		want(t, "values of refused batches", has(t, s, word, "elsewhere"), false)
		free := []graph.TypedValue{{Type: word, Value: "elsewhere"}, {Type: other, Value: "hidden"}, {Type: word, Value: "Hidden"}}
		added := write(t, s, conditional(-2, free...)).Concepts[0].ID
		if err := writeError(t, s, conditional(-3, free...)); !errors.Is(err, graph.ErrPresent) {
			t.Errorf("a batch that needs the value of an earlier one to be absent: %v", err)
		}
		write(t, s, graph.Batch{Sender: bob, RemoveConcepts: []graph.ID{added}})
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: ids[:1]})
		removing := conditional(-4, taken, free[0])
		removing.RemoveConcepts = ids[1:2]
		write(t, s, removing)
		want(t, "the value that was written with a removal", has(t, s, word, "elsewhere"), true)
		want(t, "the removed value", has(t, s, other, "elsewhere"), false)
	}},
	{"a draft becomes an existing composition of its type", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, composition(-1, "the_a"), composition(-2, "the_b"), value(-3, "the_a", "text"))
		become := func(local, existing graph.ID) graph.ConceptDraft {
			d := composition(local, "the_a")
			d.Becomes = existing
			return d
		}
		b := graph.Batch{
			Sender:      alice,
			Concepts:    []graph.ConceptDraft{become(-11, ids[0]), value(-12, "the_word", "added")},
			Connections: []graph.ConnectionDraft{{LocalID: -1, From: -11, To: -12, Type: -11}},
		}
		receipt := write(t, s, b)
		want(t, "the record", receipt.Concepts[0].ID, ids[0])
		want(t, "its part", receipt.Connections[0].Type, ids[0])
		want(t, "the receipt of the same batch", write(t, s, b).Connections, receipt.Connections)
		want(t, "a plain draft under the local id", writeConcepts(t, s, alice, composition(-11, "the_a"))[0], ids[0])
		for _, existing := range []graph.ID{ids[1], ids[2], ids[2] + 1_000_000, -1} {
			expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{become(-20, existing)}})
		}
		removal := write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-11}})
		want(t, "the removal changed something", removal.Seq > 0, true)
		want(t, "the removed record", len(concepts(t, s, ids[0])), 0)
	}},
	{"accepts an empty batch, which changes nothing", func(t *testing.T, s graph.Store) {
		want(t, "the receipt", write(t, s, graph.Batch{Sender: alice}), graph.Receipt{})
	}},
	{"accepts a batch of MaxBatchRecords records", func(t *testing.T, s graph.Store) {
		b := graph.Batch{Sender: alice}
		const newConcepts = 5_000
		for range newConcepts {
			b.Concepts = append(b.Concepts, composition(0, "the_thing"))
		}
		for i := range graph.MaxBatchRecords - newConcepts {
			b.RemoveConnections = append(b.RemoveConnections, graph.MaxID-graph.ID(i))
		}
		want(t, "number of concepts", unique(idsOf(write(t, s, b).Concepts)), newConcepts)
	}},
}

// writeError writes a batch and returns the error.
func writeError(t *testing.T, s graph.Store, b graph.Batch) error {
	t.Helper()
	_, err := s.Write(t.Context(), b)
	return err
}
