package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite" // registers the driver that Weft uses

	"github.com/weft-graph/weft/bench/versus/child"
	"github.com/weft-graph/weft/graph"
)

// handwritten is a bare server that shows the limit for Weft. For each question, it runs the best statement with
// the driver of Weft, reads all rows, and then sends the same bytes as Weft. It does not check access.
//
// It is a separate process, like the servers with which it is compared. Headers of a request name the measurement
// and the number of the question; a request without a number measures HTTP alone. A PUT request sets the body of
// later responses.
type handwritten struct {
	storeInfo
	read     func(ctx context.Context, statement string, args ...any) error
	list     string // list of ids, in the syntax of the statement
	ids      func([]int64) any
	hash     func([]byte) any
	response atomic.Pointer[[]byte] // the body of every response
}

// storeInfo is the description of a store that is passed to the process.
type storeInfo struct {
	Concepts int
	File     string // file of SQLite
	URL      string // URL of PostgreSQL
	IDs      []graph.ID
	Types    map[string]graph.ID
	Owner    graph.ID
	Relation graph.ID
}

const conceptColumns = `c.id, c.type, c.category, c.value, c.owner, c.access, c.composition, c.created`

// statement returns the statement and its arguments for the n-th question of a measurement.
func (h *handwritten) statement(measurement string, n int) (string, []any) {
	i := n % len(h.IDs)
	id := int64(h.IDs[i])
	switch measurement {
	case getByID:
		return `select ` + conceptColumns + `, t.value from concept c join concept t on t.id = c.type where c.id = $1`, []any{id}
	case getByPair:
		sum := sha256.Sum256([]byte(dataset{h.Concepts}.valueOf(i)))
		return `select ` + conceptColumns + ` from directory d join concept c on c.id = d.id
			where d.hash = $1 and d.category = 4 and d.type = $2 and d.scope in (0, $3)`,
			[]any{h.hash(sum[:16]), int64(h.Types[dataset{h.Concepts}.typeOf(i)]), int64(h.Owner)}
	case adjacency:
		return `select n.id, n.created, ` + conceptColumns + ` from connection n join concept c on c.id = n.target
			where n.source = $1 and n.type = $2 order by n.id`, []any{id, int64(h.Relation)}
	case nested:
		return `select n.id, n.created, m.id, m.created, ` + conceptColumns + ` from connection n
			join connection m on m.source = n.target and m.type = $2 join concept c on c.id = m.target
			where n.source = $1 and n.type = $2 order by n.id, m.id`, []any{id, int64(h.Relation)}
	default:
		ids := make([]int64, 1_000)
		for i := range ids {
			ids[i] = int64(h.IDs[(n+i*997)%len(h.IDs)])
		}
		return `select ` + conceptColumns + ` from concept c where c.id ` + h.list, []any{h.ids(ids)}
	}
}

// startHandwritten starts the server on the database of a Weft.
func startHandwritten(ctx context.Context, w *weft) (*child.Process, error) {
	info := storeInfo{
		Concepts: w.concepts, File: filepath.Join(w.dir, "weft.db"), URL: w.url,
		IDs: w.ids, Types: w.types, Owner: w.owner, Relation: w.relation,
	}
	text, err := json.Marshal(info)
	if err != nil {
		return nil, err
	}
	file := w.dir + ".json"
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return child.Start(ctx, self, "-serve-hand", file)
}

// serveHandwritten serves until the process is stopped. The file contains a storeInfo.
func serveHandwritten(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	h := &handwritten{}
	if err := json.Unmarshal(text, &h.storeInfo); err != nil {
		return err
	}
	if h.URL == "" {
		db, err := sql.Open("sqlite", "file:"+h.File+"?_pragma=query_only(1)&_pragma=temp_store(memory)")
		if err != nil {
			return err
		}
		db.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
		db.SetMaxIdleConns(max(4, runtime.GOMAXPROCS(0)))
		h.sqlite(db)
	} else {
		pool, err := pgxpool.New(ctx, h.URL)
		if err != nil {
			return err
		}
		h.postgres(pool)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, http.HandlerFunc(h.serve)) //nolint:gosec // only this program connects
}

func (h *handwritten) sqlite(db *sql.DB) {
	prepared := map[string]*sql.Stmt{}
	for _, measurement := range []string{getByID, getByPair, adjacency, nested, bulk} {
		h.list, h.ids, h.hash = `in (select value from json_each($1))`, jsonList, func(b []byte) any { return b }
		text, _ := h.statement(measurement, 0)
		prepared[text], _ = db.Prepare(text) // statements that cannot be prepared fail when they run
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

func (h *handwritten) postgres(pool *pgxpool.Pool) {
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

func (h *handwritten) serve(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	if r.Method == http.MethodPut {
		response := body.Bytes()
		h.response.Store(&response)
		return
	}
	if n, err := strconv.Atoi(r.Header.Get("N")); err == nil {
		text, args := h.statement(r.Header.Get("Measurement"), n)
		if err := h.read(r.Context(), text, args...); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	response := *h.response.Load()
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Content-Length", strconv.Itoa(len(response)))
	_, _ = w.Write(response)
}

// handwrittenQuestion converts a question for Weft to a question for the server p. If bareHTTP is set, p runs no statement.
func handwrittenQuestion(p *child.Process, measurement string, q question, bareHTTP bool) (question, error) {
	response, err := send(q(1))
	if err != nil {
		return nil, err
	}
	if _, err := send(newRequest(http.MethodPut, p.URL, jsonType, "", response)); err != nil {
		return nil, err
	}
	return func(n int) *http.Request {
		r := q(n)
		if !bareHTTP {
			r.Header.Set("Measurement", measurement)
			r.Header.Set("N", strconv.Itoa(n))
		}
		r.URL.Scheme, r.URL.Host = "http", p.URL[len("http://"):]
		return r
	}, nil
}
