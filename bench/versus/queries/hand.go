package main

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite" // the driver that Weft uses

	"github.com/weft-graph/weft/graph"
)

// A hand writes statements: the best we know for a store, with everything that is known when they are written in them. They
// use the tables and indexes that Weft has, through the same driver, prepared.
type hand struct {
	types map[string]graph.ID
	// user is who asks, and then everything read is checked; 0 checks nothing.
	user graph.ID
	words
	run func(ctx context.Context, statement string, args ...any) ([][]graph.ID, error)
	end func() error
}

// words are what databases say differently.
type words struct {
	roots string // a list of ids, the first argument, as a table r with a column value
	list  func([]graph.ID) any
	each  string // what $each stands for
	keyed string // the table with type, key and id of values
	blob  func([]byte) string
	sized func(typ, user graph.ID) string           // how many instances of a type there are
	like  func(typ graph.ID, pattern string) string // a select of the ids of values that are like a pattern in lower case
}

// A statement of kind roots gives the roots, one of links ids of connections in every column, one of counts a concept and how
// many connections it has, and one of total how many roots there are.
type statement struct{ kind, text string }

const (
	roots  = "roots"
	links  = "links"
	counts = "counts"
	total  = "total"
)

// written is a statement in which these stand for what depends on the store and on who asks:
//
//	#the_type      the id of a type
//	$roots         the roots, as a table r with a column value
//	$keyed         the table with type, key and id of values
//	$each          at the end of a select inside a condition, that it is made for each row and is no join
//	[n, n.source]  and who asks may read the row n and the concept n.source
//
// Every {} stands for the next of the values.
func (h *hand) written(kind, text string, values ...string) statement {
	for _, v := range values {
		text = strings.Replace(text, "{}", v, 1)
	}
	text = typeName.ReplaceAllStringFunc(text, func(name string) string { return h.types[name[1:]].String() })
	text = seen.ReplaceAllStringFunc(text, func(rows string) string { return h.reads(strings.Trim(rows, "[]")) })
	return statement{kind, strings.NewReplacer("$roots", h.roots, "$keyed", h.keyed, "$each", h.each).Replace(text)}
}

var (
	typeName = regexp.MustCompile(`#\w+`)
	seen     = regexp.MustCompile(`\[[\w., ]+\]`)
)

func (h *hand) reads(rows string) string {
	if h.user == 0 {
		return ""
	}
	var all strings.Builder
	for row := range strings.SplitSeq(rows, ", ") {
		if strings.Contains(row, ".") {
			fmt.Fprintf(&all, " and exists (select 1 from concept z where z.id = %s%s$each)", row, h.reads("z"))
		} else {
			fmt.Fprintf(&all, " and (%[1]s.owner = 999 or %[1]s.access = 5 or %[1]s.owner = %[2]d and %[1]s.access <> 3)", row, h.user)
		}
	}
	return all.String()
}

// value is the one concept of a type with a value.
func (h *hand) value(typ, value string) string {
	return fmt.Sprintf("(select id from %s where type = %d and key = %s)", h.keyed, h.types[typ], h.key(value))
}

func (h *hand) key(value string) string { return h.blob([]byte(graph.KeyOf(value))) }

// numbers is where the keys of numbers end.
func (h *hand) numbers() string { return h.blob([]byte{byte(graph.NumberValue) + 1}) }

func (h *hand) total(typ string) statement { return statement{total, h.sized(h.types[typ], h.user)} }

// patience is how long statements may take, for a database may go about them in a way that has no end.
const patience = 20 * time.Second

// do runs the statements one after the other and returns the rows of each. All but the roots' get the roots as their only
// argument, if they need it.
func (h *hand) do(ctx context.Context, from []graph.ID, statements []statement) ([][][]graph.ID, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found := make([][][]graph.ID, len(statements))
	for i, s := range statements {
		var args []any
		if strings.Contains(s.text, h.roots) {
			args = []any{h.list(from)}
		}
		rows, err := h.run(ctx, s.text, args...)
		if err != nil {
			return nil, fmt.Errorf("%w in %s", err, s.text)
		}
		if found[i] = rows; s.kind == roots {
			for _, row := range rows {
				from = append(from, row[0])
			}
		}
	}
	return found, nil
}

func sqliteHand(path string) (*hand, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=temp_store(memory)&_pragma=query_only(1)&_pragma=busy_timeout(5000)&_pragma=cache_size(-16384)")
	if err != nil {
		return nil, err
	}
	prepared := map[string]*sql.Stmt{}
	return &hand{words: sqliteWords, end: db.Close, run: func(ctx context.Context, text string, args ...any) ([][]graph.ID, error) {
		s := prepared[text]
		if s == nil {
			if s, err = db.PrepareContext(ctx, text); err != nil {
				return nil, err
			}
			prepared[text] = s
		}
		rows, err := s.QueryContext(ctx, args...)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		return scan(rows, len(columns), rows.Next)
	}}, nil
}

func postgresHand(ctx context.Context, url string) (*hand, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	// The statements say in what order tables are joined, and that is kept.
	for _, setting := range []string{"enable_hashjoin", "enable_mergejoin", "jit"} {
		config.ConnConfig.RuntimeParams[setting] = "off"
	}
	config.ConnConfig.RuntimeParams["join_collapse_limit"] = "1"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	end := func() error { pool.Close(); return nil }
	return &hand{words: postgresWords, end: end, run: func(ctx context.Context, text string, args ...any) ([][]graph.ID, error) {
		rows, err := pool.Query(ctx, text, args...)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		return scan(rows, len(rows.FieldDescriptions()), rows.Next)
	}}, nil
}

// scan reads rows of ids.
func scan(rows interface {
	Scan(into ...any) error
	Err() error
}, columns int, next func() bool,
) (all [][]graph.ID, err error) {
	row, into := make([]int64, columns), make([]any, columns)
	for i := range row {
		into[i] = &row[i]
	}
	for next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		ids := make([]graph.ID, columns)
		for i, id := range row {
			ids[i] = graph.ID(id)
		}
		all = append(all, ids)
	}
	return all, rows.Err()
}

func jsonList(ids []graph.ID) any {
	list := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, int64(id), 10)
	}
	return string(append(list, ']'))
}

var sqliteWords = words{
	roots: "json_each(?1) r", keyed: "value_key",
	list: jsonList,
	blob: func(b []byte) string { return "x'" + hex.EncodeToString(b) + "'" },
	sized: func(typ, user graph.ID) string {
		if user == 0 {
			return fmt.Sprintf("select instances from size where type = %d", typ)
		}
		return fmt.Sprintf("select instances - hidden + ifnull((select instances from hidden where type = %[1]d and scope = %[2]d), 0) from size where type = %[1]d", typ, user)
	},
	like: func(typ graph.ID, pattern string) string {
		var trigrams []string
		for piece := range strings.SplitSeq(pattern, "%") {
			for i := 0; i+3 <= len(piece); i++ {
				trigrams = append(trigrams, `"`+piece[i:i+3]+`"`)
			}
		}
		return fmt.Sprintf(`select v.id from value_text t cross join concept v on v.id = t.rowid
			where t.value_text match '%s' and v.type = %d and v.value like '%s'`, strings.Join(trigrams, " AND "), typ, pattern)
	},
}

var postgresWords = words{
	roots: "unnest($1::bigint[]) r(value)", keyed: "concept", each: " offset 0",
	list: func(ids []graph.ID) any {
		numbers := make([]int64, len(ids))
		for i, id := range ids {
			numbers[i] = int64(id)
		}
		return numbers
	},
	blob: func(b []byte) string { return `'\x` + hex.EncodeToString(b) + `'` },
	sized: func(typ, user graph.ID) string {
		if user == 0 {
			return fmt.Sprintf("select n from tally where type = %d and part = -2", typ)
		}
		return fmt.Sprintf("select sum(n)::bigint from tally where type = %d and part in (0, %d)", typ, user)
	},
	like: func(typ graph.ID, pattern string) string {
		return fmt.Sprintf(`select v.id from concept v
			where coalesce(v.folded, v.value) like '%s' and v.value <> '' and v.type = %d`, pattern, typ)
	},
}
