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
	_ "modernc.org/sqlite" // registers the driver that Weft uses

	"github.com/weft-graph/weft/graph"
)

// handwritten builds and runs hand-written statements: the best known statements for a store, with all known values
// inserted. The statements use the same tables, indexes and driver as Weft, and are prepared.
type handwritten struct {
	types map[string]graph.ID
	// user is the user whose access is checked for every row; 0 checks nothing.
	user graph.ID
	dialect
	run   func(ctx context.Context, statement string, args ...any) ([][]graph.ID, error)
	close func() error
}

// A dialect holds the parts of statements that differ between databases.
type dialect struct {
	roots       string // the first argument, a list of ids, as a table r with a column value
	encodeIDs   func([]graph.ID) any
	perRow      string // replacement of $each
	keyed       string // table with type, key and id of values
	blobLiteral func([]byte) string
	countQuery  func(typ, user graph.ID) string           // number of instances of a type
	like        func(typ graph.ID, pattern string) string // select of the ids of values that match a pattern in lower case
}

// A statement is an SQL statement with one of the following kinds of results.
type statement struct{ kind, text string }

const (
	roots  = "roots"  // the ids of the roots
	links  = "links"  // ids of connections, in every column
	counts = "counts" // a concept, a type of connections, and their number
	total  = "total"  // the number of roots
)

// build creates a statement from SQL with these placeholders:
//
//	#the_type      the id of a type
//	$roots         the roots, as a table r with a column value
//	$keyed         the table with type, key and id of values
//	$each          at the end of a select in a condition: evaluate it for each row instead of as a join
//	[n, n.source]  the user may read the row n and the concept n.source
//
// Each {} is replaced with the next value.
func (h *handwritten) build(kind, text string, values ...string) statement {
	for _, v := range values {
		text = strings.Replace(text, "{}", v, 1)
	}
	text = typeReference.ReplaceAllStringFunc(text, func(name string) string { return h.types[name[1:]].String() })
	text = rowReferences.ReplaceAllStringFunc(text, func(rows string) string { return h.accessCondition(strings.Trim(rows, "[]")) })
	return statement{kind, strings.NewReplacer("$roots", h.roots, "$keyed", h.keyed, "$each", h.perRow).Replace(text)}
}

var (
	typeReference = regexp.MustCompile(`#\w+`)
	rowReferences = regexp.MustCompile(`\[[\w., ]+\]`)
)

// accessCondition returns the SQL condition that the user may read the given rows and concepts.
func (h *handwritten) accessCondition(rows string) string {
	if h.user == 0 {
		return ""
	}
	var all strings.Builder
	for row := range strings.SplitSeq(rows, ", ") {
		if strings.Contains(row, ".") {
			fmt.Fprintf(&all, " and exists (select 1 from concept z where z.id = %s%s$each)", row, h.accessCondition("z"))
		} else {
			fmt.Fprintf(&all, " and (%[1]s.owner = 999 or %[1]s.access = 5 or %[1]s.owner = %[2]d and %[1]s.access <> 3)", row, h.user)
		}
	}
	return all.String()
}

// value returns the id of the only concept of a type with a value.
func (h *handwritten) value(typ, value string) string {
	return fmt.Sprintf("(select id from %s where type = %d and key = %s)", h.keyed, h.types[typ], h.key(value))
}

func (h *handwritten) key(value string) string { return h.blobLiteral([]byte(graph.KeyOf(value))) }

// numbers returns the upper bound of the keys of numbers.
func (h *handwritten) numbers() string { return h.blobLiteral([]byte{byte(graph.NumberValue) + 1}) }

// total returns a statement for the number of instances of a type that the user may read.
func (h *handwritten) total(typ string) statement {
	return statement{total, h.countQuery(h.types[typ], h.user)}
}

// statementTimeout limits the duration of statements, because a database may choose a plan that practically never
// ends.
const statementTimeout = 20 * time.Second

// runAll runs the statements in order and returns the rows of each. The argument of a statement that uses $roots is
// the list of roots: the given roots and the roots that earlier statements returned.
func (h *handwritten) runAll(ctx context.Context, from []graph.ID, statements []statement) ([][][]graph.ID, error) {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	found := make([][][]graph.ID, len(statements))
	for i, s := range statements {
		var args []any
		if strings.Contains(s.text, h.roots) {
			args = []any{h.encodeIDs(from)}
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

func openSQLite(path string) (*handwritten, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=temp_store(memory)&_pragma=query_only(1)&_pragma=busy_timeout(5000)&_pragma=cache_size(-16384)")
	if err != nil {
		return nil, err
	}
	prepared := map[string]*sql.Stmt{}
	return &handwritten{dialect: sqliteDialect, close: db.Close, run: func(ctx context.Context, text string, args ...any) ([][]graph.ID, error) {
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

func openPostgres(ctx context.Context, url string) (*handwritten, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	// PostgreSQL keeps the order of joins in the statements.
	for _, setting := range []string{"enable_hashjoin", "enable_mergejoin", "jit"} {
		config.ConnConfig.RuntimeParams[setting] = "off"
	}
	config.ConnConfig.RuntimeParams["join_collapse_limit"] = "1"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	end := func() error { pool.Close(); return nil }
	return &handwritten{dialect: postgresDialect, close: end, run: func(ctx context.Context, text string, args ...any) ([][]graph.ID, error) {
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

var sqliteDialect = dialect{
	roots: "json_each(?1) r", keyed: "value_key",
	encodeIDs:   jsonList,
	blobLiteral: func(b []byte) string { return "x'" + hex.EncodeToString(b) + "'" },
	countQuery: func(typ, user graph.ID) string {
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

var postgresDialect = dialect{
	roots: "unnest($1::bigint[]) r(value)", keyed: "concept", perRow: " offset 0",
	encodeIDs: func(ids []graph.ID) any {
		numbers := make([]int64, len(ids))
		for i, id := range ids {
			numbers[i] = int64(id)
		}
		return numbers
	},
	blobLiteral: func(b []byte) string { return `'\x` + hex.EncodeToString(b) + `'` },
	countQuery: func(typ, user graph.ID) string {
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
