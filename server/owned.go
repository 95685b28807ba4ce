package server

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/raw"
	"github.com/weft-graph/weft/wire"
)

// A lister is a store whose rows can be read as they stand. Nothing finds records by their owner otherwise:
// hardly anybody asks for them, and an index of owners would cost every write.
type lister interface {
	Rows(ctx context.Context, t raw.Table, after raw.Row, limit int) ([]raw.Row, error)
}

func (s *Server) conceptsOfUser(q *request) (wire.Concepts, error) {
	ids, err := s.owned(q, raw.Concept, sightOf(q.graph.Concepts, func(c graph.Concept) graph.ID { return c.ID }))
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
	ids, err := s.owned(q, raw.Connection, sightOf(q.graph.Connections, func(c graph.Connection) graph.ID { return c.ID }))
	if err != nil {
		return nil, err
	}
	found, err := q.graph.Connections(q.Context(), ids)
	return wire.LinksOf(found), err
}

// One request looks at so many rows and no more; the header says where to go on.
const mostRows = 1_000_000

// sight says which of some ids a caller sees.
type sight func(context.Context, []graph.ID) (map[graph.ID]bool, error)

func sightOf[T any](read func(context.Context, []graph.ID) ([]T, error), id func(T) graph.ID) sight {
	return func(ctx context.Context, ids []graph.ID) (map[graph.ID]bool, error) {
		found, err := read(ctx, ids)
		seen := make(map[graph.ID]bool, len(found))
		for _, one := range found {
			seen[id(one)] = true
		}
		return seen, err
	}
}

// owned are the ids of the caller's own records in a table; of anybody's for admins.
func (s *Server) owned(q *request, t raw.Table, sees sight) ([]graph.ID, error) {
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
	l, ok := graph.Behind[lister](s.feed)
	switch {
	case q.caller.User == graph.Anonymous:
		return nil, graph.Errorf(graph.Unauthorized, "sign in to be told which records are yours")
	case user != q.caller.User && !q.caller.Admin:
		return nil, graph.Errorf(graph.Forbidden, "only user %d is told which records are theirs", user)
	case inpage < 1:
		return nil, graph.Errorf(graph.Invalid, "there is no page of %d", inpage)
	case !ok:
		return nil, graph.Errorf(graph.Unavailable, "this store does not know what belongs to whom")
	}
	after, err := s.places.open(q.Context(), t, q.caller.User, fields["after"])
	if err != nil {
		return nil, err
	}
	if err := s.scans.begin(q.caller.User); err != nil {
		return nil, err
	}
	defer s.scans.end(q.caller.User)
	ids, next, err := ownedBy(q.Context(), l, t, user, sees, after, min(inpage, most))
	if next == nil || err != nil {
		return ids, err
	}
	place, err := s.places.seal(q.Context(), t, q.caller.User, next)
	q.answer.Set(moreHeader, place)
	return ids, err
}

// chunk is how many rows are looked at in one go.
const chunk = 5_000

// ownedBy pages through what the caller sees: what is hidden fills no page and ends none. It returns the key to
// go on from, or nothing at the end.
func ownedBy(ctx context.Context, l lister, t raw.Table, user graph.ID, sees sight, after raw.Row, limit int) (ids []graph.ID, next raw.Row, err error) {
	owner, id := slices.Index(t.Columns, "owner"), slices.Index(t.Columns, "id")
	for looked := 0; looked < mostRows; {
		rows, err := l.Rows(ctx, t, after, chunk)
		if err != nil || len(rows) == 0 {
			return ids, nil, err
		}
		looked += len(rows)
		after = t.Of(rows[len(rows)-1])
		rows = slices.DeleteFunc(rows, func(row raw.Row) bool { return row[owner] != int64(user) })
		own := make([]graph.ID, len(rows))
		for i, row := range rows {
			own[i] = graph.ID(row[id].(int64))
		}
		seen, err := sees(ctx, own)
		if err != nil {
			return nil, nil, err
		}
		for i, row := range rows {
			if !seen[own[i]] {
				continue
			}
			if ids = append(ids, own[i]); len(ids) == limit {
				return ids, t.Of(row), nil
			}
		}
	}
	return ids, after, nil
}
