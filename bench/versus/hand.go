package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite" // the driver that Weft uses
)

// A hand is the limit: a bare server that runs the best statement we can write for a question through the
// driver, reads all its rows, and then sends the bytes that Weft sends. It checks nothing.
type hand struct {
	w      *weft
	read   func(ctx context.Context, statement string, args ...any) error
	list   string // a list of ids as the statement takes it
	ids    func([]int64) any
	hash   func([]byte) any
	answer []byte
	what   string
	url    string
	close  func() error
}

const concepts = `c.id, c.type, c.category, c.value, c.owner, c.access, c.composition, c.created`

// statement and its arguments for the n-th question of a kind.
func (h *hand) statement(what string, n int) (string, []any) {
	i := n % len(h.w.ids)
	id := int64(h.w.ids[i])
	switch what {
	case getByID:
		return `select ` + concepts + `, t.value from concept c join concept t on t.id = c.type where c.id = $1`, []any{id}
	case getByPair:
		sum := sha256.Sum256([]byte(h.w.valueOf(i)))
		return `select ` + concepts + ` from directory d join concept c on c.id = d.id
			where d.hash = $1 and d.category = 4 and d.type = $2 and d.scope in (0, $3)`,
			[]any{h.hash(sum[:16]), int64(h.w.types[h.w.typeOf(i)]), int64(h.w.owner)}
	case adjacency:
		return `select n.id, n.created, ` + concepts + ` from connection n join concept c on c.id = n.target
			where n.source = $1 and n.type = $2 order by n.id`, []any{id, int64(h.w.relation)}
	case nested:
		return `select n.id, n.created, m.id, m.created, ` + concepts + ` from connection n
			join connection m on m.source = n.target and m.type = $2 join concept c on c.id = m.target
			where n.source = $1 and n.type = $2 order by n.id, m.id`, []any{id, int64(h.w.relation)}
	default:
		ids := make([]int64, 1_000)
		for i := range ids {
			ids[i] = int64(h.w.ids[(n+i*997)%len(h.w.ids)])
		}
		return `select ` + concepts + ` from concept c where c.id ` + h.list, []any{h.ids(ids)}
	}
}

// handOf makes the limit of a Weft, on the same database.
func handOf(ctx context.Context, w *weft) (*hand, error) {
	h := &hand{w: w}
	var closing func() error
	if w.url == "" {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, "weft.db")+"?_pragma=query_only(1)&_pragma=temp_store(memory)")
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
		db.SetMaxIdleConns(max(4, runtime.GOMAXPROCS(0)))
		h.sqlite(db)
		closing = db.Close
	} else {
		pool, err := pgxpool.New(ctx, w.url)
		if err != nil {
			return nil, err
		}
		h.postgres(pool)
		closing = func() error { pool.Close(); return nil }
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: http.HandlerFunc(h.serve)}
	go s.Serve(l) //nolint:errcheck // closed at the end
	h.url = "http://" + l.Addr().String()
	h.close = func() error { _ = s.Close(); return closing() }
	return h, nil
}

func (h *hand) sqlite(db *sql.DB) {
	prepared := map[string]*sql.Stmt{}
	for _, what := range []string{getByID, getByPair, adjacency, nested, bulk} {
		h.list, h.ids, h.hash = `in (select value from json_each($1))`, jsonList, func(b []byte) any { return b }
		text, _ := h.statement(what, 0)
		prepared[text], _ = db.Prepare(text) // what cannot be prepared fails when it is run
	}
	h.read = func(ctx context.Context, statement string, args ...any) error {
		rows, err := prepared[statement].QueryContext(ctx, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		columns, err := rows.Columns()
		row, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		for err == nil && rows.Next() {
			err = rows.Scan(into...)
		}
		if err == nil {
			err = rows.Err()
		}
		return err
	}
}

func (h *hand) postgres(pool *pgxpool.Pool) {
	h.list, h.ids = `= any($1)`, func(ids []int64) any { return ids }
	h.hash = func(b []byte) any { return [16]byte(b) }
	h.read = func(ctx context.Context, statement string, args ...any) error {
		rows, err := pool.Query(ctx, statement, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			_ = rows.RawValues()
		}
		return rows.Err()
	}
}

func jsonList(ids []int64) any {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return "[" + b.String() + "]"
}

func (h *hand) serve(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	n, _ := strconv.Atoi(r.Header.Get("N"))
	text, args := h.statement(h.what, n)
	if err := h.read(r.Context(), text, args...); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", asJSON)
	w.Header().Set("Content-Length", strconv.Itoa(len(h.answer)))
	_, _ = w.Write(h.answer)
}

// like asks the limit what a question asks Weft.
func (h *hand) like(what string, q question) (question, error) {
	answer, err := ask(q(1))
	h.answer, h.what = answer, what
	return func(n int) *http.Request {
		r := q(n)
		r.Header.Set("N", strconv.Itoa(n))
		r.URL.Scheme, r.URL.Host = "http", h.url[len("http://"):]
		return r
	}, err
}
