package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

const connectionsOf = `select ` + connectionColumns + ` from connection c where c.source = any($1)
	union select ` + connectionColumns + ` from connection c where c.target = any($1)
	union select ` + connectionColumns + ` from connection c where c.type = any($1)`

// A remover is the plan.Remover of a transaction: each method takes one round trip.
type remover struct {
	*transaction
	ctx context.Context //nolint:containedctx // the context of one call of Remove
}

func (r remover) Concepts(ids []graph.ID) ([]graph.Concept, error) {
	return collect(r.ctx, r.conn, scanConcept, conceptsByID, numbers(ids))
}

func (r remover) Connections(ids []graph.ID) ([]graph.Connection, error) {
	return collect(r.ctx, r.conn, scanConnection, connectionsByID, numbers(ids))
}

func (r remover) ConnectionsOf(concepts []graph.ID) ([]graph.Connection, error) {
	return collect(r.ctx, r.conn, scanConnection, connectionsOf, numbers(concepts))
}

func (r remover) IsTypeInUse(typ graph.ID) (used bool, err error) {
	err = r.conn.QueryRow(r.ctx, `select exists (select from connection where type = $1)
		or exists (select from concept where category = 4 and type = $1)
		or exists (select from concept where category <> 4 and type = $1)
		or exists (select from concept where category <> 4 and category = $1)`, typ).Scan(&used)
	return used, err
}

func (r remover) RemoveConnections(connections []graph.Connection, missingEnds []graph.ID) error {
	var sources, types, ids []int64
	for _, c := range connections {
		sources, types, ids = append(sources, int64(c.From)), append(types, int64(c.Type)), append(ids, int64(c.ID))
	}
	b := &pgx.Batch{}
	if len(missingEnds) > 0 {
		queueRows(b, r.learnEnd, endsByID, numbers(missingEnds))
	}
	b.Queue(`delete from connection c using unnest($1::bigint[], $2::bigint[], $3::bigint[]) k(source, type, id)
		where c.source = k.source and c.type = k.type and c.id = k.id`, sources, types, ids)
	if err := r.conn.SendBatch(r.ctx, b).Close(); err != nil {
		return err
	}
	for _, c := range connections { // the plan now knows the ends of all connections
		r.tallyLink(c, -1)
	}
	return nil
}

func (r remover) RemoveConcepts(concepts []graph.Concept) error {
	var ids []graph.ID
	var keys []plan.DirectoryKey
	for _, c := range concepts {
		ids = append(ids, c.ID)
		r.tallyConcept(c, -1)
		if plan.InDirectory(c) {
			keys = append(keys, plan.DirectoryKeyOf(c))
		}
	}
	b := &pgx.Batch{}
	b.Queue(`delete from concept where id = any($1)`, numbers(ids))
	hashes, categories, types, scopes := keyColumns(keys)
	b.Queue(`delete from directory d using unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) k(hash, category, type, scope)
		where d.hash = k.hash and d.category = k.category and d.type = k.type and d.scope = k.scope`, hashes, categories, types, scopes)
	return r.conn.SendBatch(r.ctx, b).Close()
}
