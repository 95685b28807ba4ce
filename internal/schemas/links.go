package schemas

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// inspectLinks checks the new and removed connections of the links of a record.
func (c *check) inspectLinks(ctx context.Context, r *record) error {
	given := map[*schema.Field]int{}
	for _, d := range r.links {
		link := c.rules.linkOf(r.typ, c.connectionType(d))
		if link == nil {
			continue
		}
		given[link]++
		if link.Kind == schema.KindOne && given[link] == 2 {
			c.refuse(r, schema.NewRefusal(r.id, link, "one"))
		}
		isTarget, err := c.isTarget(ctx, link, d.To)
		if err != nil {
			return err
		}
		if !isTarget {
			c.refuse(r, schema.NewRefusal(r.id, link, "targets"))
		} else if c.sameID(r, d.To) == r.id { // a store skips such a connection
			c.refuse(r, schema.NewRefusal(r.id, link, "self"))
		}
	}
	if r.real == 0 {
		c.requireLinks(r, given)
		return nil
	}
	return c.inspectRemovedLinks(ctx, r, given)
}

// requireLinks refuses a new record without a required link.
func (c *check) requireLinks(r *record, given map[*schema.Field]int) {
	for _, name := range r.typ.Names() {
		if f := r.typ.Fields[name]; f.Kind.IsLink() && f.Required && given[f] == 0 {
			c.refuse(r, schema.NewRefusal(r.id, f, "required"))
		}
	}
}

// isTarget reports whether a concept is a record of one of the targets of a link.
func (c *check) isTarget(ctx context.Context, link *schema.Field, id graph.ID) (bool, error) {
	name, err := c.typeNameOf(ctx, id)
	t := c.rules.types[name]
	return t != nil && slices.Contains(link.Targets, t.Name), err
}

// inspectRemovedLinks refuses the removal of the last connection of a required link.
func (c *check) inspectRemovedLinks(ctx context.Context, r *record, given map[*schema.Field]int) error {
	keeps := map[graph.ID]bool{} // types of connections of which at least one is kept
	for _, connection := range r.removedLinks {
		link := c.rules.linkOf(r.typ, c.rules.names[connection.Type])
		if link == nil || !link.Required || keeps[connection.Type] {
			continue
		}
		if given[link] > 0 {
			c.doubts.connections = true
			continue
		}
		links, err := c.store.Links(ctx, graph.Links{
			Of: []graph.ID{r.real}, Direction: graph.Out, Types: []graph.ID{connection.Type},
			Page: graph.Page{Limit: len(r.removedLinks) + 1},
		})
		if err != nil {
			return err
		}
		isKept := func(l graph.Connection) bool { return !c.gone[l.ID] && !c.gone[l.To] }
		keeps[connection.Type] = slices.ContainsFunc(links, isKept)
		if !keeps[connection.Type] {
			given[link]++ // refused once
			c.refuse(r, schema.NewRefusal(r.id, link, "required"))
		}
	}
	return nil
}
