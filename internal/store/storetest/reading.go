package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

var reading = []behaviour{
	{"Concepts and Connections return each record once, in the order of the ids", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, value(0, "the_name", "Ann"), value(0, "the_name", "Ben"), value(0, "the_name", "Cat"))
		a, b, c := ids[0], ids[1], ids[2]
		want(t, "concepts", idsOf(concepts(t, s, c, a, c, b, a)), []graph.ID{c, a, b})
		links := writeLinks(t, s, alice, link(a, "the_name_friend", b), link(b, "the_name_friend", c))
		want(t, "connections", idsOf(connections(t, s, links[1], links[0], links[1])), []graph.ID{links[1], links[0]})
	}},
	{"leaves out ids of records that do not exist", func(t *testing.T, s graph.Store) {
		id := writeConcepts(t, s, alice, value(-1, "the_name", "Ann"))[0]
		want(t, "concepts", idsOf(concepts(t, s, 0, -1, id, graph.MaxID, 77)), []graph.ID{id})
		want(t, "connections", connections(t, s, 0, -1, graph.MaxID), []graph.Connection{})
		want(t, "no ids", concepts(t, s), []graph.Concept{})
	}},
	{"reads thousands of ids or keys in one request", func(t *testing.T, s graph.Store) {
		var drafts []graph.ConceptDraft
		var keys []graph.ValueKey
		for i := range 2_000 {
			drafts = append(drafts, value(graph.ID(-1-i), "the_number", fmt.Sprint(i)))
			keys = append(keys, graph.ValueKey{Value: fmt.Sprint(i)})
		}
		ids := writeConcepts(t, s, alice, drafts...)
		slices.Reverse(ids)
		want(t, "by id", idsOf(concepts(t, s, ids...)), ids)
		slices.Sort(ids)
		want(t, "by value", byValue(t, s, keys...), ids)
	}},
	{"ConceptsByValue finds values by any of several keys, in order of id", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, value(0, "the_name", "Ann"), value(0, "the_pet", "Ann"), value(0, "the_name", "Ben"))
		name := typeID(t, s, "the_name")
		want(t, "by text", byValue(t, s, graph.ValueKey{Value: "Ben"}, graph.ValueKey{Value: "Ann"}), ids)
		want(t, "by type", byValue(t, s, graph.ValueKey{Value: "Ann", Type: name}, graph.ValueKey{Value: "Ann", Type: name}), ids[:1])
		want(t, "by category", byValue(t, s, graph.ValueKey{Value: "Ann", Category: graph.CategoryInstance}), ids[:2])
		want(t, "by another category", byValue(t, s, graph.ValueKey{Value: "Ann", Category: graph.CategoryWord}), []graph.ID{})
		want(t, "by all three", byValue(t, s, graph.ValueKey{Value: "Ben", Type: name, Category: graph.CategoryInstance}), ids[2:])
		want(t, "by nothing", byValue(t, s), []graph.ID{})
	}},
	{"HasValue reports whether an instance of a type has a value, in any scope", func(t *testing.T, s graph.Store) {
		secret := func(name, text string, owner graph.ID, access graph.Access) graph.ConceptDraft {
			return graph.ConceptDraft{TypeName: name, Value: text, Owner: owner, Access: access}
		}
		long := strings.Repeat("x", graph.MaxSharedValue+1)
		ids := writeConcepts(t, s, alice, secret("the_pin", "hers", alice.User, graph.Private), secret("the_pin", "his", bob.User, graph.Private),
			secret("the_pin", "public", bob.User, graph.Public), secret("the_pin", "admins'", bob.User, graph.Admin),
			secret("the_pin", "both", alice.User, graph.Private), secret("the_pin", "both", bob.User, graph.Private),
			secret("the_code", "code", alice.User, graph.Private), secret("the_pin", long, alice.User, graph.Private),
			secret("the_pin", "gone", alice.User, graph.Private))
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: ids[len(ids)-1:]})
		checker, ok := graph.As[graph.ValueChecker](s)
		if !ok {
			t.Skip("the store has no ValueChecker, which is optional")
		}
		pin := typeID(t, s, "the_pin")
		for text, expected := range map[string]bool{
			"hers": true, "his": true, "public": true, "admins'": true, "both": true,
			"Hers": false, "code": false, "pin": false, "the_pin": false, "": false, long: false, "gone": false,
		} {
			got, err := checker.HasValue(t.Context(), pin, text)
			if err != nil || got != expected {
				t.Errorf("the value %.20q exists: %v, %v; want %v", text, got, err, expected)
			}
		}
		if got, err := checker.HasValue(t.Context(), pin+1_000_000, "hers"); err != nil || got {
			t.Errorf("a value of an unknown type exists: %v, %v", got, err)
		}
	}},
	{"ConceptsByValue with a viewer finds public values and those of the viewer", func(t *testing.T, s graph.Store) {
		secret := func(owner graph.ID, access graph.Access) graph.ConceptDraft {
			return graph.ConceptDraft{TypeName: "the_pin", Value: "pin", Owner: owner, Access: access}
		}
		ids := writeConcepts(t, s, alice, typ(0, "pin"), secret(alice.User, graph.Private), secret(bob.User, graph.Private),
			secret(bob.User, graph.Public), secret(bob.User, graph.Admin))
		word, hers, his, public := ids[0], ids[1], ids[2], ids[3]
		pin := typeID(t, s, "the_pin")
		for _, key := range []graph.ValueKey{{Value: "pin", Type: pin}, {Value: "pin", Category: graph.CategoryInstance}} {
			want(t, "everything", byValue(t, s, key), ids[1:])
			key.Viewer = alice.User
			want(t, "alice's", byValue(t, s, key), []graph.ID{hers, public})
			key.Viewer = graph.Anonymous
			want(t, "a guest's", byValue(t, s, key), []graph.ID{public})
		}
		want(t, "bob's, of any type", byValue(t, s, graph.ValueKey{Value: "pin", Viewer: bob.User}), []graph.ID{word, his, public})
		want(t, "several keys", byValue(t, s, graph.ValueKey{Value: "pin", Viewer: bob.User, Type: pin}, graph.ValueKey{Value: "pin", Types: true}), []graph.ID{word, his, public})
		want(t, "a type of a word's type", byValue(t, s, graph.ValueKey{Value: "pin", Viewer: bob.User, Type: graph.Word}), []graph.ID{word})
		code := writeConcepts(t, s, alice, typ(0, "the_pin_code"))
		want(t, "a type in a separate category", byValue(t, s, graph.ValueKey{Value: "the_pin_code", Viewer: bob.User, Type: typeID(t, s, "code")}), code)
		want(t, "only types", byValue(t, s, graph.ValueKey{Value: "pin", Types: true}), []graph.ID{word})
		want(t, "only types of a type", byValue(t, s, graph.ValueKey{Value: "the_pin", Types: true, Type: word}), []graph.ID{pin})
		want(t, "only types among instances", byValue(t, s, graph.ValueKey{Value: "pin", Types: true, Category: graph.CategoryInstance}), []graph.ID{})
	}},
	{"ConceptsByType returns pages of the instances of a type", func(t *testing.T, s graph.Store) {
		var drafts []graph.ConceptDraft
		for i := range 10 {
			drafts = append(drafts, value(0, "the_number", fmt.Sprint(i)), value(0, "the_other", fmt.Sprint(i)), composition(0, "the_number"))
		}
		all := writeConcepts(t, s, alice, drafts...)
		typ := typeID(t, s, "the_number")
		ids := slices.DeleteFunc(slices.Clone(all), func(id graph.ID) bool { return slices.Index(all, id)%3 == 1 })
		for _, page := range pages(ids) {
			got := read[[]graph.Concept](t)(s.ConceptsByType(t.Context(), typ, page))
			want(t, fmt.Sprintf("%+v", page), idsOf(got), pageOf(ids, page))
		}
	}},
	{"a type is not an instance of its word", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, composition(0, "person"), typ(0, "the_person"))
		got := read[[]graph.Concept](t)(s.ConceptsByType(t.Context(), typeID(t, s, "person"), graph.Page{}))
		want(t, "instances of person", idsOf(got), ids[:1])
		want(t, "how many words", read[int](t)(s.CountByType(t.Context(), graph.Word, 0)), 0)
	}},
	{"CountByType counts instances up to a limit", func(t *testing.T, s graph.Store) {
		writeConcepts(t, s, alice, composition(0, "the_person"), composition(0, "the_person"), composition(0, "the_person"))
		typ := typeID(t, s, "the_person")
		for atMost, n := range map[int]int{0: 3, 1: 1, 2: 2, 3: 3, 100: 3} {
			want(t, fmt.Sprintf("at most %d", atMost), read[int](t)(s.CountByType(t.Context(), typ, atMost)), n)
		}
		want(t, "of an unknown type", read[int](t)(s.CountByType(t.Context(), 77, 0)), 0)
	}},
}

// pages returns pages of ascending ids: both directions, with and without After, Skip and Limit.
func pages(ids []graph.ID) []graph.Page {
	middle := ids[len(ids)/2]
	var all []graph.Page
	for _, descending := range []bool{false, true} {
		for _, after := range []graph.ID{0, middle, middle + 1, ids[0], ids[len(ids)-1]} {
			for _, skip := range []int{0, 2, len(ids) + 5} {
				for _, limit := range []int{0, 1, 3} {
					all = append(all, graph.Page{Descending: descending, After: after, Skip: skip, Limit: limit})
				}
			}
		}
	}
	return all
}

// pageOf returns a page of ascending ids. It visits the ids one by one.
func pageOf(ids []graph.ID, page graph.Page) []graph.ID {
	result := []graph.ID{}
	for _, id := range ids {
		isAfter := page.After == 0 || (page.Descending && id < page.After) || (!page.Descending && id > page.After)
		if isAfter {
			result = append(result, id)
		}
	}
	if page.Descending {
		slices.Reverse(result)
	}
	result = result[min(page.Skip, len(result)):]
	if page.Limit > 0 && page.Limit < len(result) {
		result = result[:page.Limit]
	}
	return result
}
