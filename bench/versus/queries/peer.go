package main

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/bench/versus/child"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// A peer is SurrealDB in a Node process, connected by lines of JSON. It does not check access.
type peer struct {
	version string
	in      *json.Encoder
	out     *bufio.Scanner
	close   func() error
}

//go:embed surreal/package.json
var surrealPackage []byte

//go:embed surreal/peer.mjs
var surrealProgram []byte

// openSurreal installs SurrealDB in a directory if necessary, starts it, and fills it from a target if it is empty.
func openSurreal(ctx context.Context, dir string, v *target) (*peer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{"package.json": surrealPackage, "peer.mjs": surrealProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		npm := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund")
		npm.Dir, npm.Stderr = dir, os.Stderr
		if err := npm.Run(); err != nil {
			return nil, fmt.Errorf("npm install: %w", err)
		}
	}
	filled := filepath.Join(dir, "filled")
	_, statErr := os.Stat(filled)
	if statErr != nil {
		if err := os.RemoveAll(filepath.Join(dir, "db")); err != nil {
			return nil, err
		}
	}
	p, err := startPeer(ctx, dir)
	if err != nil || statErr == nil {
		return p, err
	}
	logf("filling SurrealDB")
	if err := p.fill(ctx, v); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, os.WriteFile(filled, nil, 0o600)
}

func startPeer(ctx context.Context, dir string) (*peer, error) {
	node, in, out, err := child.StartPiped(ctx, dir, "node", "peer.mjs", filepath.Join(dir, "db"))
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	p := &peer{in: json.NewEncoder(in), out: lines, close: func() error {
		err := in.Close()
		node.Wait()
		return errors.Join(err, out.Close())
	}}
	var hello struct{ Version string }
	if !lines.Scan() {
		return nil, errors.Join(errors.New("SurrealDB did not start"), lines.Err(), p.close())
	}
	err = json.Unmarshal(lines.Bytes(), &hello)
	p.version = strings.TrimPrefix(hello.Version, "surrealdb-")
	return p, err
}

// peerResponse is a response of the peer.
type peerResponse struct {
	IDs   []graph.ID
	MS    float64
	Error string
}

// send sends a request and waits for the response.
func (p *peer) send(request map[string]any) (s peerResponse, err error) {
	if err := p.in.Encode(request); err != nil {
		return s, err
	}
	if !p.out.Scan() {
		return s, cmp.Or(p.out.Err(), io.ErrUnexpectedEOF)
	}
	if err := json.Unmarshal(p.out.Bytes(), &s); err != nil {
		return s, err
	}
	if s.Error != "" {
		return s, errors.New(s.Error)
	}
	return s, nil
}

// peerTables are the tables, with the connections that become their columns. "<" marks a connection that leads to the
// record.
var peerTables = []struct {
	name, typ string
	columns   []string
}{
	{"category", "the_category", []string{"the_category_department"}},
	{"product", "the_product", []string{"the_product_name", "the_product_price", "the_product_s_category"}},
	{"customer", "the_customer", []string{"the_customer_name", "the_customer_city", "the_customer_email"}},
	{"line", "the_line", []string{"the_line_product", "the_line_quantity", "<the_order_s_line"}},
	{"order", "the_order", []string{"the_order_customer", "the_order_date", "the_order_total", "the_order_status", "the_order_s_line"}},
}

var peerIndexes = []string{
	"product FIELDS name", "customer FIELDS city", "order FIELDS customer", "order FIELDS total", "order FIELDS date",
	"line FIELDS product", "line FIELDS order",
}

// fill copies the shop to the tables of the peer.
func (p *peer) fill(ctx context.Context, v *target) error {
	for i, index := range peerIndexes {
		if _, err := p.send(map[string]any{"run": fmt.Sprintf("DEFINE INDEX by%d ON %s", i, index)}); err != nil {
			return err
		}
	}
	for _, table := range peerTables {
		for page := (graph.Page{Limit: 2_000}); ; {
			found, err := v.system.ConceptsByType(ctx, v.handwritten.types[table.typ], page)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				break
			}
			page.After = found[len(found)-1].ID
			rows, err := v.rows(ctx, found, table.columns)
			if err == nil {
				_, err = p.send(map[string]any{"insert": table.name, "rows": rows})
			}
			if err != nil {
				return fmt.Errorf("%s: %w", table.name, err)
			}
		}
	}
	return nil
}

// rows returns records as lists: first the id, then an element for each column. For a connection from the record, the element is the
// value of the target, or its id if it has no value, or a list of ids if the name contains "_s_". For a connection to the record ("<"),
// the element is the id of the source.
func (v *target) rows(ctx context.Context, records []graph.Concept, columns []string) ([][]any, error) {
	ids := make([]graph.ID, len(records))
	rows, rowOf := make([][]any, len(records)), map[graph.ID]int{}
	for i, c := range records {
		ids[i], rows[i], rowOf[c.ID] = c.ID, make([]any, 1+len(columns)), i
		rows[i][0] = c.ID
	}
	for n, column := range columns {
		name, isReverse := strings.CutPrefix(column, "<")
		links := graph.Links{Of: ids, Types: []graph.ID{v.handwritten.types[name]}}
		if isReverse {
			links.Direction = graph.In
		}
		found, err := v.system.Links(ctx, links)
		if err != nil {
			return nil, err
		}
		values, err := v.valuesAt(ctx, found)
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			near, far := l.From, values[l.To]
			if isReverse {
				near, far = l.To, any(l.From)
			}
			if cell := &rows[rowOf[near]][n+1]; !isReverse && strings.Contains(name, "_s_") {
				list, _ := (*cell).([]any)
				*cell = append(list, any(l.To))
			} else {
				*cell = far
			}
		}
	}
	return rows, nil
}

// valuesAt returns the values of the targets of connections, by id. For a target without a value, it returns the
// id instead.
func (v *target) valuesAt(ctx context.Context, found []graph.Connection) (map[graph.ID]any, error) {
	var ids []graph.ID
	for _, l := range found {
		ids = append(ids, l.To)
	}
	slices.Sort(ids)
	concepts, err := v.system.Concepts(ctx, slices.Compact(ids))
	values := map[graph.ID]any{}
	for _, c := range concepts {
		if values[c.ID] = c.Value; c.Value == "" {
			values[c.ID] = c.ID
		}
	}
	return values, err
}

// measureSurreal measures Weft and SurrealDB alternately with the questions that both support, and reports.
func (o options) measureSurreal(ctx context.Context, v *target, s *service, f facts) error {
	p, err := openSurreal(ctx, filepath.Join(o.data, "surreal"), v)
	if err != nil {
		return fmt.Errorf("SurrealDB: %w", err)
	}
	fmt.Fprintf(o.report, "\n### Weft on SQLite compared with SurrealDB %s, both with a tenth of the customers and orders\n\n", p.version)
	o.report.header("milliseconds, median", "roots", "Weft", "over HTTP, as a user, with the records", "SurrealDB", "SurrealDB / Weft")
	for _, q := range shopQuestions(f) {
		if surrealQueries[q.name] == "" || !o.only.MatchString(q.name) {
			continue
		}
		logf("SurrealDB: %s", q.name)
		if err := p.measure(ctx, v, q, f, s, o); err != nil {
			return errors.Join(fmt.Errorf("SurrealDB: %s: %w", q.name, err), p.close())
		}
	}
	return errors.Join(o.report.write(o.into), p.close())
}

// measure measures one question on Weft and on the peer alternately, compares the roots, and reports.
func (p *peer) measure(ctx context.Context, v *target, q question, f facts, s *service, o options) error {
	r := result{question: q, ways: v.ways(ctx, q, s)}
	const overPeer = overHTTP + 1 // the peer is a further way, appended to the ways of Weft
	peerWay := &way{}
	began := time.Now()
	for n := 0; n < o.rounds && (n < 2 || time.Since(began) < o.maxDuration); n++ {
		i := n % len(q.variants)
		r.ways[asSystem].measureOnce(i)
		r.ways[overHTTP].measureOnce(i)
		response, err := p.send(map[string]any{
			"ask": surrealQueries[q.name], "given": map[string]any{"value": q.variants[i].value, "city": f.city, "big": parseInt(f.big), "small": parseInt(f.small)},
		})
		if err != nil {
			peerWay.err = err
			break
		}
		peerWay.durations = append(peerWay.durations, time.Duration(response.MS*float64(time.Millisecond)))
		found, err := query.Run(ctx, v.system, q.variants[i].query)
		if err != nil {
			return err
		}
		if r.roots = max(r.roots, len(found.Roots)); !slices.Equal(found.Roots, response.IDs) && r.mismatch == nil {
			r.mismatch = fmt.Errorf("SurrealDB finds %v, Weft %v", firstTen(response.IDs), firstTen(found.Roots))
		}
	}
	r.ways = append(r.ways, peerWay)
	for _, w := range r.ways {
		slices.Sort(w.durations)
	}
	o.report.row(q.name, fmt.Sprint(r.roots), r.formatMedian(asSystem), r.formatMedian(overHTTP), r.formatMedian(overPeer), r.ratio(overPeer, asSystem))
	if r.mismatch != nil {
		logf("%s: %v", q.name, r.mismatch)
	}
	return nil
}

// surrealQueries are the queries for SurrealDB, by the name of the question. Some queries consist of several
// statements, because SurrealDB would not use its indexes for a single statement.
var surrealQueries = map[string]string{
	threeHops:       surrealOrders + `SELECT id, lines[WHERE product IN $p] AS lines FROM array::slice(array::sort::desc($o), 0, 10)`,
	threeHopsCommon: surrealOrders + `SELECT id, lines[WHERE product IN $p] AS lines FROM array::slice(array::sort::desc($o), 0, 10)`,
	narrowRange:     `SELECT id, total FROM order WHERE total > $big ORDER BY id DESC LIMIT 50`,
	wideRanges:      `SELECT id, date, total FROM order WHERE date >= $value AND total < $small ORDER BY id DESC LIMIT 50 START 50`,
	twoBranches: surrealOrders + `LET $c = (SELECT VALUE id FROM customer WHERE city = $city);
		LET $all = array::union($o, (SELECT VALUE id FROM order WHERE customer IN $c)); SELECT id, customer FROM array::slice(array::sort::desc($all), 0, 20)`,
	withoutOrders: `LET $c = array::complement((SELECT VALUE id FROM customer), (SELECT VALUE customer FROM order));
		SELECT id, city FROM array::slice(array::sort::desc($c), 0, 20)`,
	oneLine: `LET $p = (SELECT VALUE id FROM product WHERE name = $value);
		LET $o = array::distinct((SELECT VALUE order FROM line WHERE product IN $p AND quantity > 3));
		SELECT id, lines[WHERE product IN $p AND quantity > 3] AS lines FROM array::slice(array::sort::desc($o), 0, 20)`,
	fiveLevels: `SELECT id, lines FROM order ORDER BY id DESC LIMIT 100 FETCH lines, lines.product, lines.product.categories`,
	orderCounts: `LET $c = (SELECT id FROM customer ORDER BY id DESC LIMIT 50).id;
		LET $n = (SELECT customer, count() AS n FROM order WHERE customer IN $c GROUP BY customer);
		RETURN $c.map(|$id| { id: $id, n: $n[WHERE customer = $id].n })`,
	newestOrders: `SELECT id, date, total, status FROM order ORDER BY id DESC LIMIT 20`,
}

const surrealOrders = `LET $p = (SELECT VALUE id FROM product WHERE name = $value);
	LET $o = array::distinct((SELECT VALUE order FROM line WHERE product IN $p)); `

func parseInt(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
