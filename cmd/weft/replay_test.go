package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/spec"
)

// The test sends requests that were recorded from a widely used client, byte for byte except for ids and tokens.
// The responses must contain what that client needs.
func TestRecordedRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server for every case")
	}
	binary := build(t)
	for _, database := range databases() {
		t.Run(database.name, func(t *testing.T) {
			spec.RunCases(t, "replay", func(t *testing.T, c spec.Case) {
				t.Parallel()
				replayed := spec.Given[recording](t, c)
				responses := spec.Want[[]wanted](t, c)
				if len(responses) != len(replayed.Requests) {
					t.Fatalf("%d requests have %d responses; want as many", len(replayed.Requests), len(responses))
				}
				p := player{t: t, url: serveReplay(t, binary, database.flags(t)), isPublic: replayed.Public, known: map[string]string{}}
				p.prepare(replayed)
				for i, request := range replayed.Requests {
					p.play(request, responses[i])
				}
			})
		})
	}
}

// A recording is a graph and requests, which are sent in order by a signed-in user who owns the graph. The graph is private.
// Requests that the client signs are sent with the user's token, even if they were recorded without a token.
type recording struct {
	Recorded []string `json:"recorded"` // the names under which the requests were recorded
	Public   bool     `json:"public"`   // the graph is public, and requests have only the tokens with which they were recorded
	Types    map[string]string
	Graph    struct {
		Concepts []struct {
			ID    int
			Type  string
			Value *string
		}
		Connections []struct {
			ID, From, To int
			Type         json.RawMessage
		}
	}
	Requests []recorded
}

// A recorded request has at most one body. A field of a multipart body is text or a file.
type recorded struct {
	Method, Path string
	Headers      map[string]string
	JSON         json.RawMessage
	Raw          *string
	Multipart    map[string]json.RawMessage
}

type file struct {
	File, Type string
	Base64     []byte
}

// wanted is the required content of a response. Learn maps ids and placeholders that later requests of the case use to
// the paths of their values in the response.
type wanted struct {
	Status int
	Holds  json.RawMessage
	Learn  map[string]string
}

// A player sends requests. known maps the ids of the case to ids on this server.
type player struct {
	t        *testing.T
	url      string
	isPublic bool
	token    string
	known    map[string]string
}

const password = "correct horse battery staple"

func (p *player) prepare(r recording) {
	p.t.Helper()
	access := 5
	if !p.isPublic {
		access = 4
	}
	if !p.isPublic || slices.ContainsFunc(r.Requests, recorded.hasToken) {
		p.signIn()
	}
	for id, name := range r.Types {
		p.learn(id, p.seed("/api/make_the_type_concept", map[string]any{"type": name}), "/id")
	}
	concepts, connections := []any{}, []any{}
	for _, c := range r.Graph.Concepts {
		concepts = append(concepts, map[string]any{
			"id": -c.ID, "categoryId": 4, "typeCharacter": c.Type, "characterValue": c.Value, "isComposition": c.Value == nil, "accessId": access,
		})
	}
	for _, c := range r.Graph.Connections {
		link := map[string]any{"id": -c.ID, "ofTheConceptId": -c.From, "toTheConceptId": -c.To, "orderId": 1, "accessId": access}
		if name, err := strconv.Unquote(string(c.Type)); err == nil {
			link["typeCharacter"], link["orderId"] = name, 1000
		} else {
			link["typeId"] = json.RawMessage("-" + string(c.Type))
		}
		connections = append(connections, link)
	}
	if len(concepts) == 0 {
		return // the graph is empty
	}
	response := p.seed("/api/v1/local-concepts", map[string]any{"concepts": concepts, "connections": connections})
	for i, c := range r.Graph.Concepts {
		p.learn(strconv.Itoa(c.ID), response, fmt.Sprintf("/concepts/%d/id", i))
	}
	for i, c := range r.Graph.Connections {
		p.learn(strconv.Itoa(c.ID), response, fmt.Sprintf("/connections/%d/id", i))
	}
}

// signIn creates an account. In recorded requests, 10267 is the id of the user and 101425418 is the concept of the
// user.
func (p *player) signIn() {
	credentials := map[string]any{"email": "ann@example.org", "password": password}
	account := p.seed("/api/auth/signup", credentials)
	p.learn("10267", account, "/data")
	p.learn("101425418", account, "/relatedData")
	p.token = valueAt(p.t, p.seed("/api/auth/login", credentials), "/data/token").(string)
}

// seed sends a request that was not recorded, and returns the response.
func (p *player) seed(path string, body map[string]any) any {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	request := recorded{Method: http.MethodPost, Path: path, JSON: text, Headers: map[string]string{
		"Content-Type": "application/json", "X-Session-Id": "998", "Randomizer": "1",
	}}
	if p.token != "" {
		request.Headers["Authorization"] = "Bearer TOKEN"
	}
	status, response := p.send(request)
	if status != http.StatusOK {
		p.t.Fatalf("%s %s: status %d %s; want 200", path, text, status, response)
	}
	return parse(p.t, response)
}

// play sends a recorded request and checks the response.
func (p *player) play(r recorded, want wanted) {
	p.t.Helper()
	status, response := p.send(r)
	if want.Status == 0 {
		want.Status = http.StatusOK
	}
	if status != want.Status {
		p.t.Fatalf("%s %s: %d %s; want %d", r.Method, r.Path, status, response, want.Status)
	}
	got := parse(p.t, response)
	for id, path := range want.Learn {
		p.learn(id, got, path)
	}
	if err := p.holds("the response", parse(p.t, want.Holds), got); err != nil {
		p.t.Errorf("%s %s: %v\nin %.2000s", r.Method, r.Path, err, response)
	}
}

// learn stores the value at a path of a response as the actual value of an id or placeholder of the case.
func (p *player) learn(id string, response any, path string) {
	p.t.Helper()
	p.known[id] = fmt.Sprint(valueAt(p.t, response, path))
}

// send returns the status and the body of the response.
func (p *player) send(r recorded) (int, []byte) {
	p.t.Helper()
	body, kind := p.body(r)
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	// In these URLs, browsers encode only spaces.
	request, err := http.NewRequestWithContext(ctx, r.Method, p.url+strings.ReplaceAll(p.replaceIDs(r.Path), " ", "%20"), bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("User-Agent", "Mozilla/5.0 (a browser)")
	request.Header.Set("Origin", "http://localhost:5173")
	for name, value := range r.Headers {
		if scheme, token, _ := strings.Cut(value, " "); scheme == "Bearer" && strings.HasPrefix(token, "T") {
			value = "Bearer " + p.token
		}
		request.Header.Set(name, value)
	}
	if p.token != "" && !p.isPublic && r.isSigned() {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	if kind != "" && request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", kind)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, text
}

// hasToken reports whether a request was recorded with a token.
func (r recorded) hasToken() bool {
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Authorization") && strings.HasPrefix(value, "Bearer T") {
			return true
		}
	}
	return false
}

// unsignedPaths are the paths of the requests that the client sends without a token, even for a user who signed in.
var unsignedPaths = []string{
	"/api/get_all_connections_of_composition", "/api/get-composition-connection-between-two-concepts", "/api/get_concept_by_character_value",
	"/api/auth/", "/api/v1/entity/signup", "/api/v1/config", "/api/check", "/v1/get-frontend-anomaly-parameters",
}

// isSigned reports whether the client sends a request with the token of its user.
func (r recorded) isSigned() bool {
	path, _, _ := strings.Cut(r.Path, "?")
	return !slices.ContainsFunc(unsignedPaths, func(unsigned string) bool {
		return path == unsigned || strings.HasSuffix(unsigned, "/") && strings.HasPrefix(path, unsigned)
	})
}

// body returns the body of a request, and its content type if the browser chooses it.
func (p *player) body(r recorded) (body []byte, kind string) {
	switch {
	case r.JSON != nil:
		var plain bytes.Buffer
		if err := json.Compact(&plain, r.JSON); err != nil {
			p.t.Fatal(err)
		}
		return []byte(p.replaceIDs(plain.String())), ""
	case r.Raw != nil:
		return []byte(p.replaceIDs(*r.Raw)), ""
	case r.Multipart != nil:
		return p.multipart(r.Multipart)
	}
	return nil, ""
}

// multipart returns a multipart body with the fields, and its content type.
func (p *player) multipart(fields map[string]json.RawMessage) (body []byte, kind string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		head, content := textproto.MIMEHeader{}, []byte(nil)
		var f file
		if text, err := strconv.Unquote(string(fields[name])); err == nil {
			head.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q", name))
			content = []byte(p.replaceIDs(text))
		} else if err := json.Unmarshal(fields[name], &f); err == nil {
			head.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q; filename=%q", name, f.File))
			head.Set("Content-Type", f.Type)
			content = f.Base64
		}
		part, err := w.CreatePart(head)
		if err == nil {
			_, err = part.Write(content)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		p.t.Fatal(err)
	}
	return b.Bytes(), w.FormDataContentType()
}

var placeholderPattern = regexp.MustCompile(`-?\b\d+\b|\b[A-Z]{5,}\b`)

// replaceIDs replaces the ids and placeholders of the case with the ids and values of this server.
func (p *player) replaceIDs(text string) string {
	return placeholderPattern.ReplaceAllStringFunc(text, func(name string) string {
		if real, ok := p.known[name]; ok {
			return real
		}
		return name
	})
}

// holds compares the wanted content with a response, which may have more members. A wanted string that starts with
// "?" is a pattern:
//
//	"?id" a positive number, "?number", "?text", "?bool", "?object", "?array", "?any"
//	["?each", x] a non-empty list of x; ["?with", x, y] a list that contains x and y
func (p *player) holds(where string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		return p.holdsMembers(where, want, got)
	case []any:
		return p.holdsItems(where, want, got)
	case json.Number:
		if real := p.replaceIDs(want.String()); fmt.Sprint(got) != real {
			return fmt.Errorf("%s is %v; want %s", where, got, real)
		}
	case string:
		if kind, ok := strings.CutPrefix(want, "?"); ok {
			return checkKind(where, kind, got)
		}
		if got != want {
			return fmt.Errorf("%s is %v; want %q", where, got, want)
		}
	default:
		if got != want {
			return fmt.Errorf("%s is %v; want %v", where, got, want)
		}
	}
	return nil
}

func (p *player) holdsMembers(where string, want map[string]any, got any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is %v; want an object", where, got)
	}
	for name, member := range want {
		value, exists := object[name]
		if !exists {
			return fmt.Errorf("%s has no %q", where, name)
		}
		if err := p.holds(where+"."+name, member, value); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) holdsItems(where string, want []any, got any) error {
	list, ok := got.([]any)
	if !ok {
		return fmt.Errorf("%s is %v; want a list", where, got)
	}
	rule := ""
	if len(want) > 0 {
		rule, _ = want[0].(string)
	}
	switch rule {
	case "?each":
		want = slices.Repeat(want[1:], max(len(list), 1))
	case "?with":
		for _, item := range want[1:] {
			if !slices.ContainsFunc(list, func(got any) bool { return p.holds("", item, got) == nil }) {
				return fmt.Errorf("%s is %v; want %v in it", where, got, item)
			}
		}
		return nil
	}
	if len(list) != len(want) {
		return fmt.Errorf("%s has %d items; want %d", where, len(list), len(want))
	}
	for i := range want {
		if err := p.holds(fmt.Sprintf("%s[%d]", where, i), want[i], list[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkKind checks that a value has the kind that a pattern names; see holds.
func checkKind(where, kind string, got any) error {
	ok := false
	switch got := got.(type) {
	case json.Number:
		n, err := got.Int64()
		ok = kind == "number" || kind == "id" && err == nil && n > 0
	case string:
		ok = kind == "text"
	case bool:
		ok = kind == "bool"
	case []any:
		ok = kind == "array"
	case map[string]any:
		ok = kind == "object"
	}
	if !ok && kind != "any" {
		return fmt.Errorf("%s is %v; want: %s", where, got, kind)
	}
	return nil
}

// valueAt returns the value at a path such as /data/0/id in a response.
func valueAt(t *testing.T, response any, path string) any {
	t.Helper()
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		switch v := response.(type) {
		case map[string]any:
			response = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				t.Fatalf("no %s in %v", path, v)
			}
			response = v[i]
		default:
			t.Fatalf("no %s in %v", path, v)
		}
	}
	return response
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// databases lists the kinds of stores that a server supports.
func databases() []database {
	return []database{
		{"SQLite", func(t *testing.T) []string { return []string{"--data", t.TempDir()} }},
		{"PostgreSQL", func(t *testing.T) []string { return []string{"--data", t.TempDir(), "--store", pgtest.Database(t)} }},
	}
}

type database struct {
	name  string
	flags func(*testing.T) []string
}

// serveReplay starts the program and returns its URL.
func serveReplay(t *testing.T, binary string, flags []string) string {
	t.Helper()
	_, url := startProgram(t, binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--anonymous-writes", "--mail", "print"}, flags...)...)
	return url
}

// A case must replay every recorded request, or the request must be listed as left out, with a reason.
func TestEveryRecordingIsReplayedOrLeftOut(t *testing.T) {
	names, err := os.ReadFile("../../spec/replay/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := os.ReadFile("../../spec/replay/LEFT-OUT.md")
	if err != nil {
		t.Fatal(err)
	}
	replayed := map[string]bool{}
	files, err := filepath.Glob("../../spec/replay/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		var c struct{ Given recording }
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		if err != nil || len(c.Given.Recorded) == 0 {
			t.Errorf("%s: recorded as %v, %v", path, c.Given.Recorded, err)
		}
		for _, name := range c.Given.Recorded {
			replayed[name] = true
		}
	}
	leftOut := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .{20,} \\|$").FindAllStringSubmatch(string(reasons), -1) {
		leftOut[row[1]] = true
	}
	for name := range strings.FieldsSeq(string(names)) {
		if replayed[name] == leftOut[name] {
			t.Errorf("%s: replayed %v, left out %v", name, replayed[name], leftOut[name])
		}
		delete(replayed, name)
		delete(leftOut, name)
	}
	if len(replayed)+len(leftOut) > 0 {
		t.Errorf("there are no recordings with these names: %v %v", replayed, leftOut)
	}
}
