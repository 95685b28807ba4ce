package openapi_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/internal/server/openapi"
)

type errorBody struct {
	Message string `json:"message"`
}

type concept struct {
	ID     int64             `json:"id"`
	Name   string            `json:"name,omitempty"`
	Made   time.Time         `json:"made"`
	Parent *concept          `json:"parent"`
	Tags   map[string][]bool `json:"tags"`
	Raw    json.RawMessage   `json:"raw"`
	Hidden string            `json:"-"`
}

type embedding struct {
	errorBody
	Inner struct {
		A float64 `json:"a"`
	} `json:"inner"`
}

type (
	pageOf[T any] struct {
		Items []T `json:"items"`
	}
	shown   struct{}
	secret  struct{ A int }
	strange struct {
		C chan int `json:"c"`
	}
)

func (shown) AppendJSON(b []byte) []byte  { return b }
func (shown) Wire() concept               { return concept{} }
func (secret) AppendJSON(b []byte) []byte { return b }

func describe(e openapi.Endpoint) (*openapi.Document, error) {
	if e.Path == "" {
		e.Tag, e.Method, e.Path, e.Summary = "Start", "POST", "/api/v1/do_the-thing", "Do it"
	}
	return openapi.Describe(openapi.API{Error: reflect.TypeFor[errorBody]()}, []openapi.Endpoint{e})
}

func TestSchemas(t *testing.T) {
	const described = `{"type":"object","properties":{"id":{"type":"integer","format":"int64"},"name":{"type":"string"},` +
		`"made":{"type":"string","format":"date-time"},"parent":{"anyOf":[{"$ref":"#/components/schemas/Concept"},{"type":"null"}]},` +
		`"tags":{"type":"object","additionalProperties":{"type":"array","items":{"type":"boolean"}}},"raw":{}},` +
		`"required":["id","made","parent","tags","raw"]}`
	for name, c := range map[string]struct {
		t            reflect.Type
		schema, want string
	}{
		"a struct":                    {reflect.TypeFor[concept](), "Concept", described},
		"a pointer to a struct":       {reflect.TypeFor[*concept](), "Concept", described},
		"a type with a method Wire":   {reflect.TypeFor[[]shown](), "Concept", described},
		"embedded and inline structs": {reflect.TypeFor[embedding](), "Embedding", `{"type":"object","properties":{"message":{"type":"string"},"inner":{"type":"object","properties":{"a":{"type":"number","format":"double"}},"required":["a"]}},"required":["message","inner"]}`},
		"a generic type":              {reflect.TypeFor[pageOf[concept]](), "PageOfConcept", `{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Concept"}}},"required":["items"]}`},
	} {
		d, err := describe(openapi.Endpoint{Response: c.t})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		schema, _ := d.Components.Schemas.Get(c.schema)
		got, err := json.Marshal(schema)
		if diff := cmp.Diff(c.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestDescribeRejectsIncompleteEndpoints(t *testing.T) {
	response := reflect.TypeFor[errorBody]()
	for want, e := range map[string]openapi.Endpoint{
		"neither a type nor a content type":           {},
		"openapi_test.secret encodes its own JSON":    {Response: reflect.TypeFor[secret]()},
		"strange.C: chan int cannot be described":     {Response: reflect.TypeFor[[]strange]()},
		"/a: openapi_test.secret encodes its own":     {Tag: "A", Method: "POST", Path: "/a", Summary: "a", Response: response, Body: reflect.TypeFor[secret]()},
		"POST /a: no summary is declared":             {Tag: "A", Method: "POST", Path: "/a", Response: response},
		`the field "id" has no type`:                  {Response: response, Fields: []string{"id"}},
		`the field "id number" has an unknown type`:   {Response: response, Fields: []string{"id number"}},
		`the field "n" has the invalid default "ten"`: {Response: response, Fields: []string{"n int ten"}},
	} {
		if _, err := describe(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v; want %q", err, want)
		}
	}
}

func TestOperations(t *testing.T) {
	d, err := openapi.Describe(openapi.API{Error: reflect.TypeFor[errorBody]()}, []openapi.Endpoint{
		{Tag: "A", Method: "GET", Path: "/api/v1/things/{id}/{file...}", Summary: "a", Response: reflect.TypeFor[concept](), Fields: []string{"id int", "page int 1", "q text?"}},
		{Tag: "A", Method: "DELETE", Path: "/api/v1/things/{id}/{file...}", Summary: "b", ContentType: "text/plain"},
		{Tag: "B", Method: "POST", Path: "/api/upload", Summary: "c", Response: reflect.TypeFor[errorBody](), Fields: []string{"f file", "private bool false"}},
		{Tag: "B", Method: "POST", Path: "/api/sent", Summary: "d", Response: reflect.TypeFor[errorBody](), Body: reflect.TypeFor[[]concept]()},
	})
	if err != nil {
		t.Fatal(err)
	}
	var ids, details []string
	for _, p := range d.Paths {
		for _, op := range p.Value {
			ids = append(ids, op.Name+" "+p.Name+" "+op.Value.ID)
			for _, parameter := range op.Value.Parameters {
				details = append(details, parameter.In+" "+parameter.Name)
			}
			if op.Value.RequestBody != nil {
				for _, media := range op.Value.RequestBody.Content {
					details = append(details, media.Name)
				}
			}
		}
	}
	if diff := cmp.Diff([]string{
		"get /api/v1/things/{id}/{file} thingsIdFile", "delete /api/v1/things/{id}/{file} deleteThingsIdFile",
		"post /api/upload upload", "post /api/sent sent",
	}, ids); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		"path id", "query page", "query q", "path file", "path id", "path file", "multipart/form-data", "application/json",
	}, details); diff != "" {
		t.Error(diff)
	}
	if _, ok := d.Components.Schemas.Get("SentConcept"); !ok {
		t.Error("the request has no separate schema with optional members")
	}
}

func TestPageUsesTheLookOfTheSite(t *testing.T) {
	d, err := describe(openapi.Endpoint{Response: reflect.TypeFor[concept]()})
	if err != nil {
		t.Fatal(err)
	}
	d.Info.Description = "<script>alert(1)</script>"
	html, policy, err := openapi.Page(d, []byte(`<link rel="stylesheet" href="/assets/site.css"><script src="/theme.js"></script><script type="module" src="/app.js"></script>`))
	if err != nil {
		t.Fatal(err)
	}
	page := string(html)
	for want, times := range map[string]int{
		`href="/assets/site.css"`: 1, `src="/theme.js"`: 1, "/app.js": 0, "alert(1)</script>": 0, `id="doTheThing"`: 1, `href="#schema-Concept"`: 3,
	} {
		if got := strings.Count(page, want); got != times {
			t.Errorf("%q occurs %d times; want %d", want, got, times)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Count(policy, "'sha256-") != 2 {
		t.Errorf("the policy = %q; want two hashes and nothing unsafe", policy)
	}
}
