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
	"github.com/weft-graph/weft/openapi"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/wire"
)

// An apiDescription is the contract as a document, for programs and for people. It is made when somebody
// first asks.
type apiDescription struct {
	once      sync.Once
	err       error
	document  representation
	reference representation
	policy    string
}

func (s *Server) description(w http.ResponseWriter, q *request) error {
	d := s.described()
	if d.err == nil {
		d.document.serve(w, q.Request, http.StatusOK)
	}
	return d.err
}

func (s *Server) reference(w http.ResponseWriter, q *request) error {
	d := s.described()
	if d.err == nil {
		w.Header().Set("Content-Security-Policy", d.policy)
		d.reference.serve(w, q.Request, http.StatusOK)
	}
	return d.err
}

func (s *Server) described() *apiDescription {
	d := &s.api
	d.once.Do(func() { d.err = d.make(s) })
	return d
}

func (d *apiDescription) make(s *Server) error {
	document, err := s.describe()
	if err != nil {
		return err
	}
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	var index []byte
	if s.options.Site != nil {
		index, _ = fs.ReadFile(s.options.Site, "index.html") // a site that was not built has none
	}
	drawn, policy, err := openapi.Page(document, index)
	if err != nil {
		return err
	}
	d.document = represent("application/json; charset=utf-8", text)
	d.reference, d.policy = represent("text/html; charset=utf-8", drawn), policy
	return nil
}

const about = `Weft keeps everything as concepts, which are typed values, and connections, which are typed links ` +
	`between two concepts. Ids are whole numbers below 2^53: positive ones are given by the server, negative ones ` +
	`are made up by whoever sends a record, to refer to it before it has one. What is read leniently is described ` +
	`here as it should be sent: numbers and flags may also come as text. Every refusal has a sentence for people, ` +
	`a kind for programs and the id of the request.`

// describe makes the document of the routes that the server runs on.
func (s *Server) describe() (*openapi.Document, error) {
	var endpoints []openapi.Endpoint
	for _, area := range s.areas() {
		for _, r := range area.routes {
			endpoints = append(endpoints, openapi.Endpoint{
				Tag: area.name, Method: r.method, Path: strings.Replace(r.path, "...}", "}", 1), Says: r.says,
				Fields: r.takes.fields, Body: r.takes.body, Gives: r.answer.gives, Kind: r.answer.kind,
			})
		}
	}
	endpoints = append(endpoints, openapi.Endpoint{
		Tag: "Pages", Method: "GET", Path: pagesAddress, Says: "A stored page as data", Fields: []string{"slug text /"},
		Gives: reflect.TypeFor[page.Page](),
	})
	return openapi.Describe(openapi.Words{
		Info: openapi.Info{
			Title: "Weft", Version: "1", Description: about,
			License: openapi.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Refusal:  reflect.TypeFor[wire.Error](),
		Known:    knownSchemas,
		Examples: examples,
	}, endpoints)
}

// knownSchemas are those that the types do not tell.
var knownSchemas = map[reflect.Type]openapi.Schema{
	reflect.TypeFor[wire.Time]():         {Type: "string", Description: "ISO 8601 in UTC, to the millisecond; empty when it is not known"},
	reflect.TypeFor[graph.ErrorKind]():   {Type: "string", Enum: kinds()},
	reflect.TypeFor[composition.Value](): {Description: "A record, a list, a text, a number, true, false or null"},
}

// kinds are all there are: each has a status.
func kinds() []string {
	var all []string
	for kind := range status {
		all = append(all, string(kind))
	}
	slices.Sort(all)
	return all
}

// examples are those of bodies that have more members than one needs.
var examples = map[reflect.Type]json.RawMessage{
	reflect.TypeFor[wire.Query](): json.RawMessage(
		`{"type":"the_person","inpage":10,"freeschemaQueries":[{"typeConnection":"the_person_name","name":"name"}],` +
			`"filters":[{"name":"ann","operateon":"name","logicoperator":"like","search":"Ann%"}],"filterLogic":"ann"}`),
	reflect.TypeFor[wire.Sync](): json.RawMessage(`{"concepts":[` +
		`{"id":-1,"categoryId":4,"typeCharacter":"the_person","isComposition":true},` +
		`{"id":-2,"categoryId":4,"typeCharacter":"the_name","characterValue":"Ann"}],` +
		`"connections":[{"id":-1,"ofTheConceptId":-1,"toTheConceptId":-2,"typeId":-1,"orderId":1}]}`),
}
