package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var batches = []promise{
	{"a receipt stands in the order of the drafts", func(t *testing.T, s graph.Store) {
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
	{"ids ascend, are new, and leave the reserved ones alone", func(t *testing.T, s graph.Store) {
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
	{"a reference to an id that does not exist is refused by name", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		for _, d := range []graph.ConnectionDraft{
			link(123456789, "the_person_name", -1),
			link(-1, "the_person_name", 123456789),
			{From: -1, To: -2, Type: 123456789},
			link(123456789, "the_person_name", 123456789),
		} {
			said := refuse(t, s, graph.Invalid, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{d}})
			if !strings.Contains(said, "123456789") {
				t.Errorf("%q does not say which id", said)
			}
		}
	}},
	{"a bad last draft leaves nothing", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		doomed := graph.Batch{
			Sender:            alice,
			Concepts:          []graph.ConceptDraft{value(-30, "the_doomed", "lost"), composition(-31, "the_doomed")},
			Connections:       []graph.ConnectionDraft{{Ghost: -30, From: -31, To: -30, Type: -31}, link(-31, "the_person_name", -777)},
			RemoveConcepts:    []graph.ID{-1},
			RemoveConnections: []graph.ID{-1},
		}
		refuse(t, s, graph.Invalid, doomed)
		want(t, "its type", typeID(t, s, "the_doomed"), 0)
		want(t, "its value", byValue(t, s, graph.ValueKey{Value: "lost"}), []graph.ID{})
		want(t, "its ghosts", read[map[graph.ID]graph.ID](t)(s.Ghosts(t.Context(), alice, []graph.ID{-30, -31})), map[graph.ID]graph.ID{})
		doomed.Connections = doomed.Connections[:1]
		doomed.RemoveConcepts = []graph.ID{graph.The}
		refuse(t, s, graph.Forbidden, doomed)
		want(t, "its type, still", typeID(t, s, "the_doomed"), 0)
		want(t, "what it would have removed", write(t, s, record).Seq, 0)
		doomed.RemoveConcepts = nil
		got := write(t, s, doomed)
		want(t, "and sent without the fault it is written", len(concepts(t, s, idsOf(got.Concepts)...)), 2)
	}},
	{"what no store could keep is refused", func(t *testing.T, s graph.Store) {
		ok := value(-1, "the_name", "Ann")
		for name, b := range map[string]graph.Batch{
			"a NUL":             {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(-2, "the_name", "a\x00b")}},
			"bad UTF-8":         {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(-2, "the_name", "a\xffb")}},
			"a bad type name":   {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(-2, "the_\xff", "a")}},
			"a positive ghost":  {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(2, "the_name", "a")}},
			"two meanings":      {Sender: alice, Concepts: []graph.ConceptDraft{ok, value(-1, "the_name", "Ben")}},
			"nobody":            {Concepts: []graph.ConceptDraft{ok}},
			"an owner below 0":  {Sender: alice, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Owner: -1}}},
			"an unknown access": {Sender: alice, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Access: 6}}},
			"the year 10000":    {Sender: alice, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Created: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}}},
			"half a connection": {Sender: alice, Concepts: []graph.ConceptDraft{ok}, Connections: []graph.ConnectionDraft{link(-1, "the_x", 0)}},
			"an untyped one":    {Sender: alice, Concepts: []graph.ConceptDraft{ok}, Connections: []graph.ConnectionDraft{{From: -1, To: 1}}},
			"removing nothing":  {Sender: alice, Concepts: []graph.ConceptDraft{ok}, RemoveConcepts: []graph.ID{0}},
		} {
			t.Log(name)
			refuse(t, s, graph.Invalid, b)
		}
		refuse(t, s, graph.TooLarge, graph.Batch{Sender: alice, Concepts: make([]graph.ConceptDraft, graph.MaxBatch+1)})
		want(t, "what is there", byValue(t, s, graph.ValueKey{Value: "Ann"}), []graph.ID{})
	}},
	{"a draft that must be the sender's own never becomes somebody else's concept", func(t *testing.T, s graph.Store) {
		public := func(ghost graph.ID, text string) graph.ConceptDraft {
			return graph.ConceptDraft{Ghost: ghost, TypeName: "the_word", Value: text, Access: graph.Public}
		}
		own := func(d graph.ConceptDraft) graph.ConceptDraft {
			d.Own = true
			return d
		}
		theirs := writeConcepts(t, s, bob, public(-1, "theirs"))[0]
		writeConcepts(t, s, alice, public(-9, "theirs")) // a ghost of hers that is known
		for _, d := range []graph.ConceptDraft{public(-1, "theirs"), public(-9, "theirs"), public(0, "theirs"), typ(-3, "the_word")} {
			b := graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(-7, "the_doomed"), own(d)}}
			if d.Ghost != 0 {
				b.RemoveConcepts = []graph.ID{d.Ghost}
			}
			refuse(t, s, graph.Conflict, b)
		}
		want(t, "what was made on the way", typeID(t, s, "the_doomed"), 0)
		want(t, "theirs", len(concepts(t, s, theirs)), 1)
		mine := writeConcepts(t, s, alice, own(public(-4, "mine")), own(value(-5, "the_word", "theirs")), own(composition(-6, "the_a")))
		want(t, "sent again", writeConcepts(t, s, alice, own(public(-4, "mine")), own(value(-5, "the_word", "theirs")), own(composition(-6, "the_a"))), mine)
		want(t, "without that", writeConcepts(t, s, alice, public(-8, "theirs"))[0], theirs)
	}},
	{"an empty batch is written without effect", func(t *testing.T, s graph.Store) {
		want(t, "the receipt", write(t, s, graph.Batch{Sender: alice}), graph.Receipt{})
	}},
	{"a batch of the largest size is written", func(t *testing.T, s graph.Store) {
		b := graph.Batch{Sender: alice}
		const made = 5_000
		for range made {
			b.Concepts = append(b.Concepts, composition(0, "the_thing"))
		}
		for i := range graph.MaxBatch - made {
			b.RemoveConnections = append(b.RemoveConnections, graph.MaxID-graph.ID(i))
		}
		want(t, "how many", unique(idsOf(write(t, s, b).Concepts)), made)
	}},
}
