package access_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/internal/store/storetest"
)

// Reads through a gate must have the result that they would have on a store with only the records that the caller
// may read.
func TestAGateReturnsOnlyVisibleRecords(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { checkRandomStore(t.Context(), rt, memory.New()) })
	})
	t.Run("in SQLite, behind a cache", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			s, err := sqlite.Open(t.Context(), t.TempDir())
			if err != nil {
				rt.Fatal(err)
			}
			defer s.Close()
			checkRandomStore(t.Context(), rt, cache.New(s, 1<<20))
		})
	})
}

var (
	typeNames    = []string{"the_a", "the_b", "the_c"}
	words        = []string{"x", "y", "the_a"}
	owners       = []graph.ID{graph.Anonymous, ann, bob, graph.System}
	accessLevels = []graph.Access{graph.Admin, graph.Private, graph.Public}
	// A slice, because the order of the callers is the order of the random draws and must be the same for a seed.
	callers = []struct {
		name string
		access.Caller
	}{
		{"a guest", guest},
		{"Ann", owner},
		{"Bob", stranger},
		{"an admin", admin},
		{"a key of Ann", reader},
		{"a key of Ann for two types", access.Caller{User: ann, Scope: &access.Scope{Types: []string{"the_a", "the_c", "the_never"}}}},
		{"a key of an admin for one type", access.Caller{User: admin.User, Admin: true, Scope: &access.Scope{Types: []string{"the_b"}}}},
		{"a key of Bob for no types", access.Caller{User: bob, Scope: &access.Scope{Types: []string{}}}},
	}
)

// checkRandomStore fills a store with random records and compares the results that each caller reads through a gate
// with a snapshot of the records that this caller may read.
func checkRandomStore(ctx context.Context, t *rapid.T, store graph.Store) {
	d := gateTest{T: t, ctx: ctx, store: store}
	for range rapid.IntRange(1, 3).Draw(t, "batches") {
		d.write()
	}
	all := d.readSnapshot()
	for _, c := range callers {
		d.compareReads(c.name, access.New(store, access.Rules{}).As(c.Caller), all.visibleTo(c.Caller), c.Caller)
	}
}

// A gateTest is one random test: a store and the ids in it.
type gateTest struct {
	*rapid.T
	ctx         context.Context
	store       graph.Store
	concepts    []graph.ID
	connections []graph.ID
	lastLocalID graph.ID // the lowest local id in use
}

func pick[T any](d *gateTest, from []T) T { return rapid.SampledFrom(from).Draw(d.T, "pick") }

func (d *gateTest) write() {
	b := graph.Batch{Sender: graph.Sender{User: pick(d, owners)}}
	for range rapid.IntRange(1, 8).Draw(d.T, "concepts") {
		d.lastLocalID--
		draft := graph.ConceptDraft{
			LocalID: d.lastLocalID, Kind: pick(d, []graph.DraftKind{graph.DraftValue, graph.DraftValue, graph.DraftComposition}),
			TypeName: pick(d, typeNames), Owner: pick(d, owners), Access: pick(d, accessLevels),
		}
		if draft.Kind == graph.DraftValue {
			draft.Value = pick(d, words)
		}
		b.Concepts = append(b.Concepts, draft)
	}
	ends := slices.Clone(d.concepts)
	for _, c := range b.Concepts {
		ends = append(ends, c.LocalID)
	}
	for range rapid.IntRange(0, 20).Draw(d.T, "connections") {
		draft := graph.ConnectionDraft{
			From: pick(d, ends), To: pick(d, ends), TypeName: pick(d, typeNames),
			Owner: pick(d, owners), Access: pick(d, accessLevels),
		}
		if rapid.Bool().Draw(d.T, "internal") {
			draft.Type = pick(d, ends)
		}
		b.Connections = append(b.Connections, draft)
	}
	if len(d.concepts) > 0 && rapid.Bool().Draw(d.T, "remove") {
		b.RemoveConcepts = []graph.ID{pick(d, d.concepts)}
	}
	r, err := d.store.Write(d.ctx, b)
	if err != nil {
		if graph.KindOf(err) != graph.Invalid {
			d.Fatal(err)
		}
		return // a concept that the connections refer to had been removed
	}
	for _, c := range r.Concepts {
		d.concepts = append(d.concepts, c.ID)
	}
	for _, c := range r.Connections {
		d.connections = append(d.connections, c.ID)
	}
}

// A snapshot holds all records and changes of a store, or the records and changes that a caller may read. Records
// are in order of id.
type snapshot struct {
	concepts    []graph.Concept
	connections []graph.Connection
	changes     []graph.Change
}

// readSnapshot reads the whole store, past the gate.
func (d *gateTest) readSnapshot() snapshot {
	changes := must[[]graph.Change](d)(d.store.Changes(d.ctx, 0, 0))
	var concepts, connections []graph.ID
	for _, c := range graph.Fixed() {
		concepts = append(concepts, c.ID)
	}
	for _, c := range changes {
		concepts = append(concepts, c.Concepts...)
		connections = append(connections, c.Connections...)
	}
	all := snapshot{
		must[[]graph.Concept](d)(d.store.Concepts(d.ctx, concepts)),
		must[[]graph.Connection](d)(d.store.Connections(d.ctx, connections)),
		changes,
	}
	slices.SortFunc(all.concepts, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(all.connections, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func must[T any](d *gateTest) func(T, error) T {
	return func(v T, err error) T {
		if err != nil {
			d.Fatal(err)
		}
		return v
	}
}

// visibleTo returns the records that a caller may read, and the changes as the caller receives them. It implements the
// permissions independently of package access.
func (all snapshot) visibleTo(caller access.Caller) snapshot {
	names := map[graph.ID]string{}
	for _, c := range all.concepts {
		names[c.ID] = c.Value
	}
	permittedByAccess := func(owner graph.ID, access graph.Access) bool {
		return owner == graph.Anonymous || access == graph.Public || caller.Admin ||
			access == graph.Private && owner == caller.User
	}
	var visible snapshot
	ids := map[graph.ID]bool{}
	for _, c := range all.concepts {
		permittedByKey := caller.Scope == nil || caller.Scope.Types == nil ||
			slices.Contains(caller.Scope.Types, names[c.Type])
		if c.IsType() || permittedByAccess(c.Owner, c.Access) && permittedByKey {
			visible.concepts = append(visible.concepts, c)
			ids[c.ID] = true
		}
	}
	for _, c := range all.connections {
		if permittedByAccess(c.Owner, c.Access) && ids[c.From] && ids[c.To] {
			visible.connections = append(visible.connections, c)
			ids[c.ID] = true
		}
	}
	existing := map[graph.ID]bool{}
	for _, c := range all.concepts {
		existing[c.ID] = true
	}
	for _, c := range all.connections {
		existing[c.ID] = true
	}
	for _, c := range all.changes {
		visible.changes = append(visible.changes, redactedFor(caller, c, ids, existing))
	}
	return visible
}

// redactedFor returns the change as the caller receives it: without the parts of other scopes, and without the ids of
// existing records that the caller may not read. visible contains the ids of the records that the caller may read,
// and existing the ids of all records that have not been removed.
func redactedFor(caller access.Caller, c graph.Change, visible, existing map[graph.ID]bool) graph.Change {
	if caller.Admin && caller.Scope == nil {
		return c
	}
	var parts []graph.ChangePart
	for _, p := range c.Parts {
		if p.Scope == 0 || p.Scope == caller.User || caller.Admin {
			parts = append(parts, p)
		}
	}
	c = graph.Change{Seq: c.Seq, At: c.At}.WithParts(parts)
	hidden := func(id graph.ID) bool { return existing[id] && !visible[id] }
	for _, ids := range []*[]graph.ID{&c.Concepts, &c.Connections, &c.Types} {
		*ids = slices.DeleteFunc(slices.Clone(*ids), hidden)
	}
	c.Parts = nil
	return c
}

// compareReads compares the results that a caller reads from v, a store behind a gate, with the snapshot of the records
// that the caller may read.
func (d *gateTest) compareReads(callerName string, v graph.Store, visible snapshot, caller access.Caller) {
	compare := func(what string, got, want any) {
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			d.Errorf("%s, %s (-want +got):\n%s", callerName, what, diff)
		}
	}
	ids := rapid.SliceOfN(rapid.SampledFrom(append(slices.Clone(d.concepts), graph.The)), 0, 12).Draw(d.T, "ids")
	compare("concepts", must[[]graph.Concept](d)(v.Concepts(d.ctx, ids)), visible.conceptsWithIDs(ids))
	key := graph.ValueKey{Value: pick(d, words), Types: rapid.Bool().Draw(d.T, "types")}
	compare("by value", must[[]graph.Concept](d)(v.ConceptsByValue(d.ctx, []graph.ValueKey{key})), visible.matching(key))

	page := graph.Page{
		Descending: rapid.Bool().Draw(d.T, "descending"),
		Skip:       rapid.IntRange(0, 3).Draw(d.T, "skip"),
		Limit:      rapid.IntRange(0, 4).Draw(d.T, "limit"),
	}
	if rapid.Bool().Draw(d.T, "after") && len(d.concepts) > 0 {
		page.After = pick(d, d.concepts)
	}
	for _, name := range typeNames {
		typ := visible.typeNamed(name)
		instances := visible.instances(typ)
		compare("instances", must[[]graph.Concept](d)(v.ConceptsByType(d.ctx, typ, page)), pageOf(instances, page, conceptID))
		compare("number of instances", must[int](d)(v.CountByType(d.ctx, typ, 0)), len(instances))
		compare("number of instances, at most 2", must[int](d)(v.CountByType(d.ctx, typ, 2)), min(2, len(instances)))
	}
	if len(d.connections) > 0 {
		connectionIDs := rapid.SliceOfNDistinct(rapid.SampledFrom(d.connections), 0, 5, rapid.ID).Draw(d.T, "connections")
		compare("connections", must[[]graph.Connection](d)(v.Connections(d.ctx, connectionIDs)), visible.connectionsWithIDs(connectionIDs))
	}
	links := graph.Links{Of: ids, Direction: pick(d, []graph.Direction{graph.Out, graph.In})}
	if rapid.Bool().Draw(d.T, "typed") {
		links.Types = []graph.ID{visible.typeNamed("the_a"), visible.typeNamed("the_b")}
	}
	counts := visible.counts(links)
	compare("numbers of links", must[[]graph.LinkCount](d)(v.CountLinks(d.ctx, links)), counts)
	links.Page = page
	compare("links", must[[]graph.Connection](d)(v.Links(d.ctx, links)), visible.links(links))
	d.compareLocalIDs(compare, v, visible, caller)
	d.compareSelections(compare, v, visible, caller)
	changes := must[[]graph.Change](d)(v.Changes(d.ctx, 0, 0))
	if caller.Scope != nil && caller.Scope.Types != nil {
		return // TestChangesListOnlyPermittedRecords checks what such a key receives
	}
	compare("changes", changes, visible.changes)
}

// compareLocalIDs compares the local ids that a caller can resolve. The gate replaces the sender of a request with
// the caller: the request names the system user, and the result contains the local ids of the caller.
func (d *gateTest) compareLocalIDs(compare func(what string, got, want any), v graph.Store, visible snapshot, caller access.Caller) {
	var localIDs []graph.ID
	for localID := d.lastLocalID; localID < 0; localID++ {
		localIDs = append(localIDs, localID)
	}
	resolve := must[map[graph.ID]graph.ID](d)
	want := resolve(d.store.ResolveIDs(d.ctx, graph.Sender{User: caller.User}, localIDs))
	if caller.Scope != nil && caller.Scope.Types != nil {
		maps.DeleteFunc(want, func(_, id graph.ID) bool { return len(visible.conceptsWithIDs([]graph.ID{id})) == 0 })
	}
	compare("local ids", resolve(v.ResolveIDs(d.ctx, graph.Sender{User: graph.System}, localIDs)), want)
}

// compareSelections compares a selection and the sizes of types. The gate replaces the viewer of a selection with the
// caller, except for an admin: the viewer of the selection is then kept, and 0 means a viewer who may read all
// records.
func (d *gateTest) compareSelections(compare func(what string, got, want any), v graph.Store, visible snapshot, caller access.Caller) {
	s := graph.Selection{
		Set:    storetest.DrawSet(d.T, visible.model(), d.concepts),
		Page:   storetest.DrawPage(d.T, d.concepts),
		Viewer: pick(d, []graph.ID{0, ann, bob, graph.System}),
	}
	if caller.Admin {
		s.Viewer = 0
	}
	_, unsupported := d.store.(graph.Selector).Select(d.ctx, graph.Selection{Set: s.Set})
	got, err := v.(graph.Selector).Select(d.ctx, s)
	if caller.Scope != nil && caller.Scope.Types != nil || errors.Is(unsupported, errors.ErrUnsupported) {
		compare("selecting is unsupported", errors.Is(err, errors.ErrUnsupported), true)
	} else {
		compare("a set", must[[]graph.ID](d)(got, err), visible.model().Select(s))
	}
	var types []graph.ID
	for _, name := range typeNames {
		types = append(types, visible.typeNamed(name))
	}
	// An API key that is limited to types receives the sizes that its user sees, because sizes are only used to
	// plan queries.
	user := d.readSnapshot().visibleTo(access.Caller{User: caller.User, Admin: caller.Admin})
	compare("sizes", must[[]graph.Size](d)(v.(graph.Sizer).Sizes(d.ctx, types)), user.model().Sizes(types))
}

func (all snapshot) model() storetest.Whole {
	w := storetest.Whole{Concepts: map[graph.ID]graph.Concept{}, Connections: all.connections}
	for _, c := range all.concepts {
		w.Concepts[c.ID] = c
	}
	return w
}

func conceptID(c graph.Concept) graph.ID { return c.ID }

func connectionID(c graph.Connection) graph.ID { return c.ID }

// conceptsWithIDs returns the concepts in the order of the ids, each once.
func (all snapshot) conceptsWithIDs(ids []graph.ID) (found []graph.Concept) {
	for i, id := range ids {
		for _, c := range all.concepts {
			if c.ID == id && !slices.Contains(ids[:i], id) {
				found = append(found, c)
			}
		}
	}
	return found
}

func (all snapshot) connectionsWithIDs(ids []graph.ID) (found []graph.Connection) {
	for _, id := range ids {
		for _, c := range all.connections {
			if c.ID == id {
				found = append(found, c)
			}
		}
	}
	return found
}

func (all snapshot) matching(key graph.ValueKey) (found []graph.Concept) {
	for _, c := range all.concepts {
		if key.Matches(c) {
			found = append(found, c)
		}
	}
	return found
}

// typeNamed returns the id of a type, or graph.MaxID, the id of no concept, if no type has the name.
func (all snapshot) typeNamed(name string) graph.ID {
	for _, c := range all.concepts {
		if c.IsType() && c.Value == name {
			return c.ID
		}
	}
	return graph.MaxID
}

func (all snapshot) instances(typ graph.ID) (found []graph.Concept) {
	for _, c := range all.concepts {
		if c.Type == typ && c.Category == graph.CategoryInstance {
			found = append(found, c)
		}
	}
	return found
}

func (all snapshot) links(links graph.Links) (found []graph.Connection) {
	for i, of := range links.Of {
		if slices.Contains(links.Of[:i], of) {
			continue
		}
		var at []graph.Connection
		for _, c := range all.connections {
			end := c.From
			if links.Direction == graph.In {
				end = c.To
			}
			if end == of && (links.Types == nil || slices.Contains(links.Types, c.Type)) {
				at = append(at, c)
			}
		}
		found = append(found, pageOf(at, links.Page, connectionID)...)
	}
	return found
}

func (all snapshot) counts(links graph.Links) (counts []graph.LinkCount) {
	for i, of := range links.Of {
		if slices.Contains(links.Of[:i], of) {
			continue
		}
		oneConcept := links
		oneConcept.Of = []graph.ID{of}
		countByType := map[graph.ID]int{}
		for _, c := range all.links(oneConcept) {
			countByType[c.Type]++
		}
		start := len(counts)
		for typ, n := range countByType {
			counts = append(counts, graph.LinkCount{Of: of, Type: typ, N: n})
		}
		slices.SortFunc(counts[start:], func(a, b graph.LinkCount) int { return cmp.Compare(a.Type, b.Type) })
	}
	return counts
}

// pageOf returns the records of a page. All is in ascending order of id; the result is descending if the page is.
func pageOf[T any](all []T, page graph.Page, id func(T) graph.ID) (found []T) {
	all = slices.Clone(all)
	if page.Descending {
		slices.Reverse(all)
	}
	for _, item := range all {
		isAfter := page.After == 0 || !page.Descending && id(item) > page.After || page.Descending && id(item) < page.After
		if isAfter {
			found = append(found, item)
		}
	}
	found = found[min(page.Skip, len(found)):]
	if page.Limit > 0 {
		found = found[:min(page.Limit, len(found))]
	}
	return found
}
