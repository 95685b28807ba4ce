package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

// checkViewers compares selections of several viewers with the expected names.
func checkViewers(t *testing.T, s graph.Store) {
	w := writeMeadow(t, s)
	written := pins(t, s)
	names := map[graph.ID]string{}
	for i, name := range []string{"public", "hers", "admins", "shared", "his", "box", "crate"} {
		names[written.Concepts[i].ID] = name
	}
	pin, to := written.Concepts[0].Type, written.Connections[0].Type
	public, shared := graph.IDs(idsOf(written.Concepts[:1])), graph.IDs(idsOf(written.Concepts[3:4]))
	for _, row := range []struct {
		name                   string
		set                    graph.Set
		all, alice, bob, guest string
	}{
		{"instances", graph.Instances{Type: pin}, "public hers admins shared his", "public hers shared", "public shared his", "public shared"},
		{"ids", graph.IDs(idsOf(written.Concepts)), "public hers admins shared his box crate", "public hers shared crate", "public shared his box crate", "public shared crate"},
		{"values", graph.Instances{Where: &graph.Predicate{Op: graph.Equal, Text: "private"}}, "hers his", "hers", "his", ""},
		{"to public", graph.Linked{Types: []graph.ID{to}, Far: public}, "hers admins shared", "hers shared", "", ""},
		{"to shared", graph.Linked{Types: []graph.ID{to}, Far: shared}, "public", "public", "public", "public"},
		{"to any", graph.Linked{Types: []graph.ID{to}}, "public hers admins shared", "public hers shared", "public", "public"},
		{"from any", graph.Linked{Types: []graph.ID{to}, Direction: graph.In}, "public shared his", "public shared", "shared his", "shared"},
		{"from private over public", graph.Linked{Types: []graph.ID{to}, Far: graph.Linked{Types: []graph.ID{to}, Far: shared}}, "hers admins shared", "hers shared", "", ""},
		{"holders of public", graph.Holders{Of: public}, "box", "", "box", ""},
		{"holders of shared", graph.Holders{Of: shared}, "box crate", "", "box crate", ""},
		{"a complement", graph.Intersection{graph.Instances{Type: pin}, graph.Complement{Of: graph.Linked{Types: []graph.ID{to}}}}, "his", "", "shared his", "shared"},
		{"a union", graph.Union{graph.Instances{Type: pin}, graph.Holders{}}, "public hers admins shared his box crate maja willi", "public hers shared maja willi", "public shared his box crate", "public shared"},
	} {
		for viewer, expected := range map[graph.ID]string{0: row.all, alice.User: row.alice, bob.User: row.bob, graph.Anonymous: row.guest, 4_242: row.guest} {
			for _, set := range []graph.Set{row.set, graph.Intersection{graph.Instances{}, row.set}} {
				var got []string
				for _, id := range w.selectIDs(t, graph.Selection{Set: set, Viewer: viewer}) {
					got = append(got, names[id]+w.names[id])
				}
				wanted := strings.Fields(expected)
				slices.Sort(got)
				slices.Sort(wanted)
				want(t, fmt.Sprintf("%s, as %d", row.name, viewer), got, wanted)
			}
		}
	}
	types := graph.IDs{pin, to, graph.The}
	want(t, "types, as a guest", w.selectIDs(t, graph.Selection{Set: types, Viewer: graph.Anonymous}), w.selectIDs(t, graph.Selection{Set: types}))
	want(t, "sorted", len(w.selectIDs(t, graph.Selection{Set: types})), 3)
}

// pins writes pins and connections of several owners. Some pins are inside boxes, which are compositions.
func pins(t *testing.T, s graph.Store) graph.Receipt {
	t.Helper()
	draft := func(localID graph.ID, text string, owner graph.ID, access graph.Access) graph.ConceptDraft {
		return graph.ConceptDraft{LocalID: localID, TypeName: "the_pin", Value: text, Owner: owner, Access: access}
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
			{LocalID: -6, Kind: graph.DraftComposition, TypeName: "the_box", Owner: bob.User},
			{LocalID: -7, Kind: graph.DraftComposition, TypeName: "the_box", Access: graph.Public},
		},
		Connections: []graph.ConnectionDraft{
			connect(-1, -4, 0, alice.User, graph.Public), connect(-4, -1, 0, alice.User, graph.Private), connect(-4, -1, 0, alice.User, graph.Admin),
			connect(-2, -1, 0, bob.User, graph.Public), connect(-1, -5, 0, graph.Anonymous, graph.Private), connect(-3, -1, 0, alice.User, graph.Public),
			connect(-6, -1, -6, bob.User, graph.Public), connect(-5, -4, -6, bob.User, graph.Private),
			connect(-1, -4, -6, graph.Anonymous, graph.Public), connect(-7, -4, -7, bob.User, graph.Private),
		},
	})
}
