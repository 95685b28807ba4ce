package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weft-graph/weft/graph"
)

// maxKeyBytes is the maximum length of the column key. The column holds the graph.Key of the value, cut so that it fits into an
// index. If a key has the maximum length, comparisons also read the folded value. The column folded is null if the value equals
// its graph.Fold.
const maxKeyBytes = 128

func keyOf(value string) []byte {
	key := graph.KeyOf(value)
	return []byte(key[:min(len(key), maxKeyBytes)])
}

func foldedOf(value string) *string {
	if text := graph.Fold(value); text != value {
		return &text
	}
	return nil
}

// addSelectColumns is the SQL of the migration that adds the columns for selections; fillKeys and addSelectIndexes
// complete the migration.
const addSelectColumns = `alter table concept add column key bytea, add column folded text collate "C"` + createTally

const addSelectIndexes = `drop index concept_hidden; -- replaced by tally
	alter table concept alter column key set not null;
	create index concept_key on concept (type, key, id);
	analyze concept, connection` + fillTally

// fillKeys sets key and folded of concepts that have none, in several statements.
func fillKeys(ctx context.Context, conn *pgx.Conn) error {
	for after := graph.ID(0); ; {
		last, err := fillPage(ctx, conn, after)
		if err != nil || last == after {
			return err
		}
		after = last
	}
}

// fillPage sets key and folded of the next concepts after an id, and returns the id of the last of them.
func fillPage(ctx context.Context, conn *pgx.Conn, after graph.ID) (graph.ID, error) {
	const maxRows, maxBytes = 5_000, 8 << 20
	rows, err := conn.Query(ctx, `select id, value from concept where id > $1 and key is null order by id limit $2`, after, maxRows)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var ids []int64
	var k keyed
	for size := 0; size < maxBytes && rows.Next(); {
		var value string
		if err := rows.Scan(&after, &value); err != nil {
			return 0, err
		}
		ids, size = append(ids, int64(after)), size+len(value)
		k.add(value)
	}
	rows.Close()
	if err := rows.Err(); err != nil || len(ids) == 0 {
		return after, err
	}
	_, err = conn.Exec(ctx, `update concept c set key = k.key, folded = k.folded
		from unnest($1::bigint[], $2::bytea[], $3::text[]) k(id, key, folded) where c.id = k.id`, ids, k.keys, k.folded)
	return after, err
}

// keyed holds the columns key and folded of concepts.
type keyed struct {
	keys   [][]byte
	folded []*string
}

func (k *keyed) add(value string) {
	k.keys = append(k.keys, keyOf(value))
	k.folded = append(k.folded, foldedOf(value))
}

// trigrams creates the index for Like. New values are in the pending list of the index, which every search reads; its limit
// is in kilobytes and keeps the list short.
const trigrams = `create extension if not exists pg_trgm;
	create index concept_folded on concept using gin (coalesce(folded, value) gin_trgm_ops) with (gin_pending_list_limit = 256) where value <> ''`

// indexTexts creates the index for Like unless it exists. If the database does not permit this, for example because the user
// may not create extensions, indexErr is the reason and searches read all values of a type.
func indexTexts(ctx context.Context, conn *pgx.Conn) (indexErr, err error) {
	var exists bool
	if err := conn.QueryRow(ctx, `select to_regclass('concept_folded') is not null`).Scan(&exists); err != nil || exists {
		return nil, err
	}
	_, err = conn.PgConn().Exec(ctx, trigrams).ReadAll()
	if _, isAnswer := errors.AsType[*pgconn.PgError](err); isAnswer && !isUnreachable(err) {
		return err, nil
	}
	return nil, err
}
