package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
	"github.com/weft-graph/weft/internal/telemetry/usage"
	"github.com/weft-graph/weft/wire"
)

const (
	asJSON = "application/json"
	asForm = "application/x-www-form-urlencoded"
)

// A badRequest is a request that every route must handle without an internal error.
type badRequest struct{ contentType, body string }

// badRequestsFor returns the bad requests for a route. Some are malformed for every route, and some have the fields or
// members of the route with meaningless values.
func badRequestsFor(route server.RouteInfo) map[string]badRequest {
	all := malformedRequests(route.Fields)
	for _, q := range badQueries {
		all[q.what] = badRequest{asJSON, q.body}
	}
	for what, value := range map[string]string{
		"an object": `{"a":{}}`, "a list": `[[1],{}]`, "a text": `"a\u0000b"`, "a long text": `"` + strings.Repeat("x", 300) + `"`,
		"a fraction": `1.5`, "an overflow": `9223372036854775808`, "the smallest integer": `-9223372036854775808`, "a flag": `true`, "null": `null`,
		"zero": `0`, "a local id": `-1`, "the id of another user's record": strconv.Itoa(privateID),
	} {
		if route.Body != nil {
			all["members that are "+what] = badRequest{asJSON, uniformBody(route.Body, value, 0)}
		}
	}
	return all
}

// privateID is the id of a private concept of another user. The first two ids of the store belong to the type of
// the concept.
const privateID = int(graph.FirstFree) + 2

// uniformBody returns a JSON body of a type in which every scalar has the same value.
func uniformBody(t reflect.Type, value string, depth int) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return uniformBody(t.Elem(), value, depth)
	case depth < 4 && t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return "[" + uniformBody(t.Elem(), value, depth+1) + "]"
	case depth < 4 && t.Kind() == reflect.Struct:
		var b strings.Builder
		for field := range t.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fmt.Fprintf(&b, ",%q:%s", name, uniformBody(field.Type, value, depth+1))
		}
		return "{" + strings.TrimPrefix(b.String(), ",") + "}"
	default:
		return value
	}
}

// malformedRequests returns requests with each field and an unknown field, in every encoding.
func malformedRequests(fields []string) map[string]badRequest {
	fields = append([]string{"x"}, fields...)
	form := func(value string) string {
		var b strings.Builder
		for _, f := range fields {
			fmt.Fprintf(&b, "%s=%s&", f, value)
		}
		return b.String()
	}
	object := func(value string) string {
		var b strings.Builder
		for _, f := range fields {
			fmt.Fprintf(&b, "%q:%s,", f, value)
		}
		return "{" + b.String() + `"y":0}`
	}
	concept := func(value string) string {
		return `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":` + value + `}]}`
	}
	deep := strings.Repeat(`{"type":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	deepQuery := strings.Repeat(`{"type":"a","freeschemaQueries":[`, 5_000) + strings.Repeat("]}", 5_000)
	multipart := func(value string) string {
		var b strings.Builder
		for _, f := range fields {
			fmt.Fprintf(&b, "--X\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", f, value)
		}
		return b.String() + "--X--\r\n"
	}
	const boundary = "multipart/form-data; boundary=X"
	return map[string]badRequest{
		"no body":                            {"", ""},
		"no body, declared as JSON":          {asJSON, ""},
		"a JSON number":                      {asJSON, "1"},
		"a JSON null":                        {asJSON, "null"},
		"a JSON list":                        {asJSON, "[]"},
		"a list of lists":                    {asJSON, "[[1]]"},
		"a list of nulls":                    {asJSON, "[null,null]"},
		"a list of texts":                    {asJSON, `["a","the_b"]`},
		"an empty object":                    {asJSON, "{}"},
		"fields that are objects":            {asJSON, object("{}")},
		"fields that are null":               {asJSON, object("null")},
		"fields that are flags":              {asJSON, object("true")},
		"the id of another user's record":    {asForm, form(strconv.Itoa(privateID))},
		"ids of another user's records":      {asJSON, fmt.Sprintf("[%d,%d]", privateID, privateID+1)},
		"a path to a parent folder":          {asForm, form("..%2f..%2f..%2fetc%2fpasswd")},
		"markup as every field":              {asForm, form("%3cscript%3e'%22")},
		"a long text as every field":         {asForm, form(strings.Repeat("x", 3000))},
		"truncated JSON":                     {asJSON, `{"concepts":[{"id":-1,"categ`},
		"a truncated list":                   {asJSON, "[1,2,"},
		"data after the JSON":                {asJSON, "[1] [2]"},
		"JSON in UTF-16":                     {asJSON, "\xff\xfe[\x001\x00]\x00"},
		"XML":                                {"text/xml", "<id>1</id>"},
		"an unknown content type":            {"a/b; c", "id=1"},
		"an empty content type":              {";", "id=1"},
		"10,000 ids":                         {asJSON, "[" + strings.Repeat("123456,", 9_999) + "1]"},
		"negative ids":                       {asJSON, "[-1,-100]"},
		"zero as every field":                {asForm, form("0")},
		"minus one as every field":           {asForm, form("-1")},
		"overflow as every field":            {asForm, form("9223372036854775808")},
		"beyond 2^53 as every field":         {asForm, form("9007199254740993")},
		"a fraction as every field":          {asForm, form("1.5")},
		"NUL as every field":                 {asForm, form("a%00b")},
		"bad UTF-8 as every field":           {asForm, form("%ff%fe")},
		"a huge number in JSON":              {asJSON, object("1e400")},
		"overflowing ids":                    {asJSON, "[9223372036854775808]"},
		"the largest ids":                    {asJSON, "[9223372036854775807,-9223372036854775808]"},
		"bad UTF-8 in JSON":                  {asJSON, concept("\"\xff\"")},
		"NUL in a value":                     {asJSON, concept(`"a\u0000b"`)},
		"a lone surrogate":                   {asJSON, concept(`"\ud800"`)},
		"NUL in a type":                      {asJSON, `{"concepts":[{"id":-1,"categoryId":1,"characterValue":"a\u0000"}]}`},
		"NUL in the type of a composition":   {asJSON, `{"concepts":[{"id":-1,"categoryId":4,"isComposition":true,"typeCharacter":"the_a\u0000","characterValue":""}]}`},
		"a record 10,000 deep":               {asJSON, deep},
		"a list 10,000 deep":                 {asJSON, strings.Repeat("[", 10_001)},
		"a query 5,000 deep":                 {asJSON, deepQuery},
		"a type of 1,000 words":              {asForm, "type=the" + strings.Repeat("_a", 1000)},
		"an unknown local id":                {asJSON, `{"connections":[{"id":-1,"ofTheConceptId":-77,"toTheConceptId":-78,"typeId":16}]}`},
		"a concept that does not exist":      {asJSON, `{"connections":[{"id":-1,"ofTheConceptId":404404,"toTheConceptId":1,"typeId":16}]}`},
		"one local id for two records":       {asJSON, `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"1"},{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"2"}]}`},
		"removal of an unknown local id":     {asJSON, `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"1"}],"removeConcepts":[-9]}`},
		"removal of a fixed concept":         {asJSON, `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"1"}],"removeConcepts":[51]}`},
		"removal of id 0":                    {asJSON, `{"removeConcepts":[0]}`},
		"multipart without an end":           {boundary, "--X\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n1"},
		"multipart with zero in every field": {boundary, multipart("0")},
		"multipart without a boundary":       {"multipart/form-data", multipart("1")},
		"multipart with a bad id":            {boundary, multipart("1; drop table concept")},
		"multipart with NUL":                 {boundary, multipart("\x00")},
		"a page before the first":            {asForm, "typeId=1&ofTheConceptId=1&toTheConceptId=1&inpage=-5&page=-1"},
		"a page beyond all":                  {asForm, "typeId=1&ofTheConceptId=1&toTheConceptId=1&inpage=2147483647&page=9223372036854775807"},
	}
}

func TestNoRouteFailsOnBadInput(t *testing.T) {
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	always := func(headers http.Header) func(*testing.T, *servertest.Server, string) http.Header {
		return func(*testing.T, *servertest.Server, string) http.Header { return headers }
	}
	for who, headers := range map[string]func(t *testing.T, s *servertest.Server, email string) http.Header{
		"anonymous":        always(nil),
		"with a bad token": always(bearer("eyJhbGciOiJub25lIn0.eyJzdWIiOiIyIn0.")),
		"with a bad key": always(http.Header{
			"Authorization": {"Bearer " + strings.Repeat("k", 5000)}, "X-Session-Id": {"-1"}, "Randomizer": {"1e400"},
		}),
		"signed in": func(t *testing.T, s *servertest.Server, email string) http.Header {
			return bearer(servertest.SignUp(t, s.URL, email))
		},
		"an admin": func(t *testing.T, s *servertest.Server, email string) http.Header {
			return bearer(servertest.Admin(t, s, email))
		},
	} {
		if (testing.Short() || race.Enabled) && who != "signed in" {
			continue // each caller sends ten thousand requests
		}
		t.Run(who, func(t *testing.T) { testBadInput(t, headers, who == "an admin") })
	}
}

// testBadInput sends all bad requests to every route. If a request ends the session of its caller, the test
// continues as another user.
func testBadInput(t *testing.T, headers func(*testing.T, *servertest.Server, string) http.Header, isAdmin bool) {
	store := memory.New()
	s, _ := serveWithMail(t, store, 1000, func(o *server.Options) {
		o.ClientLog, o.Usage = clientlog.New(kv.In(store), clientlog.Options{}), usage.New(kv.In(store), nil)
	})
	writePrivateRecords(t, s.Store)
	count := 0
	credentials := headers(t, s, "caller@example.org")
	for i, route := range server.Routes() {
		t.Run(route.Method+" "+route.Path, func(t *testing.T) {
			isDisabled := true
			for what, request := range badRequestsFor(route) {
				count++
				before := lastSeq(t, s.Store)
				status, responseBody := send(t, route, s.URL, request, credentials)
				if status >= 400 && lastSeq(t, s.Store) != before {
					t.Errorf("%s: refused with %d, but something was written", what, status)
				}
				checkResponse(t, route, what, status, responseBody)
				isDisabled = isDisabled && status == http.StatusServiceUnavailable
				if !isAdmin && bytes.Contains(responseBody, []byte(secret)) {
					t.Errorf("%s: the response contains private data: %.300s", what, responseBody)
				}
			}
			if isDisabled {
				t.Error("the feature is not enabled, so nothing was tested")
			}
			me := server.RouteInfo{Method: http.MethodGet, Path: "/api/auth/me", ContentType: asJSON}
			if status, _ := send(t, me, s.URL, badRequest{}, credentials); status != http.StatusOK {
				credentials = headers(t, s, fmt.Sprintf("caller%d@example.org", i))
			}
		})
	}
	if err := s.Store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	t.Logf("%d bad requests", count)
}

const secret = "private text"

// writePrivateRecords writes records that no caller of the test may read.
func writePrivateRecords(t *testing.T, s graph.Store) {
	t.Helper()
	receipt, err := s.Write(t.Context(), graph.Batch{
		Sender:      graph.Sender{User: 4242},
		Concepts:    []graph.ConceptDraft{{LocalID: -1, TypeName: "the_diary", Value: secret}, {LocalID: -2, TypeName: "the_diary", Value: "page"}},
		Connections: []graph.ConnectionDraft{{From: -1, To: -2, TypeName: "the_diary_s_page"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if id := int(receipt.Concepts[0].ID); id != privateID {
		t.Fatalf("the private concept has the id %d; want %d, which the requests name", id, privateID)
	}
}

// checkResponse fails unless the response has the type of the route, or is a 4xx with a message and its kind.
func checkResponse(t *testing.T, route server.RouteInfo, what string, status int, responseBody []byte) {
	t.Helper()
	if status >= 200 && status < 300 {
		if route.ContentType == asJSON && (!json.Valid(responseBody) || string(responseBody) == "null") {
			t.Errorf("%s: response %.200q", what, responseBody)
		}
		return
	}
	var e wire.Error
	err := json.Unmarshal(responseBody, &e)
	refused := status >= 400 && status < 500 || status == http.StatusServiceUnavailable && e.Kind == graph.Unavailable
	if !refused || err != nil || len(e.Message) < 10 || e.Kind == "" || e.RequestID == "" || e.StatusText != e.Message {
		t.Errorf("%s: %d %.300s", what, status, responseBody)
	}
	if len(e.Message) > 500 || strings.ContainsRune(e.Message, 0) {
		t.Errorf("%s: a message with unreadable text: %.600q", what, e.Message)
	}
}

// send returns the status and the body of the response, or the beginning of the body of a stream.
func send(t *testing.T, route server.RouteInfo, url string, request badRequest, headers http.Header) (int, []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	path := wildcard.ReplaceAllString(route.Path, "9223372036854775808")
	r, err := http.NewRequestWithContext(ctx, route.Method, url+path, strings.NewReader(request.body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, headers)
	if route.Method == http.MethodGet && request.contentType == asForm {
		r.URL.RawQuery, r.Body, r.ContentLength = request.body, nil, 0
	}
	if request.contentType != "" {
		r.Header.Set("Content-Type", request.contentType)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("%.100q: %v", request.body, err)
	}
	defer response.Body.Close()
	if route.Streams && response.StatusCode == http.StatusOK {
		return response.StatusCode, nil
	}
	responseBody, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := route.ContentType
	if response.StatusCode >= 300 {
		want = asJSON
	}
	if got, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); got != want {
		t.Errorf("the content type is %q; want %q", got, want)
	}
	return response.StatusCode, responseBody
}

var wildcard = regexp.MustCompile(`\{[^}]*\}`)

func lastSeq(t *testing.T, s graph.Reader) graph.Seq {
	t.Helper()
	seq, err := s.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func TestLargeBodyIsRefusedEarly(t *testing.T) {
	s := servertest.Start(t)
	const size = 100 << 20
	for _, route := range server.Routes() {
		t.Run(route.Method+" "+route.Path, func(t *testing.T) {
			for what, length := range map[string]int64{"with a Content-Length": size, "without a Content-Length": -1} {
				body := &spaces{size: size}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, route.Method, s.URL+wildcard.ReplaceAllString(route.Path, "1"), body)
				if err != nil {
					t.Fatal(err)
				}
				r.ContentLength = length
				r.Header.Set("Content-Type", asJSON)
				response, err := http.DefaultClient.Do(r)
				if err == nil {
					responseBody, _ := io.ReadAll(response.Body)
					response.Body.Close()
					checkResponse(t, route, what, response.StatusCode, responseBody)
					want := http.StatusRequestEntityTooLarge
					if slices.Contains(signingPaths, route.Path) {
						want = http.StatusNotAcceptable
					}
					if response.StatusCode != want && !route.ReadsBody {
						t.Errorf("a body %s: %d %s", what, response.StatusCode, responseBody)
					}
				}
				// An error is permitted, too: the server may close the connection while the body is being sent.
				if sent := body.sent.Load(); sent > route.MaxBody+16<<20 {
					t.Errorf("a body %s: %d MB were read", what, sent>>20)
				}
			}
		})
	}
	response, err := http.Get(s.URL + "/api/health")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("afterwards: %v, %v", response, err)
	}
	response.Body.Close()
}

// spaces is a body of size spaces. The transport may still read it after the response.
type spaces struct {
	size int64
	sent atomic.Int64
}

func (s *spaces) Read(b []byte) (int, error) {
	remaining := s.size - s.sent.Load()
	if remaining == 0 {
		return 0, io.EOF
	}
	n := copy(b, bytes.Repeat([]byte(" "), int(min(int64(len(b)), remaining))))
	s.sent.Add(int64(n))
	return n, nil
}

func TestTruncatedBodyWritesNothing(t *testing.T) {
	s := servertest.Start(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/local-concepts",
		io.MultiReader(strings.NewReader(`{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"1"}]}`), failingReader{}))
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(r); err == nil {
		response.Body.Close()
		t.Errorf("status %d; want no response to a truncated body", response.StatusCode)
	}
	time.Sleep(50 * time.Millisecond)
	if seq := lastSeq(t, s.Store); seq != 0 {
		t.Errorf("the number of the last change = %d; want 0, as a truncated body must write nothing", seq)
	}
}

// failingReader fails at the first read.
type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("connection lost") }

func TestErrorQuotesTextAsSent(t *testing.T) {
	c := caller{t: t, url: servertest.Serve(t, memory.New()).URL}
	var responseBody json.RawMessage
	c.do(http.MethodPost, queryPath, asJSON, strings.NewReader(filtered("a & b")), &responseBody)
	if !bytes.Contains(responseBody, []byte("⟦&⟧")) {
		t.Errorf("the response is %s; want an unescaped & in it", responseBody)
	}
}
