package server

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/wire"
)

// A route is one line of the contract: the server runs on it, and its OpenAPI document is made of it.
type route struct {
	method, path string
	most         int64 // bytes of body
	answer       answerer
	says         string // what it is for, in a line
	takes        takes  // what the request holds
}

// takes says what a request holds, for the document.
type takes struct {
	// Fields of a form, of a JSON object or of the query, each "name type" or "name type default": the type
	// is int, bool, text or file, with a question mark when the field may be left out.
	fields []string
	body   reflect.Type // of a JSON body; nil when there are fields or nothing
}

func fields(names ...string) takes { return takes{fields: names} }

func sends[T any]() takes { return takes{body: reflect.TypeFor[T]()} }

const eventsPath = "/api/v1/events"

// Most bodies are a few fields; lists of ids are longer, and only a batch is long.
const (
	few  = 64 << 10
	many = 4 << 20
	none = 4 << 10 // clients send a body where none is wanted
)

// An area is a chapter of the contract.
type area struct {
	name   string
	routes []route
}

func (s *Server) areas() []area {
	return []area{
		{"Start", s.startRoutes()},
		{"Accounts", s.accountRoutes()},
		{"Users", s.userRoutes()},
		{"Concepts", s.conceptRoutes()},
		{"Connections", s.connectionRoutes()},
		{"Queries", s.queryRoutes()},
		{"Searches", s.searchRoutes()},
		{"Widgets", s.widgetRoutes()},
		{"Pages", s.pageRoutes()},
		{"Sync", s.syncRoutes()},
		{"Creation", s.creationRoutes()},
		{"Removal", s.removalRoutes()},
		{"Events", s.eventRoutes()},
		{"Uploads", s.uploadRoutes()},
		{"Mail", s.mailRoutes()},
		{"Logs", s.logRoutes()},
		{"Sessions", s.sessionRoutes()},
		{"Usage", s.trackerRoutes()},
		{"Anomalies", s.anomalyRoutes()},
	}
}

func (s *Server) startRoutes() []route {
	return []route{
		{"POST", "/api/v1/config", none, answer(s.config), "What a client should know when it starts", fields("application text?")},
		{"GET", "/api/v1/config", none, answer(s.config), "What a client should know when it starts, as POST answers it", fields("application text?")},
		{"GET", "/api/get-preloaded-concepts", none, answer(s.preloaded), "Concepts worth having from the start", takes{}},
		{"GET", "/api/health", none, answer(s.health), "Whether the store answers", takes{}},
		{"GET", "/api/openapi.json", none, writes("application/json", s.description), "This contract, as an OpenAPI 3.1 document", takes{}},
		{"GET", "/api/docs", none, writes("text/html", s.reference), "This contract, to read", takes{}},
	}
}

func (s *Server) conceptRoutes() []route {
	return []route{
		{"POST", "/api/getConcept", few, answer(s.getConcept), "A concept by its id; id 0 when there is none", fields("id int")},
		{"POST", "/api/get_concept_bulk", many, answer(s.getConcepts), "Concepts by their ids; those that are not there are left out", sends[[]graph.ID]()},
		{"POST", "/api/get_concept_by_character_value", few, answer(s.conceptByValue), "A concept by its value, types first", fields("character_value text")},
		{"POST", "/api/get_concept_by_character_and_type", few, answer(s.conceptByValueAndType), "A concept by its value and type", fields("character_value text", "type_id int")},
		{"POST", "/api/get_concept_by_character_and_category_direct", few, answer(s.conceptByValueAndCategory), "A concept by its value and category", fields("character_value text", "category_id int")},
		{"POST", "/api/get_concept_by_character_and_category", few, answer(s.conceptByValue), "A concept by its value, types first; the category is not looked at", fields("character_value text")},
		{"POST", "/api/get_character_by_character", few, answer(s.characterByValue), "A value as a text on its own, with the id of its concept; id 0 when there is none", fields("character_value text")},
		{"POST", "/api/get_type_concept_by_character_bulk", many, answer(s.typesByName), "The ids of types by their names", sends[[]string]()},
		{"POST", "/api/get_all_concepts_by_type", few, answer(s.conceptsOfType), "Instances of a type", fields("type text", "user_id int?", "after int?")},
		{"POST", "/api/get_all_concepts_of_user", few, answer(s.conceptsOfUser), "The caller's own concepts", fields("user_id int", "inpage int?", "after text?")},
		{"POST", "/api/make_the_type_concept", few, answer(s.makeType), "A type by its name, made with its whole chain if it is new", fields("type text")},
	}
}

func (s *Server) connectionRoutes() []route {
	page := []string{"userId int?", "inpage int 10", "page int 1"}
	return []route{
		{"POST", "/api/get-connection-by-id", few, answer(s.getConnection), "A connection by its id; id 0 when there is none", fields("id int")},
		{"POST", "/api/get_connection_bulk", many, answer(s.getConnections), "Connections by their ids", sends[[]graph.ID]()},
		{"POST", "/api/get_all_connections_of_composition", few, answer(s.composition), "The internal connections of a composition", fields("composition_id int")},
		{"POST", "/api/get_all_connections_of_composition_bulk", many, answer(s.compositions), "The internal connections of compositions", sends[[]graph.ID]()},
		{"POST", "/api/get-link-connections", few, answer(s.linksFrom), "Connections of a type that leave a concept, newest first", fields(append([]string{"typeId int", "ofTheConceptId int"}, page...)...)},
		{"POST", "/api/get-link-reverse-connections", few, answer(s.linksTo), "Connections of a type that arrive at a concept, newest first", fields(append([]string{"typeId int", "toTheConceptId int"}, page...)...)},
		{"POST", "/api/get-composition-connection-between-two-concepts", few, answer(s.insideBetween), "Connections of a type, or inside a composition, between two concepts", fields("ofConceptId int", "mainKey int", "toConceptId int")},
		{"POST", "/api/get-connection-by-types", many, answer(s.linksOfTypes), "Connections of the named types that leave a concept, newest first", sends[wire.LinksOfTypes]()},
		{"POST", "/api/get_all_connections_of_user", few, answer(s.connectionsOfUser), "The caller's own connections", fields("user_id int", "inpage int?", "after text?")},
		{"POST", "/api/get-connection-between", many, answer(s.connectionsBetween), "The ids of the connections between pairs of concepts", sends[[]wire.Between]()},
		{"GET", "/api/get-all-linkers-from-concept", none, answer(s.allFrom), "All connections that leave a concept", fields("conceptId int", "after int?")},
		{"GET", "/api/get-all-linkers-to-concept", none, answer(s.allTo), "All connections that arrive at a concept", fields("conceptId int", "after int?")},
	}
}

func (s *Server) queryRoutes() []route {
	return []route{
		{"POST", "/api/freeschema-query", many, answer(s.query), "The answer to a schema query, as ids", sends[wire.Query]()},
		{"GET", "/api/v1/ask", none, answer(s.mayAsk), "Whether the operator has a language model that turns questions into queries", takes{}},
		{"POST", "/api/v1/ask", few, answer(s.ask), "A query for a question in plain English, proposed by that model, checked and not run", sends[asking]()},
	}
}

func (s *Server) widgetRoutes() []route {
	return []route{
		{"GET", "/api/get-widget", none, answer(s.widget), "A widget with all its children, as ids", fields("id int")},
		{"GET", "/api/get-latest-widget", none, answer(s.latestWidget), "The published version of a widget", fields("id int")},
		{"GET", "/api/get-recent-widget", none, answer(s.recentWidget), "The newest version of a widget", fields("id int")},
		{"GET", "/api/v1/widgets", none, answer(s.widgetTree), "A widget with everything inside it, to show: fixed is this one, latest what is published of it, recent what was saved last", fields("id int", "version text fixed")},
		{"GET", "/api/v1/widgets/documentation", none, answer(s.documentation), "What is written about a widget", fields("id int")},
		{"GET", page.ModuleAddress, none, writes("text/javascript", s.widgetModule), "A part of the code of a trusted widget, as a module; the widget says the address", fields("id int", "part text", "hash text")},
		{"GET", "/api/v1/widgets/frame", none, writes("text/html", s.widgetFrame), "The document in which the code of other widgets runs", takes{}},
	}
}

func (s *Server) pageRoutes() []route {
	return []route{
		{"GET", "/sitemap.xml", none, writes("application/xml", s.page), "The published pages, for search engines", takes{}},
		{"GET", "/robots.txt", none, writes("text/plain", s.page), "What search engines may read", takes{}},
		{"GET", pictures + "{name...}", none, writes("image/png", s.page), "A picture of a page, for where people share its address: the slug and .png, index for the home page", takes{}},
	}
}

func (s *Server) syncRoutes() []route {
	return []route{
		{"POST", "/api/v1/local-concepts", s.options.MaxBody, answer(s.sync), "Write a batch of records made offline, whole or not at all", sends[wire.Sync]()},
		{"POST", "/api/v1/local-concepts-without-auth", s.options.MaxBody, answer(s.sync), "Write a batch of records made offline, as /api/v1/local-concepts does", sends[wire.Sync]()},
		{"POST", "/api/v1/local-connections", s.options.MaxBody, answer(s.localConnections), "Write connections made offline, whose ends were sent before", sends[[]wire.NewConnection]()},
		{"POST", "/api/v1/local-concepts-translate", few, answer(s.translate), "What a local id became", fields("id int")},
	}
}

func (s *Server) removalRoutes() []route {
	return []route{
		{"POST", "/api/delete_concept", few, answer(s.removeConcept), "Remove a concept and the connections at it", fields("id int")},
		{"POST", "/api/delete_connection", few, answer(s.removeConnection), "Remove a connection", fields("id int")},
		{"POST", "/api/delete_connection_bulk", many, answer(s.removeConnections), "Remove connections, all or none", sends[[]graph.ID]()},
	}
}

func (s *Server) eventRoutes() []route {
	return []route{
		{"GET", eventsPath, none, stream(s.events), "Changes as they are committed, as server-sent events: all the caller may see, or those at some concepts or types", fields("concepts text?", "types text?", "kinds text?", "after int?", "access_token text?")},
	}
}

// patterns are those of the mux.
func (s *Server) patterns() []string {
	all := []string{"/", "/api/", "GET " + pagesAddress}
	for _, area := range s.areas() {
		for _, r := range area.routes {
			all = append(all, r.method+" "+r.path)
		}
	}
	for _, r := range s.formRoutes() {
		all = append(all, r.method+" "+r.path)
	}
	return all
}

func (s *Server) mux() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	compress := compression()
	for _, area := range s.areas() {
		for _, route := range area.routes {
			h := s.handle(route)
			if !route.answer.streams { // a compressor holds back what a stream must not
				h = compress(h)
			}
			mux.Handle(route.method+" "+route.path, h)
			methods[route.path] = append(methods[route.path], route.method)
		}
	}
	for _, route := range s.formRoutes() {
		mux.Handle(route.method+" "+route.path, s.handle(route))
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		if allowed, ok := methods[r.URL.Path]; ok {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			err := graph.Errorf(graph.Invalid, "%s takes %s, not %s", r.URL.Path, strings.Join(allowed, " or "), graph.Clip(r.Method))
			fail(w, r, http.StatusMethodNotAllowed, err, s.options.Log)
			return
		}
		s.refuse(w, r, graph.Errorf(graph.NotFound, "there is no %s %s", graph.Clip(r.Method), graph.Clip(r.URL.Path)))
	})
	if s.options.Pages != nil {
		mux.Handle("/", s.options.Pages)
		mux.Handle("GET "+pagesAddress, s.options.Pages)
	} else {
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			s.refuse(w, r, graph.Errorf(graph.NotFound, "there is no page %s", graph.Clip(r.URL.Path)))
		})
	}
	return mux
}
