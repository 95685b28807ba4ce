package access_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// The users of these tests.
const (
	ann graph.ID = 70_001
	bob graph.ID = 70_002
)

var (
	guest    = access.Caller{User: graph.Anonymous, Session: "1"}
	owner    = access.Caller{User: ann}
	stranger = access.Caller{User: bob}
	admin    = access.Caller{User: 70_003, Admin: true}
	reader   = access.Caller{User: ann, Scope: &access.Scope{}}
	narrow   = access.Caller{User: ann, Scope: &access.Scope{Write: true, Types: []string{"the_text", "the_new"}}}
)

// A world is a store with records of several owners and levels of access; see newWorld.
type world struct {
	graph.Store
	private, secret, public, shared, admin, typ graph.ID // concepts
	links                                       map[string]graph.ID
}

// newWorld creates "private", its leaf "secret" and "public" as Ann, "admin" as the operator, and "shared" as
// Anonymous.
func newWorld(t *testing.T) world {
	t.Helper()
	return worldIn(t, memory.New())
}

func worldIn(t *testing.T, s graph.Store) world {
	t.Helper()
	head := func(localID graph.ID, access graph.Access) graph.ConceptDraft {
		return graph.ConceptDraft{LocalID: localID, Kind: graph.DraftComposition, TypeName: "the_note", Access: access}
	}
	link := func(localID, from, to graph.ID, access graph.Access) graph.ConnectionDraft {
		return graph.ConnectionDraft{LocalID: localID, From: from, To: to, TypeName: "the_note_s_note", Access: access}
	}
	byAnn := write(t, s, graph.Batch{
		Sender: graph.Sender{User: ann},
		Concepts: []graph.ConceptDraft{
			head(-1, graph.Private), {LocalID: -2, TypeName: "the_text", Value: "secret"}, head(-3, graph.Public),
		},
		Connections: []graph.ConnectionDraft{
			link(-1, -1, -2, graph.Private), link(-2, -3, -1, graph.Public), link(-3, -3, -2, graph.Private),
		},
	})
	byOperator := write(t, s, graph.Batch{
		Sender:   graph.Sender{User: graph.System},
		Concepts: []graph.ConceptDraft{head(-1, graph.Admin)},
	})
	byAnonymous := write(t, s, graph.Batch{
		Sender:   graph.Sender{User: graph.Anonymous},
		Concepts: []graph.ConceptDraft{head(-1, graph.Private)},
		Connections: []graph.ConnectionDraft{
			link(-1, -1, byAnn.Concepts[2].ID, 0), link(-2, -1, byAnn.Concepts[0].ID, 0),
		},
	})
	return world{
		Store:   s,
		private: byAnn.Concepts[0].ID, secret: byAnn.Concepts[1].ID, public: byAnn.Concepts[2].ID,
		admin: byOperator.Concepts[0].ID, shared: byAnonymous.Concepts[0].ID, typ: byAnn.Concepts[0].Type,
		links: map[string]graph.ID{
			"private→secret": byAnn.Connections[0].ID, "public→private": byAnn.Connections[1].ID,
			"public→secret": byAnn.Connections[2].ID, "shared→public": byAnonymous.Connections[0].ID,
			"shared→private": byAnonymous.Connections[1].ID,
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

// The test runs on several stores, because stores count hidden instances in different ways.
func TestCallersReadOnlyPermittedRecords(t *testing.T) {
	t.Run("in memory", func(t *testing.T) { testReadPermissions(t, memory.New()) })
	t.Run("in SQLite, behind a cache", func(t *testing.T) {
		s, err := sqlite.Open(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		testReadPermissions(t, cache.New(s, 1<<20))
	})
	t.Run("in PostgreSQL", func(t *testing.T) {
		s, err := postgres.Open(t.Context(), pgtest.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		testReadPermissions(t, s)
	})
}

func testReadPermissions(t *testing.T, store graph.Store) {
	w := worldIn(t, store)
	gate := access.New(store, access.Rules{})
	for _, row := range []struct {
		who      string
		caller   access.Caller
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
			"the system", access.System,
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
		{"a key for the_text", narrow, []graph.ID{w.secret}, nil},
	} {
		t.Run(row.who, func(t *testing.T) {
			v := callerView{gate.As(row.caller), t}
			all := []graph.ID{w.private, w.secret, w.public, w.shared, w.admin}
			v.checkIDs("concepts", row.concepts, v.concepts(all))
			v.checkIDs("types", []graph.ID{w.typ, graph.The}, v.concepts([]graph.ID{w.typ, graph.The}))

			var links, visible []graph.ID
			for _, name := range []string{"private→secret", "public→private", "public→secret", "shared→public", "shared→private"} {
				links = append(links, w.links[name])
			}
			for _, name := range row.links {
				visible = append(visible, w.links[name])
			}
			v.checkIDs("connections", visible, v.connections(links))
			v.checkIDs("links out", visible, v.linked(graph.Links{Of: []graph.ID{w.private, w.public, w.shared}}))
			v.checkCounts(graph.Links{Of: []graph.ID{w.private, w.public, w.shared}})
			v.checkCounts(graph.Links{Of: []graph.ID{w.private, w.secret, w.public}, Direction: graph.In})

			sees := func(id graph.ID) bool { return len(v.concepts([]graph.ID{id})) == 1 }
			var notes []graph.ID
			for _, id := range []graph.ID{w.private, w.public, w.admin, w.shared} {
				if sees(id) {
					notes = append(notes, id)
				}
			}
			v.checkIDs("instances", notes, v.instances(w.typ, graph.Page{}))
			v.checkIDs("the second instance", notes[min(1, len(notes)):min(2, len(notes))], v.instances(w.typ, graph.Page{Skip: 1, Limit: 1}))
			for atMost, want := range map[int]int{0: len(notes), 1: min(1, len(notes)), 2: min(2, len(notes)), 100: len(notes)} {
				if n, err := v.CountByType(t.Context(), w.typ, atMost); err != nil || n != want {
					t.Errorf("counts %d instances, at most %d, %v; want %d", n, atMost, err, want)
				}
			}
			byValue, err := v.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: "secret"}})
			if err != nil || len(byValue) == 1 != sees(w.secret) {
				t.Errorf("finds %v by value, %v; want the secret if the caller may read it: %t", byValue, err, sees(w.secret))
			}
			v.checkChanges(sees)
		})
	}
}

// callerView is a store as one caller sees it, with helpers that fail the test on errors.
type callerView struct {
	graph.Store
	t *testing.T
}

func (v callerView) checkIDs(what string, want, got []graph.ID) {
	v.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		v.t.Errorf("%s:\n%s", what, diff)
	}
}

func (v callerView) concepts(ids []graph.ID) []graph.ID {
	found, err := v.Concepts(v.t.Context(), ids)
	return v.ids(conceptIDs(found), err)
}

func (v callerView) instances(typ graph.ID, page graph.Page) []graph.ID {
	found, err := v.ConceptsByType(v.t.Context(), typ, page)
	return v.ids(conceptIDs(found), err)
}

func (v callerView) connections(ids []graph.ID) []graph.ID {
	found, err := v.Connections(v.t.Context(), ids)
	return v.ids(connectionIDs(found), err)
}

func (v callerView) linked(links graph.Links) []graph.ID {
	found, err := v.Links(v.t.Context(), links)
	return v.ids(connectionIDs(found), err)
}

func (v callerView) ids(ids []graph.ID, err error) []graph.ID {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	return ids
}

// checkCounts checks that the counts of links agree with their lists.
func (v callerView) checkCounts(links graph.Links) {
	counted, err := v.CountLinks(v.t.Context(), links)
	if err != nil {
		v.t.Fatal(err)
	}
	n := 0
	for _, c := range counted {
		n += c.N
	}
	if want := len(v.linked(links)); n != want {
		v.t.Errorf("counts %d links; want %d, as many as are listed", n, want)
	}
}

// checkChanges checks that no change names an id that is hidden from the caller.
func (v callerView) checkChanges(sees func(graph.ID) bool) {
	changes, err := v.Changes(v.t.Context(), 0, 0)
	if err != nil || len(changes) != 3 {
		v.t.Fatalf("%d changes, %v; want 3", len(changes), err)
	}
	for _, c := range changes {
		for _, id := range c.Concepts {
			if !sees(id) {
				v.t.Errorf("change %d names concept %d, which the caller may not read", c.Seq, id)
			}
		}
		if got := v.connections(c.Connections); len(got) != len(c.Connections) {
			v.t.Errorf("change %d names connections %v, of which only %v are visible; want visible ones only", c.Seq, c.Connections, got)
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

func TestPagesAreFullAlthoughRowsAreHidden(t *testing.T) {
	s := memory.New()
	hub := write(t, s, graph.Batch{Sender: graph.Sender{User: graph.System}, Concepts: []graph.ConceptDraft{
		{Kind: graph.DraftComposition, TypeName: "the_hub", Access: graph.Public},
	}}).Concepts[0].ID
	var want []graph.ID // the links to public words; every third word is public
	for i := range 90 {
		access := graph.Private
		if i%3 == 0 {
			access = graph.Public
		}
		r := write(t, s, graph.Batch{
			Sender:      graph.Sender{User: graph.System},
			Concepts:    []graph.ConceptDraft{{LocalID: graph.ID(-1 - i), TypeName: "the_word", Value: strconv.Itoa(i), Access: access}},
			Connections: []graph.ConnectionDraft{{From: hub, To: graph.ID(-1 - i), TypeName: "the_hub_s_word", Access: graph.Public}},
		})
		if access == graph.Public {
			want = append(want, r.Connections[0].ID)
		}
	}
	v := callerView{access.New(s, access.Rules{}).As(guest), t}
	v.checkIDs("the third page of ten", want[20:30], v.linked(graph.Links{Of: []graph.ID{hub}, Page: graph.Page{Skip: 20, Limit: 10}}))
	v.checkIDs("the first seven", want[:7], v.linked(graph.Links{Of: []graph.ID{hub, hub}, Page: graph.Page{Limit: 7}}))
	v.checkIDs("all of them", want, v.linked(graph.Links{Of: []graph.ID{hub}}))
	v.checkIDs("beyond the end", nil, v.linked(graph.Links{Of: []graph.ID{hub}, Page: graph.Page{Skip: 30, Limit: 10}}))
	last := want[len(want)-1]
	v.checkIDs("before the last, descending", []graph.ID{want[28], want[27]}, v.linked(graph.Links{
		Of: []graph.ID{hub}, Page: graph.Page{Descending: true, After: last, Limit: 2},
	}))
}

// The hub has more connections than one read may return, and some of them are hidden.
func TestConnectionsOfAHubAreReadInChunks(t *testing.T) {
	const links, leaves = 11_000, 500
	system := graph.Sender{User: graph.System}
	b := graph.Batch{Sender: system, Concepts: []graph.ConceptDraft{
		{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_hub", Owner: graph.Anonymous},
	}}
	for i := range links {
		access := graph.Public
		if i%4 == 0 {
			access = graph.Private
		}
		leaf := graph.ID(-2 - i%leaves)
		if i < leaves {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: leaf, TypeName: "the_word", Value: strconv.Itoa(i), Access: graph.Public})
		}
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: leaf, TypeName: "the_hub_s_word", Access: access})
	}
	m := &longestRead{Store: memory.New()}
	receipt := write(t, m, b)
	of := conceptIDs(receipt.Concepts)
	typ := receipt.Connections[0].Type
	gate := access.New(m, access.Rules{AnonymousWrites: true}).As(guest)
	out, err := gate.CountLinks(t.Context(), graph.Links{Of: of})
	if want := []graph.LinkCount{{Of: of[0], Type: typ, N: links * 3 / 4}}; err != nil || cmp.Diff(want, out) != "" {
		t.Errorf("from the hub: %v, %v; want %v", out, err, want)
	}
	in, err := gate.CountLinks(t.Context(), graph.Links{Of: of, Direction: graph.In})
	// Every fourth leaf has only hidden connections, every other leaf only visible connections.
	if err != nil || len(in) != leaves*3/4 || in[0] != (graph.LinkCount{Of: of[2], Type: typ, N: links / leaves}) {
		t.Errorf("at the leaves: %d counts, %v; want %d", len(in), err, leaves*3/4)
	}
	_, err = gate.Write(t.Context(), graph.Batch{RemoveConcepts: of[:1]})
	if got := graph.KindOf(err); got != graph.Forbidden || !strings.Contains(err.Error(), "in use") {
		t.Errorf("removing the hub is %q (%v); want forbidden", got, err)
	}
	if m.links > 5_000 {
		t.Errorf("one read returned %d connections; want at most 5,000", m.links)
	}
}

// longestRead records the length of the longest list of connections that it returned.
type longestRead struct {
	graph.Store
	links int
}

func (m *longestRead) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	found, err := m.Store.Links(ctx, links)
	m.links = max(m.links, len(found))
	return found, err
}
