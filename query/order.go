package query

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// An OrderBy is one key by which the roots are ordered: the value of a field, or the value to which a connection leads.
// Values are compared by their graph.SortKey. If a root has several such values, the value of the newest connection counts.
// Roots without a value, with an empty value, or with a value of another kind come last in both directions.
type OrderBy struct {
	// Field is the type of a part of the root itself, not of a nested record: the_name.
	Field string `json:"field,omitempty"`
	// Connection is a type of connections from the root. If it is set, their targets count instead of the root's parts.
	// With Field, only targets of that type count. Without Field all roots are sorted, because no index lists values of
	// any type.
	Connection string    `json:"connection,omitempty"`
	Direction  Order     `json:"direction,omitempty"` // empty means Ascending
	Kind       OrderKind `json:"kind,omitempty"`      // empty means OrderText
}

// An OrderKind selects the values that count for an OrderBy.
type OrderKind string

// The kinds. For OrderText all values count: numbers come first, then times, then text.
const (
	OrderText   OrderKind = "text"
	OrderNumber OrderKind = "number"
	OrderTime   OrderKind = "time"
)

// MaxOrderBy is the maximum number of keys of an order.
const MaxOrderBy = 8

// checkOrderBy checks the keys of the order of the roots, and their cursor.
func (q Query) checkOrderBy() error {
	if len(q.OrderBy) > MaxOrderBy {
		return graph.Errorf(graph.TooLarge, "an order by %d values; the maximum is %d", len(q.OrderBy), MaxOrderBy)
	}
	for _, o := range q.OrderBy {
		switch {
		case o.Field == "" && o.Connection == "":
			return graph.Errorf(graph.Invalid, `an "orderBy" needs a field or a connection`)
		case o.Field == Self || o.Connection == Self:
			return graph.Errorf(graph.Invalid, `the field of an "orderBy" must be the type of a part, not "self"`)
		case o.Direction != "" && o.Direction != Ascending && o.Direction != Descending:
			return graph.Errorf(graph.Invalid, "order %.20q is neither ASC nor DESC", o.Direction)
		case o.Kind != "" && o.Kind != OrderText && o.Kind != OrderNumber && o.Kind != OrderTime:
			return graph.Errorf(graph.Invalid, "unknown kind %.20q of an order; want %s, %s or %s", o.Kind, OrderText, OrderNumber, OrderTime)
		}
	}
	switch {
	case len(q.OrderBy) > 0 && q.After != 0:
		return graph.Errorf(graph.Invalid, `"after" is an id; with "orderBy" it must be the "next" of the previous page`)
	case len(q.OrderBy) == 0 && q.Cursor != "":
		return graph.Errorf(graph.Invalid, `"after" is %.40q; without "orderBy" it must be an id`, q.Cursor)
	case q.Cursor != "":
		_, err := q.parseCursor()
		return err
	}
	return nil
}

// An orderKey is an OrderBy with resolved names.
type orderKey struct {
	hop        hopKey   // leads from a root to its values
	typ        graph.ID // type of the values; 0 means any type
	known      bool     // the names exist
	kind       OrderKind
	descending bool
}

func (t resolvedTypes) bindOrder(q *Query) []orderKey {
	var keys []orderKey
	for _, o := range q.OrderBy {
		k := orderKey{hop: hopKey{self: true, direct: true}, typ: t.named[o.Field], kind: o.Kind, descending: o.Direction == Descending}
		k.known = o.Field == "" || k.typ != 0
		if o.Connection != "" {
			k.hop = hopKey{typ: t.named[o.Connection]}
			k.known = k.known && k.hop.typ != 0
		}
		keys = append(keys, k)
	}
	return keys
}

// counts reports whether a value has a kind that counts for the order.
func (k orderKey) counts(key graph.SortKey) bool {
	switch k.kind {
	case OrderNumber:
		return key != "" && graph.ValueKind(key[0]) == graph.NumberValue
	case OrderTime:
		return key != "" && graph.ValueKind(key[0]) == graph.TimeValue
	default:
		return key != ""
	}
}

// keyRange returns the range of the keys of the values that count.
func (k orderKey) keyRange() graph.KeyRange {
	r := graph.KeyRange{Type: k.typ, Min: graph.SortKey(graph.NumberValue), Max: graph.SortKey(graph.TextValue + 1), Descending: k.descending}
	switch k.kind {
	case OrderNumber:
		r.Max = graph.SortKey(graph.NumberValue + 1)
	case OrderTime:
		r.Min, r.Max = graph.SortKey(graph.TimeValue), graph.SortKey(graph.TimeValue+1)
	case OrderText: // all values
	}
	return r
}

// values returns the set of the values that count.
func (k orderKey) values() graph.Set {
	where := &graph.Predicate{Op: graph.NotEqual}
	switch k.kind {
	case OrderNumber:
		where = &graph.Predicate{Op: graph.GreaterOrEqual, Text: "-999999999999999"} // the smallest number: numbers have up to fifteen digits
	case OrderTime:
		where = &graph.Predicate{Op: graph.GreaterOrEqual, Text: "0000-01-01T00:00:00+24:00"} // the earliest time
	case OrderText: // all values that are not empty
	}
	return graph.Instances{Type: k.typ, Where: where}
}

// An orderedRoot is a root with its position: one sort key for each OrderBy, "" for a value that does not count.
type orderedRoot struct {
	id   graph.ID
	keys []graph.SortKey
}

// comparePositions compares two roots by the order of the query.
func (r *execution) comparePositions(a, b orderedRoot) int {
	for i, k := range r.order {
		x, y := a.keys[i], b.keys[i]
		switch {
		case x == y:
		case x == "":
			return 1
		case y == "":
			return -1
		case k.descending:
			return cmp.Compare(y, x)
		default:
			return cmp.Compare(x, y)
		}
	}
	if r.root().page().Descending {
		a, b = b, a
	}
	return cmp.Compare(a.id, b.id)
}

// rootsInOrder finds a page of the roots in the order of OrderBy. If all roots are needed, or few are expected, it gathers
// and sorts them. Otherwise it walks through the values of the first key (see orderWalk). Whenever the walk has examined
// many roots without filling the page, it tries to gather the roots, with a growing limit.
func (r *execution) rootsInOrder(ctx context.Context, needsAll bool) (rootsFound, error) {
	root := r.root()
	if len(root.ConceptIDs) > 0 {
		found, err := r.rootsByID(ctx)
		if err != nil {
			return rootsFound{}, err
		}
		return r.sortRoots(ctx, found.all)
	}
	total, err := r.CountByType(ctx, root.typ, 0)
	if err != nil {
		return rootsFound{}, err
	}
	if s := r.newRootSearch(needsAll || root.CountAll && r.filter != nil || total <= r.limits.maxExactCount); s.wantsAll {
		found, err := s.find(ctx)
		if err != nil {
			return rootsFound{}, err
		}
		return r.sortRoots(ctx, found.all)
	}
	return r.walkOrGather(ctx, r.newRootSearch(false), total)
}

// walkOrGather alternates between walking and gathering, with growing limits. total is the number of instances of
// the root type.
func (r *execution) walkOrGather(ctx context.Context, s *rootSearch, total int) (rootsFound, error) {
	page := r.root().page()
	found, err := r.walkRoots(ctx, s, r.limits.firstWindow+firstWalkedPerRoot*(page.Skip+page.Limit), total)
	if !errors.Is(err, errWalkBudget) {
		return found, err
	}
	for limit := r.limits.firstGather; ; limit = min(8*limit, MaxSetMembers) {
		ids, whole, err := s.gatherSmallest(ctx, limit)
		if err == nil && !whole && total <= limit { // no tried operand can be gathered, but all instances of the root type can be checked
			ids, err = s.checkAll(ctx)
			whole = true
		}
		if err != nil {
			return rootsFound{}, err
		}
		if whole {
			return r.sortRoots(ctx, ids)
		}
		isLast := limit == MaxSetMembers
		budget := walkedPerMember * limit
		if isLast {
			budget = MaxRows
		}
		found, err := r.walkRoots(ctx, s, budget, total)
		if !errors.Is(err, errWalkBudget) {
			return found, err
		}
		if isLast {
			return rootsFound{}, graph.Errorf(graph.TooLarge, "the query has more than %d roots to sort; add a filter that fewer roots pass", MaxSetMembers)
		}
	}
}

const (
	// firstWalkedPerRoot is the number of values and roots that the first walk examines, per root that it looks for.
	firstWalkedPerRoot = 20
	// walkedPerMember is the number of values and roots that a later walk examines, per member that the preceding
	// attempt to gather was allowed.
	walkedPerMember = 4
)

// sortRoots returns the requested page of all roots that pass, in the order of the query.
func (r *execution) sortRoots(ctx context.Context, ids []graph.ID) (rootsFound, error) {
	sorted, err := r.positionsOf(ctx, ids)
	if err != nil {
		return rootsFound{}, err
	}
	slices.SortFunc(sorted, r.comparePositions)
	found := r.cutOrdered(r.afterCursor(sorted))
	found.total, found.all = len(ids), ids
	return found, nil
}

// afterCursor returns the roots after the cursor. The result shares the memory of sorted.
func (r *execution) afterCursor(sorted []orderedRoot) []orderedRoot {
	if r.cursor == nil {
		return sorted
	}
	return slices.DeleteFunc(sorted, func(o orderedRoot) bool { return r.comparePositions(o, *r.cursor) <= 0 })
}

// cutOrdered returns the page of sorted roots, and the cursor after it if it is full.
func (r *execution) cutOrdered(sorted []orderedRoot) rootsFound {
	page := r.root().page()
	from := min(page.Skip, len(sorted))
	sorted = sorted[from:min(from+page.Limit, len(sorted))]
	found := rootsFound{page: make([]graph.ID, len(sorted))}
	for i, o := range sorted {
		found.page[i] = o.id
	}
	if len(sorted) == page.Limit {
		found.next = r.root().cursorAfter(sorted[len(sorted)-1])
	}
	return found
}

// positionsOf returns roots with their positions, in the given order. It takes one request for each OrderBy and
// maxIDsPerCheck roots, and more if the reader is not a graph.KeyReader.
func (r *execution) positionsOf(ctx context.Context, ids []graph.ID) ([]orderedRoot, error) {
	all := make([]orderedRoot, len(ids))
	at := make(map[graph.ID]int, len(ids))
	for i, id := range ids {
		all[i] = orderedRoot{id, make([]graph.SortKey, len(r.order))}
		at[id] = i
	}
	for i, k := range r.order {
		if !k.known {
			continue
		}
		newest := map[graph.ID]graph.ID{} // connection, by root
		for chunk := range slices.Chunk(ids, maxIDsPerCheck) {
			parts, err := r.partKeys(ctx, graph.Parts{Of: chunk, Connection: k.hop.typ, Type: k.typ})
			if err != nil {
				return nil, err
			}
			for _, p := range parts {
				if k.counts(p.Key) && p.Link > newest[p.Of] {
					newest[p.Of] = p.Link
					all[at[p.Of]].keys[i] = p.Key
				}
			}
			if err := r.spendRows(ctx, len(parts)+len(chunk)); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// partKeys reads the values of connections with the reader's KeyReader, or, without one, with the methods of
// graph.Reader.
func (e *evaluator) partKeys(ctx context.Context, p graph.Parts) ([]graph.PartSortKey, error) {
	if e.keys != nil {
		found, err := e.keys.PartKeys(ctx, p)
		if !errors.Is(err, errors.ErrUnsupported) {
			return found, err
		}
		e.keys = nil
	}
	held := e.heldLinks
	defer func() { e.releaseHeld(held) }()
	links, err := e.partLinks(ctx, p)
	if err != nil {
		return nil, err
	}
	targets := idSet{}
	for _, c := range links {
		targets[c.To] = true
	}
	concepts, err := fallback{e, 0}.readConcepts(ctx, targets.sorted())
	if err != nil {
		return nil, err
	}
	keys := map[graph.ID]graph.SortKey{}
	for _, c := range concepts {
		if c.Category == graph.CategoryInstance && (p.Type == 0 || c.Type == p.Type) {
			keys[c.ID] = graph.SortKeyOf(c.Value)
		}
	}
	var found []graph.PartSortKey
	for _, c := range links {
		if key := keys[c.To]; key != "" {
			found = append(found, graph.PartSortKey{Of: c.From, Link: c.ID, Key: key})
		}
	}
	return found, nil
}

// partLinks returns the connections that p selects.
func (e *evaluator) partLinks(ctx context.Context, p graph.Parts) (links []graph.Connection, err error) {
	if p.Connection == 0 {
		return e.linksInside(ctx, slices.Compact(slices.Sorted(slices.Values(p.Of))), true)
	}
	request := graph.Links{Of: p.Of, Direction: graph.Out, Types: []graph.ID{p.Connection}}
	err = fallback{e, 0}.visitLinks(ctx, request, MaxPageSize, func(c graph.Connection) error {
		links = append(links, c)
		return nil
	})
	return links, err
}
