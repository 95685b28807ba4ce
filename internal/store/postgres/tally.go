package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
)

// A tally is the key of a count. The count is the number of the instances of a type, or of the connections of a type, in one
// scope or in all scopes. Connections that are internal to a composition are not counted. With the types ownedRecords and
// ownedBytes, a tally is the key of the usage of an owner.
type tally struct{ typ, part graph.ID }

// Parts that are not scopes.
const (
	tallyInstances graph.ID = -2
	tallyLinks     graph.ID = -3
	tallyScope     graph.ID = -10 // tallyScope - s counts the connections in the scope s
)

const createTally = `;
	create table tally (
		type bigint not null,
		part bigint not null, -- a scope; -2: the instances in all scopes; -3: the connections in all scopes; -10 - a scope: those in it
		n    bigint not null,
		primary key (type, part)
	) with (fillfactor = 50)`

// Queries that count concepts and connections. Conditions on rows of concept may follow talliedConcepts.
const (
	scopeOf         = `case when owner = 999 or access = 5 then 0 when access = 3 then -1 else owner end`
	talliedConcepts = `select type, part, count(*) n from (select type, unnest(array[-2, ` + scopeOf + `]) part from concept where category = 4`
	talliedLinks    = `select type, part, count(*) from (select x.type, unnest(array[-3, -10 - x.scope]) part from connection x
		where exists (select from concept c where c.id = x.type and not c.composition)`

	countAll = talliedConcepts + `) c group by type, part union all ` + talliedLinks + `) c group by type, part union all ` + countUsage
	// recountLinks counts all connections again, because connections whose type is a value were not counted before.
	recountLinks = `delete from tally where type > 0 and (part = -3 or part <= -9); insert into tally ` + talliedLinks + `) c group by type, part`
	fillTally    = `;
	insert into tally ` + talliedConcepts + `) c group by type, part`  // addScopeIndexes adds the connections
)

// queueTallies adds the differences of the transaction to the tallies. Its statements follow the statement that locks the
// row of change numbers, so that transactions change tallies one at a time and cannot deadlock.
func (t *transaction) queueTallies(b *pgx.Batch) {
	added := t.plan.Added()
	for _, c := range added.Concepts {
		t.tallyConcept(c, 1)
	}
	for _, c := range added.Connections {
		t.tallyLink(c, 1)
	}
	increased, decreased := &tallies{}, &tallies{}
	for _, key := range slices.SortedFunc(maps.Keys(t.tallies), func(a, b tally) int {
		return cmp.Or(cmp.Compare(a.typ, b.typ), cmp.Compare(a.part, b.part))
	}) {
		switch n := t.tallies[key]; {
		case n > 0:
			increased.add(key, n)
		case n < 0:
			decreased.add(key, n)
		}
	}
	if len(increased.n) > 0 {
		b.Queue(`insert into tally select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) k(type, part, n)
			where part > -3 or exists (select from concept c where c.id = k.type and not c.composition)
			on conflict (type, part) do update set n = tally.n + excluded.n`, increased.types, increased.parts, increased.n)
	}
	if len(decreased.n) > 0 {
		b.Queue(`update tally t set n = t.n + k.n from unnest($1::bigint[], $2::bigint[], $3::bigint[]) k(type, part, n)
			where t.type = k.type and t.part = k.part`, decreased.types, decreased.parts, decreased.n)
	}
}

func (t *transaction) tallyConcept(c graph.Concept, n int64) {
	t.tallies[tally{ownedRecords, c.Owner}] += n
	t.tallies[tally{ownedBytes, c.Owner}] += n * int64(len(c.Value))
	if c.Category == graph.CategoryInstance {
		t.tallies[tally{c.Type, c.Scope()}] += n
		t.tallies[tally{c.Type, tallyInstances}] += n
	}
}

func (t *transaction) tallyLink(c graph.Connection, n int64) {
	t.tallies[tally{ownedRecords, c.Owner}] += n
	if typ, known := t.plan.Concept(c.Type); !known || !typ.Composition {
		t.tallies[tally{c.Type, tallyLinks}] += n
		t.tallies[tally{c.Type, tallyScope - t.plan.ScopeOf(c)}] += n
	}
}

// tallies holds differences of tallies column by column.
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

// CountVisible implements graph.VisibleReader.
func (r *Reader) CountVisible(ctx context.Context, typ, viewer graph.ID) (int, error) {
	n, err := r.tally(ctx, `select t.n from unnest($2::bigint[]) p(part) `+oneTally("$1"), typ, []int64{0, int64(viewer)})
	return n, failed(ctx, "counting concepts", err)
}

// oneTally joins the tally of a type and a part. Offset 0 prevents PostgreSQL from reading all parts; there are as many parts
// as users.
func oneTally(typ string) string {
	return `cross join lateral (select n from tally where type = ` + typ + ` and part = p.part offset 0) t`
}

func (r *Reader) tally(ctx context.Context, parts string, args ...any) (n int, err error) {
	err = r.pool.QueryRow(ctx, `select coalesce(sum(n), 0)::bigint from (`+parts+`) t(n)`, args...).Scan(&n)
	return n, err
}

// Sizes implements graph.Sizer.
func (r *Reader) Sizes(ctx context.Context, types []graph.ID) ([]graph.Size, error) {
	return r.sizes(ctx, types, []graph.ID{tallyInstances}, []graph.ID{tallyLinks})
}

// VisibleSizes implements graph.VisibleReader.
func (r *Reader) VisibleSizes(ctx context.Context, viewer graph.ID, types []graph.ID) ([]graph.Size, error) {
	return r.sizes(ctx, types, []graph.ID{0, viewer}, []graph.ID{tallyScope, tallyScope - viewer})
}

// UsedTypes implements graph.TypeLister. It skips from type to type in the index, because a type has a tally for each user.
func (r *Reader) UsedTypes(ctx context.Context, limit int) ([]graph.ID, error) {
	rows, err := r.pool.Query(ctx, `with recursive t(type) as (
			select min(type) from tally
			union all
			select (select min(type) from tally where type > t.type) from t where t.type is not null)
		select t.type from t cross join lateral (select n from tally where type = t.type and part = $1 offset 0) n
		where t.type is not null and n.n > 0 order by t.type limit $2`, tallyInstances, limit)
	if err != nil {
		return nil, failed(ctx, "listing types", err)
	}
	types, err := pgx.CollectRows(rows, pgx.RowTo[graph.ID])
	return types, failed(ctx, "listing types", err)
}

// sizes returns the sums of the tallies of instances and of links.
func (r *Reader) sizes(ctx context.Context, types, instances, links []graph.ID) ([]graph.Size, error) {
	counted := map[tally]int{}
	rows, err := r.pool.Query(ctx, `select o.type, p.part, t.n from unnest($1::bigint[]) o(type) cross join unnest($2::bigint[]) p(part) `+oneTally("o.type"),
		numbers(types), numbers(slices.Concat(instances, links)))
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
		for _, part := range instances {
			sizes[i].Instances += counted[tally{id, part}]
		}
		for _, part := range links {
			sizes[i].Links += counted[tally{id, part}]
		}
	}
	return sizes, failed(ctx, "reading sizes", err)
}
