package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
)

// remove applies the removals of a batch, after its drafts were saved. Concepts are removed in sets, but
// types one by one: whether one is out of use shows when its turn comes, and nobody removes many.
func (t *transaction) remove(ctx context.Context, w *write) error {
	in := incoming{t.plan, w.by, &w.touched}
	connections, err := in.removable("connection", w.batch.RemoveConnections)
	if err != nil {
		return err
	}
	ids, err := in.removable("concept", w.batch.RemoveConcepts)
	if err != nil {
		return err
	}
	if err := t.removeConnections(ctx, w, connectionsByID, connections); err != nil {
		return err
	}
	found, err := collect(ctx, t.conn, scanConcept, conceptsByID, numbers(ids))
	found = inOrder(found, ids, func(c graph.Concept) graph.ID { return c.ID })
	for len(found) > 0 && err == nil {
		n := slices.IndexFunc(found, graph.Concept.IsType)
		if n < 0 {
			n = len(found)
		}
		n = max(n, 1)
		err = t.removeConcepts(ctx, w, found[:n])
		found = found[n:]
	}
	return err
}

func (in incoming) removable(what string, names []graph.ID) ([]graph.ID, error) {
	var ids []graph.ID
	for _, id := range names {
		real, known := in.sent(id, what == "connection")
		switch {
		case known:
			ids = append(ids, real)
		case id > 0:
			ids = append(ids, id)
		default:
			return nil, graph.Errorf(graph.Invalid, "cannot remove %s ghost %d, which nobody sent", what, id)
		}
	}
	return ids, nil
}

// removeConcepts takes along every connection that starts or ends at one of the concepts, or is internal to
// it. They are one type, or none of them is.
func (t *transaction) removeConcepts(ctx context.Context, w *write, concepts []graph.Concept) error {
	var ids []graph.ID
	for _, c := range concepts {
		if c.ID < graph.FirstFree {
			return graph.Errorf(graph.Forbidden, "concept %d, %q, is fixed and cannot be removed", c.ID, c.Value)
		}
		ids = append(ids, c.ID)
	}
	if err := t.outOfUse(ctx, concepts[0]); err != nil {
		return err
	}
	if err := t.removeConnections(ctx, w, connectionsOf, ids); err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(`delete from concept where id = any($1)`, numbers(ids))
	var names []name
	for _, c := range concepts {
		w.touched.Concept(c)
		t.tallyConcept(c, -1)
		if listed(c) {
			names = append(names, nameOf(c))
		}
	}
	hashes, categories, types, scopes := split(names)
	b.Queue(`delete from directory d using unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) k(hash, category, type, scope)
		where d.hash = k.hash and d.category = k.category and d.type = k.type and d.scope = k.scope`, hashes, categories, types, scopes)
	return t.conn.SendBatch(ctx, b).Close()
}

// outOfUse refuses the removal of a type that something is of.
func (t *transaction) outOfUse(ctx context.Context, c graph.Concept) error {
	if !c.IsType() {
		return nil
	}
	var used bool
	err := t.conn.QueryRow(ctx, `select exists (select from connection where type = $1)
		or exists (select from concept where category = 4 and type = $1)
		or exists (select from concept where category <> 4 and type = $1)
		or exists (select from concept where category <> 4 and category = $1)`, c.ID).Scan(&used)
	if err == nil && used {
		return graph.Errorf(graph.Forbidden, "type %q (%d) is in use and cannot be removed", c.Value, c.ID)
	}
	return err
}

const connectionsOf = `select ` + connectionColumns + ` from connection c where c.source = any($1)
	union select ` + connectionColumns + ` from connection c where c.target = any($1)
	union select ` + connectionColumns + ` from connection c where c.type = any($1)`

// removeConnections removes what a query finds for ids.
func (t *transaction) removeConnections(ctx context.Context, w *write, query string, ids []graph.ID) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := collect(ctx, t.conn, scanConnection, query, numbers(ids))
	if err != nil || len(found) == 0 {
		return err
	}
	var sources, types, numbersOf, ends []int64
	for _, c := range found {
		sources, types, numbersOf = append(sources, int64(c.From)), append(types, int64(c.Type)), append(numbersOf, int64(c.ID))
		ends = append(ends, int64(c.From), int64(c.To))
	}
	b := &pgx.Batch{}
	queue1(b, t.learnEnd, endsByID, ends)
	b.Queue(`delete from connection c using unnest($1::bigint[], $2::bigint[], $3::bigint[]) k(source, type, id)
		where c.source = k.source and c.type = k.type and c.id = k.id`, sources, types, numbersOf)
	if err := t.conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for _, c := range found {
		w.touched.Connection(c, t.ends[c.From], t.ends[c.To])
		t.tallyLink(c, -1)
	}
	return nil
}
