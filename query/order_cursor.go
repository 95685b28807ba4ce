package query

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A cursor of an order consists of parts joined by dots: a checksum of the order, the id of a root, and its sort keys in
// base64url. The TypeScript twin is in web/client/src/query/order.ts.

// cursorAfter returns the cursor of the page after a root.
func (q Query) cursorAfter(o orderedRoot) string {
	parts := []string{q.orderChecksum(), o.id.String()}
	for _, key := range o.keys {
		parts = append(parts, base64.RawURLEncoding.EncodeToString([]byte(key)))
	}
	return strings.Join(parts, ".")
}

// parseCursor returns the position of the cursor, or an Invalid error if the cursor is malformed or belongs to
// another order.
func (q Query) parseCursor() (orderedRoot, error) {
	parts := strings.Split(q.Cursor, ".")
	if len(parts) != 2+len(q.OrderBy) || parts[0] != q.orderChecksum() {
		return orderedRoot{}, graph.Errorf(graph.Invalid, `"after" is %.40q, which is not the "next" of a page in this order`, q.Cursor)
	}
	id, err := strconv.ParseInt(parts[1], 10, 64)
	o := orderedRoot{id: graph.ID(id)}
	for _, part := range parts[2:] {
		key, keyErr := base64.RawURLEncoding.DecodeString(part)
		if err == nil {
			err = keyErr
		}
		o.keys = append(o.keys, graph.SortKey(key))
	}
	isTooLong := slices.ContainsFunc(o.keys, func(key graph.SortKey) bool { return len(key) > graph.SortKeyBytes })
	if err != nil || id <= 0 || isTooLong {
		return orderedRoot{}, graph.Errorf(graph.Invalid, `"after" is the malformed cursor %.40q`, q.Cursor)
	}
	return o, nil
}

// orderChecksum returns a checksum of the order of the roots.
func (q Query) orderChecksum() string {
	h := fnv.New32a()
	for _, o := range q.OrderBy {
		direction, kind := o.Direction, o.Kind
		if direction == "" {
			direction = Ascending
		}
		if kind == "" {
			kind = OrderText
		}
		fmt.Fprintf(h, "%s\n%s\n%s\n%s\n", o.Connection, o.Field, direction, kind)
	}
	fmt.Fprint(h, q.order())
	return strconv.FormatUint(uint64(h.Sum32()), 16)
}

// orderLabel returns the text of the order for the plan.
func (q Query) orderLabel() string {
	var names []string
	for _, o := range q.OrderBy {
		names = append(names, strings.TrimSpace(o.Connection+" "+o.Field))
	}
	return graph.Clip(strings.Join(names, ", "))
}
