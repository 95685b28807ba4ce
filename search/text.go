package search

import (
	"context"
	"slices"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// A Text asks for the compositions of a type that hold a text.
type Text struct {
	// Types are names; the first that somebody made a type of counts.
	Types []string
	// Fields are names, and the first type among them says where the text must stand: in a value of that
	// type, or in a value right inside a record of it. If it is the type of the compositions, or nobody made
	// any of them, the text may stand anywhere.
	Fields []string
	Text   string     // in upper or lower case; "" is in every composition
	Page   graph.Page // with a Limit; After counts only without a Text
}

// Compositions are a page of those that hold the text, newest first. Of a type of which there are many only
// the newest MaxScan are looked at.
func Compositions(ctx context.Context, r graph.Reader, t Text) ([]graph.ID, error) {
	types, err := graph.TypesNamed(ctx, r, slices.Concat(t.Types, t.Fields)...)
	typ, field := first(types, t.Types), first(types, t.Fields)
	if err != nil || typ == 0 {
		return nil, err
	}
	if field == typ {
		field = 0
	}
	t.Page.Descending = true
	if t.Text == "" {
		found, err := r.ConceptsByType(ctx, typ, t.Page)
		return idsOf(found), err
	}
	const chunk = 500
	var found []graph.ID
	part := graph.Page{Descending: true, Limit: chunk}
	for range MaxScan / chunk {
		some, err := r.ConceptsByType(ctx, typ, part)
		if err != nil {
			return nil, err
		}
		kept, err := holding(ctx, r, idsOf(some), t.Text, field)
		if err != nil {
			return nil, err
		}
		found = append(found, kept...)
		if len(some) < chunk || len(found) >= t.Page.Skip+t.Page.Limit {
			break
		}
		part.After = some[len(some)-1].ID
	}
	from := min(t.Page.Skip, len(found))
	return found[from:min(from+t.Page.Limit, len(found))], nil
}

// first is the id of the first of names that names a type, or 0.
func first(types map[string]graph.Concept, names []string) graph.ID {
	for _, name := range names {
		if c, known := types[name]; known {
			return c.ID
		}
	}
	return 0
}

// holding keeps the compositions, and values, that hold a text: in a field, or anywhere when field is 0.
func holding(ctx context.Context, r graph.Reader, ids []graph.ID, text string, field graph.ID) ([]graph.ID, error) {
	links, err := composition.Connections(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	ends := setOf(ids)
	for _, c := range links {
		ends[c.From], ends[c.To] = true, true
	}
	found, err := r.Concepts(ctx, sorted(ends))
	if err != nil {
		return nil, err
	}
	text = strings.ToLower(text)
	typeOf, holds := map[graph.ID]graph.ID{}, map[graph.ID]bool{}
	for _, c := range found {
		typeOf[c.ID] = c.Type
		holds[c.ID] = strings.Contains(strings.ToLower(c.Value), text)
	}
	in := map[graph.ID]bool{}
	for _, id := range ids {
		in[id] = holds[id] && (field == 0 || typeOf[id] == field)
	}
	for _, c := range links {
		if holds[c.To] && (field == 0 || typeOf[c.To] == field || typeOf[c.From] == field) {
			in[c.Type] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return !in[id] }), nil
}

func inside(ctx context.Context, r graph.Reader, ids []graph.ID) ([]graph.ID, error) {
	links, err := composition.Connections(ctx, r, ids)
	all := make([]graph.ID, len(links))
	for i, c := range links {
		all[i] = c.ID
	}
	return all, err
}

func idsOf(concepts []graph.Concept) []graph.ID {
	ids := make([]graph.ID, len(concepts))
	for i, c := range concepts {
		ids[i] = c.ID
	}
	return ids
}
