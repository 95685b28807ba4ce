package server

import (
	"net/http"

	"github.com/weft-graph/weft/graph"
)

// A route is one line of the contract.
type route struct {
	method, path string
	most         int64 // bytes of body
	answer       handler
}

const eventsPath = "/api/v1/events"

// Most bodies are a few fields; lists of ids are longer, and only a batch is long.
const (
	few  = 64 << 10
	many = 4 << 20
	none = 4 << 10 // clients send a body where none is wanted
)

func (s *Server) routes() []route {
	batch := s.options.MaxBody
	return []route{
		{"POST", "/api/v1/config", none, answer(s.config)},
		{"GET", "/api/get-preloaded-concepts", none, answer(s.preloaded)},
		{"GET", "/api/health", none, answer(s.health)},

		{"POST", "/api/getConcept", few, answer(s.getConcept)},
		{"POST", "/api/get_concept_bulk", many, answer(s.getConcepts)},
		{"POST", "/api/get_concept_by_character_value", few, answer(s.conceptByValue)},
		{"POST", "/api/get_concept_by_character_and_type", few, answer(s.conceptByValueAndType)},
		{"POST", "/api/get_concept_by_character_and_category_direct", few, answer(s.conceptByValueAndCategory)},
		{"POST", "/api/get_type_concept_by_character_bulk", many, answer(s.typesByName)},
		{"POST", "/api/get_all_concepts_by_type", few, answer(s.conceptsOfType)},
		{"POST", "/api/make_the_type_concept", few, answer(s.makeType)},

		{"POST", "/api/get-connection-by-id", few, answer(s.getConnection)},
		{"POST", "/api/get_connection_bulk", many, answer(s.getConnections)},
		{"POST", "/api/get_all_connections_of_composition", few, answer(s.composition)},
		{"POST", "/api/get_all_connections_of_composition_bulk", many, answer(s.compositions)},
		{"POST", "/api/get-link-connections", few, answer(s.linksFrom)},
		{"POST", "/api/get-link-reverse-connections", few, answer(s.linksTo)},
		{"GET", "/api/get-all-linkers-from-concept", none, answer(s.allFrom)},
		{"GET", "/api/get-all-linkers-to-concept", none, answer(s.allTo)},

		{"POST", "/api/freeschema-query", many, answer(s.query)},
		{"GET", "/api/get-widget", none, answer(s.widget)},
		{"GET", "/api/get-latest-widget", none, answer(s.latestWidget)},
		{"GET", "/api/get-recent-widget", none, answer(s.recentWidget)},

		{"POST", "/api/v1/local-concepts", batch, answer(s.sync)},
		{"POST", "/api/v1/local-concepts-without-auth", batch, answer(s.sync)},
		{"POST", "/api/v1/local-concepts-translate", few, answer(s.translate)},

		{"GET", eventsPath, none, s.events},

		{"POST", "/api/delete_concept", few, answer(s.removeConcept)},
		{"POST", "/api/delete_connection", few, answer(s.removeConnection)},
		{"POST", "/api/delete_connection_bulk", many, answer(s.removeConnections)},
	}
}

func (s *Server) mux() http.Handler {
	mux := http.NewServeMux()
	methods := map[string]string{}
	compress := compression()
	for _, route := range s.routes() {
		h := s.handle(route)
		if route.path != eventsPath { // a compressor holds back what a stream must not
			h = compress(h)
		}
		mux.Handle(route.method+" "+route.path, h)
		methods[route.path] = route.method
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		if method, ok := methods[r.URL.Path]; ok {
			w.Header().Set("Allow", method)
			err := graph.Errorf(graph.Invalid, "%s takes %s, not %s", r.URL.Path, method, graph.Clip(r.Method))
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
