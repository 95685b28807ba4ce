package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var values = []behaviour{
	{"a value keeps its type, category, owner, access, time and position", func(t *testing.T, s graph.Store) {
		d := graph.ConceptDraft{
			LocalID: -1, TypeName: "the_name", Value: "Ann", Owner: bob.User, Access: graph.Public, Created: noon.Add(456 * time.Microsecond),
			Position: graph.Position{X: -120.25, Y: 1e-7},
		}
		got := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{d}}).Concepts[0]
		expected := graph.Concept{
			ID: got.ID, Type: typeID(t, s, "the_name"), Category: graph.CategoryInstance, Value: "Ann",
			Owner: bob.User, Access: graph.Public, Created: noon, Position: d.Position,
		}
		want(t, "the receipt", got, expected)
		want(t, "read again", concepts(t, s, got.ID), []graph.Concept{expected})
	}},
	{"a value keeps its position", func(t *testing.T, s graph.Store) {
		d := value(-1, "the_name", "Ann")
		d.Position = graph.Position{X: 12.5, Y: -3}
		got := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{d}}).Concepts[0]
		want(t, "in the receipt", got.Position, d.Position)
		want(t, "read again", concepts(t, s, got.ID)[0].Position, d.Position)
	}},
	{"an equal value that is written again does not change the position", func(t *testing.T, s graph.Store) {
		first, again := value(-1, "the_name", "Ann"), value(-2, "the_name", "Ann")
		first.Position, again.Position = graph.Position{X: 1}, graph.Position{Y: 2}
		ids := writeConcepts(t, s, alice, first, again)
		want(t, "the positions", []graph.Position{concepts(t, s, ids[0])[0].Position, concepts(t, s, ids[1])[0].Position}, []graph.Position{{X: 1}, {X: 1}})
	}},
	{"a draft without owner, access and time is owned by the sender, private and created now", func(t *testing.T, s graph.Store) {
		before := time.Now().Truncate(time.Millisecond)
		id := writeConcepts(t, s, alice, composition(-1, "the_person"))[0]
		got := concepts(t, s, id)[0]
		want(t, "owner", got.Owner, alice.User)
		want(t, "access", got.Access, graph.Private)
		want(t, "composition", got.Composition, true)
		if got.Created.Before(before) || got.Created.After(time.Now()) || got.Created.Location() != time.UTC {
			t.Errorf("created %v; want now, in UTC", got.Created)
		}
	}},
	{"equal values of one type and scope are one concept", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, value(-1, "the_name", "Ann"), value(-2, "the_name", "Ann"), value(0, "the_name", "Ann"))
		ids = append(ids, writeConcepts(t, s, alice, value(-3, "the_name", "Ann"))...)
		want(t, "number of concepts", unique(ids), 1)
	}},
	{"values that differ in any byte or in type are different concepts", func(t *testing.T, s graph.Store) {
		texts := []string{"Ann", "ann", "Ann ", " Ann", "Änn", "A\u0308nn", "1", "1.0", "01", "😀", "a'b\"c\\d\n\t%_", "null", "\u2028", "\ufeffAnn"}
		var drafts []graph.ConceptDraft
		for i, text := range texts {
			drafts = append(drafts, value(graph.ID(-1-i), "the_name", text))
		}
		ids := writeConcepts(t, s, alice, drafts...)
		want(t, "number of concepts", unique(ids), len(texts))
		for i, c := range concepts(t, s, ids...) {
			want(t, "the text", c.Value, texts[i])
			want(t, "found by value", byValue(t, s, graph.ValueKey{Value: texts[i]}), ids[i:i+1])
		}
		want(t, "number of concepts with another type", unique(append(ids, writeConcepts(t, s, alice, value(0, "the_nickname", "Ann"))...)), len(texts)+1)
	}},
	{"a private value is never merged with one in another scope", func(t *testing.T, s graph.Store) {
		secret := func(owner graph.ID, access graph.Access) graph.ConceptDraft {
			return graph.ConceptDraft{TypeName: "the_pin", Value: "1234", Owner: owner, Access: access}
		}
		drafts := []graph.ConceptDraft{
			secret(alice.User, graph.Private), secret(bob.User, graph.Private),
			secret(bob.User, graph.Public), secret(bob.User, graph.Admin),
		}
		ids := writeConcepts(t, s, alice, drafts...)
		want(t, "number of concepts", unique(ids), 4)
		want(t, "written again, by bob", writeConcepts(t, s, bob, drafts...), ids)
	}},
	{"public values and those owned by Anonymous are merged across users", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice,
			graph.ConceptDraft{TypeName: "the_name", Value: "Ann", Access: graph.Public},
			graph.ConceptDraft{TypeName: "the_name", Value: "Ann", Owner: bob.User, Access: graph.Public},
			graph.ConceptDraft{TypeName: "the_name", Value: "Ann", Owner: graph.Anonymous},
			graph.ConceptDraft{TypeName: "the_name", Value: "Ann", Owner: graph.System, Access: graph.Public})
		want(t, "number of concepts", unique(ids), 1)
	}},
	{"equal texts of 255 UTF-16 units are one concept, equal texts of 256 units are not", func(t *testing.T, s graph.Store) {
		short, long := strings.Repeat("😀", 127)+"x", strings.Repeat("😀", 128)
		ids := writeConcepts(t, s, alice, value(0, "the_text", short), value(0, "the_text", short), value(0, "the_text", long), value(0, "the_text", long))
		want(t, "number of concepts", unique(ids), 3)
		want(t, "the short value, found by value", byValue(t, s, graph.ValueKey{Value: short}), ids[:1])
		want(t, "the long value, found by value", byValue(t, s, graph.ValueKey{Value: long}), []graph.ID{})
	}},
	{"a long text is read unchanged", func(t *testing.T, s graph.Store) {
		texts := []string{strings.Repeat("x", 256), strings.Repeat("warp and weft 🧵\n", 60_000), strings.Repeat("y", graph.MaxTextBytes)}
		for _, text := range texts {
			id := writeConcepts(t, s, alice, value(-graph.ID(len(text)), "the_text", text))[0]
			if got := concepts(t, s, id)[0].Value; got != text {
				t.Errorf("a value of %d bytes was read as a different one of %d bytes", len(text), len(got))
			}
			page := read[[]graph.Concept](t)(s.ConceptsByType(t.Context(), typeID(t, s, "the_text"), graph.Page{Descending: true, Limit: 1}))
			if len(page) != 1 || page[0].Value != text {
				t.Errorf("the newest of its type is not the value of %d bytes", len(text))
			}
		}
	}},
	{"empty texts are always different concepts", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, value(0, "the_note", ""), value(0, "the_note", ""))
		want(t, "number of concepts", unique(ids), 2)
		want(t, "by value", byValue(t, s, graph.ValueKey{Value: ""}), []graph.ID{})
		want(t, "is a composition", concepts(t, s, ids[0])[0].Composition, false)
	}},
	{"a composition is always new", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, composition(0, "the_person"), composition(0, "the_person"), composition(-1, "the_person"))
		want(t, "number of concepts", unique(ids), 3)
	}},
}
