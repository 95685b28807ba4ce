package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/weft-graph/weft/graph"
)

// checkSizes compares the tables size and hidden with counts of all records.
func checkSizes(ctx context.Context, tx *sql.Tx) error {
	return expectNone(ctx, tx, map[string]string{
		"the size of type %d is wrong": `select type from (
			select type, instances, empty, hidden, links, hidden_links from size
			union all select type, -count(*), -sum(ifnull(value, 'x') = ''), -sum(owner <> 999 and access <> 5), 0, 0
				from concept where category = 4 group by type
			union all select type, 0, 0, 0, -links, -hidden from (select type, count(*) links, sum(scope <> 0) hidden from connection group by type) l
				where (select not composition from concept c where c.id = l.type)
			) group by type having sum(instances) <> 0 or sum(empty) <> 0 or sum(hidden) <> 0 or sum(links) <> 0 or sum(hidden_links) <> 0`,
		"the hidden records of type %d are counted wrong": `select type from (
			select type, scope, instances, links from hidden
			union all select type, iif(access = 3, -1, owner), -count(*), 0 from concept
				where category = 4 and owner <> 999 and access <> 5 group by 1, 2
			union all select type, scope, 0, -count(*) from connection l where scope <> 0
				and (select not composition from concept c where c.id = l.type) group by 1, 2
			) group by type, scope having sum(instances) <> 0 or sum(links) <> 0`,
	})
}

// checkValues checks that value_key lists every value that should be indexed under its key and scope. It also checks, for
// each trigram, that value_text has as many texts with the trigram as there are values with it.
func checkValues(ctx context.Context, tx *sql.Tx) error {
	err := expectNone(ctx, tx, map[string]string{
		"concept %d waits for the index and does not exist":        `select id from waiting where (type, id) not in (select type, id from concept)`,
		"concept %d waits for the index, but is not below indexed": `select id from waiting where id > (select upto from indexed)`,
		"concept %d waits for the index and is indexed":            `select id from waiting where id in (select id from value_text_docsize)`,
	})
	if err != nil {
		return err
	}
	find, err := tx.PrepareContext(ctx, `select v.scope from value_key v join value_text_docsize d on d.id = v.id
		where v.type = ? and v.key = ? and v.id = ? and v.scope = ?`)
	if err != nil {
		return err
	}
	defer find.Close()
	rows, err := tx.QueryContext(ctx, `select `+indexValueColumns+` from concept c
		where c.id <= (select upto from indexed) and c.category = 4 and c.value is not '' and (c.type, c.id) not in (select type, id from waiting)`)
	if err != nil {
		return err
	}
	defer rows.Close()
	listed, texts := 0, trigramCounts{of: map[[3]rune]*trigramCount{}}
	for ; rows.Next(); listed++ {
		var v indexValue
		if err := scanIndexValue(rows, &v); err != nil {
			return err
		}
		var scope graph.ID
		err := find.QueryRowContext(ctx, v.typ, cutKey(graph.KeyOf(v.value)), v.id, v.scope).Scan(&scope)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("concept %d, %q, is not in the index of values", v.id, graph.Clip(v.value))
		}
		if err != nil {
			return err
		}
		texts.addValue(v)
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

// trigramCounts holds the number of texts with each trigram.
type trigramCounts struct {
	of     map[[3]rune]*trigramCount
	needed int // number of different trigrams that occur in values
	filter trigramFilter
}

type trigramCount struct {
	texts int      // values with the trigram
	extra int      // values without the trigram whose shortened text has it
	last  graph.ID // the last value that was counted
}

// addValue counts the trigrams of a value and of its type. A long value may have been indexed before texts were shortened.
func (t *trigramCounts) addValue(v indexValue) {
	text := graph.Fold(v.value)
	each := func(text string, count func(*trigramCount)) {
		forEachTrigram(text, func(trigram [3]rune) {
			c := t.of[trigram]
			if c == nil {
				c = &trigramCount{}
				t.of[trigram] = c
			}
			if c.last != v.id {
				c.last = v.id
				count(c)
			}
		})
	}
	has := func(c *trigramCount) {
		if c.texts++; c.texts == 1 {
			t.needed++
		}
	}
	each(text, has)
	each(typeLetters(v.typ), has)
	if len(text) >= minFiltered {
		each(t.filter.shorten(text), func(c *trigramCount) { c.extra++ })
	}
}

// forEachTrigram calls f with each trigram of text as SQLite sees it.
func forEachTrigram(text string, f func([3]rune)) {
	var trigram [3]rune
	n := 0
	for _, letter := range text {
		if letter == 0xFFFE || letter == 0xFFFF { // these are noncharacters; SQLite replaces them
			letter = 0xFFFD
		}
		trigram = [3]rune{trigram[1], trigram[2], letter}
		if n++; n >= 3 {
			f(trigram)
		}
	}
}

func (t *trigramCounts) compare(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `select term, doc from value_term`)
	if err != nil {
		return err
	}
	defer rows.Close()
	needed := 0
	for rows.Next() {
		var term string
		var texts int
		if err := rows.Scan(&term, &texts); err != nil {
			return err
		}
		letters := []rune(term)
		if len(letters) != 3 {
			return fmt.Errorf("the index of texts has the term %q, which is not a trigram", term)
		}
		var want trigramCount
		if count := t.of[[3]rune(letters)]; count != nil {
			want = *count
		}
		if texts == 0 || texts < want.texts || texts > want.texts+want.extra {
			return fmt.Errorf("the index of texts has %q in %d texts; want %d to %d", term, texts, want.texts, want.texts+want.extra)
		}
		if want.texts > 0 {
			needed++
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if needed != t.needed {
		return fmt.Errorf("the index of texts has %d trigrams, not %d", needed, t.needed)
	}
	return nil
}
