package search

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// A Text asks for the compositions of a type that hold a text.
type Text struct {
	// Types are names; the first that somebody made a type of counts.
	Types []string
	// Fields are names, and the first type among them says where the text must stand: in a value of that
	// type, or, if it is a type of records, in a value right inside one. If it is the type of the compositions, or nobody
	// made any of them, the text may stand anywhere.
	Fields []string
	// Text is in upper or lower case; a percent sign in it stands for any text. "" is in every composition.
	Text           string
	Page, PageSize int
}

// Compositions are a page of those that hold the text, newest first.
func Compositions(ctx context.Context, g Graph, t Text) ([]graph.ID, error) {
	types, err := graph.TypesNamed(ctx, g, slices.Concat(t.Types, t.Fields)...)
	typ, field := first(types, t.Types), first(types, t.Fields)
	if err != nil || typ.ID == 0 {
		return nil, err
	}
	q := query.Query{Type: typ.Value, Page: t.Page, PageSize: t.PageSize}
	if t.Text == "" {
		return g.roots(ctx, q)
	}
	if field.ID == 0 || field.ID == typ.ID {
		return g.roots(ctx, holding(q, typ.Value, t.Text))
	}
	newest, err := g.ConceptsByType(ctx, field.ID, graph.Page{Descending: true, Limit: 1})
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	q.Hops, q.Filters, q.Logic = insides(), []query.Filter{holds(inside, field.Value, t.Text)}, text
	if !newest[0].Composition {
		return g.roots(ctx, q)
	}
	return g.inRecords(ctx, q, field)
}

// first is the first of names that names a type.
func first(types map[string]graph.Concept, names []string) graph.Concept {
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

// The names of filters and nodes.
const (
	text   = "text"
	inside = "inside"
)

// insides lead to all that is inside a composition.
func insides() []query.Query { return []query.Query{{Connection: query.Self, Name: inside}} }

func holds(on, typ, what string) query.Filter {
	return query.Filter{Name: text, On: on, Type: typ, Op: graph.Like, Search: "%" + what + "%"}
}

// holding narrows the roots, of a type if it is known, to those that hold a text anywhere, or are it.
func holding(q query.Query, typ, what string) query.Query {
	q.Hops, q.Logic = insides(), text
	q.Filters = []query.Filter{holds("", typ, what), holds(inside, "", what)}
	return q
}

// window is how many compositions are looked at in one go when not all that a query finds are meant.
const window = 500

// inRecords are a page of the roots that hold the text right inside a record of a type. That a record is above a value
// no filter can say, so the engine finds what holds both, and each of those is looked at.
func (g Graph) inRecords(ctx context.Context, q query.Query, record graph.Concept) ([]graph.ID, error) {
	const among = "record"
	like := graph.Predicate{Op: q.Filters[0].Op, Text: q.Filters[0].Search}
	q.Filters = []query.Filter{q.Filters[0], {Name: among, On: inside, Type: record.Value, Op: query.Exists}}
	q.Filters[0].Type, q.Logic = "", text+" AND "+among
	skip, size := (max(q.Page, 1)-1)*q.PageSize, q.PageSize
	q.Page, q.PageSize = 1, window
	var kept []graph.ID
	for len(kept) < skip+size {
		a, err := g.Find(ctx, q)
		if err != nil {
			return nil, err
		}
		within, err := g.within(ctx, a.Connections, record.ID, like)
		if err != nil {
			return nil, err
		}
		for _, id := range a.Roots {
			if within[id] {
				kept = append(kept, id)
			}
		}
		if len(a.Roots) < window {
			break
		}
		q.After = a.Roots[window-1]
	}
	from := min(skip, len(kept))
	return kept[from:min(from+size, len(kept))], nil
}

// within are the compositions in which one of the connections leads from a record of a type to a value that is like
// another.
func (g Graph) within(ctx context.Context, links []graph.Connection, record graph.ID, like graph.Predicate) (map[graph.ID]bool, error) {
	ids := map[graph.ID]bool{}
	for _, c := range links {
		ids[c.From], ids[c.To] = true, true
	}
	found, err := g.Concepts(ctx, sorted(ids))
	if err != nil {
		return nil, err
	}
	typeOf, holds := map[graph.ID]graph.ID{}, map[graph.ID]bool{}
	for _, c := range found {
		typeOf[c.ID], holds[c.ID] = c.Type, like.Holds(c)
	}
	within := map[graph.ID]bool{}
	for _, c := range links {
		if typeOf[c.From] == record && holds[c.To] {
			within[c.Type] = true
		}
	}
	return within, nil
}
