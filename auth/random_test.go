package auth_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/cache"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/sqlite"
	"github.com/weft-graph/weft/store/storetest"
)

// What is asked through a gate is answered as if the store held nothing but what the caller may see.
func TestAGateAnswersFromWhatIsVisible(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { throwDice(t.Context(), rt, memory.New()) })
	})
	t.Run("in SQLite, behind a cache", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			s, err := sqlite.Open(t.Context(), t.TempDir())
			if err != nil {
				rt.Fatal(err)
			}
			defer s.Close()
			throwDice(t.Context(), rt, cache.New(s, 1<<20))
		})
	})
}

var (
	someTypes  = []string{"the_a", "the_b", "the_c"}
	someWords  = []string{"x", "y", "the_a"}
	someOwners = []graph.ID{graph.Anonymous, ann, bob, graph.System}
	someAccess = []graph.Access{graph.Admin, graph.Private, graph.Public}
	people     = map[string]auth.Caller{
		"a guest": guest, "Ann": owner, "Bob": stranger, "an admin": admin,
		"a key of Ann":                   reader,
		"a key of Ann for two types":     {User: ann, Scope: &auth.Scope{Types: []string{"the_a", "the_c", "the_never"}}},
		"a key of an admin for one type": {User: admin.User, Admin: true, Scope: &auth.Scope{Types: []string{"the_b"}}},
		"a key for nothing":              {User: bob, Scope: &auth.Scope{Types: []string{}}},
	}
)

func throwDice(ctx context.Context, t *rapid.T, store graph.Store) {
	d := dice{T: t, ctx: ctx, store: store}
	for range rapid.IntRange(1, 3).Draw(t, "batches") {
		d.write()
	}
	all := d.everything()
	for who, caller := range people {
		d.ask(who, auth.New(store, auth.Rules{}).As(caller), all.seenBy(caller), caller)
	}
}

type dice struct {
	*rapid.T
	ctx         context.Context
	store       graph.Store
	concepts    []graph.ID
	connections []graph.ID
	ghosts      graph.ID
}

func pick[T any](d *dice, from []T) T { return rapid.SampledFrom(from).Draw(d.T, "pick") }

func (d *dice) write() {
	b := graph.Batch{Sender: graph.Sender{User: pick(d, someOwners)}}
	for range rapid.IntRange(1, 8).Draw(d.T, "concepts") {
		d.ghosts--
		draft := graph.ConceptDraft{
			Ghost: d.ghosts, Kind: pick(d, []graph.DraftKind{graph.DraftValue, graph.DraftValue, graph.DraftComposition}),
			TypeName: pick(d, someTypes), Owner: pick(d, someOwners), Access: pick(d, someAccess),
		}
		if draft.Kind == graph.DraftValue {
			draft.Value = pick(d, someWords)
		}
		b.Concepts = append(b.Concepts, draft)
	}
	ends := slices.Clone(d.concepts)
	for _, c := range b.Concepts {
		ends = append(ends, c.Ghost)
	}
	for range rapid.IntRange(0, 20).Draw(d.T, "connections") {
		draft := graph.ConnectionDraft{
			From: pick(d, ends), To: pick(d, ends), TypeName: pick(d, someTypes),
			Owner: pick(d, someOwners), Access: pick(d, someAccess),
		}
		if rapid.Bool().Draw(d.T, "inside") {
			draft.Type = pick(d, ends)
		}
		b.Connections = append(b.Connections, draft)
	}
	if len(d.concepts) > 0 && rapid.Bool().Draw(d.T, "remove") {
		b.RemoveConcepts = []graph.ID{pick(d, d.concepts)}
	}
	r, err := d.store.Write(d.ctx, b)
	if err != nil {
		return // what was picked had been removed
	}
	for _, c := range r.Concepts {
		d.concepts = append(d.concepts, c.ID)
	}
	for _, c := range r.Connections {
		d.connections = append(d.connections, c.ID)
	}
}

// A content is a whole store, or what somebody sees of it, by id.
type content struct {
	concepts    []graph.Concept
	connections []graph.Connection
	changes     []graph.Change
}

func (d *dice) everything() content {
	changes := must[[]graph.Change](d)(d.store.Changes(d.ctx, 0, 0))
	var concepts, connections []graph.ID
	for _, c := range graph.Fixed() {
		concepts = append(concepts, c.ID)
	}
	for _, c := range changes {
		concepts = append(concepts, c.Concepts...)
		connections = append(connections, c.Connections...)
	}
	all := content{
		must[[]graph.Concept](d)(d.store.Concepts(d.ctx, concepts)),
		must[[]graph.Connection](d)(d.store.Connections(d.ctx, connections)),
		changes,
	}
	slices.SortFunc(all.concepts, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(all.connections, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func must[T any](d *dice) func(T, error) T {
	return func(v T, err error) T {
		if err != nil {
			d.Fatal(err)
		}
		return v
	}
}

// seenBy is the table of who reads what, written down a second time.
func (all content) seenBy(caller auth.Caller) content {
	names := map[graph.ID]string{}
	for _, c := range all.concepts {
		names[c.ID] = c.Value
	}
	level := func(owner graph.ID, access graph.Access) bool {
		return owner == graph.Anonymous || access == graph.Public || caller.Admin ||
			access == graph.Private && owner == caller.User
	}
	var seen content
	ids := map[graph.ID]bool{}
	for _, c := range all.concepts {
		listed := caller.Scope == nil || caller.Scope.Types == nil || slices.Contains(caller.Scope.Types, names[c.Type])
		if c.IsType() || level(c.Owner, c.Access) && listed {
			seen.concepts = append(seen.concepts, c)
			ids[c.ID] = true
		}
	}
	for _, c := range all.connections {
		if level(c.Owner, c.Access) && ids[c.From] && ids[c.To] {
			seen.connections = append(seen.connections, c)
			ids[c.ID] = true
		}
	}
	exist := map[graph.ID]bool{}
	for _, c := range all.concepts {
		exist[c.ID] = true
	}
	for _, c := range all.connections {
		exist[c.ID] = true
	}
	for _, c := range all.changes {
		seen.changes = append(seen.changes, told(caller, c, ids, exist))
	}
	return seen
}

// told is what somebody hears who sees these ids.
func told(caller auth.Caller, c graph.Change, seen, exist map[graph.ID]bool) graph.Change {
	if caller.Admin && caller.Scope == nil {
		return c
	}
	var parts []graph.Part
	for _, p := range c.Parts {
		if p.Scope == 0 || p.Scope == caller.User || caller.Admin {
			parts = append(parts, p)
		}
	}
	c = graph.Change{Seq: c.Seq, At: c.At}.Of(parts)
	hidden := func(id graph.ID) bool { return exist[id] && !seen[id] }
	for _, ids := range []*[]graph.ID{&c.Concepts, &c.Connections, &c.Types} {
		*ids = slices.DeleteFunc(slices.Clone(*ids), hidden)
	}
	c.Parts = nil
	return c
}

// ask compares what a view says with what is seen.
func (d *dice) ask(who string, v graph.Store, seen content, caller auth.Caller) {
	same := func(what string, got, want any) {
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			d.Errorf("%s, %s (-want +got):\n%s", who, what, diff)
		}
	}
	ids := rapid.SliceOfN(rapid.SampledFrom(append(slices.Clone(d.concepts), graph.The)), 0, 12).Draw(d.T, "ids")
	same("concepts", must[[]graph.Concept](d)(v.Concepts(d.ctx, ids)), seen.named(ids))
	key := graph.ValueKey{Value: pick(d, someWords), Types: rapid.Bool().Draw(d.T, "types")}
	same("by value", must[[]graph.Concept](d)(v.ConceptsByValue(d.ctx, []graph.ValueKey{key})), seen.matching(key))

	page := graph.Page{
		Descending: rapid.Bool().Draw(d.T, "down"), Skip: rapid.IntRange(0, 3).Draw(d.T, "skip"), Limit: rapid.IntRange(0, 4).Draw(d.T, "limit"),
	}
	if rapid.Bool().Draw(d.T, "from") && len(d.concepts) > 0 {
		page.After = pick(d, d.concepts)
	}
	for _, name := range someTypes {
		typ := seen.typeNamed(name)
		instances := seen.instances(typ)
		same("instances", must[[]graph.Concept](d)(v.ConceptsByType(d.ctx, typ, page)), cut(instances, page, conceptID))
		same("their number", must[int](d)(v.CountByType(d.ctx, typ, 0)), len(instances))
		same("their number, at most 2", must[int](d)(v.CountByType(d.ctx, typ, 2)), min(2, len(instances)))
	}
	if len(d.connections) > 0 {
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(d.connections), 0, 5, rapid.ID).Draw(d.T, "connections")
		same("connections", must[[]graph.Connection](d)(v.Connections(d.ctx, some)), seen.connectionsNamed(some))
	}
	links := graph.Links{Of: ids, Direction: pick(d, []graph.Direction{graph.Out, graph.In})}
	if rapid.Bool().Draw(d.T, "typed") {
		links.Types = []graph.ID{seen.typeNamed("the_a"), seen.typeNamed("the_b")}
	}
	counts := seen.counts(links)
	same("how many links", must[[]graph.LinkCount](d)(v.CountLinks(d.ctx, links)), counts)
	links.Page = page
	same("links", must[[]graph.Connection](d)(v.Links(d.ctx, links)), seen.links(links))
	d.ghostsOf(same, v, seen, caller)
	d.sets(same, v, seen, caller)
	changes := must[[]graph.Change](d)(v.Changes(d.ctx, 0, 0))
	if caller.Scope != nil && caller.Scope.Types != nil {
		return // hears less: TestAKeyForSomeTypesHearsOfThem
	}
	same("changes", changes, seen.changes)
}

func (d *dice) ghostsOf(same func(what string, got, want any), v graph.Store, seen content, caller auth.Caller) {
	want := map[graph.ID]graph.ID{}
	for ghost := d.ghosts; ghost < 0; ghost++ {
		real := must[map[graph.ID]graph.ID](d)(d.store.Ghosts(d.ctx, graph.Sender{User: caller.User}, []graph.ID{ghost}))
		for ghost, id := range real {
			if caller.Scope == nil || caller.Scope.Types == nil || len(seen.named([]graph.ID{id})) == 1 {
				want[ghost] = id
			}
		}
	}
	var all []graph.ID
	for ghost := d.ghosts; ghost < 0; ghost++ {
		all = append(all, ghost)
	}
	same("ghosts", must[map[graph.ID]graph.ID](d)(v.Ghosts(d.ctx, graph.Sender{User: graph.System}, all)), want)
}

// sets compares what a view selects, and how large it says that types are.
func (d *dice) sets(same func(what string, got, want any), v graph.Store, seen content, caller auth.Caller) {
	s := graph.Selection{
		Set: storetest.DrawSet(d.T, seen.whole(), d.concepts), Page: storetest.DrawPage(d.T, d.concepts),
		Viewer: pick(d, []graph.ID{0, ann, bob, graph.System}), // is not asked
	}
	if caller.Admin {
		s.Viewer = 0
	}
	_, refused := d.store.(graph.Selector).Select(d.ctx, graph.Selection{Set: s.Set})
	got, err := v.(graph.Selector).Select(d.ctx, s)
	if caller.Scope != nil && caller.Scope.Types != nil || errors.Is(refused, errors.ErrUnsupported) {
		same("a set that is not selected", errors.Is(err, errors.ErrUnsupported), true)
	} else {
		same("a set", must[[]graph.ID](d)(got, err), seen.whole().Select(s))
	}
	var types []graph.ID
	for _, name := range someTypes {
		types = append(types, seen.typeNamed(name))
	}
	sizes, refused := d.store.(graph.Sizer).Sizes(d.ctx, types)
	told, err := v.(graph.Sizer).Sizes(d.ctx, types)
	same("sizes", told, sizes)
	same("sizes that are not told", errors.Is(err, errors.ErrUnsupported), errors.Is(refused, errors.ErrUnsupported))
}

func (all content) whole() storetest.Whole {
	w := storetest.Whole{Concepts: map[graph.ID]graph.Concept{}, Connections: all.connections}
	for _, c := range all.concepts {
		w.Concepts[c.ID] = c
	}
	return w
}

func conceptID(c graph.Concept) graph.ID { return c.ID }

func connectionID(c graph.Connection) graph.ID { return c.ID }

func (all content) named(ids []graph.ID) (found []graph.Concept) {
	for i, id := range ids {
		for _, c := range all.concepts {
			if c.ID == id && !slices.Contains(ids[:i], id) {
				found = append(found, c)
			}
		}
	}
	return found
}

func (all content) connectionsNamed(ids []graph.ID) (found []graph.Connection) {
	for _, id := range ids {
		for _, c := range all.connections {
			if c.ID == id {
				found = append(found, c)
			}
		}
	}
	return found
}

func (all content) matching(key graph.ValueKey) (found []graph.Concept) {
	for _, c := range all.concepts {
		if key.Matches(c) {
			found = append(found, c)
		}
	}
	return found
}

func (all content) typeNamed(name string) graph.ID {
	for _, c := range all.concepts {
		if c.IsType() && c.Value == name {
			return c.ID
		}
	}
	return graph.MaxID
}

func (all content) instances(typ graph.ID) (found []graph.Concept) {
	for _, c := range all.concepts {
		if c.Type == typ && c.Category == graph.CategoryInstance {
			found = append(found, c)
		}
	}
	return found
}

func (all content) links(links graph.Links) (found []graph.Connection) {
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
		found = append(found, cut(at, links.Page, connectionID)...)
	}
	return found
}

func (all content) counts(links graph.Links) (counts []graph.LinkCount) {
	for i, of := range links.Of {
		if slices.Contains(links.Of[:i], of) {
			continue
		}
		one := links
		one.Of = []graph.ID{of}
		n := map[graph.ID]int{}
		for _, c := range all.links(one) {
			n[c.Type]++
		}
		here := len(counts)
		for typ, n := range n {
			counts = append(counts, graph.LinkCount{Of: of, Type: typ, N: n})
		}
		slices.SortFunc(counts[here:], func(a, b graph.LinkCount) int { return cmp.Compare(a.Type, b.Type) })
	}
	return counts
}

// cut takes a page from what ascends.
func cut[T any](all []T, page graph.Page, id func(T) graph.ID) (found []T) {
	all = slices.Clone(all)
	if page.Descending {
		slices.Reverse(all)
	}
	for _, one := range all {
		beyond := page.After == 0 || !page.Descending && id(one) > page.After || page.Descending && id(one) < page.After
		if beyond {
			found = append(found, one)
		}
	}
	found = found[min(page.Skip, len(found)):]
	if page.Limit > 0 {
		found = found[:min(page.Limit, len(found))]
	}
	return found
}
