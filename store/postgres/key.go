package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weft-graph/weft/graph"
)

// What concepts are selected by stands with them: the key of their value, cut to mostKey bytes so that an index can hold it,
// and the folded value, unless that is the value itself. A key shorter than mostKey is whole; behind one that is not, the folded value tells.
const mostKey = 128

func keyOf(value string) []byte {
	key := graph.KeyOf(value)
	return []byte(key[:min(len(key), mostKey)])
}

func foldedOf(value string) *string {
	if text := graph.Fold(value); text != value {
		return &text
	}
	return nil
}

const selecting = `alter table concept add column key bytea, add column folded text collate "C"` + tallying

const selectable = `drop index concept_hidden; -- what it was for is tallied
	alter table concept alter column key set not null;
	create index concept_key on concept (type, key, id);
	analyze concept, connection` + tallyAll

// fillKeys gives keys to the concepts that have none, some at a time.
func fillKeys(ctx context.Context, conn *pgx.Conn) error {
	for after := graph.ID(0); ; {
		last, err := fillSome(ctx, conn, after)
		if err != nil || last == after {
			return err
		}
		after = last
	}
}

// fillSome returns the id of the last concept that it filled.
func fillSome(ctx context.Context, conn *pgx.Conn, after graph.ID) (graph.ID, error) {
	const most, mostBytes = 5_000, 8 << 20
	rows, err := conn.Query(ctx, `select id, value from concept where id > $1 and key is null order by id limit $2`, after, most)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var ids []int64
	var k keyed
	for size := 0; size < mostBytes && rows.Next(); {
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

// keyed are keys and folded values by column.
type keyed struct {
	keys   [][]byte
	folded []*string
}

func (k *keyed) add(value string) {
	k.keys = append(k.keys, keyOf(value))
	k.folded = append(k.folded, foldedOf(value))
}

// trigrams is an index of the texts that stand in texts. The extension may be somebody else's to allow, and then
// texts are looked through. What is new waits in a list, which every search reads: it is kept short, in kilobytes.
const trigrams = `create extension if not exists pg_trgm;
	create index concept_folded on concept using gin (coalesce(folded, value) gin_trgm_ops) with (gin_pending_list_limit = 256) where value <> ''`

// indexTexts makes the index if it is not there. Refused is why the database will not have it.
func indexTexts(ctx context.Context, conn *pgx.Conn) (refused, err error) {
	var there bool
	if err := conn.QueryRow(ctx, `select to_regclass('concept_folded') is not null`).Scan(&there); err != nil || there {
		return nil, err
	}
	_, err = conn.PgConn().Exec(ctx, trigrams).ReadAll()
	if _, said := errors.AsType[*pgconn.PgError](err); said && !unreachable(err) {
		return err, nil
	}
	return nil, err
}
