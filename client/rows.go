package client

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/schema"
	"github.com/weft-graph/weft/wire"
)

// A rowPlan describes which links typed records contain.
type rowPlan struct {
	schema *schema.Schema
	typ    *schema.Type
	links  []*linkPlan
}

// A linkPlan is a link whose targets are read, with a plan for each type of target.
type linkPlan struct {
	link       *schema.Field
	connection string // the name of the connection type
	targets    []*rowPlan
}

// add adds the links of a path to the plan. names holds the links that path consists of.
func (p *rowPlan) add(path string, names []string) error {
	link := p.typ.Fields[names[0]]
	if link == nil || !link.Kind.IsLink() {
		return graph.Errorf(graph.Invalid, "With(%q): %s has no link %q", path, p.typ.Name, graph.Clip(names[0]))
	}
	i := slices.IndexFunc(p.links, func(l *linkPlan) bool { return l.link == link })
	if i < 0 {
		i = len(p.links)
		l := &linkPlan{link: link, connection: p.schema.ConnectionName(p.typ.Name, link)}
		for _, target := range link.Targets {
			l.targets = append(l.targets, &rowPlan{schema: p.schema, typ: p.schema.Types[target]})
		}
		p.links = append(p.links, l)
	}
	if len(names) == 1 {
		return nil
	}
	return p.links[i].targets[0].add(path, names[1:])
}

// hops returns the parts of a query that select the linked records.
func (p *rowPlan) hops() []wire.Query {
	var hops []wire.Query
	for _, l := range p.links {
		hop := wire.Query{
			TypeConnection: wire.Text(l.connection), Reverse: l.link.Inverse != "", IncludeInFilter: true, Selectors: []wire.Text{query.Self},
		}
		for _, target := range l.targets {
			hop.FreeschemaQueries = append(hop.FreeschemaQueries, target.hops()...)
		}
		hops = append(hops, hop)
	}
	return hops
}

// rows holds the records of an answer in memory. It implements only Concepts and Links of graph.Reader, which are the methods that
// package composition calls.
type rows struct {
	graph.Reader
	concepts map[graph.ID]graph.Concept
	out, in  map[graph.ID][]graph.Connection // keyed by From and by To, in order of id
}

// loadRows reads the connections, concepts and types of an answer.
func loadRows(ctx context.Context, r graph.Reader, a query.Answer) (*rows, error) {
	links, err := r.Connections(ctx, a.Links)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(links, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	found := &rows{concepts: map[graph.ID]graph.Concept{}, out: map[graph.ID][]graph.Connection{}, in: map[graph.ID][]graph.Connection{}}
	for _, c := range links {
		found.out[c.From] = append(found.out[c.From], c)
		found.in[c.To] = append(found.in[c.To], c)
	}
	if err := found.load(ctx, r, a.Concepts); err != nil {
		return nil, err
	}
	var types []graph.ID
	for _, c := range found.concepts {
		types = append(types, c.Type)
	}
	for _, c := range links {
		types = append(types, c.Type)
	}
	return found, found.load(ctx, r, types)
}

// load reads the concepts that are not in memory yet.
func (r *rows) load(ctx context.Context, from graph.Reader, ids []graph.ID) error {
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return r.concepts[id].ID != 0 })
	slices.Sort(unknown)
	if unknown = slices.Compact(unknown); len(unknown) == 0 {
		return nil
	}
	found, err := from.Concepts(ctx, unknown)
	for _, c := range found {
		r.concepts[c.ID] = c
	}
	return err
}

// Concepts implements graph.Reader.
func (r *rows) Concepts(_ context.Context, ids []graph.ID) ([]graph.Concept, error) {
	var found []graph.Concept
	for _, id := range distinct(ids) {
		if c, ok := r.concepts[id]; ok {
			found = append(found, c)
		}
	}
	return found, nil
}

// Links implements graph.Reader. It returns outgoing connections only, and ignores the page.
func (r *rows) Links(_ context.Context, links graph.Links) ([]graph.Connection, error) {
	wanted := make(map[graph.ID]bool, len(links.Types))
	for _, typ := range links.Types {
		wanted[typ] = true
	}
	var found []graph.Connection
	for _, id := range distinct(links.Of) {
		for _, c := range r.out[id] {
			if wanted[c.Type] {
				found = append(found, c)
			}
		}
	}
	return found, nil
}

// records returns the typed records with the given ids, in that order. It omits records whose type is not the type of the plan.
func (r *rows) records(ctx context.Context, p *rowPlan, ids []graph.ID) ([]composition.Value, error) {
	values, err := composition.Read(ctx, r, ids, composition.WithID)
	if err != nil {
		return nil, err
	}
	var all []composition.Value
	for _, v := range values {
		data := v.Get("data").Members[0]
		if data.Key != p.typ.TypeName() {
			continue
		}
		typed, _ := p.typ.Decode(data.Value)
		typed.Members = append([]composition.Member{{Key: "id", Value: v.Get("id")}}, typed.Members...)
		id, err := graph.ParseID(v.Get("id").Text)
		if err != nil {
			return nil, err
		}
		for _, link := range p.links {
			linked, err := r.linked(ctx, link, id)
			if err != nil {
				return nil, err
			}
			typed.Members = append(typed.Members, composition.Member{Key: link.link.Name, Value: linked})
		}
		all = append(all, typed)
	}
	return all, nil
}

// linked returns the targets of a link of a record: a list for a link to many, the newest target for a link to one.
func (r *rows) linked(ctx context.Context, p *linkPlan, id graph.ID) (composition.Value, error) {
	list := composition.ListValue()
	for _, end := range r.ends(p, id) {
		for _, target := range p.targets {
			found, err := r.records(ctx, target, []graph.ID{end})
			if err != nil {
				return list, err
			}
			for _, v := range found {
				list.Members = append(list.Members, composition.Member{Value: v})
			}
		}
	}
	switch {
	case p.link.Kind == schema.KindMany:
		return list, nil
	case len(list.Members) > 0:
		return list.Members[0].Value, nil
	default:
		return composition.Value{}, nil
	}
}

// ends returns the distinct ids of the targets of a link, in the order of their connections, newest first.
func (r *rows) ends(p *linkPlan, id graph.ID) []graph.ID {
	links := r.out[id]
	if p.link.Inverse != "" {
		links = r.in[id]
	}
	var ends []graph.ID
	for _, c := range slices.Backward(links) {
		if r.concepts[c.Type].Value == p.connection {
			ends = append(ends, farEnd(c, p.link))
		}
	}
	return distinct(ends)
}
