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
	"github.com/weft-graph/weft/internal/vectors"
)

// What a client in wide use was recorded to send is sent to the program itself, byte for byte but for ids and
// tokens, and answered as that client needs it.
func TestRecordedRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server for every case")
	}
	binary := build(t)
	for _, database := range databases() {
		t.Run(database.name, func(t *testing.T) {
			vectors.Each(t, "replay", func(t *testing.T, c vectors.Case) {
				t.Parallel()
				replayed := vectors.Given[recording](t, c)
				answers := vectors.Want[[]wanted](t, c)
				if len(answers) != len(replayed.Requests) {
					t.Fatalf("%d requests and %d answers", len(replayed.Requests), len(answers))
				}
				p := player{t: t, url: serving(t, binary, database.flags(t)), known: map[string]string{}}
				p.prepare(replayed)
				for i, request := range replayed.Requests {
					p.play(request, answers[i])
				}
			})
		})
	}
}

// A recording is a graph, and requests that are sent in order.
type recording struct {
	Recorded []string `json:"recorded"` // the names under which they were recorded
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

// A recorded request has one body, or none. What is multipart is text, or a file.
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

// wanted is what an answer must hold. What later requests name is learned of it: by the number that the case has
// for it, or a word in capitals, where in the answer it stands.
type wanted struct {
	Status int
	Holds  json.RawMessage
	Learn  map[string]string
}

// A player sends requests. It knows what the numbers of the case are on this server.
type player struct {
	t     *testing.T
	url   string
	token string
	known map[string]string
}

const password = "correct horse battery staple"

func (p *player) prepare(r recording) {
	p.t.Helper()
	if slices.ContainsFunc(r.Requests, func(r recorded) bool { return strings.HasPrefix(r.authorization(), "Bearer T") }) {
		p.signIn()
	}
	for id, name := range r.Types {
		p.learn(id, p.seed("/api/make_the_type_concept", map[string]any{"type": name}), "/id")
	}
	concepts, connections := []any{}, []any{}
	for _, c := range r.Graph.Concepts {
		concepts = append(concepts, map[string]any{
			"id": -c.ID, "categoryId": 4, "typeCharacter": c.Type, "characterValue": c.Value, "isComposition": c.Value == nil, "accessId": 5,
		})
	}
	for _, c := range r.Graph.Connections {
		link := map[string]any{"id": -c.ID, "ofTheConceptId": -c.From, "toTheConceptId": -c.To, "orderId": 1, "accessId": 5}
		if name, err := strconv.Unquote(string(c.Type)); err == nil {
			link["typeCharacter"], link["orderId"] = name, 1000
		} else {
			link["typeId"] = json.RawMessage("-" + string(c.Type))
		}
		connections = append(connections, link)
	}
	if len(concepts) == 0 {
		return // and nobody sent anything before
	}
	answer := p.seed("/api/v1/local-concepts", map[string]any{"concepts": concepts, "connections": connections})
	for i, c := range r.Graph.Concepts {
		p.learn(strconv.Itoa(c.ID), answer, fmt.Sprintf("/concepts/%d/id", i))
	}
	for i, c := range r.Graph.Connections {
		p.learn(strconv.Itoa(c.ID), answer, fmt.Sprintf("/connections/%d/id", i))
	}
}

// signIn makes an account. In recorded requests 10267 is its user, and 101425418 their concept.
func (p *player) signIn() {
	who := map[string]any{"email": "ann@example.org", "password": password}
	made := p.seed("/api/auth/signup", who)
	p.learn("10267", made, "/data")
	p.learn("101425418", made, "/relatedData")
	p.token = at(p.t, p.seed("/api/auth/login", who), "/data/token").(string)
}

// seed asks for something that was not recorded.
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
	status, answer := p.send(request)
	if status != http.StatusOK {
		p.t.Fatalf("%s %s: %d %s", path, text, status, answer)
	}
	return parse(p.t, answer)
}

func (p *player) play(r recorded, want wanted) {
	p.t.Helper()
	status, answer := p.send(r)
	if want.Status == 0 {
		want.Status = http.StatusOK
	}
	if status != want.Status {
		p.t.Fatalf("%s %s: %d %s; want %d", r.Method, r.Path, status, answer, want.Status)
	}
	got := parse(p.t, answer)
	for id, where := range want.Learn {
		p.learn(id, got, where)
	}
	if err := p.holds("the answer", parse(p.t, want.Holds), got); err != nil {
		p.t.Errorf("%s %s: %v\nin %.2000s", r.Method, r.Path, err, answer)
	}
}

func (p *player) learn(id string, answer any, where string) {
	p.t.Helper()
	p.known[id] = fmt.Sprint(at(p.t, answer, where))
}

// send returns the status and the body of the answer.
func (p *player) send(r recorded) (int, []byte) {
	p.t.Helper()
	body, kind := p.body(r)
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	// Browsers encode the spaces of an address, and nothing else of these.
	request, err := http.NewRequestWithContext(ctx, r.Method, p.url+strings.ReplaceAll(p.real(r.Path), " ", "%20"), bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for name, value := range r.Headers {
		if scheme, token, _ := strings.Cut(value, " "); scheme == "Bearer" && strings.HasPrefix(token, "T") {
			value = "Bearer " + p.token
		}
		request.Header.Set(name, value)
	}
	if kind != "" && request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", kind)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, answer
}

func (r recorded) authorization() string {
	for name, value := range r.Headers {
		if strings.EqualFold(name, "Authorization") {
			return value
		}
	}
	return ""
}

// body is what is sent, and its type when the browser chooses that.
func (p *player) body(r recorded) (body []byte, kind string) {
	switch {
	case r.JSON != nil:
		var plain bytes.Buffer
		if err := json.Compact(&plain, r.JSON); err != nil {
			p.t.Fatal(err)
		}
		return []byte(p.real(plain.String())), ""
	case r.Raw != nil:
		return []byte(p.real(*r.Raw)), ""
	case r.Multipart != nil:
		return p.multipart(r.Multipart)
	}
	return nil, ""
}

func (p *player) multipart(fields map[string]json.RawMessage) (body []byte, kind string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		head, content := textproto.MIMEHeader{}, []byte(nil)
		var f file
		if text, err := strconv.Unquote(string(fields[name])); err == nil {
			head.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q", name))
			content = []byte(p.real(text))
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

var placeholders = regexp.MustCompile(`-?\b\d+\b|\b[A-Z]{5,}\b`)

// real puts what is known of this server for the numbers of the case, and for words in capitals.
func (p *player) real(text string) string {
	return placeholders.ReplaceAllStringFunc(text, func(name string) string {
		if real, ok := p.known[name]; ok {
			return real
		}
		return name
	})
}

// holds compares what is wanted with what was answered, which may hold more members. A text that starts
// with "?" wants something of a kind:
//
//	"?id" a positive number, "?number", "?text", "?bool", "?object", "?array", "?any"
//	["?each", x] a list of x, not empty; ["?with", x, y] a list that holds x and y
func (p *player) holds(where string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		return p.holdsMembers(where, want, got)
	case []any:
		return p.holdsItems(where, want, got)
	case json.Number:
		if real := p.real(want.String()); fmt.Sprint(got) != real {
			return fmt.Errorf("%s is %v; want %s", where, got, real)
		}
	case string:
		if kind, ok := strings.CutPrefix(want, "?"); ok {
			return ofKind(where, kind, got)
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
		value, there := object[name]
		if !there {
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

func ofKind(where, kind string, got any) error {
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

// at is what stands in an answer where a path such as /data/0/id leads.
func at(t *testing.T, answer any, path string) any {
	t.Helper()
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		switch v := answer.(type) {
		case map[string]any:
			answer = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				t.Fatalf("there is no %s in %v", path, v)
			}
			answer = v[i]
		default:
			t.Fatalf("there is no %s in %v", path, v)
		}
	}
	return answer
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

// databases are those that a server can keep its graph in.
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

// serving starts the program and returns its URL.
func serving(t *testing.T, binary string, flags []string) string {
	t.Helper()
	_, url := launch(t, binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--anonymous-writes", "--mail", "print"}, flags...)...)
	return url
}

// What was recorded is sent by some case, or left out for a reason.
func TestEveryRecordingIsReplayedOrLeftOut(t *testing.T) {
	names, err := os.ReadFile("../../vectors/replay/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := os.ReadFile("../../vectors/replay/LEFT-OUT.md")
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]bool{}
	files, err := filepath.Glob("../../vectors/replay/*.json")
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
			sent[name] = true
		}
	}
	left := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .{20,} \\|$").FindAllStringSubmatch(string(reasons), -1) {
		left[row[1]] = true
	}
	for name := range strings.FieldsSeq(string(names)) {
		if sent[name] == left[name] {
			t.Errorf("%s: replayed %v, left out %v", name, sent[name], left[name])
		}
		delete(sent, name)
		delete(left, name)
	}
	if len(sent)+len(left) > 0 {
		t.Errorf("nobody recorded %v %v", sent, left)
	}
}
