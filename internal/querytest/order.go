package querytest

import (
	"cmp"
	"slices"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// orderBy generates the keys of an order.
func orderBy(t *rapid.T) []query.OrderBy {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) query.OrderBy {
		o := query.OrderBy{
			Direction: order(t),
			Kind:      rapid.SampledFrom([]query.OrderKind{"", query.OrderText, query.OrderNumber, query.OrderTime}).Draw(t, "orderKind"),
		}
		isConnection := rapid.IntRange(0, 2).Draw(t, "byConnection") == 0
		if isConnection {
			o.Connection = rapid.SampledFrom(append(connections, unknownType)).Draw(t, "orderConnection")
		}
		if !isConnection || rapid.Bool().Draw(t, "byBoth") {
			o.Field = rapid.SampledFrom(slices.Concat(types, types, []string{unknownType})).Draw(t, "orderField")
		}
		return o
	}), 1, 3).Draw(t, "orderBy")
}

// inOrder sorts roots by the values that determine their order in the query.
func (e *evaluator) inOrder(ids []graph.ID) []graph.ID {
	slices.SortFunc(ids, func(a, b graph.ID) int {
		for _, o := range e.root.OrderBy {
			x, y := e.orderValue(o, a), e.orderValue(o, b)
			switch {
			case x == y:
			case x == "" || y == "": // an empty value comes last
				return cmp.Compare(len(y), len(x))
			case o.Direction == query.Descending:
				return cmp.Compare(y, x)
			default:
				return cmp.Compare(x, y)
			}
		}
		if e.root.Order == query.Ascending {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(b, a)
	})
	return ids
}

// orderValue returns the sort key of the newest value of a root that counts for a key of the order, or "".
func (e *evaluator) orderValue(o query.OrderBy, id graph.ID) graph.SortKey {
	hop := query.Query{Connection: query.Self, Direct: true}
	if o.Connection != "" {
		hop = query.Query{Connection: o.Connection}
	}
	kind := map[query.OrderKind]graph.ValueKind{query.OrderNumber: graph.NumberValue, query.OrderTime: graph.TimeValue}[o.Kind]
	var newest graph.ID
	var value graph.SortKey
	for _, l := range e.linksOfHop(&hop, id) {
		c := e.concept(l.To)
		switch {
		case c.Value == "" || c.Category != graph.CategoryInstance || l.ID < newest:
		case o.Field != "" && c.Type != e.typeNamed(o.Field):
		case kind != 0 && graph.KeyOf(c.Value).Kind() != kind:
		default:
			newest, value = l.ID, graph.SortKeyOf(c.Value)
		}
	}
	return value
}
