package legacysearch

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// A TextSearch requests one page of the compositions of a type that contain the given text.
type TextSearch struct {
	// Types are names of types; the first existing type is used.
	Types []string
	// Fields are names of types; the first existing type is used. If values have this type, the text must be in a
	// value of the type. If records have this type, the text must be in a value directly inside such a record. If the
	// type is the type of the composition, or none of the types exists, the text may be anywhere.
	Fields []string
	// Text is case-insensitive; a percent sign matches any text. "" matches every composition.
	Text           string
	Page, PageSize int
}

// FindCompositions returns a page of the compositions that contain the text, newest first.
func FindCompositions(ctx context.Context, g Graph, t TextSearch) ([]graph.ID, error) {
	types, err := graph.TypesNamed(ctx, g, slices.Concat(t.Types, t.Fields)...)
	typ, field := firstType(types, t.Types), firstType(types, t.Fields)
	if err != nil || typ.ID == 0 {
		return nil, err
	}
	q := query.Query{Type: typ.Value, Page: t.Page, PageSize: t.PageSize}
	if t.Text == "" {
		return g.roots(ctx, q)
	}
	if field.ID == 0 || field.ID == typ.ID {
		return g.roots(ctx, withText(q, typ.Value, t.Text))
	}
	newest, err := g.ConceptsByType(ctx, field.ID, graph.Page{Descending: true, Limit: 1})
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	q.Hops, q.Filters, q.Logic = contentHops(), []query.Filter{containsFilter(contentNode, field.Value, t.Text)}, textFilter
	if !newest[0].Composition {
		return g.roots(ctx, q)
	}
	return g.rootsWithRecord(ctx, q, field)
}

// firstType returns the first named type that exists, or a concept with id 0.
func firstType(types map[string]graph.Concept, names []string) graph.Concept {
	for _, name := range names {
		if c, known := types[name]; known {
			return c
		}
	}
	return graph.Concept{}
}

func (g Graph) roots(ctx context.Context, q query.Query) ([]graph.ID, error) {
	a, err := g.Find(ctx, q)
	return a.Roots, err
}

// The names of filters and nodes in the queries.
const (
	textFilter   = "text"
	recordFilter = "record"
	contentNode  = "inside"
	targetNode   = "far"
)

// contentHops returns a hop to everything inside a composition.
func contentHops() []query.Query { return []query.Query{{Connection: query.Self, Name: contentNode}} }

// containsFilter returns a filter for the values of a node that contain the text. If typ is "", values of all
// types match.
func containsFilter(node, typ, text string) query.Filter {
	return query.Filter{Name: textFilter, On: node, Type: typ, Op: graph.Like, Search: "%" + text + "%"}
}

// withText restricts a query to the roots that contain the text anywhere, including their own value.
func withText(q query.Query, typ, text string) query.Query {
	q.Hops, q.Logic = contentHops(), textFilter
	q.Filters = []query.Filter{containsFilter("", typ, text), containsFilter(contentNode, "", text)}
	return q
}

// candidateChunk is the number of compositions that rootsWithRecord checks with each query.
const candidateChunk = 500

// rootsWithRecord returns a page of the roots that contain the text directly inside a record of a type. No filter can
// express that a value is inside a certain record. The query therefore finds the compositions that contain the text
// and a record of the type, and rootsWithRecord checks each of them. The cost grows with the number of the page.
func (g Graph) rootsWithRecord(ctx context.Context, q query.Query, record graph.Concept) ([]graph.ID, error) {
	like := graph.Predicate{Op: q.Filters[0].Op, Text: q.Filters[0].Search}
	q.Filters = []query.Filter{q.Filters[0], {Name: recordFilter, On: contentNode, Type: record.Value, Op: query.Exists}}
	q.Filters[0].Type, q.Logic = "", textFilter+" AND "+recordFilter
	skip, size := (max(q.Page, 1)-1)*q.PageSize, q.PageSize
	q.Page, q.PageSize = 1, candidateChunk
	var matches []graph.ID
	for len(matches) < skip+size {
		a, err := g.Find(ctx, q)
		if err != nil {
			return nil, err
		}
		matching, err := g.compositionsWith(ctx, a.Connections, record.ID, like)
		if err != nil {
			return nil, err
		}
		for _, id := range a.Roots {
			if matching[id] {
				matches = append(matches, id)
			}
		}
		if len(a.Roots) < candidateChunk {
			break
		}
		q.After = a.Roots[candidateChunk-1]
	}
	from := min(skip, len(matches))
	return matches[from:min(from+size, len(matches))], nil
}

// compositionsWith returns the compositions in which a connection leads from a record of a type to a matching value.
func (g Graph) compositionsWith(
	ctx context.Context, links []graph.Connection, record graph.ID, like graph.Predicate,
) (map[graph.ID]bool, error) {
	ids := map[graph.ID]bool{}
	for _, c := range links {
		ids[c.From], ids[c.To] = true, true
	}
	found, err := g.Concepts(ctx, sortedIDs(ids))
	if err != nil {
		return nil, err
	}
	typeOf, matches := map[graph.ID]graph.ID{}, map[graph.ID]bool{}
	for _, c := range found {
		typeOf[c.ID], matches[c.ID] = c.Type, like.Holds(c)
	}
	compositions := map[graph.ID]bool{}
	for _, c := range links {
		if typeOf[c.From] == record && matches[c.To] {
			compositions[c.Type] = true
		}
	}
	return compositions, nil
}
