package sqlite

import (
	"context"
	"database/sql"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/raw"
)

// sizes holds differences to add to the tables size, hidden and usage. A transaction sums them up and writes them once.
type sizes struct {
	ofType map[graph.ID]size
	hidden map[typeScope]hiddenSize
	owned  map[graph.ID]graph.Usage // keyed by owner
}

type size struct{ instances, empty, hidden, links, hiddenLinks int }

// A typeScope is a type and the scope of some of its instances and links.
type typeScope struct{ typ, scope graph.ID }

type hiddenSize struct{ instances, links int }

func newSizes() sizes {
	return sizes{map[graph.ID]size{}, map[typeScope]hiddenSize{}, map[graph.ID]graph.Usage{}}
}

// concept counts a concept n times; n is 1 or -1.
func (s sizes) concept(c graph.Concept, n int) {
	s.ownedRecord(c.Owner, c.Value, int64(n))
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
		s.addHidden(typeScope{typ, scope}, hiddenSize{instances: n})
	}
	s.ofType[typ] = of
}

// links counts n more connections of a type and scope.
func (s sizes) links(typ, scope graph.ID, n int) {
	of := s.ofType[typ]
	of.links += n
	if scope != 0 {
		of.hiddenLinks += n
		s.addHidden(typeScope{typ, scope}, hiddenSize{links: n})
	}
	s.ofType[typ] = of
}

func (s sizes) addHidden(of typeScope, n hiddenSize) {
	now := s.hidden[of]
	s.hidden[of] = hiddenSize{now.instances + n.instances, now.links + n.links}
}

// add adds other differences.
func (s sizes) add(others sizes) {
	for typ, n := range others.ofType {
		of := s.ofType[typ]
		s.ofType[typ] = size{
			of.instances + n.instances, of.empty + n.empty, of.hidden + n.hidden, of.links + n.links, of.hiddenLinks + n.hiddenLinks,
		}
	}
	for of, n := range others.hidden {
		s.addHidden(of, n)
	}
	for owner, n := range others.owned {
		of := s.owned[owner]
		s.owned[owner] = graph.Usage{Records: of.Records + n.Records, Bytes: of.Bytes + n.Bytes}
	}
}

// write adds the differences to the tables and resets them.
func (s sizes) write(do *writeStatements) error {
	for typ, n := range s.ofType {
		if n == (size{}) {
			continue
		}
		if _, err := do.addSize.Exec(typ, n.instances, n.empty, n.hidden, n.links, n.hiddenLinks); err != nil {
			return err
		}
	}
	for of, n := range s.hidden {
		if n == (hiddenSize{}) {
			continue
		}
		if _, err := do.addHidden.Exec(of.typ, of.scope, n.instances, n.links); err != nil {
			return err
		}
	}
	for owner, n := range s.owned {
		if n == (graph.Usage{}) {
			continue
		}
		if _, err := do.addUsage.Exec(owner, n.Records, n.Bytes); err != nil {
			return err
		}
	}
	s.reset()
	return nil
}

func (s sizes) reset() {
	clear(s.ofType)
	clear(s.hidden)
	clear(s.owned)
}

// Statements that count the concepts between two ids, and the connections of the sources between two ids.
const (
	conceptSizes = `select type, owner, access, ifnull(value, 'x') = '', false, count(*) from concept
		where id between ? and ? and category = 4 group by 1, 2, 3, 4`
	linkSizes = `select c.type, c.scope, 4, false, true, count(*) from connection c join concept t on t.id = c.type
		where c.source between ? and ? and not t.composition group by c.type, c.scope`
)

// recount adds or overwrites rows whose first column is an id. It counts the records between the lowest and the highest of
// these ids before and after the write, and adds the difference to the sizes.
func (w *writer) recount(rows []raw.Row, statement string, add func() error) error {
	var first, last int64
	for i, row := range rows {
		id, _ := row[0].(int64)
		if i == 0 {
			first, last = id, id
		}
		first, last = min(first, id), max(last, id)
	}
	if err := w.exec(clearUsage); err != nil {
		return err
	}
	difference := newSizes()
	if err := w.count(difference, -1, statement, first, last); err != nil {
		return err
	}
	if err := add(); err != nil {
		return err
	}
	if err := w.count(difference, 1, statement, first, last); err != nil {
		return err
	}
	w.sizes.add(difference)
	return nil
}

// count adds the counts of a statement to s, times 1 or -1.
func (w *writer) count(s sizes, sign int, statement string, first, last int64) error {
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
			s.links(typ, graph.ScopeOf(owner, access), n*sign)
		} else {
			s.instances(typ, graph.ScopeOf(owner, access), empty, n*sign)
		}
	}
	return rows.Err()
}

// Sizes implements graph.Sizer.
func (r *Reader) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	return readSizes(ctx, types, r.do.sizes, array(types))
}

// VisibleSizes implements graph.VisibleReader.
func (r *Reader) VisibleSizes(ctx context.Context, viewer graph.ID, types []graph.ID) ([]graph.Size, error) {
	return readSizes(ctx, types, r.do.visibleSizes, array(types), viewer)
}

// UsedTypes implements graph.TypeLister.
func (r *Reader) UsedTypes(ctx context.Context, limit int) ([]graph.ID, error) {
	types, err := query(ctx, r.do.usedTypes, func(rows *sql.Rows, id *graph.ID) error { return rows.Scan(id) }, limit)
	return types, failed(ctx, "listing types", err)
}

// readSizes returns the sizes of types that a statement selects.
func readSizes(ctx context.Context, types []graph.ID, statement *sql.Stmt, args ...any) ([]graph.Size, error) {
	type typed struct {
		typ  graph.ID
		size graph.Size
	}
	found, err := query(ctx, statement, func(rows *sql.Rows, t *typed) error {
		return rows.Scan(&t.typ, &t.size.Instances, &t.size.Links)
	}, args...)
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

// CountVisible implements graph.VisibleReader.
func (r *Reader) CountVisible(ctx context.Context, typ, viewer graph.ID) (n int, err error) {
	err = r.do.countVisible.QueryRowContext(ctx, typ, viewer).Scan(&n)
	return n, failed(ctx, "counting concepts", err)
}
