package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

func viewers(t *testing.T, s graph.Store) {
	w := meadow(t, s)
	made := pins(t, s)
	names := map[graph.ID]string{}
	for i, name := range []string{"public", "hers", "admins", "shared", "his", "box", "crate"} {
		names[made.Concepts[i].ID] = name
	}
	pin, to := made.Concepts[0].Type, made.Connections[0].Type
	public, shared := graph.These(idsOf(made.Concepts[:1])), graph.These(idsOf(made.Concepts[3:4]))
	for _, row := range []struct {
		what                   string
		set                    graph.Set
		all, alice, bob, guest string
	}{
		{"instances", graph.Instances{Type: pin}, "public hers admins shared his", "public hers shared", "public shared his", "public shared"},
		{"these", graph.These(idsOf(made.Concepts)), "public hers admins shared his box crate", "public hers shared crate", "public shared his box crate", "public shared crate"},
		{"values", graph.Instances{Where: &graph.Predicate{Op: graph.Equal, Text: "private"}}, "hers his", "hers", "his", ""},
		{"to public", graph.Linked{Types: []graph.ID{to}, Far: public}, "hers admins shared", "hers shared", "", ""},
		{"to shared", graph.Linked{Types: []graph.ID{to}, Far: shared}, "public", "public", "public", "public"},
		{"to any", graph.Linked{Types: []graph.ID{to}}, "public hers admins shared", "public hers shared", "public", "public"},
		{"from any", graph.Linked{Types: []graph.ID{to}, Direction: graph.In}, "public shared his", "public shared", "shared his", "shared"},
		{"from private over public", graph.Linked{Types: []graph.ID{to}, Far: graph.Linked{Types: []graph.ID{to}, Far: shared}}, "hers admins shared", "hers shared", "", ""},
		{"holders of public", graph.Holders{Of: public}, "box", "", "box", ""},
		{"holders of shared", graph.Holders{Of: shared}, "box crate", "", "box crate", ""},
		{"without", graph.Both{graph.Instances{Type: pin}, graph.Except{Of: graph.Linked{Types: []graph.ID{to}}}}, "his", "", "shared his", "shared"},
		{"either", graph.Either{graph.Instances{Type: pin}, graph.Holders{}}, "public hers admins shared his box crate maja willi", "public hers shared maja willi", "public shared his box crate", "public shared"},
	} {
		for viewer, expected := range map[graph.ID]string{0: row.all, alice.User: row.alice, bob.User: row.bob, graph.Anonymous: row.guest, 4_242: row.guest} {
			for _, set := range []graph.Set{row.set, graph.Both{graph.Instances{}, row.set}} {
				var got []string
				for _, id := range w.pick(t, graph.Selection{Set: set, Viewer: viewer}) {
					got = append(got, names[id]+w.names[id])
				}
				wanted := strings.Fields(expected)
				slices.Sort(got)
				slices.Sort(wanted)
				want(t, fmt.Sprintf("%s, as %d", row.what, viewer), got, wanted)
			}
		}
	}
	types := graph.These{pin, to, graph.The}
	want(t, "types, as a guest", w.pick(t, graph.Selection{Set: types, Viewer: graph.Anonymous}), w.pick(t, graph.Selection{Set: types}))
	want(t, "sorted", len(w.pick(t, graph.Selection{Set: types})), 3)
}

// pins are of several owners, as are their connections, and some stand in boxes.
func pins(t *testing.T, s graph.Store) graph.Receipt {
	t.Helper()
	draft := func(ghost graph.ID, text string, owner graph.ID, access graph.Access) graph.ConceptDraft {
		return graph.ConceptDraft{Ghost: ghost, TypeName: "the_pin", Value: text, Owner: owner, Access: access}
	}
	connect := func(from, to, typ graph.ID, owner graph.ID, access graph.Access) graph.ConnectionDraft {
		d := graph.ConnectionDraft{From: from, To: to, Type: typ, Owner: owner, Access: access}
		if typ == 0 {
			d.TypeName = "the_pin_s_pin"
		}
		return d
	}
	return write(t, s, graph.Batch{
		Sender: alice,
		Concepts: []graph.ConceptDraft{
			draft(-1, "public", alice.User, graph.Public), draft(-2, "private", alice.User, graph.Private), draft(-3, "admin", alice.User, graph.Admin),
			draft(-4, "shared", graph.Anonymous, graph.Private), draft(-5, "private", bob.User, graph.Private),
			{Ghost: -6, Kind: graph.DraftComposition, TypeName: "the_box", Owner: bob.User},
			{Ghost: -7, Kind: graph.DraftComposition, TypeName: "the_box", Access: graph.Public},
		},
		Connections: []graph.ConnectionDraft{
			connect(-1, -4, 0, alice.User, graph.Public), connect(-4, -1, 0, alice.User, graph.Private), connect(-4, -1, 0, alice.User, graph.Admin),
			connect(-2, -1, 0, bob.User, graph.Public), connect(-1, -5, 0, graph.Anonymous, graph.Private), connect(-3, -1, 0, alice.User, graph.Public),
			connect(-6, -1, -6, bob.User, graph.Public), connect(-5, -4, -6, bob.User, graph.Private),
			connect(-1, -4, -6, graph.Anonymous, graph.Public), connect(-7, -4, -7, bob.User, graph.Private),
		},
	})
}
