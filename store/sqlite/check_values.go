package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/weft-graph/weft/graph"
)

// checkSizes counts everything.
func checkSizes(ctx context.Context, tx *sql.Tx) error {
	return none(ctx, tx, map[string]string{
		"the size of type %d is wrong": `select type from (
			select type, instances, empty, hidden, links from size
			union all select type, -count(*), -sum(ifnull(value, 'x') = ''), -sum(owner <> 999 and access <> 5), 0
				from concept where category = 4 group by type
			union all select type, 0, 0, 0, -links from (select type, count(*) links from connection group by type) l
				where (select not composition from concept c where c.id = l.type)
			) group by type having sum(instances) <> 0 or sum(empty) <> 0 or sum(hidden) <> 0 or sum(links) <> 0`,
		"what is hidden of type %d is counted wrong": `select type from (
			select type, scope, instances from hidden
			union all select type, iif(access = 3, -1, owner), -count(*) from concept
				where category = 4 and owner <> 999 and access <> 5 group by 1, 2
			) group by type, scope having sum(instances) <> 0`,
	})
}

// checkValues reads every value that is said to be indexed: it stands under its key and scope, and among the texts as many
// have each trigram as in truth.
func checkValues(ctx context.Context, tx *sql.Tx) error {
	err := none(ctx, tx, map[string]string{
		"concept %d waits for the index and is none":  `select id from waiting where (type, id) not in (select type, id from concept)`,
		"concept %d waits for the index, beyond all":  `select id from waiting where id > (select upto from indexed)`,
		"concept %d waits for the index and is there": `select id from waiting where id in (select id from value_text_docsize)`,
	})
	if err != nil {
		return err
	}
	find, err := tx.PrepareContext(ctx, `select v.scope from value_key v join value_text_docsize d on d.id = v.id
		where v.type = ? and v.key = ? and v.id = ?`)
	if err != nil {
		return err
	}
	defer find.Close()
	rows, err := tx.QueryContext(ctx, `select `+valuedColumns+` from concept c
		where c.id <= (select upto from indexed) and c.category = 4 and c.value is not '' and (c.type, c.id) not in (select type, id from waiting)`)
	if err != nil {
		return err
	}
	defer rows.Close()
	listed, texts := 0, trigramCounts{}
	for ; rows.Next(); listed++ {
		var v valued
		if err := scanValued(rows, &v); err != nil {
			return err
		}
		var scope graph.ID
		err := find.QueryRowContext(ctx, v.typ, cut(graph.KeyOf(v.value)), v.id).Scan(&scope)
		if errors.Is(err, sql.ErrNoRows) || err == nil && scope != v.scope {
			return fmt.Errorf("concept %d, %q, is not in the index of values", v.id, graph.Clip(v.value))
		}
		if err != nil {
			return err
		}
		texts.add(v.id, graph.Fold(v.value))
		texts.add(v.id, typeLetters(v.typ))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var keys, docs int
	if err := tx.QueryRowContext(ctx, `select (select count(*) from value_key), (select count(*) from value_text_docsize)`).Scan(&keys, &docs); err != nil {
		return err
	}
	if keys != listed || docs != listed {
		return fmt.Errorf("the index has %d keys and %d texts of %d values", keys, docs, listed)
	}
	return texts.compare(ctx, tx)
}

// trigramCounts are how many texts have a trigram.
type trigramCounts map[[3]rune]*trigramCount

type trigramCount struct {
	texts int
	last  graph.ID // the last of them
}

func (t trigramCounts) add(id graph.ID, text string) {
	var trigram [3]rune
	n := 0
	for _, letter := range text {
		if letter == 0xFFFE || letter == 0xFFFF { // no characters: SQLite reads them so
			letter = 0xFFFD
		}
		trigram = [3]rune{trigram[1], trigram[2], letter}
		if n++; n < 3 {
			continue
		}
		count := t[trigram]
		if count == nil {
			count = &trigramCount{}
			t[trigram] = count
		}
		if count.last != id {
			count.texts++
			count.last = id
		}
	}
}

func (t trigramCounts) compare(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `select term, doc from value_term`)
	if err != nil {
		return err
	}
	defer rows.Close()
	terms := 0
	for ; rows.Next(); terms++ {
		var term string
		var texts int
		if err := rows.Scan(&term, &texts); err != nil {
			return err
		}
		letters := []rune(term)
		if len(letters) != 3 {
			return fmt.Errorf("the index of texts has %q", term)
		}
		if count := t[[3]rune(letters)]; count == nil || count.texts != texts {
			return fmt.Errorf("the index of texts has %q in %d, which is wrong", term, texts)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if terms != len(t) {
		return fmt.Errorf("the index of texts has %d trigrams, not %d", terms, len(t))
	}
	return nil
}
