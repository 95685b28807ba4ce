package sqlite

import (
	"context"
	"database/sql"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/raw"
)

// sizes are how much the tables size and hidden are to change. A transaction adds them up and writes them once.
type sizes struct {
	ofType map[graph.ID]size
	hidden map[circle]int
}

type size struct{ instances, empty, hidden, links int }

// A circle is the instances of a type in a scope.
type circle struct{ typ, scope graph.ID }

func newSizes() sizes { return sizes{map[graph.ID]size{}, map[circle]int{}} }

// concept counts n more of a concept.
func (s sizes) concept(c graph.Concept, n int) {
	if c.Category == graph.CategoryInstance {
		s.instances(c.Type, c.Scope(), c.Value == "", n)
	}
}

func (s sizes) instances(typ, scope graph.ID, empty bool, n int) {
	of := s.ofType[typ]
	of.instances += n
	if empty {
		of.empty += n
	}
	if scope != 0 {
		of.hidden += n
		s.hidden[circle{typ, scope}] += n
	}
	s.ofType[typ] = of
}

func (s sizes) links(typ graph.ID, n int) {
	of := s.ofType[typ]
	of.links += n
	s.ofType[typ] = of
}

// add adds what others are.
func (s sizes) add(others sizes) {
	for typ, n := range others.ofType {
		of := s.ofType[typ]
		s.ofType[typ] = size{of.instances + n.instances, of.empty + n.empty, of.hidden + n.hidden, of.links + n.links}
	}
	for of, n := range others.hidden {
		s.hidden[of] += n
	}
}

// write adds the sizes to the tables and begins anew.
func (s sizes) write(do *writeStatements) error {
	for typ, n := range s.ofType {
		if n == (size{}) {
			continue
		}
		if _, err := do.addSize.Exec(typ, n.instances, n.empty, n.hidden, n.links); err != nil {
			return err
		}
	}
	for of, n := range s.hidden {
		if n == 0 {
			continue
		}
		if _, err := do.addHidden.Exec(of.typ, of.scope, n); err != nil {
			return err
		}
	}
	s.forget()
	return nil
}

func (s sizes) forget() {
	clear(s.ofType)
	clear(s.hidden)
}

// Statements that tell what the records between two ids, or of the sources between two, add to the sizes.
const (
	conceptSizes = `select type, owner, access, ifnull(value, 'x') = '', false, count(*) from concept
		where id between ? and ? and category = 4 group by 1, 2, 3, 4`
	linkSizes = `select c.type, 999, 5, false, true, count(*) from connection c join concept t on t.id = c.type
		where c.source between ? and ? and not t.composition group by c.type`
)

// resized adds or overwrites rows whose first column is an id, and counts what lies between the lowest and the highest before
// and after.
func (w *writer) resized(rows []raw.Row, statement string, add func() error) error {
	var first, last int64
	for i, row := range rows {
		id, _ := row[0].(int64)
		if i == 0 {
			first, last = id, id
		}
		first, last = min(first, id), max(last, id)
	}
	more := newSizes()
	if err := w.count(more, -1, statement, first, last); err != nil {
		return err
	}
	if err := add(); err != nil {
		return err
	}
	if err := w.count(more, 1, statement, first, last); err != nil {
		return err
	}
	w.sizes.add(more)
	return nil
}

// count adds to sizes so many times what a statement tells.
func (w *writer) count(s sizes, times int, statement string, first, last int64) error {
	rows, err := w.conn.QueryContext(context.Background(), statement, first, last)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var typ, owner graph.ID
		var access graph.Access
		var empty, links bool
		var n int
		if err := rows.Scan(&typ, &owner, &access, &empty, &links, &n); err != nil {
			return err
		}
		if links {
			s.links(typ, n*times)
		} else {
			s.instances(typ, graph.ScopeOf(owner, access), empty, n*times)
		}
	}
	return rows.Err()
}

// Sizes implements graph.Sizer.
func (r *Reader) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	type typed struct {
		typ  graph.ID
		size graph.Size
	}
	found, err := query(ctx, r.do.sizes, func(rows *sql.Rows, t *typed) error {
		return rows.Scan(&t.typ, &t.size.Instances, &t.size.Links)
	}, array(types))
	of := make(map[graph.ID]graph.Size, len(found))
	for _, t := range found {
		of[t.typ] = t.size
	}
	sizes := make([]graph.Size, len(types))
	for i, typ := range types {
		sizes[i] = of[typ]
	}
	return sizes, failed(ctx, "reading sizes", err)
}

// CountByType implements graph.Reader.
func (r *Reader) CountByType(ctx context.Context, typ graph.ID, atMost int) (n int, err error) {
	err = r.do.countByType.QueryRowContext(ctx, typ).Scan(&n)
	if atMost > 0 {
		n = min(n, atMost)
	}
	return n, failed(ctx, "counting concepts", err)
}

// CountHidden counts the instances of a type that a viewer may not read: those in no scope but others'.
func (r *Reader) CountHidden(ctx context.Context, typ, viewer graph.ID) (n int, err error) {
	err = r.do.countHidden.QueryRowContext(ctx, typ, viewer).Scan(&n)
	return n, failed(ctx, "counting hidden concepts", err)
}
