package server

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/raw"
	"github.com/weft-graph/weft/wire"
)

// A lister is a store whose rows can be read as they stand. Nothing finds records by their owner otherwise:
// hardly anybody asks for them, and an index of owners would cost every write.
type lister interface {
	Rows(ctx context.Context, t raw.Table, after raw.Row, limit int) ([]raw.Row, error)
}

// listerIn finds a lister behind the stores that stand before it, or nil.
func listerIn(store graph.Store) lister {
	for {
		if l, ok := store.(lister); ok {
			return l
		}
		front, ok := store.(interface{ Unwrap() graph.Store })
		if !ok {
			return nil
		}
		store = front.Unwrap()
	}
}

func (s *Server) conceptsOfUser(q *request) (wire.Concepts, error) {
	ids, err := s.owned(q, raw.Concept)
	if err != nil {
		return nil, err
	}
	found, err := q.graph.Concepts(q.Context(), ids)
	if err != nil {
		return nil, err
	}
	return s.typed(q, found)
}

func (s *Server) connectionsOfUser(q *request) (wire.Connections, error) {
	ids, err := s.owned(q, raw.Connection)
	if err != nil {
		return nil, err
	}
	found, err := q.graph.Connections(q.Context(), ids)
	return wire.LinksOf(found), err
}

// One request looks at so many rows and no more; the header says where to go on.
const mostRows = 1_000_000

// owned are the ids of the caller's own records in a table; of anybody's for admins.
func (s *Server) owned(q *request, t raw.Table) ([]graph.ID, error) {
	fields, err := q.fields("user_id", "inpage", "after")
	if err != nil {
		return nil, err
	}
	user, err := fields.ID("user_id")
	if err != nil {
		return nil, err
	}
	inpage, err := fields.Int("inpage", most)
	if err != nil {
		return nil, err
	}
	after, err := keyIn(t, fields["after"])
	if err != nil {
		return nil, err
	}
	l := listerIn(s.feed)
	switch {
	case user != q.caller.User && !q.caller.Admin:
		return nil, graph.Errorf(graph.Forbidden, "only user %d is told which records are theirs", user)
	case inpage < 1:
		return nil, graph.Errorf(graph.Invalid, "there is no page of %d", inpage)
	case l == nil:
		return nil, graph.Errorf(graph.Unavailable, "this store does not know what belongs to whom")
	}
	return ownedBy(q, l, t, user, after, min(inpage, most))
}

func ownedBy(q *request, l lister, t raw.Table, user graph.ID, after raw.Row, limit int) ([]graph.ID, error) {
	owner, id := slices.Index(t.Columns, "owner"), slices.Index(t.Columns, "id")
	var ids []graph.ID
	for looked := 0; looked < mostRows; {
		rows, err := l.Rows(q.Context(), t, after, chunk)
		if err != nil || len(rows) == 0 {
			return ids, err
		}
		looked += len(rows)
		for _, row := range rows {
			after = t.Of(row)
			if row[owner] != int64(user) {
				continue
			}
			if ids = append(ids, graph.ID(row[id].(int64))); len(ids) == limit {
				q.answer.Set(moreHeader, keyText(after))
				return ids, nil
			}
		}
	}
	q.answer.Set(moreHeader, keyText(after))
	return ids, nil
}

// A key of rows is numbers with dots between them.
func keyText(key raw.Row) string {
	parts := make([]string, len(key))
	for i, n := range key {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, ".")
}

func keyIn(t raw.Table, text string) (raw.Row, error) {
	if text == "" {
		return nil, nil
	}
	var key raw.Row
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, graph.Errorf(graph.Invalid, "the field %q is %q; want what the header %s said", "after", graph.Clip(text), moreHeader)
		}
		key = append(key, n)
	}
	if len(key) != t.Key {
		return nil, graph.Errorf(graph.Invalid, "the field %q has %d numbers; want %d", "after", len(key), t.Key)
	}
	return key, nil
}
