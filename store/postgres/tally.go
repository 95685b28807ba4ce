package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
)

// A tally is what is counted of a type: its instances in one scope, all of them, or the connections that are of it. A
// composition is the type of its own connections; those are not counted.
type tally struct{ typ, part graph.ID }

// The parts besides scopes.
const (
	tallyInstances graph.ID = -2
	tallyLinks     graph.ID = -3
)

const tallying = `;
	create table tally (
		type bigint not null,
		part bigint not null, -- a scope, -2 for the instances in all of them or -3 for connections
		n    bigint not null,
		primary key (type, part)
	) with (fillfactor = 50)`

// What rows of concepts and connections count for.
const (
	scopeOf         = `case when owner = 999 or access = 5 then 0 when access = 3 then -1 else owner end`
	talliedConcepts = `select type, part, count(*) n from (select type, unnest(array[-2, ` + scopeOf + `]) part from concept where category = 4`
	talliedLinks    = `select type, -3, count(*) from connection x
		where exists (select from concept c where c.id = x.type and c.category <> 4 and not c.composition)`

	tallied  = talliedConcepts + `) c group by type, part union all ` + talliedLinks + ` group by type`
	tallyAll = `;
	insert into tally ` + tallied
)

// queueTallies counts what was written and removed. It comes behind the number of the change: whoever is about to
// count waits there, so nobody waits in a circle.
func (t *transaction) queueTallies(b *pgx.Batch) {
	for _, c := range t.newConcepts {
		t.tallyConcept(c, 1)
	}
	for _, c := range t.newConnections {
		t.tallyLink(c, 1)
	}
	more, fewer := &tallies{}, &tallies{}
	for _, key := range slices.SortedFunc(maps.Keys(t.tallies), func(a, b tally) int {
		return cmp.Or(cmp.Compare(a.typ, b.typ), cmp.Compare(a.part, b.part))
	}) {
		switch n := t.tallies[key]; {
		case n > 0:
			more.add(key, n)
		case n < 0:
			fewer.add(key, n)
		}
	}
	if len(more.n) > 0 {
		b.Queue(`insert into tally select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) k(type, part, n)
			where part <> -3 or exists (select from concept c where c.id = k.type and c.category <> 4 and not c.composition)
			on conflict (type, part) do update set n = tally.n + excluded.n`, more.types, more.parts, more.n)
	}
	if len(fewer.n) > 0 {
		b.Queue(`update tally t set n = t.n + k.n from unnest($1::bigint[], $2::bigint[], $3::bigint[]) k(type, part, n)
			where t.type = k.type and t.part = k.part`, fewer.types, fewer.parts, fewer.n)
	}
}

func (p *plan) tallyConcept(c graph.Concept, n int64) {
	if c.Category == graph.CategoryInstance {
		p.tallies[tally{c.Type, c.Scope()}] += n
		p.tallies[tally{c.Type, tallyInstances}] += n
	}
}

func (p *plan) tallyLink(c graph.Connection, n int64) {
	if typ, known := p.concepts[c.Type]; !known || typ.IsType() {
		p.tallies[tally{c.Type, tallyLinks}] += n
	}
}

// tallies are changes of tallies by column.
type tallies struct{ types, parts, n []int64 }

func (t *tallies) add(of tally, n int64) {
	t.types, t.parts, t.n = append(t.types, int64(of.typ)), append(t.parts, int64(of.part)), append(t.n, n)
}

// CountByType implements graph.Reader.
func (r *Reader) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	n, err := r.tally(ctx, `select n from tally where type = $1 and part = -2`, typ)
	if atMost > 0 {
		n = min(n, atMost)
	}
	return n, failed(ctx, "counting concepts", err)
}

// CountHidden counts the instances of a type that a viewer may not read: those in no scope but others'.
func (r *Reader) CountHidden(ctx context.Context, typ, viewer graph.ID) (int, error) {
	n, err := r.tally(ctx, `select case part when -2 then n else -n end from tally where type = $1 and part = any($2)`,
		typ, []int64{int64(tallyInstances), 0, int64(viewer)})
	return n, failed(ctx, "counting hidden concepts", err)
}

func (r *Reader) tally(ctx context.Context, parts string, args ...any) (n int, err error) {
	err = r.pool.QueryRow(ctx, `select coalesce(sum(n), 0)::bigint from (`+parts+`) t(n)`, args...).Scan(&n)
	return n, err
}

// Sizes implements graph.Sizer.
func (r *Reader) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	counted := map[tally]int{}
	rows, err := r.pool.Query(ctx, `select type, part, n from tally where type = any($1) and part in (-2, -3)`, numbers(types))
	if err != nil {
		return nil, failed(ctx, "reading sizes", err)
	}
	var of tally
	var n int
	_, err = pgx.ForEachRow(rows, []any{(*int64)(&of.typ), (*int64)(&of.part), &n}, func() error {
		counted[of] = n
		return nil
	})
	sizes := make([]graph.Size, len(types))
	for i, id := range types {
		sizes[i] = graph.Size{Instances: counted[tally{id, tallyInstances}], Links: counted[tally{id, tallyLinks}]}
	}
	return sizes, failed(ctx, "reading sizes", err)
}
