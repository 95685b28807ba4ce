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
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// BenchmarkHTTP measures requests over loopback with connections kept alive. For each request it also measures a
// lower bound: a handler that does nothing but read the same request and write the same bytes.
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
			data := writeBenchData(b, store)
			s := servertest.Serve(b, store)
			for _, q := range data.requests() {
				b.Run(q.name, func(b *testing.B) {
					weft := q.at(s.URL)
					responseBody := weft.send(b)
					bare := q.at(serveBare(b, responseBody))
					compare(b, weft, bare, len(responseBody))
				})
			}
		})
	}
}

// benchData is the data of the benchmark: values that are all linked from one hub.
type benchData struct {
	hub, link graph.ID
	values    []graph.ID
}

const benchValues = 20_000

func writeBenchData(b *testing.B, store graph.Store) benchData {
	b.Helper()
	var d benchData
	head := write(b, store, graph.Batch{Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_hub"}}})
	d.hub = head.Concepts[0].ID
	const batch = 1_000
	for n := 0; n < benchValues; n += batch {
		var drafts graph.Batch
		for i := n; i < n+batch; i++ {
			localID := graph.ID(-1 - i)
			drafts.Concepts = append(drafts.Concepts, graph.ConceptDraft{
				LocalID: localID, TypeName: fmt.Sprintf("the_field%d", i%20), Value: fmt.Sprintf("value number %d", i),
			})
			drafts.Connections = append(drafts.Connections, graph.ConnectionDraft{
				From: d.hub, To: localID, TypeName: "the_hub_s_field", Order: graph.OrderLink,
			})
		}
		r := write(b, store, drafts)
		d.link = r.Connections[0].Type
		for _, c := range r.Concepts {
			d.values = append(d.values, c.ID)
		}
	}
	return d
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

// A benchRequest is one request, sent repeatedly.
type benchRequest struct{ name, path, contentType, body, url string }

func (q benchRequest) at(url string) benchRequest {
	q.url = url + q.path
	return q
}

func (d benchData) requests() []benchRequest {
	var ids []graph.ID
	for i := range 1_000 {
		ids = append(ids, d.values[i*len(d.values)/1_000])
	}
	list, _ := json.Marshal(ids)
	page := url.Values{
		"typeId": {d.link.String()}, "ofTheConceptId": {d.hub.String()}, "userId": {"999"}, "inpage": {"10"}, "page": {"1"},
	}
	const part = "--X\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n%d\r\n--X--\r\n"
	return []benchRequest{
		{name: "get", path: "/api/getConcept", contentType: "multipart/form-data; boundary=X", body: fmt.Sprintf(part, ids[500])},
		{name: "bulk1000", path: "/api/get_concept_bulk", contentType: asJSON, body: string(list)},
		{name: "links10", path: "/api/get-link-connections", contentType: asForm, body: page.Encode()},
	}
}

// client keeps its connections alive, as a browser does.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}

func (q benchRequest) send(b testing.TB) []byte {
	r, err := http.NewRequest(http.MethodPost, q.url, strings.NewReader(q.body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", q.contentType)
	r.Header.Set("X-Session-Id", "998")
	response, err := client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	responseBody, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("%s %v %.200s", response.Status, err, responseBody)
	}
	return responseBody
}

// compare sends both requests alternately, in rounds, so that other load on the machine affects both.
func compare(b *testing.B, weft, bare benchRequest, want int) {
	const requestsPerRound, clients = 200, 8
	var took [2]time.Duration
	sent := 0
	for b.Loop() {
		for i, q := range []benchRequest{weft, bare} {
			start := time.Now()
			var wait sync.WaitGroup
			for range clients {
				wait.Go(func() {
					for range requestsPerRound / clients {
						if got := len(q.send(b)); got != want {
							b.Errorf("%d bytes; want %d", got, want)
						}
					}
				})
			}
			wait.Wait()
			took[i] += time.Since(start)
		}
		sent += requestsPerRound
	}
	perSecond := func(took time.Duration) float64 { return float64(sent) / took.Seconds() }
	b.ReportMetric(perSecond(took[0]), "requests/s")
	b.ReportMetric(perSecond(took[1]), "bare/s")
	b.ReportMetric(100*took[1].Seconds()/took[0].Seconds(), "%_of_bare")
	b.ReportMetric(float64(want), "bytes")
}

// serveBare responds to every request with the same bytes.
func serveBare(b *testing.B, responseBody []byte) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		w.Header().Set("Content-Type", asJSON)
		w.Header().Set("Content-Length", strconv.Itoa(len(responseBody)))
		_, _ = w.Write(responseBody)
	})}
	go s.Serve(l) //nolint:errcheck // closed below
	b.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String()
}
