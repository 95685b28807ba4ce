package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/bench/versus/child"
	"github.com/weft-graph/weft/graph"
)

// A weft is one store of Weft, filled through the store itself and asked through the real program.
type weft struct {
	dataset
	name    string
	program string
	args    []string // of weft serve, to find the store
	url     string   // of the database; "" for SQLite
	open    func(context.Context) (graph.Store, error)
	prepare func() error

	dir   string
	token string
	owner graph.ID
	ids   []graph.ID // of the concepts
	types map[string]graph.ID
	// relation is the type of the connections.
	relation graph.ID
	// batches is the median time of a batch at each size of the store, in rows, before it.
	batches []step
}

type step struct {
	rows int
	took time.Duration
}

const (
	email    = "bench@example.org"
	password = "correct horse battery staple"
	asJSON   = "application/json"
	fillWith = 10_000 // records in a batch while filling
)

func (w *weft) serve(ctx context.Context) (*child.Process, error) {
	return child.Start(ctx, w.program, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", w.dir}, w.args...)...)
}

// signUp makes the account that owns the records and asks the questions.
func (w *weft) signUp(ctx context.Context) error {
	p, err := w.serve(ctx)
	if err != nil {
		return err
	}
	body, _ := json.Marshal(map[string]string{"email": email, "password": password})
	answer, err := ask(request("POST", p.URL+"/api/auth/signup", asJSON, "", body))
	var made struct{ Data graph.ID }
	return errors.Join(err, json.Unmarshal(answer, &made), w.own(made.Data), p.Stop())
}

func (w *weft) own(user graph.ID) error {
	if w.owner = user; user == 0 {
		return errors.New("signing up gave no user")
	}
	return nil
}

func (w *weft) logIn(at string) error {
	body, _ := json.Marshal(map[string]string{"email": email, "password": password})
	answer, err := ask(request("POST", at+"/api/auth/login", asJSON, "", body))
	if err != nil {
		return err
	}
	var in struct{ Data struct{ Token string } }
	err = json.Unmarshal(answer, &in)
	w.token = in.Data.Token
	return err
}

// fill writes the dataset, timing batches as the store grows.
func (w *weft) fill(ctx context.Context) (err error) {
	store, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	w.ids = make([]graph.ID, w.concepts)
	w.types = map[string]graph.ID{}
	rows := 0
	for first := 0; first < w.concepts; first += fillWith {
		if err := w.fillConcepts(ctx, store, first, min(first+fillWith, w.concepts)); err != nil {
			return err
		}
		rows += fillWith
		if err := w.measure(ctx, store, rows, 0, 1_000_000); err != nil {
			return err
		}
	}
	for first := 0; first < w.concepts; first += fillWith / linksOfEach {
		if err := w.fillLinks(ctx, store, first, min(first+fillWith/linksOfEach, w.concepts)); err != nil {
			return err
		}
		rows += fillWith
	}
	return w.measure(ctx, store, rows, rows)
}

func (w *weft) access(i int) graph.Access {
	if w.public(i) {
		return graph.Public
	}
	return graph.Private
}

func (w *weft) fillConcepts(ctx context.Context, store graph.Store, from, to int) error {
	b := graph.Batch{Sender: graph.Sender{User: w.owner}}
	for i := from; i < to; i++ {
		b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: w.typeOf(i), Value: w.valueOf(i), Access: w.access(i)})
	}
	receipt, err := store.Write(ctx, b)
	for i, c := range receipt.Concepts {
		w.ids[from+i] = c.ID
		w.types[b.Concepts[i].TypeName] = c.Type
	}
	return err
}

func (w *weft) fillLinks(ctx context.Context, store graph.Store, from, to int) error {
	b := graph.Batch{Sender: graph.Sender{User: w.owner}}
	for i := from; i < to; i++ {
		for j := range linksOfEach {
			b.Connections = append(b.Connections, graph.ConnectionDraft{
				From: w.ids[i], To: w.ids[w.target(i, j)], TypeName: relation, Order: graph.OrderLink, Access: w.access(i),
			})
		}
	}
	receipt, err := store.Write(ctx, b)
	if err == nil {
		w.relation = receipt.Connections[0].Type
	}
	return err
}

// measure times batches of 1,000 new values when the store has grown to one of the sizes.
func (w *weft) measure(ctx context.Context, store graph.Store, rows int, sizes ...int) error {
	if !slices.Contains(sizes, rows) && !(rows == fillWith && slices.Contains(sizes, 0)) {
		return nil
	}
	var took []float64
	for range 9 {
		b := graph.Batch{Sender: graph.Sender{User: w.owner}}
		for range 1_000 {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: "the_measure", Value: fresh()})
		}
		begin := time.Now()
		if _, err := store.Write(ctx, b); err != nil {
			return err
		}
		took = append(took, float64(time.Since(begin)))
	}
	w.batches = append(w.batches, step{rows, time.Duration(median(took))})
	return nil
}

// grow adds rows until the store holds so many, and measures there.
func (w *weft) grow(ctx context.Context, rows int) (err error) {
	store, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	have := w.concepts * (1 + linksOfEach)
	for ; have < rows; have += fillWith {
		b := graph.Batch{Sender: graph.Sender{User: w.owner}}
		for range fillWith {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: "the_growth", Value: fresh()})
		}
		if _, err := store.Write(ctx, b); err != nil {
			return err
		}
	}
	return w.measure(ctx, store, have, have)
}

var counter atomic.Int64

func fresh() string { return fmt.Sprintf("fresh %d %d", os.Getpid(), counter.Add(1)) }

// contest fills the store and starts the program on it.
func (w *weft) contest(ctx context.Context) (*contestant, error) {
	if w.prepare != nil {
		if err := w.prepare(); err != nil {
			return nil, err
		}
	}
	if err := w.signUp(ctx); err != nil {
		return nil, fmt.Errorf("signing up: %w", err)
	}
	if err := w.fill(ctx); err != nil {
		return nil, fmt.Errorf("filling: %w", err)
	}
	p, err := w.serve(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.logIn(p.URL); err != nil {
		return nil, fmt.Errorf("logging in: %w", err)
	}
	return &contestant{name: w.name, asks: w.questions(p.URL), rows: map[string]int{batch1k: 1_000, batch2k: 2_000}, process: p}, nil
}

func (w *weft) questions(at string) map[string]question {
	post := func(path, kind string, body func(n int) string) question {
		return func(n int) *http.Request { return request("POST", at+path, kind, w.token, []byte(body(n))) }
	}
	query := func(below string) question {
		return post("/api/freeschema-query", asJSON, func(n int) string {
			return fmt.Sprintf(`{"conceptIds":[%d],"outputFormat":2,%s}`, w.ids[n%len(w.ids)], below)
		})
	}
	const part = "--X\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n%d\r\n--X--\r\n"
	return map[string]question{
		getByID: post("/api/getConcept", "multipart/form-data; boundary=X", func(n int) string {
			return fmt.Sprintf(part, w.ids[n%len(w.ids)])
		}),
		getByPair: post("/api/get_concept_by_character_and_type", asJSON, func(n int) string {
			i := n % len(w.ids)
			return fmt.Sprintf(`{"character_value":%q,"type_id":%d}`, w.valueOf(i), w.types[w.typeOf(i)])
		}),
		adjacency: query(`"selectors":["` + relation + `"]`),
		nested:    query(`"freeschemaQueries":[{"typeConnection":"` + relation + `","selectors":["` + relation + `"]}]`),
		bulk: post("/api/get_concept_bulk", asJSON, func(n int) string {
			ids := make([]string, 1_000)
			for i := range ids {
				ids[i] = w.ids[(n+i*997)%len(w.ids)].String()
			}
			return "[" + strings.Join(ids, ",") + "]"
		}),
		batch1k: post("/api/v1/local-concepts", asJSON, func(int) string { return batch(1_000) }),
		batch2k: post("/api/v1/local-concepts", asJSON, func(int) string { return batch(2_000) }),
	}
}

// batch is what a browser sends after it has been offline: a record, new values and a connection to each.
func batch(records int) string {
	head := -counter.Add(int64(records)) // local ids that nobody used before
	concepts := []string{fmt.Sprintf(
		`{"id":%d,"ghostId":%[1]d,"categoryId":4,"typeId":-1,"typeCharacter":"the_batch","characterValue":"","isComposition":true}`, head)}
	var connections []string
	for id := head + 1; len(concepts)+len(connections)+1 < records; id++ {
		concepts = append(concepts, fmt.Sprintf(
			`{"id":%d,"ghostId":%[1]d,"categoryId":4,"typeId":-1,"typeCharacter":"the_measure","characterValue":%q}`, id, fresh()))
		connections = append(connections, fmt.Sprintf(
			`{"id":%d,"ghostId":%[1]d,"ofTheConceptId":%d,"toTheConceptId":%[1]d,"typeId":0,"typeCharacter":"the_batch_s_measure","orderId":1000}`, id, head))
	}
	return `{"concepts":[` + strings.Join(concepts, ",") + `],"connections":[` + strings.Join(connections, ",") + `]}`
}
