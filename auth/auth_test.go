package auth_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/store/cache"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/postgres"
	"github.com/weft-graph/weft/store/sqlite"
)

// The people of these tests.
const (
	ann graph.ID = 70_001
	bob graph.ID = 70_002
)

var (
	guest    = auth.Caller{User: graph.Anonymous, Session: "1"}
	owner    = auth.Caller{User: ann}
	stranger = auth.Caller{User: bob}
	admin    = auth.Caller{User: 70_003, Admin: true}
	reader   = auth.Caller{User: ann, Scope: &auth.Scope{}}
	narrow   = auth.Caller{User: ann, Scope: &auth.Scope{Write: true, Types: []string{"the_text", "the_new"}}}
)

// A world is a store with one record of every sort.
type world struct {
	graph.Store
	private, secret, public, shared, admin, typ graph.ID // concepts
	links                                       map[string]graph.ID
}

// newWorld has Ann make "private", its leaf "secret" and "public", the operator make "admin", and
// everybody share "shared".
func newWorld(t *testing.T) world {
	t.Helper()
	return worldIn(t, memory.New())
}

func worldIn(t *testing.T, s graph.Store) world {
	t.Helper()
	head := func(ghost graph.ID, access graph.Access) graph.ConceptDraft {
		return graph.ConceptDraft{Ghost: ghost, Kind: graph.DraftComposition, TypeName: "the_note", Access: access}
	}
	link := func(ghost, from, to graph.ID, access graph.Access) graph.ConnectionDraft {
		return graph.ConnectionDraft{Ghost: ghost, From: from, To: to, TypeName: "the_note_s_note", Access: access}
	}
	anns := write(t, s, graph.Batch{
		Sender: graph.Sender{User: ann},
		Concepts: []graph.ConceptDraft{
			head(-1, graph.Private), {Ghost: -2, TypeName: "the_text", Value: "secret"}, head(-3, graph.Public),
		},
		Connections: []graph.ConnectionDraft{
			link(-1, -1, -2, graph.Private), link(-2, -3, -1, graph.Public), link(-3, -3, -2, graph.Private),
		},
	})
	ops := write(t, s, graph.Batch{
		Sender:   graph.Sender{User: graph.System},
		Concepts: []graph.ConceptDraft{head(-1, graph.Admin)},
	})
	everybodys := write(t, s, graph.Batch{
		Sender:   graph.Sender{User: graph.Anonymous},
		Concepts: []graph.ConceptDraft{head(-1, graph.Private)},
		Connections: []graph.ConnectionDraft{
			link(-1, -1, anns.Concepts[2].ID, 0), link(-2, -1, anns.Concepts[0].ID, 0),
		},
	})
	return world{
		Store:   s,
		private: anns.Concepts[0].ID, secret: anns.Concepts[1].ID, public: anns.Concepts[2].ID,
		admin: ops.Concepts[0].ID, shared: everybodys.Concepts[0].ID, typ: anns.Concepts[0].Type,
		links: map[string]graph.ID{
			"private→secret": anns.Connections[0].ID, "public→private": anns.Connections[1].ID,
			"public→secret": anns.Connections[2].ID, "shared→public": everybodys.Connections[0].ID,
			"shared→private": everybodys.Connections[1].ID,
		},
	}
}

func write(t *testing.T, s graph.Store, b graph.Batch) graph.Receipt {
	t.Helper()
	receipt, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

// The stores count what is hidden in different ways.
func TestWhoSeesWhat(t *testing.T) {
	t.Run("in memory", func(t *testing.T) { whoSeesWhat(t, memory.New()) })
	t.Run("in SQLite, behind a cache", func(t *testing.T) {
		s, err := sqlite.Open(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		whoSeesWhat(t, cache.New(s, 1<<20))
	})
	t.Run("in PostgreSQL", func(t *testing.T) {
		s, err := postgres.Open(t.Context(), pgtest.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		whoSeesWhat(t, s)
	})
}

func whoSeesWhat(t *testing.T, store graph.Store) {
	w := worldIn(t, store)
	gate := auth.New(store, auth.Rules{})
	for _, row := range []struct {
		who      string
		caller   auth.Caller
		concepts []graph.ID
		links    []string
	}{
		{"a guest", guest, []graph.ID{w.public, w.shared}, []string{"shared→public"}},
		{"a stranger", stranger, []graph.ID{w.public, w.shared}, []string{"shared→public"}},
		{
			"the owner", owner,
			[]graph.ID{w.private, w.secret, w.public, w.shared},
			[]string{"private→secret", "public→private", "public→secret", "shared→public", "shared→private"},
		},
		{
			"the system", auth.System,
			[]graph.ID{w.private, w.secret, w.public, w.shared, w.admin},
			[]string{"private→secret", "public→private", "public→secret", "shared→public", "shared→private"},
		},
		{
			"an admin", admin,
			[]graph.ID{w.private, w.secret, w.public, w.shared, w.admin},
			[]string{"private→secret", "public→private", "public→secret", "shared→public", "shared→private"},
		},
		{
			"a key that only reads", reader,
			[]graph.ID{w.private, w.secret, w.public, w.shared},
			[]string{"private→secret", "public→private", "public→secret", "shared→public", "shared→private"},
		},
		{"a key for texts", narrow, []graph.ID{w.secret}, nil},
	} {
		t.Run(row.who, func(t *testing.T) {
			v := viewed{gate.As(row.caller), t}
			all := []graph.ID{w.private, w.secret, w.public, w.shared, w.admin}
			v.same("concepts", row.concepts, v.concepts(all))
			v.same("types", []graph.ID{w.typ, graph.The}, v.concepts([]graph.ID{w.typ, graph.The}))

			var links, seen []graph.ID
			for _, name := range []string{"private→secret", "public→private", "public→secret", "shared→public", "shared→private"} {
				links = append(links, w.links[name])
			}
			for _, name := range row.links {
				seen = append(seen, w.links[name])
			}
			v.same("connections", seen, v.connections(links))
			v.same("links out", seen, v.linked(graph.Links{Of: []graph.ID{w.private, w.public, w.shared}}))
			v.counts(graph.Links{Of: []graph.ID{w.private, w.public, w.shared}})
			v.counts(graph.Links{Of: []graph.ID{w.private, w.secret, w.public}, Direction: graph.In})

			sees := func(id graph.ID) bool { return len(v.concepts([]graph.ID{id})) == 1 }
			var notes []graph.ID
			for _, id := range []graph.ID{w.private, w.public, w.admin, w.shared} {
				if sees(id) {
					notes = append(notes, id)
				}
			}
			v.same("instances", notes, v.instances(w.typ, graph.Page{}))
			v.same("the second instance", notes[min(1, len(notes)):min(2, len(notes))], v.instances(w.typ, graph.Page{Skip: 1, Limit: 1}))
			for atMost, want := range map[int]int{0: len(notes), 1: min(1, len(notes)), 2: min(2, len(notes)), 100: len(notes)} {
				if n, err := v.CountByType(t.Context(), w.typ, atMost); err != nil || n != want {
					t.Errorf("counts %d instances, at most %d, %v; want %d", n, atMost, err, want)
				}
			}
			byValue, err := v.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: "secret"}})
			if err != nil || len(byValue) == 1 != sees(w.secret) {
				t.Errorf("finds %v by value, %v", byValue, err)
			}
			v.changes(sees)
		})
	}
}

// viewed is a store as somebody sees it.
type viewed struct {
	graph.Store
	t *testing.T
}

func (v viewed) same(what string, want, got []graph.ID) {
	v.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		v.t.Errorf("%s:\n%s", what, diff)
	}
}

func (v viewed) concepts(ids []graph.ID) []graph.ID {
	found, err := v.Concepts(v.t.Context(), ids)
	return v.ids(conceptIDs(found), err)
}

func (v viewed) instances(typ graph.ID, page graph.Page) []graph.ID {
	found, err := v.ConceptsByType(v.t.Context(), typ, page)
	return v.ids(conceptIDs(found), err)
}

func (v viewed) connections(ids []graph.ID) []graph.ID {
	found, err := v.Connections(v.t.Context(), ids)
	return v.ids(connectionIDs(found), err)
}

func (v viewed) linked(links graph.Links) []graph.ID {
	found, err := v.Links(v.t.Context(), links)
	return v.ids(connectionIDs(found), err)
}

func (v viewed) ids(ids []graph.ID, err error) []graph.ID {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	return ids
}

// counts checks that counting agrees with listing.
func (v viewed) counts(links graph.Links) {
	counted, err := v.CountLinks(v.t.Context(), links)
	if err != nil {
		v.t.Fatal(err)
	}
	n := 0
	for _, c := range counted {
		n += c.N
	}
	if want := len(v.linked(links)); n != want {
		v.t.Errorf("counts %d links and lists %d", n, want)
	}
}

// changes checks that no change names what the viewer does not see.
func (v viewed) changes(sees func(graph.ID) bool) {
	changes, err := v.Changes(v.t.Context(), 0, 0)
	if err != nil || len(changes) != 3 {
		v.t.Fatalf("%d changes, %v; want 3", len(changes), err)
	}
	for _, c := range changes {
		for _, id := range c.Concepts {
			if !sees(id) {
				v.t.Errorf("change %d names concept %d", c.Seq, id)
			}
		}
		if got := v.connections(c.Connections); len(got) != len(c.Connections) {
			v.t.Errorf("change %d names connections %v, of which %v are seen", c.Seq, c.Connections, got)
		}
	}
}

func conceptIDs(found []graph.Concept) (ids []graph.ID) {
	for _, c := range found {
		ids = append(ids, c.ID)
	}
	return ids
}

func connectionIDs(found []graph.Connection) (ids []graph.ID) {
	for _, c := range found {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestPagesAreFullWhereRowsAreHidden(t *testing.T) {
	s := memory.New()
	hub := write(t, s, graph.Batch{Sender: graph.Sender{User: graph.System}, Concepts: []graph.ConceptDraft{
		{Kind: graph.DraftComposition, TypeName: "the_hub", Access: graph.Public},
	}}).Concepts[0].ID
	var want []graph.ID // every third link is public
	for i := range 90 {
		access := graph.Private
		if i%3 == 0 {
			access = graph.Public
		}
		r := write(t, s, graph.Batch{
			Sender:      graph.Sender{User: graph.System},
			Concepts:    []graph.ConceptDraft{{Ghost: graph.ID(-1 - i), TypeName: "the_word", Value: strconv.Itoa(i), Access: access}},
			Connections: []graph.ConnectionDraft{{From: hub, To: graph.ID(-1 - i), TypeName: "the_hub_s_word", Access: graph.Public}},
		})
		if access == graph.Public {
			want = append(want, r.Connections[0].ID)
		}
	}
	v := viewed{auth.New(s, auth.Rules{}).As(guest), t}
	v.same("the third page of ten", want[20:30], v.linked(graph.Links{Of: []graph.ID{hub}, Page: graph.Page{Skip: 20, Limit: 10}}))
	v.same("the first seven", want[:7], v.linked(graph.Links{Of: []graph.ID{hub, hub}, Page: graph.Page{Limit: 7}}))
	v.same("all of them", want, v.linked(graph.Links{Of: []graph.ID{hub}}))
	v.same("beyond the end", nil, v.linked(graph.Links{Of: []graph.ID{hub}, Page: graph.Page{Skip: 30, Limit: 10}}))
	last := want[len(want)-1]
	v.same("after one, downwards", []graph.ID{want[28], want[27]}, v.linked(graph.Links{
		Of: []graph.ID{hub}, Page: graph.Page{Descending: true, After: last, Limit: 2},
	}))
}

// A hub has more connections than are looked at in one go, and some that are hidden.
func TestAHubIsNotHeldWhole(t *testing.T) {
	const links, leaves = 11_000, 500
	system := graph.Sender{User: graph.System}
	b := graph.Batch{Sender: system, Concepts: []graph.ConceptDraft{
		{Ghost: -1, Kind: graph.DraftComposition, TypeName: "the_hub", Owner: graph.Anonymous},
	}}
	for i := range links {
		access := graph.Public
		if i%4 == 0 {
			access = graph.Private
		}
		leaf := graph.ID(-2 - i%leaves)
		if i < leaves {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: leaf, TypeName: "the_word", Value: strconv.Itoa(i), Access: graph.Public})
		}
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: leaf, TypeName: "the_hub_s_word", Access: access})
	}
	m := &mostLinks{Store: memory.New()}
	made := write(t, m, b)
	of := conceptIDs(made.Concepts)
	typ := made.Connections[0].Type
	gate := auth.New(m, auth.Rules{AnonymousWrites: true}).As(guest)
	out, err := gate.CountLinks(t.Context(), graph.Links{Of: of})
	if want := []graph.LinkCount{{Of: of[0], Type: typ, N: links * 3 / 4}}; err != nil || cmp.Diff(want, out) != "" {
		t.Errorf("from the hub: %v, %v; want %v", out, err, want)
	}
	in, err := gate.CountLinks(t.Context(), graph.Links{Of: of, Direction: graph.In})
	// Every fourth leaf has only hidden connections, the others only visible ones.
	if err != nil || len(in) != leaves*3/4 || in[0] != (graph.LinkCount{Of: of[2], Type: typ, N: links / leaves}) {
		t.Errorf("at the leaves: %d counts, %v; want %d", len(in), err, leaves*3/4)
	}
	_, err = gate.Write(t.Context(), graph.Batch{RemoveConcepts: of[:1]})
	if got := graph.KindOf(err); got != graph.Forbidden || !strings.Contains(err.Error(), "in use") {
		t.Errorf("removing the hub is %q (%v); want forbidden", got, err)
	}
	if m.most > 5_000 {
		t.Errorf("%d connections were held at once", m.most)
	}
}

// mostLinks remembers the longest list of connections it gave.
type mostLinks struct {
	graph.Store
	most int
}

func (m *mostLinks) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	found, err := m.Store.Links(ctx, links)
	m.most = max(m.most, len(found))
	return found, err
}
