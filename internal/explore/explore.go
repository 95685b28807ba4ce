// Package explore reads a graph for drawing it: a concept with the numbers of its links by type, pages of its neighbours
// with their labels, the links among some concepts, and a short path between two concepts.
//
//	Open       a concept, its link groups, and the nearest neighbours     two counts, then one read per small group
//	Neighbors  a page of one link group, or the matches of a search       a page, and its types; a search reads in pages
//	Among      some concepts and the links between them                   one bounded read of links per 100 concepts, and a few more reads
//	Path       a shortest path                                            per step, two bounded reads of links per 500 concepts
//
// Every function reads through the given graph.Reader, so the results do not contain records that the reader
// hides.
//
// A link group consists of the links of one type and direction at a concept. The type of links inside compositions is
// the main concept; they form one group per direction, whose type is "".
package explore

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// The limits of one call.
const (
	// MaxPage is the maximum number of neighbours of a page.
	MaxPage = 200
	// MaxNodes is the maximum number of concepts of Among.
	MaxNodes = 10_000
	// maxSearched is the maximum number of neighbours that a search reads.
	maxSearched = 5_000
	// searchPage is the number of neighbours in one read of a search.
	searchPage = 500
	// maxTypesRead is the number of types of links that are read to group the links of a concept.
	maxTypesRead = 5_000
	// maxLinksAmong is the maximum number of links that Among reads of the links that start at one concept.
	maxLinksAmong = 2_000
)

// A Kind is the role of a concept in a drawing.
type Kind string

// The kinds of nodes.
const (
	Record Kind = "record" // the main concept of a composition
	Value  Kind = "value"
	Type   Kind = "type"
)

// A Node is a concept of a drawing.
type Node struct {
	ID        graph.ID     `json:"id"`
	Type      string       `json:"type"` // name of the type: "the_order"
	Kind      Kind         `json:"kind"`
	Label     string       `json:"label"` // a short text; "" if the record has no label
	Owner     graph.ID     `json:"owner"`
	Access    graph.Access `json:"access"`
	LabelID   graph.ID     `json:"labelId,omitempty"`   // the value that is the label of a record; none for a label such as "Pen × 3"
	LabelType string       `json:"labelType,omitempty"` // name of the type of that value: "the_name"
	LabelVia  string       `json:"labelVia,omitempty"`  // name of the link to that value; "" if it is inside the record
}

// An Edge is a connection between two nodes. Type is "" for a connection inside a composition.
type Edge struct {
	ID   graph.ID `json:"id"`
	From graph.ID `json:"from"`
	To   graph.ID `json:"to"`
	Type string   `json:"type"`
}

// A Group describes the links of one type and direction at a concept.
type Group struct {
	Type    string `json:"type"`    // "the_order_customer"; "" for links inside compositions
	Reverse bool   `json:"reverse"` // the links end at the concept
	Count   int    `json:"count"`
}

// A Drawing consists of nodes and the edges between them.
type Drawing struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// An Opened is a concept with its link groups and its nearest neighbours.
type Opened struct {
	Node   Node    `json:"node"`
	Groups []Group `json:"groups"`
	Drawing
}

// Open returns a concept, its link groups in order of their names, and its nearest neighbours: up to perGroup of the newest
// links of each group, smallest group first, and at most nearest of them in total. The result contains neighbours of groups
// of links inside compositions only if no other groups exist. The error is NotFound if the reader does not return the
// concept.
func Open(ctx context.Context, r graph.Reader, id graph.ID, nearest, perGroup int) (Opened, error) {
	nodes, err := Nodes(ctx, r, []graph.ID{id})
	if err != nil {
		return Opened{}, err
	}
	if len(nodes) == 0 {
		return Opened{}, errHidden()
	}
	groups, err := linkGroups(ctx, r, id)
	if err != nil {
		return Opened{}, err
	}
	opened := Opened{Node: nodes[0], Groups: []Group{}, Drawing: Drawing{Nodes: []Node{}, Edges: []Edge{}}}
	for _, g := range groups {
		opened.Groups = append(opened.Groups, g.Group)
	}
	links, err := nearestLinks(ctx, r, id, groups, nearest, perGroup)
	if err != nil || len(links) == 0 {
		return opened, err
	}
	opened.Drawing, err = draw(ctx, r, links, id)
	return opened, err
}

// errHidden does not name the id, so that it is the same for missing and hidden concepts.
func errHidden() error {
	return graph.Errorf(graph.NotFound, "the concept does not exist, or the caller may not read it")
}

// A typedGroup is a group with the ids of the types of its connections. If types is empty, it is the group of the links inside
// compositions, which have as many types as there are compositions.
type typedGroup struct {
	Group
	types []graph.ID
}

// linkGroups counts the links of a concept by type and direction.
func linkGroups(ctx context.Context, r graph.Reader, id graph.ID) ([]typedGroup, error) {
	var groups []typedGroup
	for _, reverse := range []bool{false, true} {
		found, err := groupsInDirection(ctx, r, id, reverse)
		if err != nil {
			return nil, err
		}
		groups = append(groups, found...)
	}
	slices.SortStableFunc(groups, func(a, b typedGroup) int { return cmp.Compare(a.Type, b.Type) })
	return groups, nil
}

// groupsInDirection counts the links of a concept in one direction by type. A value has a type of links for each record that contains it,
// so only maxTypesRead types are read: the types with the most links and, among equal numbers, the oldest. Links of other types are
// counted together with the links inside compositions.
func groupsInDirection(ctx context.Context, r graph.Reader, id graph.ID, reverse bool) ([]typedGroup, error) {
	counts, err := r.CountLinks(ctx, graph.Links{Of: []graph.ID{id}, Direction: direction(reverse)})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(counts, func(a, b graph.LinkCount) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Type, b.Type)) })
	ids := make([]graph.ID, min(len(counts), maxTypesRead))
	for i := range ids {
		ids[i] = counts[i].Type
	}
	names, err := linkNames(ctx, r, ids)
	return groupCounts(counts, names, reverse), err
}

func direction(reverse bool) graph.Direction {
	if reverse {
		return graph.In
	}
	return graph.Out
}

// groupCounts sums up counts by the name of their type. Links inside compositions have the name "".
func groupCounts(counts []graph.LinkCount, names map[graph.ID]string, reverse bool) []typedGroup {
	var groups []typedGroup
	at := map[string]int{}
	for _, c := range counts {
		name := names[c.Type]
		i, found := at[name]
		if !found {
			i = len(groups)
			at[name] = i
			groups = append(groups, typedGroup{Group: Group{Type: name, Reverse: reverse}})
		}
		groups[i].Count += c.N
		groups[i].types = append(groups[i].types, c.Type)
	}
	return groups
}

// linkNames returns the names of connection types. The main concept of a composition has none.
func linkNames(ctx context.Context, r graph.Reader, ids []graph.ID) (map[graph.ID]string, error) {
	names := map[graph.ID]string{}
	found, err := r.Concepts(ctx, ids)
	for _, c := range found {
		if !c.Composition {
			names[c.ID] = c.Value
		}
	}
	return names, err
}

// nearestLinks returns up to perGroup of the newest links of each group, smallest group first, at most nearest in total.
func nearestLinks(ctx context.Context, r graph.Reader, id graph.ID, groups []typedGroup, nearest, perGroup int) ([]graph.Connection, error) {
	chosen := slices.DeleteFunc(slices.Clone(groups), func(g typedGroup) bool { return g.Type == "" })
	if len(chosen) == 0 {
		chosen = slices.Clone(groups)
	}
	slices.SortStableFunc(chosen, func(a, b typedGroup) int { return cmp.Compare(a.Count, b.Count) })
	var links []graph.Connection
	for _, g := range chosen {
		limit := min(perGroup, nearest-len(links))
		if limit <= 0 {
			break
		}
		found, err := g.page(ctx, r, id, graph.Page{Descending: true, Limit: limit})
		if err != nil {
			return nil, err
		}
		links = append(links, found...)
	}
	return links, nil
}

// maxGroupTypes is the number of types above which the links of a group are found by reading all links.
const maxGroupTypes = 100

// page returns a page of the links of the group.
func (g typedGroup) page(ctx context.Context, r graph.Reader, id graph.ID, page graph.Page) ([]graph.Connection, error) {
	links := graph.Links{Of: []graph.ID{id}, Types: g.types, Direction: direction(g.Reverse), Page: page}
	if len(g.types) > 0 && len(g.types) <= maxGroupTypes {
		return r.Links(ctx, links)
	}
	links.Types = nil
	var found []graph.Connection
	for {
		all, err := r.Links(ctx, links)
		if err != nil || len(all) == 0 {
			return found, err
		}
		links.Page.After = all[len(all)-1].ID
		members, err := g.members(ctx, r, all)
		if err != nil {
			return nil, err
		}
		if found = append(found, members...); len(found) >= page.Limit {
			return found[:page.Limit], nil
		}
		links.Page.Limit = min(4*links.Page.Limit, maxSearched)
	}
}

// members returns the connections in all that belong to the group. It overwrites the list all.
func (g typedGroup) members(ctx context.Context, r graph.Reader, all []graph.Connection) ([]graph.Connection, error) {
	if len(g.types) > 0 {
		types := map[graph.ID]bool{}
		for _, t := range g.types {
			types[t] = true
		}
		return slices.DeleteFunc(all, func(c graph.Connection) bool { return !types[c.Type] }), nil
	}
	names, err := linkNames(ctx, r, typesOf(all))
	return slices.DeleteFunc(all, func(c graph.Connection) bool { return names[c.Type] != "" }), err
}

// typesOf returns the types of connections, each once.
func typesOf(links []graph.Connection) []graph.ID {
	var types []graph.ID
	for _, c := range links {
		types = append(types, c.Type)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// A Page is a page of neighbours.
type Page struct {
	Drawing
	Next     graph.ID `json:"next,omitempty"` // After for the next page; missing at the end
	Searched int      `json:"searched"`       // number of neighbours that were read
}

// A Request requests neighbours of one link group, newest first.
type Request struct {
	ID      graph.ID
	Type    string // type of the group; "" for links inside compositions
	Reverse bool
	After   graph.ID // Next of the previous page
	Limit   int      // 1 to MaxPage
	Search  string   // only neighbours whose label contains this text, in either case
}

// Neighbors returns a page of neighbours. A search reads at most maxSearched neighbours, and then returns the
// matches found so far, with a Next. The error is Invalid for a limit out of range.
func Neighbors(ctx context.Context, r graph.Reader, q Request) (Page, error) {
	page := Page{Drawing: Drawing{Nodes: []Node{}, Edges: []Edge{}}}
	if q.Limit < 1 || q.Limit > MaxPage {
		return page, graph.Errorf(graph.Invalid, "a page has 1 to %d neighbours, not %d", MaxPage, q.Limit)
	}
	group := typedGroup{Group: Group{Type: q.Type, Reverse: q.Reverse}}
	if q.Type != "" {
		types, err := typesNamed(ctx, r, q.Type)
		if err != nil || len(types) == 0 {
			return page, err
		}
		group.types = types
	}
	if q.Search == "" {
		return group.neighbors(ctx, r, q, q.Limit)
	}
	return group.search(ctx, r, q)
}

// typesNamed returns the concepts that are the types of links with the given name: a type, and legacy linkers.
func typesNamed(ctx context.Context, r graph.Reader, name string) (ids []graph.ID, err error) {
	found, err := r.ConceptsByValue(ctx, []graph.ValueKey{{Value: name}})
	for _, c := range found {
		if !c.Composition {
			ids = append(ids, c.ID)
		}
	}
	return ids, err
}

// neighbors returns the page after q.After with up to limit neighbours.
func (g typedGroup) neighbors(ctx context.Context, r graph.Reader, q Request, limit int) (Page, error) {
	links, err := g.page(ctx, r, q.ID, graph.Page{Descending: true, After: q.After, Limit: limit + 1})
	if err != nil {
		return Page{}, err
	}
	page := Page{Drawing: Drawing{Nodes: []Node{}, Edges: []Edge{}}}
	if len(links) > limit {
		links = links[:limit]
		page.Next = links[limit-1].ID
	}
	page.Searched = len(links)
	if len(links) > 0 {
		page.Drawing, err = draw(ctx, r, links, q.ID)
	}
	return page, err
}

// search returns neighbours whose label contains the searched text.
func (g typedGroup) search(ctx context.Context, r graph.Reader, q Request) (Page, error) {
	found := Page{Drawing: Drawing{Nodes: []Node{}, Edges: []Edge{}}}
	for found.Searched < maxSearched && len(found.Nodes) < q.Limit {
		page, err := g.neighbors(ctx, r, q, searchPage)
		if err != nil {
			return found, err
		}
		found.Searched += page.Searched
		found.Next = page.Next
		found.addMatches(page.Drawing, q)
		if page.Next == 0 {
			break
		}
		q.After = page.Next
	}
	return found, nil
}

// addMatches adds the neighbours whose label contains the text of a search, with their edges.
func (p *Page) addMatches(d Drawing, q Request) {
	matches := map[graph.ID]bool{}
	for _, n := range d.Nodes {
		if containsFold(n.Label, q.Search) {
			matches[n.ID] = true
			p.Nodes = append(p.Nodes, n)
		}
	}
	for _, e := range d.Edges {
		if matches[e.From] || matches[e.To] {
			p.Edges = append(p.Edges, e)
		}
	}
}

// draw returns the nodes at the other ends of connections at a concept, and the connections as edges.
func draw(ctx context.Context, r graph.Reader, links []graph.Connection, center graph.ID) (Drawing, error) {
	var ids []graph.ID
	for _, c := range links {
		ids = append(ids, otherEnd(c, center))
	}
	nodes, err := Nodes(ctx, r, ids)
	if err != nil {
		return Drawing{}, err
	}
	edges, err := edgesOf(ctx, r, links)
	return Drawing{Nodes: nodes, Edges: edges}, err
}

// edgesOf converts connections to edges, with the names of their types.
func edgesOf(ctx context.Context, r graph.Reader, links []graph.Connection) ([]Edge, error) {
	names, err := linkNames(ctx, r, typesOf(links))
	edges := make([]Edge, len(links))
	for i, c := range links {
		edges[i] = Edge{ID: c.ID, From: c.From, To: c.To, Type: names[c.Type]}
	}
	return edges, err
}

// Among returns the given concepts that the reader returns, and the links between them. If more than maxLinksAmong
// links start at a concept, only the newest of them are read. The error is TooLarge for more than MaxNodes ids.
func Among(ctx context.Context, r graph.Reader, ids []graph.ID) (Drawing, error) {
	if len(ids) > MaxNodes {
		return Drawing{}, graph.Errorf(graph.TooLarge, "%d concepts; a drawing is read with up to %d", len(ids), MaxNodes)
	}
	nodes, err := Nodes(ctx, r, ids)
	if err != nil {
		return Drawing{}, err
	}
	shown := map[graph.ID]bool{}
	for _, n := range nodes {
		shown[n.ID] = true
	}
	var links []graph.Connection
	for chunk := range slices.Chunk(nodes, 100) {
		of := make([]graph.ID, len(chunk))
		for i, n := range chunk {
			of[i] = n.ID
		}
		found, err := r.Links(ctx, graph.Links{Of: of, Page: graph.Page{Descending: true, Limit: maxLinksAmong}})
		if err != nil {
			return Drawing{}, err
		}
		for _, c := range found {
			if shown[c.To] && c.From != c.To {
				links = append(links, c)
			}
		}
	}
	edges, err := edgesOf(ctx, r, links)
	return Drawing{Nodes: nodes, Edges: edges}, err
}
