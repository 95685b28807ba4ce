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
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/journal"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/track"
	"github.com/weft-graph/weft/wire"
)

const (
	asJSON = "application/json"
	asForm = "application/x-www-form-urlencoded"
)

// A badRequest is one that no route should be troubled by.
type badRequest struct{ kind, body string }

// bad are the bad requests for a route: those that fit none, and those that have its fields or its members
// with values that make no sense.
func bad(line server.Line) map[string]badRequest {
	all := unfit(line.Fields)
	for _, q := range badQueries {
		all[q.what] = badRequest{asJSON, q.body}
	}
	for what, value := range map[string]string{
		"an object": `{"a":{}}`, "a list": `[[1],{}]`, "a text": `"a\u0000b"`, "a long text": `"` + strings.Repeat("x", 300) + `"`,
		"a fraction": `1.5`, "an overflow": `9223372036854775808`, "the least": `-9223372036854775808`, "a flag": `true`, "null": `null`,
		"zero": `0`, "a local id": `-1`, "an id of somebody else": strconv.Itoa(somebodys),
	} {
		if line.Body != nil {
			all["members that are "+what] = badRequest{asJSON, wrongly(line.Body, value, 0)}
		}
	}
	return all
}

// somebodys is the id of a private concept. The first ids a store gives are those of its type.
const somebodys = int(graph.FirstFree) + 2

// wrongly is a body of a type, with one value for all that is not an object or a list.
func wrongly(t reflect.Type, value string, depth int) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return wrongly(t.Elem(), value, depth)
	case depth < 4 && t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return "[" + wrongly(t.Elem(), value, depth+1) + "]"
	case depth < 4 && t.Kind() == reflect.Struct:
		var b strings.Builder
		for field := range t.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fmt.Fprintf(&b, ",%q:%s", name, wrongly(field.Type, value, depth+1))
		}
		return "{" + strings.TrimPrefix(b.String(), ",") + "}"
	default:
		return value
	}
}

func unfit(fields []string) map[string]badRequest {
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
		"no body":                        {"", ""},
		"no body that says JSON":         {asJSON, ""},
		"a JSON number":                  {asJSON, "1"},
		"a JSON null":                    {asJSON, "null"},
		"a JSON list":                    {asJSON, "[]"},
		"a list of lists":                {asJSON, "[[1]]"},
		"a list of nulls":                {asJSON, "[null,null]"},
		"a list of texts":                {asJSON, `["a","the_b"]`},
		"an empty object":                {asJSON, "{}"},
		"fields that are objects":        {asJSON, object("{}")},
		"fields that are null":           {asJSON, object("null")},
		"fields that are flags":          {asJSON, object("true")},
		"an id of somebody else":         {asForm, form(strconv.Itoa(somebodys))},
		"ids of somebody else":           {asJSON, fmt.Sprintf("[%d,%d]", somebodys, somebodys+1)},
		"a path out of here":             {asForm, form("..%2f..%2f..%2fetc%2fpasswd")},
		"markup as every field":          {asForm, form("%3cscript%3e'%22")},
		"a long text as every field":     {asForm, form(strings.Repeat("x", 3000))},
		"truncated JSON":                 {asJSON, `{"concepts":[{"id":-1,"categ`},
		"a truncated list":               {asJSON, "[1,2,"},
		"what comes after JSON":          {asJSON, "[1] [2]"},
		"JSON in UTF-16":                 {asJSON, "\xff\xfe[\x001\x00]\x00"},
		"XML":                            {"text/xml", "<id>1</id>"},
		"no known content type":          {"a/b; c", "id=1"},
		"no content type at all":         {";", "id=1"},
		"10,000 ids":                     {asJSON, "[" + strings.Repeat("123456,", 9_999) + "1]"},
		"negative ids":                   {asJSON, "[-1,-100]"},
		"zero as every field":            {asForm, form("0")},
		"minus one as every field":       {asForm, form("-1")},
		"overflow as every field":        {asForm, form("9223372036854775808")},
		"beyond 2^53 as every field":     {asForm, form("9007199254740993")},
		"a fraction as every field":      {asForm, form("1.5")},
		"NUL as every field":             {asForm, form("a%00b")},
		"bad UTF-8 as every field":       {asForm, form("%ff%fe")},
		"a huge number in JSON":          {asJSON, object("1e400")},
		"overflowing ids":                {asJSON, "[9223372036854775808]"},
		"the largest ids":                {asJSON, "[9223372036854775807,-9223372036854775808]"},
		"bad UTF-8 in JSON":              {asJSON, concept("\"\xff\"")},
		"NUL in a value":                 {asJSON, concept(`"a\u0000b"`)},
		"a lone surrogate":               {asJSON, concept(`"\ud800"`)},
		"NUL in a type":                  {asJSON, `{"concepts":[{"id":-1,"categoryId":1,"characterValue":"a\u0000"}]}`},
		"a value in a composition":       {asJSON, `{"concepts":[{"id":-1,"categoryId":4,"isComposition":true,"typeCharacter":"the_a\u0000","characterValue":""}]}`},
		"a record 10,000 deep":           {asJSON, deep},
		"a list 10,000 deep":             {asJSON, strings.Repeat("[", 10_001)},
		"a query 5,000 deep":             {asJSON, deepQuery},
		"a type of 1,000 words":          {asForm, "type=the" + strings.Repeat("_a", 1000)},
		"a ghost nobody sent":            {asJSON, `{"connections":[{"id":-1,"ofTheConceptId":-77,"toTheConceptId":-78,"typeId":16}]}`},
		"a concept that is not there":    {asJSON, `{"connections":[{"id":-1,"ofTheConceptId":404404,"toTheConceptId":1,"typeId":16}]}`},
		"one ghost with two meanings":    {asJSON, `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"1"},{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"2"}]}`},
		"the end of a ghost nobody sent": {asJSON, `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"1"}],"removeConcepts":[-9]}`},
		"the end of a fixed concept":     {asJSON, `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"1"}],"removeConcepts":[51]}`},
		"the end of nothing":             {asJSON, `{"removeConcepts":[0]}`},
		"multipart without an end":       {boundary, "--X\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n1"},
		"multipart that is zero":         {boundary, multipart("0")},
		"multipart without a boundary":   {"multipart/form-data", multipart("1")},
		"multipart with a bad id":        {boundary, multipart("1; drop table concept")},
		"multipart with NUL":             {boundary, multipart("\x00")},
		"a page before the first":        {asForm, "typeId=1&ofTheConceptId=1&toTheConceptId=1&inpage=-5&page=-1"},
		"a page beyond all":              {asForm, "typeId=1&ofTheConceptId=1&toTheConceptId=1&inpage=2147483647&page=9223372036854775807"},
	}
}

func TestBadInput(t *testing.T) {
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
		t.Run(who, func(t *testing.T) { badInput(t, headers, who == "an admin") })
	}
}

// badInput sends everything to every route. When one has ended the session of who asks, somebody else goes on.
func badInput(t *testing.T, headers func(*testing.T, *servertest.Server, string) http.Header, seesAll bool) {
	store := memory.New()
	s, _ := posting(t, store, 1000, func(o *server.Options) {
		o.Journal, o.Tracker = journal.New(kv.In(store), journal.Options{}), track.New(kv.In(store), nil)
	})
	hide(t, s.Store)
	seen := 0
	as := headers(t, s, "caller@example.org")
	for i, line := range server.Lines() {
		t.Run(line.Method+" "+line.Path, func(t *testing.T) {
			asleep := true
			for what, request := range bad(line) {
				seen++
				before := lastSeq(t, s.Store)
				status, answer := send(t, line, s.URL, request, as)
				if status >= 400 && lastSeq(t, s.Store) != before {
					t.Errorf("%s: refused with %d, and written nevertheless", what, status)
				}
				checkAnswer(t, line, what, status, answer)
				asleep = asleep && status == http.StatusServiceUnavailable
				if !seesAll && bytes.Contains(answer, []byte(secret)) {
					t.Errorf("%s: told what is private: %.300s", what, answer)
				}
			}
			if asleep {
				t.Error("it is not switched on, so nothing was tested")
			}
			me := server.Line{Method: http.MethodGet, Path: "/api/auth/me", Kind: asJSON}
			if status, _ := send(t, me, s.URL, badRequest{}, as); status != http.StatusOK {
				as = headers(t, s, fmt.Sprintf("caller%d@example.org", i))
			}
		})
	}
	if err := s.Store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	t.Logf("%d bad requests", seen)
}

const secret = "for my eyes only"

// hide writes what no caller of the test may read.
func hide(t *testing.T, s graph.Store) {
	t.Helper()
	receipt, err := s.Write(t.Context(), graph.Batch{
		Sender:      graph.Sender{User: 4242},
		Concepts:    []graph.ConceptDraft{{Ghost: -1, TypeName: "the_diary", Value: secret}, {Ghost: -2, TypeName: "the_diary", Value: "page"}},
		Connections: []graph.ConnectionDraft{{From: -1, To: -2, TypeName: "the_diary_s_page"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if id := int(receipt.Concepts[0].ID); id != somebodys {
		t.Fatalf("the private concept is %d; the requests name %d", id, somebodys)
	}
}

// checkAnswer wants what the route gives, or a 4xx with a sentence and its kind.
func checkAnswer(t *testing.T, line server.Line, what string, status int, answer []byte) {
	t.Helper()
	if status >= 200 && status < 300 {
		if line.Kind == asJSON && (!json.Valid(answer) || string(answer) == "null") {
			t.Errorf("%s: answered %.200q", what, answer)
		}
		return
	}
	var e wire.Error
	err := json.Unmarshal(answer, &e)
	refused := status >= 400 && status < 500 || status == http.StatusServiceUnavailable && e.Kind == graph.Unavailable
	if !refused || err != nil || len(e.Message) < 10 || e.Kind == "" || e.RequestID == "" || e.StatusText != e.Message {
		t.Errorf("%s: %d %.300s", what, status, answer)
	}
	if len(e.Message) > 500 || strings.ContainsRune(e.Message, 0) {
		t.Errorf("%s: an unreadable sentence: %.600q", what, e.Message)
	}
}

// send returns the status and the answer; of a stream, the beginning.
func send(t *testing.T, line server.Line, url string, request badRequest, headers http.Header) (int, []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	path := wildcard.ReplaceAllString(line.Path, "9223372036854775808")
	r, err := http.NewRequestWithContext(ctx, line.Method, url+path, strings.NewReader(request.body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, headers)
	if line.Method == http.MethodGet && request.kind == asForm {
		r.URL.RawQuery, r.Body, r.ContentLength = request.body, nil, 0
	}
	if request.kind != "" {
		r.Header.Set("Content-Type", request.kind)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("%.100q: %v", request.body, err)
	}
	defer response.Body.Close()
	if line.Streams && response.StatusCode == http.StatusOK {
		return response.StatusCode, nil
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := line.Kind
	if response.StatusCode >= 300 {
		want = asJSON
	}
	if got, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); got != want {
		t.Errorf("the content type is %q; want %q", got, want)
	}
	return response.StatusCode, answer
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

func TestABodyOf100MBIsRefusedEarly(t *testing.T) {
	s := servertest.Start(t)
	const size = 100 << 20
	for _, line := range server.Lines() {
		t.Run(line.Method+" "+line.Path, func(t *testing.T) {
			for what, length := range map[string]int64{"that says so": size, "that does not say": -1} {
				body := &endless{most: size}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, line.Method, s.URL+wildcard.ReplaceAllString(line.Path, "1"), body)
				if err != nil {
					t.Fatal(err)
				}
				r.ContentLength = length
				r.Header.Set("Content-Type", asJSON)
				response, err := http.DefaultClient.Do(r)
				if err == nil {
					answer, _ := io.ReadAll(response.Body)
					response.Body.Close()
					checkAnswer(t, line, what, response.StatusCode, answer)
					if response.StatusCode != http.StatusRequestEntityTooLarge && !line.Reads {
						t.Errorf("a body %s: %d %s", what, response.StatusCode, answer)
					}
				}
				// An error is fine as well: the server may hang up while we are still sending.
				if sent := body.sent.Load(); sent > line.Most+16<<20 {
					t.Errorf("a body %s: %d MB were taken", what, sent>>20)
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

// endless is a long body of spaces. It may still be read after the answer has come.
type endless struct {
	most int64
	sent atomic.Int64
}

func (e *endless) Read(b []byte) (int, error) {
	left := e.most - e.sent.Load()
	if left == 0 {
		return 0, io.EOF
	}
	n := copy(b, bytes.Repeat([]byte(" "), int(min(int64(len(b)), left))))
	e.sent.Add(int64(n))
	return n, nil
}

func TestABodyThatBreaksOffWritesNothing(t *testing.T) {
	s := servertest.Start(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/local-concepts",
		io.MultiReader(strings.NewReader(`{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a","characterValue":"1"}]}`), broken{}))
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(r); err == nil {
		response.Body.Close()
		t.Errorf("answered %d", response.StatusCode)
	}
	time.Sleep(50 * time.Millisecond)
	if seq := lastSeq(t, s.Store); seq != 0 {
		t.Errorf("something was written: the last change is %d", seq)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the line went dead") }

func TestWhatIsWrongIsSaidInTheLettersThatWereSent(t *testing.T) {
	c := caller{t: t, url: servertest.Serve(t, memory.New()).URL}
	var answer json.RawMessage
	c.do(http.MethodPost, queryPath, asJSON, strings.NewReader(filtered("a & b")), &answer)
	if !bytes.Contains(answer, []byte("⟦&⟧")) {
		t.Errorf("%s", answer)
	}
}
