// Package search answers the searches of the wire contract with queries: it finds compositions by the text
// they hold, and follows linkers from there.
package search

import (
	"context"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// A Graph is what is searched.
type Graph struct {
	graph.Reader
	// Find answers a query about the reader, as query.Run does.
	Find func(context.Context, query.Query) (query.Answer, error)
}

// A Step leads from the concepts found so far to those they are linked with.
type Step struct {
	Names    []string // of connection types and legacy linkers
	Suffixes []string // what such a name may end in, behind an underscore; a last "_s" or "_by" is not needed
	Reverse  bool
	Page     int
	PageSize int
	Text     string // what a composition must hold to be found, as Text has it; "" finds all
}

// all says whether a step names no linkers, and so means all there are.
func (s Step) all() bool { return len(s.Names)+len(s.Suffixes) == 0 }

// A Linker is a connection type, or a legacy linker, by its name.
type Linker struct {
	Name   string
	Legacy bool
}

// Query is the step as a query: one hop for each linker, each with what is inside the concepts it leads to. A page
// is one of those that hold the text.
func (s Step) Query(from []graph.ID, linkers []Linker) query.Query {
	q := query.Query{ConceptIDs: from, PageSize: max(len(from), 1)}
	for _, linker := range linkers {
		hop := query.Query{
			Connection: linker.Name, Legacy: linker.Legacy, Reverse: s.Reverse,
			Limit: true, Page: s.Page, PageSize: s.PageSize, Selectors: []string{query.Self},
		}
		if s.Text != "" {
			hop.Name, hop.Hops = "far", insides()
		}
		q.Hops = append(q.Hops, hop)
	}
	if s.Text != "" {
		q.Filters = []query.Filter{holds("far", "", s.Text), holds(inside, "", s.Text)}
		q.Logic = text
	}
	return q
}

// Linkers are those of a step. Known are the types of connections that there are; only a step that does not
// name its linkers whole needs to know them.
func (s Step) Linkers(known []graph.Concept) []Linker {
	var linkers []Linker
	for _, name := range s.Names {
		linkers = append(linkers, Linker{name, false}, Linker{name, true})
	}
	for _, c := range known {
		linker := Linker{c.Value, c.Type == graph.TypeConnection}
		if isLinker(c) && s.names(c.Value) && !slices.Contains(linkers, linker) {
			linkers = append(linkers, linker)
		}
	}
	return linkers
}

func (s Step) names(linker string) bool {
	for _, suffix := range s.Suffixes {
		for _, end := range []string{"", "_s", "_by"} {
			if strings.HasSuffix(linker, "_"+suffix+end) {
				return true
			}
		}
	}
	return s.all()
}

// Found is what a search came upon.
type Found struct {
	Compositions []graph.ID // in the order they were found
	Inside       []graph.ID // connections inside them
	Links        []graph.ID
	Reverse      []graph.ID // those of Links that were walked backwards
}

// Limits on one search.
const (
	MaxSteps   = 32
	MaxLinkers = 200 // of a step
)

// Follow walks the steps, one query after the other: what a step may follow can depend on where it starts.
//
// Errors: what query.Run says, and TooLarge for more than MaxSteps.
func Follow(ctx context.Context, g Graph, from []graph.ID, steps []Step) (Found, error) {
	if len(steps) > MaxSteps {
		return Found{}, graph.Errorf(graph.TooLarge, "a search of %d steps; the most is %d", len(steps), MaxSteps)
	}
	w := walk{Graph: g, seen: map[graph.ID]bool{}, links: map[graph.ID]bool{}}
	if err := w.start(ctx, from); err != nil {
		return Found{}, err
	}
	for _, step := range steps {
		if len(w.at) == 0 {
			break
		}
		if err := w.step(ctx, step); err != nil {
			return Found{}, err
		}
	}
	return w.found, nil
}

// Around walks one step again and again, as far as there is anything new and for at most MaxSteps. Of the
// compositions it keeps those that hold the text of the step.
func Around(ctx context.Context, g Graph, from []graph.ID, step Step) (Found, error) {
	text := step.Text
	step.Text = ""
	found, err := Follow(ctx, g, from, slices.Repeat([]Step{step}, MaxSteps))
	if err != nil || text == "" {
		return found, err
	}
	compositions := found.Compositions
	found.Compositions, found.Inside = nil, nil
	for some := range slices.Chunk(compositions, query.MaxConceptIDs) {
		a, err := g.Find(ctx, holding(query.Query{ConceptIDs: some, PageSize: len(some), Selectors: []string{query.Self}}, "", text))
		if err != nil {
			return Found{}, err
		}
		found.Compositions = append(found.Compositions, a.Roots...)
		found.Inside = append(found.Inside, a.Links...)
	}
	return found, nil
}

// A walk is a search under way.
type walk struct {
	Graph
	at    []graph.ID // the concepts that the last step came upon for the first time
	seen  map[graph.ID]bool
	links map[graph.ID]bool
	found Found
}

func (w *walk) start(ctx context.Context, from []graph.ID) error {
	if len(from) == 0 {
		return nil
	}
	a, err := w.Find(ctx, query.Query{ConceptIDs: from, PageSize: len(from), Selectors: []string{query.Self}})
	if err != nil {
		return err
	}
	w.arrive(a.Roots)
	w.keepInside(a.Connections)
	return nil
}

func (w *walk) step(ctx context.Context, step Step) error {
	known, err := w.known(ctx, step)
	if err != nil {
		return err
	}
	linkers := step.Linkers(known)
	if len(linkers) > MaxLinkers {
		return graph.Errorf(graph.TooLarge, "a step along %d linkers; the most is %d", len(linkers), MaxLinkers)
	}
	from := w.at
	a, err := w.Find(ctx, step.Query(from, linkers))
	if err != nil {
		return err
	}
	linked, far, err := w.linksAt(ctx, a.Connections, from, step.Reverse)
	if err != nil {
		return err
	}
	for _, c := range linked {
		if !w.links[c.ID] {
			w.links[c.ID] = true
			w.found.Links = append(w.found.Links, c.ID)
			if step.Reverse {
				w.found.Reverse = append(w.found.Reverse, c.ID)
			}
		}
	}
	w.arrive(far)
	w.keepInside(a.Connections)
	return nil
}

// known are the types of the connections at hand, for a step that does not name its own.
func (w *walk) known(ctx context.Context, step Step) ([]graph.Concept, error) {
	if len(step.Suffixes) == 0 && !step.all() {
		return nil, nil
	}
	links := graph.Links{Of: w.at}
	if step.Reverse {
		links.Direction = graph.In
	}
	counts, err := w.CountLinks(ctx, links)
	if err != nil {
		return nil, err
	}
	types := map[graph.ID]bool{}
	for _, c := range counts {
		types[c.Type] = true
	}
	return w.Concepts(ctx, sorted(types))
}

// arrive notes the concepts that are new.
func (w *walk) arrive(ids []graph.ID) {
	w.at = nil
	for _, id := range ids {
		if !w.seen[id] {
			w.seen[id] = true
			w.at = append(w.at, id)
		}
	}
	w.found.Compositions = append(w.found.Compositions, w.at...)
}

// keepInside keeps what is inside the concepts found: the type of such a connection is one of them.
func (w *walk) keepInside(connections []graph.Connection) {
	for _, c := range connections {
		if w.seen[c.Type] && !w.links[c.ID] {
			w.links[c.ID] = true
			w.found.Inside = append(w.found.Inside, c.ID)
		}
	}
}

// linksAt are the linkers among connections that start where a step does, newest first, and the concepts
// they lead to. What is inside a composition has that for its type, and is no linker.
func (w *walk) linksAt(
	ctx context.Context, connections []graph.Connection, from []graph.ID, reverse bool,
) (links []graph.Connection, far []graph.ID, err error) {
	types := map[graph.ID]bool{}
	for _, c := range connections {
		types[c.Type] = false
	}
	found, err := w.Concepts(ctx, sorted(types))
	for _, c := range found {
		types[c.ID] = isLinker(c)
	}
	start := setOf(from)
	for _, c := range slices.Backward(connections) {
		if near, end := ends(c, reverse); start[near] && types[c.Type] {
			links, far = append(links, c), append(far, end)
		}
	}
	return links, far, err
}

func isLinker(c graph.Concept) bool { return c.IsType() || c.Type == graph.TypeConnection }

func ends(c graph.Connection, reverse bool) (near, far graph.ID) {
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

func sorted(set map[graph.ID]bool) []graph.ID {
	ids := make([]graph.ID, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
