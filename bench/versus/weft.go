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

// A weft is Weft on one kind of store. Data is written directly to the store, and requests are sent to the real program.
type weft struct {
	dataset
	name    string
	program string
	args    []string // arguments of weft serve that select the store
	url     string   // URL of the database; "" for SQLite
	open    func(context.Context) (graph.Store, error)

	dir   string
	token string
	owner graph.ID
	ids   []graph.ID // ids of the concepts
	types map[string]graph.ID
	// relation is the type of the connections.
	relation graph.ID
	// batches is the median duration of a batch, by the number of rows in the store before it.
	batches []batchTime
}

// A batchTime is the median duration of a batch at one size of the store.
type batchTime struct {
	rows     int
	duration time.Duration
}

const (
	email         = "bench@example.org"
	password      = "correct horse battery staple"
	jsonType      = "application/json"
	fillBatchSize = 10_000 // records per batch while filling
)

func (w *weft) serve(ctx context.Context) (*child.Process, error) {
	return child.Start(ctx, w.program, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", w.dir}, w.args...)...)
}

// signUp creates the account that owns the records and makes the requests.
func (w *weft) signUp(ctx context.Context) error {
	p, err := w.serve(ctx)
	if err != nil {
		return err
	}
	body, _ := json.Marshal(map[string]string{"email": email, "password": password})
	response, err := send(newRequest("POST", p.URL+"/api/auth/signup", jsonType, "", body))
	var account struct{ Data graph.ID }
	return errors.Join(err, json.Unmarshal(response, &account), w.setOwner(account.Data), p.Stop())
}

// setOwner sets the user who owns the records.
func (w *weft) setOwner(user graph.ID) error {
	if w.owner = user; user == 0 {
		return errors.New("sign-up returned no user")
	}
	return nil
}

func (w *weft) logIn(serverURL string) error {
	body, _ := json.Marshal(map[string]string{"email": email, "password": password})
	response, err := send(newRequest("POST", serverURL+"/api/auth/login", jsonType, "", body))
	if err != nil {
		return err
	}
	var session struct{ Data struct{ Token string } }
	err = json.Unmarshal(response, &session)
	w.token = session.Data.Token
	return err
}

// fill writes the dataset and measures batches as the store grows.
func (w *weft) fill(ctx context.Context) (err error) {
	store, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	w.ids = make([]graph.ID, w.concepts)
	w.types = map[string]graph.ID{}
	rows := 0
	for first := 0; first < w.concepts; first += fillBatchSize {
		if err := w.fillConcepts(ctx, store, first, min(first+fillBatchSize, w.concepts)); err != nil {
			return err
		}
		rows += fillBatchSize
		if err := w.measure(ctx, store, rows, 0, 1_000_000); err != nil {
			return err
		}
	}
	for first := 0; first < w.concepts; first += fillBatchSize / linksPerConcept {
		if err := w.fillLinks(ctx, store, first, min(first+fillBatchSize/linksPerConcept, w.concepts)); err != nil {
			return err
		}
		rows += fillBatchSize
	}
	return w.measure(ctx, store, rows, rows)
}

func (w *weft) access(i int) graph.Access {
	if w.isPublic(i) {
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
		for j := range linksPerConcept {
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

// measure measures batches of 1,000 new values if the store has reached one of the sizes, in rows. The size 0 is
// reached with the first batch that fills the store.
func (w *weft) measure(ctx context.Context, store graph.Store, rows int, sizes ...int) error {
	if !slices.Contains(sizes, rows) && !(rows == fillBatchSize && slices.Contains(sizes, 0)) {
		return nil
	}
	var durations []float64
	for range 9 {
		b := graph.Batch{Sender: graph.Sender{User: w.owner}}
		for range 1_000 {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: "the_measure", Value: freshValue()})
		}
		begin := time.Now()
		if _, err := store.Write(ctx, b); err != nil {
			return err
		}
		durations = append(durations, float64(time.Since(begin)))
	}
	w.batches = append(w.batches, batchTime{rows, time.Duration(median(durations))})
	return nil
}

// grow adds rows until the store has the given number of rows, and then measures batches.
func (w *weft) grow(ctx context.Context, rows int) (err error) {
	store, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	current := w.concepts * (1 + linksPerConcept)
	for ; current < rows; current += fillBatchSize {
		b := graph.Batch{Sender: graph.Sender{User: w.owner}}
		for range fillBatchSize {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: "the_growth", Value: freshValue()})
		}
		if _, err := store.Write(ctx, b); err != nil {
			return err
		}
	}
	return w.measure(ctx, store, current, current)
}

var counter atomic.Int64

// freshValue returns a value that was not used before.
func freshValue() string { return fmt.Sprintf("fresh %d %d", os.Getpid(), counter.Add(1)) }

// start fills the store and starts the program on it.
func (w *weft) start(ctx context.Context) (*contestant, error) {
	if err := w.signUp(ctx); err != nil {
		return nil, fmt.Errorf("sign up: %w", err)
	}
	if err := w.fill(ctx); err != nil {
		return nil, fmt.Errorf("fill the store: %w", err)
	}
	p, err := w.serve(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.logIn(p.URL); err != nil {
		return nil, fmt.Errorf("log in: %w", err)
	}
	return &contestant{name: w.name, questions: w.questions(p.URL), batchSizes: map[string]int{batch1k: 1_000, batch2k: 2_000}, process: p}, nil
}

func (w *weft) questions(serverURL string) map[string]question {
	post := func(path, contentType string, body func(n int) string) question {
		return func(n int) *http.Request {
			return newRequest("POST", serverURL+path, contentType, w.token, []byte(body(n)))
		}
	}
	query := func(below string) question {
		return post("/api/freeschema-query", jsonType, func(n int) string {
			return fmt.Sprintf(`{"conceptIds":[%d],"outputFormat":2,%s}`, w.ids[n%len(w.ids)], below)
		})
	}
	const part = "--X\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n%d\r\n--X--\r\n"
	return map[string]question{
		getByID: post("/api/getConcept", "multipart/form-data; boundary=X", func(n int) string {
			return fmt.Sprintf(part, w.ids[n%len(w.ids)])
		}),
		getByPair: post("/api/get_concept_by_character_and_type", jsonType, func(n int) string {
			i := n % len(w.ids)
			return fmt.Sprintf(`{"character_value":%q,"type_id":%d}`, w.valueOf(i), w.types[w.typeOf(i)])
		}),
		adjacency: query(`"selectors":["` + relation + `"]`),
		nested:    query(`"freeschemaQueries":[{"typeConnection":"` + relation + `","selectors":["` + relation + `"]}]`),
		bulk: post("/api/get_concept_bulk", jsonType, func(n int) string {
			ids := make([]string, 1_000)
			for i := range ids {
				ids[i] = w.ids[(n+i*997)%len(w.ids)].String()
			}
			return "[" + strings.Join(ids, ",") + "]"
		}),
		batch1k: post("/api/v1/local-concepts", jsonType, func(int) string { return batch(1_000) }),
		batch2k: post("/api/v1/local-concepts", jsonType, func(int) string { return batch(2_000) }),
	}
}

// batch returns the body of a sync after a browser was offline: a record, new values, and a connection to each of them.
func batch(records int) string {
	head := -counter.Add(int64(records)) // local ids that were not used before
	concepts := []string{fmt.Sprintf(
		`{"id":%d,"ghostId":%[1]d,"categoryId":4,"typeId":-1,"typeCharacter":"the_batch","characterValue":"","isComposition":true}`, head)}
	var connections []string
	for id := head + 1; len(concepts)+len(connections)+1 < records; id++ {
		concepts = append(concepts, fmt.Sprintf(
			`{"id":%d,"ghostId":%[1]d,"categoryId":4,"typeId":-1,"typeCharacter":"the_measure","characterValue":%q}`, id, freshValue()))
		connections = append(connections, fmt.Sprintf(
			`{"id":%d,"ghostId":%[1]d,"ofTheConceptId":%d,"toTheConceptId":%[1]d,"typeId":0,"typeCharacter":"the_batch_s_measure","orderId":1000}`, id, head))
	}
	return `{"concepts":[` + strings.Join(concepts, ",") + `],"connections":[` + strings.Join(connections, ",") + `]}`
}
