package server

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/openapi"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/wire"
)

// An apiReference is the contract as an OpenAPI document and as a page. Both are built at the first request.
type apiReference struct {
	site  fs.FS  // the built site, for the style of the page; nil for a plain page
	areas []area // set when all areas exist, this one included

	once     sync.Once
	err      error
	document representation
	page     representation
	policy   string // the Content-Security-Policy of the page
}

func (a *apiReference) routes() []route {
	return []route{
		{"GET", "/api/openapi.json", noBody, rawEndpoint("application/json", a.serveDocument), "This contract, as an OpenAPI 3.1 document", requestShape{}},
		{"GET", "/api/docs", noBody, rawEndpoint("text/html", a.servePage), "This contract, as a page", requestShape{}},
	}
}

func (a *apiReference) serveDocument(w http.ResponseWriter, req *request) error {
	if err := a.buildOnce(); err != nil {
		return err
	}
	a.document.serve(w, req.Request, http.StatusOK)
	return nil
}

func (a *apiReference) servePage(w http.ResponseWriter, req *request) error {
	if err := a.buildOnce(); err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", a.policy)
	a.page.serve(w, req.Request, http.StatusOK)
	return nil
}

func (a *apiReference) buildOnce() error {
	a.once.Do(func() { a.err = a.build() })
	return a.err
}

func (a *apiReference) build() error {
	document, err := a.describe()
	if err != nil {
		return err
	}
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	var index []byte
	if a.site != nil {
		index, _ = fs.ReadFile(a.site, "index.html") // missing when the site was not built
	}
	html, policy, err := openapi.Page(document, index)
	if err != nil {
		return err
	}
	a.document = newRepresentation("application/json; charset=utf-8", text)
	a.page, a.policy = newRepresentation("text/html; charset=utf-8", html), policy
	return nil
}

const apiIntroduction = `Weft stores concepts, which are typed values, and connections, which are typed links ` +
	`between two concepts. Ids are whole numbers below 2^53: the server assigns the positive ones, and a client ` +
	`invents negative ones, to refer to a record before it has a real id. Where the server reads leniently, this ` +
	`reference describes what to send: numbers and flags may also come as text. Every error response has a message ` +
	`for people, a kind for programs and the id of the request.`

// describe returns the document of all routes.
func (a *apiReference) describe() (*openapi.Document, error) {
	var endpoints []openapi.Endpoint
	for _, area := range a.areas {
		for _, r := range area.routes {
			endpoints = append(endpoints, openapi.Endpoint{
				Tag: area.name, Method: r.method, Path: strings.Replace(r.path, "...}", "}", 1), Summary: r.summary,
				Fields: r.request.fields, Body: r.request.body, Response: r.endpoint.response, ContentType: r.endpoint.contentType,
			})
		}
	}
	endpoints = append(endpoints, openapi.Endpoint{
		Tag: "Pages", Method: "GET", Path: pagesPath, Summary: "A stored page as data", Fields: []string{"slug text /"},
		Response: reflect.TypeFor[page.Page](),
	})
	return openapi.Describe(openapi.API{
		Info: openapi.Info{
			Title: "Weft", Version: "1", Description: apiIntroduction,
			License: openapi.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Error:    reflect.TypeFor[wire.Error](),
		Known:    knownSchemas,
		Examples: bodyExamples,
	}, endpoints)
}

// knownSchemas holds the schemas of types whose JSON cannot be derived from the Go type.
var knownSchemas = map[reflect.Type]openapi.Schema{
	reflect.TypeFor[wire.Time]():         {Type: "string", Description: "ISO 8601 in UTC, to the millisecond; empty if unknown"},
	reflect.TypeFor[graph.ErrorKind]():   {Type: "string", Enum: errorKinds()},
	reflect.TypeFor[composition.Value](): {Description: "A record, a list, a text, a number, true, false or null"},
}

func errorKinds() []string {
	var all []string
	for kind := range statusOf {
		all = append(all, string(kind))
	}
	slices.Sort(all)
	return all
}

// bodyExamples holds examples of bodies with many optional members.
var bodyExamples = map[reflect.Type]json.RawMessage{
	reflect.TypeFor[wire.Query](): json.RawMessage(
		`{"type":"the_person","inpage":10,"freeschemaQueries":[{"typeConnection":"the_person_name","name":"name"}],` +
			`"filters":[{"name":"ann","operateon":"name","logicoperator":"like","search":"Ann%"}],"filterLogic":"ann"}`),
	reflect.TypeFor[wire.Sync](): json.RawMessage(`{"concepts":[` +
		`{"id":-1,"categoryId":4,"typeCharacter":"the_person","isComposition":true},` +
		`{"id":-2,"categoryId":4,"typeCharacter":"the_name","characterValue":"Ann"}],` +
		`"connections":[{"id":-1,"ofTheConceptId":-1,"toTheConceptId":-2,"typeId":-1,"orderId":1}]}`),
}
