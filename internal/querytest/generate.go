package querytest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/query"
)

var (
	types       = []string{"the_a", "the_b", "the_c"}
	connections = []string{"the_a_x", "the_a_s_y"}
	names       = []string{"n1", "n2", "n3"}
	filterNames = []string{"f1", "f2", "f3", "f4"}
	values      = []string{
		"pen", "Pen", "PENCIL", "Äpfel", "äPFEL", "İ", "", "50%", "a pen in a pencil case",
		"3", "3.00", "-2", "10", "0.5", "007", "1e3", "999999999999999", "9999999999999999",
		"2024-02-29", "2024-02-29T10:00:00Z", "2024-02-29T12:00:00+02:00", "2024-03-01", "2024-02-30",
		strings.Repeat("long ", 60) + "pen",
	}
	operands = append([]string{"%e%", "p%n", "%pen%", "%", "é", "2", "x"}, values...)
)

const (
	linker        = "the_a_s_friend" // a legacy linker
	firstConcept  = graph.ID(2001)
	firstLink     = graph.ID(3001)
	unknownID     = graph.ID(77) // an id that no store assigns
	linkerType    = "the_connection"
	unknownType   = "the_unknown"
	unknownFilter = "f9"
)

// Graphs generates small graphs with values of all kinds, nested records, legacy linkers, cycles, parallel
// connections, and records of several owners and levels of access.
func Graphs() *rapid.Generator[spec.Graph] {
	return rapid.Custom(func(t *rapid.T) spec.Graph {
		var g spec.Graph
		type key struct {
			typ, value string
			scope      graph.ID
		}
		known := map[key]bool{}
		n := rapid.SampledFrom([]int{8, 10, 12, 6, 3}).Draw(t, "concepts")
		for i := range n {
			c := spec.Concept{ID: firstConcept + graph.ID(i), Type: rapid.SampledFrom(types).Draw(t, "type")}
			c.Owner, c.Access = owner(t)
			switch value := rapid.SampledFrom(values).Draw(t, "value"); {
			case i == 0 && rapid.Bool().Draw(t, "legacy"):
				value = linker
				c.Type, c.Value, c.Owner, c.Access = linkerType, &value, 7, graph.Public
			case rapid.IntRange(0, 2).Draw(t, "kind") == 0:
			default:
				k := key{c.Type, value, graph.ScopeOf(c.Owner, c.Access)}
				if known[k] {
					continue // equal values of one type are one concept
				}
				known[k] = true
				c.Value = &value
			}
			g.Concepts = append(g.Concepts, c)
		}
		g.Connections = links(t, g.Concepts)
		return g
	})
}

// owner generates an owner and access: usually user 7 and private.
func owner(t *rapid.T) (graph.ID, graph.Access) {
	if rapid.IntRange(0, 2).Draw(t, "mine") > 0 {
		return 7, graph.Private
	}
	return rapid.SampledFrom([]graph.ID{7, 8, graph.Anonymous}).Draw(t, "owner"),
		rapid.SampledFrom([]graph.Access{graph.Public, graph.Private, graph.Admin}).Draw(t, "access")
}

// links generates connections between concepts.
func links(t *rapid.T, concepts []spec.Concept) []spec.Connection {
	var linkTypes []any
	for _, name := range connections {
		linkTypes = append(linkTypes, name, name, name, name)
	}
	for _, c := range concepts {
		if c.Value == nil || c.Type == linkerType {
			linkTypes = append(linkTypes, c.ID)
		}
	}
	type part struct{ id, main graph.ID }
	records, parts := map[graph.ID]bool{}, map[part]bool{}
	for _, c := range concepts {
		records[c.ID] = c.Value == nil
	}
	all := []spec.Connection{}
	for i := range rapid.SampledFrom([]int{30, 40, 50, 20, 5}).Draw(t, "connections") {
		from := rapid.SampledFrom(concepts).Draw(t, "from").ID
		to := rapid.SampledFrom(concepts).Draw(t, "to").ID
		if from == to {
			continue
		}
		linkType := rapid.SampledFrom(linkTypes).Draw(t, "linkType")
		if main, ok := linkType.(graph.ID); ok && records[main] {
			if from != main && !parts[part{from, main}] {
				from = main // internal connections must be reachable from the main concept
			}
			if from == to {
				continue
			}
			parts[part{to, main}] = records[to]
		}
		typ, _ := json.Marshal(linkType) //nolint:errchkjson // linkType is a string or a number
		link := spec.Connection{ID: firstLink + graph.ID(i), From: from, To: to, Type: typ}
		link.Owner, link.Access = owner(t)
		all = append(all, link)
	}
	return all
}

// Queries generates queries over a graph that pass Query.Check, with the ids of the case.
func Queries(g spec.Graph) *rapid.Generator[query.Query] {
	ids := make([]graph.ID, len(g.Concepts))
	for i, c := range g.Concepts {
		ids[i] = c.ID
	}
	return rapid.Custom(func(t *rapid.T) query.Query {
		q := query.Query{
			Type:     rapid.SampledFrom(slices.Concat(types, types, types, []string{unknownType})).Draw(t, "root"),
			Order:    order(t),
			PageSize: rapid.SampledFrom([]int{0, 100, 2, 3}).Draw(t, "size"),
			CountAll: rapid.Bool().Draw(t, "countAll"),
			Name:     rapid.SampledFrom([]string{"", "", "n1"}).Draw(t, "name"),
		}
		if rapid.IntRange(0, 4).Draw(t, "byId") == 4 {
			q.ConceptIDs = rapid.SliceOfN(rapid.SampledFrom(append(ids, unknownID)), 1, 6).Draw(t, "ids")
		}
		if rapid.IntRange(0, 4).Draw(t, "paged") == 4 {
			q.Page = rapid.IntRange(1, 3).Draw(t, "page")
		}
		if rapid.IntRange(0, 3).Draw(t, "ordered") == 3 {
			q.OrderBy = orderBy(t)
		} else if rapid.IntRange(0, 7).Draw(t, "goesOn") == 7 && (q.Order != "" || q.ConceptIDs == nil) {
			q.After = rapid.SampledFrom(ids).Draw(t, "after")
		}
		q.Selectors = selectors(t)
		if rapid.IntRange(0, 4).Draw(t, "under") == 4 {
			return repaired(exAndQuery(t, q, ids))
		}
		var on []string
		q.Hops = hops(t, 3, &on, []string{q.Name})
		if rapid.IntRange(0, 4).Draw(t, "filtered") < 4 {
			q.Filters = rapid.SliceOfN(filter(ids, append(on, "")), 2, 5).Draw(t, "filters")
			q.Logic = logic(t, 3, q.Filters).String()
		}
		return repaired(q)
	})
}

// exAndQuery completes a query with an EXAND for which several ancestors are possible.
func exAndQuery(t *rapid.T, q query.Query, ids []graph.ID) query.Query {
	step := func(name, ancestor string, below ...query.Query) query.Query {
		return query.Query{
			Connection: rapid.SampledFrom(connections).Draw(t, "connection"), Reverse: rapid.Bool().Draw(t, "reverse"),
			Name: name, Ancestor: ancestor, Hops: below,
		}
	}
	q.Name = "n1"
	ancestor := rapid.SampledFrom([]string{"n1", "n2", ""}).Draw(t, "ancestor")
	q.Hops = []query.Query{step("n2", "", step("n3", ancestor), step("n4", ancestor))}
	a := filter(ids, []string{"n3"}).Draw(t, "filter")
	b := filter(ids, []string{"n4", "n3", "n2"}).Draw(t, "filter")
	a.Name, b.Name = "f1", "f2"
	q.Filters = []query.Filter{a, b}
	q.Logic = rapid.SampledFrom([]string{"f1 EXAND f2", "f1 EXAND NOT f2", "NOT f1 EXAND f2"}).Draw(t, "logic")
	return q
}

// repaired removes generated ancestors and then, if necessary, the logic, until the query passes Query.Check.
func repaired(q query.Query) query.Query {
	if q.Check() == nil {
		return q
	}
	var ancestors []string
	eachNode(&q, func(node *query.Query) { ancestors = append(ancestors, node.Ancestor) })
	for _, only := range append(slices.Clone(names), "") {
		i := 0
		eachNode(&q, func(node *query.Query) {
			if node.Ancestor = ""; ancestors[i] == only {
				node.Ancestor = only
			}
			i++
		})
		if q.Check() == nil {
			return q
		}
	}
	q.Logic = ""
	return q
}

// eachNode calls visit for all nodes of a query.
func eachNode(q *query.Query, visit func(*query.Query)) {
	visit(q)
	for i := range q.Hops {
		eachNode(&q.Hops[i], visit)
	}
}

func order(t *rapid.T) query.Order {
	return rapid.SampledFrom([]query.Order{"", query.Ascending, query.Descending}).Draw(t, "order")
}

func selectors(t *rapid.T) []string {
	if rapid.IntRange(0, 2).Draw(t, "selects") < 2 {
		return nil
	}
	return rapid.SliceOfN(rapid.SampledFrom(append([]string{query.Self, unknownType}, connections...)), 1, 2).Draw(t, "selectors")
}

// hops generates the hops of a node. It appends the names of the hops to on, so that filters can refer to them.
// The names of the nodes above are candidates for ancestors.
func hops(t *rapid.T, depth int, on *[]string, above []string) []query.Query {
	if depth == 0 {
		return nil
	}
	var all []query.Query
	for range rapid.SampledFrom([]int{1, 2, 1, depth, 0}).Draw(t, "hops") {
		all = append(all, hop(t, depth, on, above))
	}
	return all
}

// hop generates one hop and the hops below it.
func hop(t *rapid.T, depth int, on *[]string, above []string) query.Query {
	q := query.Query{
		Connection: rapid.SampledFrom(slices.Concat(connections, connections, connections, connections, []string{query.Self, query.Self}, connections, []string{linker, unknownType})).Draw(t, "connection"),
		Name:       rapid.SampledFrom(append(names, "")).Draw(t, "name"),
		Ancestor:   rapid.SampledFrom(append(above, "")).Draw(t, "ancestor"),
		Include:    rapid.IntRange(0, 4).Draw(t, "include") == 4,
	}
	q.Legacy = q.Connection == linker
	q.Reverse = q.Connection != query.Self && rapid.Bool().Draw(t, "reverse")
	q.Direct = q.Connection == query.Self && rapid.Bool().Draw(t, "direct")
	switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
	case q.Connection == query.Self:
	case kind == 7:
		q.Aggregate = rapid.SampledFrom([]query.Aggregate{query.Count, query.Distinct, query.Group}).Draw(t, "aggregate")
		q.PageSize = rapid.IntRange(0, 3).Draw(t, "size")
		return q
	case kind == 6:
		q.Depth = rapid.IntRange(1, 4).Draw(t, "depth")
	case kind >= 4:
		q.Limit, q.PageSize = true, rapid.IntRange(1, 3).Draw(t, "size")
		q.Page, q.Order = rapid.IntRange(0, 2).Draw(t, "page"), order(t)
	}
	if q.Name != "" {
		*on = append(*on, q.Name, q.Name)
	}
	q.Hops = hops(t, depth-1, on, append(slices.Clone(above), q.Name))
	q.Selectors = selectors(t)
	return q
}

// filter generates a filter on one of the named nodes.
func filter(ids []graph.ID, on []string) *rapid.Generator[query.Filter] {
	return rapid.Custom(func(t *rapid.T) query.Filter {
		f := query.Filter{
			Name:   rapid.SampledFrom(filterNames).Draw(t, "name"),
			On:     rapid.SampledFrom(on).Draw(t, "on"),
			Type:   rapid.SampledFrom(slices.Concat([]string{"", ""}, types, []string{unknownType})).Draw(t, "type"),
			Op:     rapid.SampledFrom(append(graph.Ops(), query.Exists, "")).Draw(t, "op"),
			Search: rapid.SampledFrom(operands).Draw(t, "search"),
		}
		if rapid.IntRange(0, 4).Draw(t, "special") < 3 {
			return f
		}
		if !f.Op.ComparesKeys() {
			f.Op = graph.Equal
		}
		id := rapid.SampledFrom(ids).Draw(t, "id")
		f.Type = rapid.SampledFrom([]string{query.FieldID, query.FieldID, query.FieldUser, query.FieldTime, query.FieldType}).Draw(t, "field")
		switch f.Type {
		case query.FieldID:
			f.Search = id.String()
		case query.FieldUser:
			f.Search = rapid.SampledFrom([]string{"7", "8", "999"}).Draw(t, "user")
		case query.FieldTime:
			created := spec.Created(id)
			f.Search = rapid.SampledFrom([]string{created.Format("2006-01-02T15:04:05Z"), strconv.FormatInt(created.UnixMilli(), 10)}).Draw(t, "time")
		default:
			f.Op = rapid.SampledFrom([]graph.Op{"", graph.Equal, graph.NotEqual, query.Exists}).Draw(t, "op")
			f.Search = rapid.SampledFrom(append(types, unknownType)).Draw(t, "typeName")
		}
		return f
	})
}

// logic generates a logic expression of at most the given depth.
func logic(t *rapid.T, depth int, filters []query.Filter) query.Logic {
	op := query.Leaf
	if depth > 0 {
		op = rapid.SampledFrom([]query.LogicOp{query.Leaf, query.Leaf, query.Or, query.And, query.ExAnd, query.ExAnd, query.Not}).Draw(t, "operator")
	}
	l := query.Logic{Op: op}
	switch op {
	case query.Leaf:
		l.Filter = rapid.SampledFrom(append(filters, query.Filter{Name: unknownFilter})).Draw(t, "leaf").Name
	case query.Not:
		l.Of = []query.Logic{logic(t, depth-1, filters)}
	default:
		for range rapid.IntRange(2, 3).Draw(t, "sides") {
			l.Of = append(l.Of, logic(t, depth-1, filters))
		}
	}
	return l
}

// WithRealIDs replaces the ids of the case in a query with the ids in the store.
func WithRealIDs(s spec.Seeded, q query.Query) query.Query {
	q.ConceptIDs = s.RealIDs(q.ConceptIDs)
	q.After = s.RealID(q.After)
	q.Filters = slices.Clone(q.Filters)
	for i, f := range q.Filters {
		if id, err := graph.ParseID(f.Search); err == nil && (f.Type == query.FieldID || f.Type == query.FieldType) {
			q.Filters[i].Search = s.RealID(id).String()
		}
	}
	return q
}
