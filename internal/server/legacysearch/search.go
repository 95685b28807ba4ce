// Package legacysearch runs the searches of the wire contract as queries. It finds compositions by the text they
// contain and follows linkers, which are named connections between compositions, from there.
//
//	FindCompositions   type, text        → one page of compositions; one query, or several if the text must be in a nested record
//	Follow             start, steps      → everything found by all steps; one query for each step
//	FollowRepeatedly   start, one step   → the step repeated until it finds nothing new, at most MaxSteps times
//
// The contract has two kinds of linker: connection types, and legacy linkers. The type of a legacy linker's
// connections is a value concept with the name of the linker.
package legacysearch

import (
	"context"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// A Graph is the graph to search.
type Graph struct {
	graph.Reader
	// Find runs a query on the reader, as query.Run does.
	Find func(context.Context, query.Query) (query.Answer, error)
}

// A Step leads from the concepts of the previous step to the concepts linked with them.
type Step struct {
	Names    []string // of connection types and legacy linkers
	Suffixes []string // ends of names of linkers, after an underscore; a final "_s" or "_by" of the name is ignored
	Reverse  bool
	Page     int
	PageSize int
	Text     string // text that a composition must contain, as in TextSearch.Text; "" finds all compositions
}

// followsAll reports whether a step names no linkers and therefore follows all.
func (s Step) followsAll() bool { return len(s.Names)+len(s.Suffixes) == 0 }

// A Linker is the name of a connection type or of a legacy linker.
type Linker struct {
	Name   string
	Legacy bool
}

// Query returns the step as a query: one hop for each linker, with the contents of the concepts to which the linker
// leads. The page counts only concepts that contain the text.
func (s Step) Query(from []graph.ID, linkers []Linker) query.Query {
	q := query.Query{ConceptIDs: from, PageSize: max(len(from), 1)}
	for _, linker := range linkers {
		hop := query.Query{
			Connection: linker.Name, Legacy: linker.Legacy, Reverse: s.Reverse,
			Limit: true, Page: s.Page, PageSize: s.PageSize, Selectors: []string{query.Self},
		}
		if s.Text != "" {
			hop.Name, hop.Hops = targetNode, contentHops()
		}
		q.Hops = append(q.Hops, hop)
	}
	if s.Text != "" {
		q.Filters = []query.Filter{containsFilter(targetNode, "", s.Text), containsFilter(contentNode, "", s.Text)}
		q.Logic = textFilter
	}
	return q
}

// Linkers returns the linkers of a step: each of its names as both kinds of linker, and the given types that its
// suffixes select, or all given types if the step follows all linkers.
func (s Step) Linkers(types []graph.Concept) []Linker {
	var linkers []Linker
	for _, name := range s.Names {
		linkers = append(linkers, Linker{name, false}, Linker{name, true})
	}
	for _, c := range types {
		linker := Linker{c.Value, c.Type == graph.TypeConnection}
		if isLinker(c) && s.selects(c.Value) && !slices.Contains(linkers, linker) {
			linkers = append(linkers, linker)
		}
	}
	return linkers
}

// selects reports whether the suffixes match the name of a linker.
func (s Step) selects(linker string) bool {
	for _, suffix := range s.Suffixes {
		for _, end := range []string{"", "_s", "_by"} {
			if strings.HasSuffix(linker, "_"+suffix+end) {
				return true
			}
		}
	}
	return s.followsAll()
}

// A Result lists what a search found.
type Result struct {
	Compositions []graph.ID // in the order they were found
	Internal     []graph.ID // connections inside the compositions
	Links        []graph.ID // connections between the compositions
	Reverse      []graph.ID // the links that were followed backwards
}

// The limits of one search.
const (
	MaxSteps   = 32
	MaxLinkers = 200 // per step of the search
)

// Follow follows the steps with one query each, in sequence, because the linkers of a step can depend on its start.
//
// Errors: those of Graph.Find, and TooLarge for more than MaxSteps steps or MaxLinkers linkers.
func Follow(ctx context.Context, g Graph, from []graph.ID, steps []Step) (Result, error) {
	if len(steps) > MaxSteps {
		return Result{}, graph.Errorf(graph.TooLarge, "a search has %d steps; the limit is %d", len(steps), MaxSteps)
	}
	t := traversal{Graph: g, seen: map[graph.ID]bool{}, links: map[graph.ID]bool{}}
	if err := t.start(ctx, from); err != nil {
		return Result{}, err
	}
	for _, step := range steps {
		if len(t.frontier) == 0 {
			break
		}
		if err := t.step(ctx, step); err != nil {
			return Result{}, err
		}
	}
	return t.found, nil
}

// FollowRepeatedly repeats a step until it finds nothing new, at most MaxSteps times. The text of the step selects
// among all compositions found.
func FollowRepeatedly(ctx context.Context, g Graph, from []graph.ID, step Step) (Result, error) {
	text := step.Text
	step.Text = ""
	found, err := Follow(ctx, g, from, slices.Repeat([]Step{step}, MaxSteps))
	if err != nil || text == "" {
		return found, err
	}
	compositions := found.Compositions
	found.Compositions, found.Internal = nil, nil
	for chunk := range slices.Chunk(compositions, query.MaxConceptIDs) {
		all := query.Query{ConceptIDs: chunk, PageSize: len(chunk), Selectors: []string{query.Self}}
		a, err := g.Find(ctx, withText(all, "", text))
		if err != nil {
			return Result{}, err
		}
		found.Compositions = append(found.Compositions, a.Roots...)
		found.Internal = append(found.Internal, a.Links...)
	}
	return found, nil
}

// A traversal is a search in progress.
type traversal struct {
	Graph
	frontier []graph.ID // the concepts that the last step found and no earlier step found
	seen     map[graph.ID]bool
	links    map[graph.ID]bool
	found    Result
}

func (t *traversal) start(ctx context.Context, from []graph.ID) error {
	if len(from) == 0 {
		return nil
	}
	a, err := t.Find(ctx, query.Query{ConceptIDs: from, PageSize: len(from), Selectors: []string{query.Self}})
	if err != nil {
		return err
	}
	t.addConcepts(a.Roots)
	t.addInternal(a.Connections)
	return nil
}

func (t *traversal) step(ctx context.Context, step Step) error {
	types, err := t.linkTypes(ctx, step)
	if err != nil {
		return err
	}
	linkers := step.Linkers(types)
	if len(linkers) > MaxLinkers {
		return graph.Errorf(graph.TooLarge, "a step follows %d linkers; the limit is %d", len(linkers), MaxLinkers)
	}
	from := t.frontier
	a, err := t.Find(ctx, step.Query(from, linkers))
	if err != nil {
		return err
	}
	links, targets, err := t.linksFrom(ctx, a.Connections, from, step.Reverse)
	if err != nil {
		return err
	}
	for _, c := range links {
		if !t.links[c.ID] {
			t.links[c.ID] = true
			t.found.Links = append(t.found.Links, c.ID)
			if step.Reverse {
				t.found.Reverse = append(t.found.Reverse, c.ID)
			}
		}
	}
	t.addConcepts(targets)
	t.addInternal(a.Connections)
	return nil
}

// linkTypes returns the types of the connections at the frontier, for a step that does not name its linkers completely.
func (t *traversal) linkTypes(ctx context.Context, step Step) ([]graph.Concept, error) {
	if len(step.Suffixes) == 0 && !step.followsAll() {
		return nil, nil
	}
	links := graph.Links{Of: t.frontier}
	if step.Reverse {
		links.Direction = graph.In
	}
	counts, err := t.CountLinks(ctx, links)
	if err != nil {
		return nil, err
	}
	types := map[graph.ID]bool{}
	for _, c := range counts {
		types[c.Type] = true
	}
	return t.Concepts(ctx, sortedIDs(types))
}

// addConcepts sets the frontier to the given concepts that were not found before.
func (t *traversal) addConcepts(ids []graph.ID) {
	t.frontier = nil
	for _, id := range ids {
		if !t.seen[id] {
			t.seen[id] = true
			t.frontier = append(t.frontier, id)
		}
	}
	t.found.Compositions = append(t.found.Compositions, t.frontier...)
}

// addInternal adds the connections whose type is one of the concepts found: they are inside that composition.
func (t *traversal) addInternal(connections []graph.Connection) {
	for _, c := range connections {
		if t.seen[c.Type] && !t.links[c.ID] {
			t.links[c.ID] = true
			t.found.Internal = append(t.found.Internal, c.ID)
		}
	}
}

// linksFrom returns the links among connections that leave the start of a step, newest first, and their targets. An
// internal connection is not a link: its type is a composition.
func (t *traversal) linksFrom(
	ctx context.Context, connections []graph.Connection, from []graph.ID, reverse bool,
) (links []graph.Connection, targets []graph.ID, err error) {
	types := map[graph.ID]bool{}
	for _, c := range connections {
		types[c.Type] = false
	}
	found, err := t.Concepts(ctx, sortedIDs(types))
	for _, c := range found {
		types[c.ID] = isLinker(c)
	}
	start := setOf(from)
	for _, c := range slices.Backward(connections) {
		if source, target := ends(c, reverse); start[source] && types[c.Type] {
			links, targets = append(links, c), append(targets, target)
		}
	}
	return links, targets, err
}

// isLinker reports whether a concept is the type of links.
func isLinker(c graph.Concept) bool { return c.IsType() || c.Type == graph.TypeConnection }

// ends returns the ends of a connection in the direction of a step.
func ends(c graph.Connection, reverse bool) (source, target graph.ID) {
	if reverse {
		return c.To, c.From
	}
	return c.From, c.To
}

func setOf(ids []graph.ID) map[graph.ID]bool {
	set := make(map[graph.ID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

func sortedIDs(set map[graph.ID]bool) []graph.ID {
	ids := make([]graph.ID, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
