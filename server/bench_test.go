package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/sqlite"
)

// BenchmarkHTTP asks over loopback with connections kept alive. Beside each request stands the limit: a
// bare handler that reads the same request and writes the same bytes.
func BenchmarkHTTP(b *testing.B) {
	for name, open := range map[string]func(b *testing.B) graph.Store{
		"memory": func(*testing.B) graph.Store { return memory.New() },
		"sqlite": func(b *testing.B) graph.Store {
			s, err := sqlite.Open(b.Context(), b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			return s
		},
	} {
		b.Run(name, func(b *testing.B) {
			store := open(b)
			load := fill(b, store)
			s := servertest.Serve(b, store)
			for _, q := range load.questions() {
				b.Run(q.name, func(b *testing.B) {
					ours := q.at(s.URL)
					answer := ours.ask(b)
					bare := q.at(serveBare(b, answer))
					compare(b, ours, bare, len(answer))
				})
			}
		})
	}
}

// A load is what the questions are about: records, each linked from one hub.
type load struct {
	hub, link graph.ID
	values    []graph.ID
}

const records = 20_000

func fill(b *testing.B, store graph.Store) load {
	b.Helper()
	var l load
	head := write(b, store, graph.Batch{Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_hub"}}})
	l.hub = head.Concepts[0].ID
	const batch = 1_000
	for n := 0; n < records; n += batch {
		var drafts graph.Batch
		for i := n; i < n+batch; i++ {
			ghost := graph.ID(-1 - i)
			drafts.Concepts = append(drafts.Concepts, graph.ConceptDraft{
				Ghost: ghost, TypeName: fmt.Sprintf("the_field%d", i%20), Value: fmt.Sprintf("value number %d", i),
			})
			drafts.Connections = append(drafts.Connections, graph.ConnectionDraft{
				From: l.hub, To: ghost, TypeName: "the_hub_s_field", Order: graph.OrderLink,
			})
		}
		r := write(b, store, drafts)
		l.link = r.Connections[0].Type
		for _, c := range r.Concepts {
			l.values = append(l.values, c.ID)
		}
	}
	return l
}

func write(b *testing.B, store graph.Store, batch graph.Batch) graph.Receipt {
	b.Helper()
	batch.Sender.User = graph.Anonymous
	r, err := store.Write(b.Context(), batch)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// A question is one request, asked again and again.
type question struct{ name, path, kind, body, url string }

func (q question) at(url string) question {
	q.url = url + q.path
	return q
}

func (l load) questions() []question {
	var ids []graph.ID
	for i := range 1_000 {
		ids = append(ids, l.values[i*len(l.values)/1_000])
	}
	list, _ := json.Marshal(ids)
	page := url.Values{
		"typeId": {l.link.String()}, "ofTheConceptId": {l.hub.String()}, "userId": {"999"}, "inpage": {"10"}, "page": {"1"},
	}
	const part = "--X\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n%d\r\n--X--\r\n"
	return []question{
		{name: "get", path: "/api/getConcept", kind: "multipart/form-data; boundary=X", body: fmt.Sprintf(part, ids[500])},
		{name: "bulk1000", path: "/api/get_concept_bulk", kind: asJSON, body: string(list)},
		{name: "links10", path: "/api/get-link-connections", kind: asForm, body: page.Encode()},
	}
}

// client does what a browser's connections do: it keeps them.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}

func (q question) ask(b testing.TB) []byte {
	r, err := http.NewRequest(http.MethodPost, q.url, strings.NewReader(q.body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", q.kind)
	r.Header.Set("X-Session-Id", "998")
	response, err := client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("%s %v %.200s", response.Status, err, answer)
	}
	return answer
}

// compare asks both by turns, so that whatever else the machine does falls on both.
func compare(b *testing.B, ours, bare question, want int) {
	const round, clients = 200, 8
	var took [2]time.Duration
	asked := 0
	for b.Loop() {
		for i, q := range []question{ours, bare} {
			start := time.Now()
			var wait sync.WaitGroup
			for range clients {
				wait.Go(func() {
					for range round / clients {
						if got := len(q.ask(b)); got != want {
							b.Errorf("%d bytes; want %d", got, want)
						}
					}
				})
			}
			wait.Wait()
			took[i] += time.Since(start)
		}
		asked += round
	}
	perSecond := func(took time.Duration) float64 { return float64(asked) / took.Seconds() }
	b.ReportMetric(perSecond(took[0]), "requests/s")
	b.ReportMetric(perSecond(took[1]), "bare/s")
	b.ReportMetric(100*took[1].Seconds()/took[0].Seconds(), "%ofbare")
	b.ReportMetric(float64(want), "bytes")
}

// serveBare answers every request with the same bytes.
func serveBare(b *testing.B, answer []byte) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		w.Header().Set("Content-Type", asJSON)
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	})}
	go s.Serve(l) //nolint:errcheck // closed below
	b.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String()
}
