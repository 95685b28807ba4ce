package server

import (
	"math/rand/v2"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/telemetry/usage"
	"github.com/weft-graph/weft/wire"
)

// configAPI serves the data that a client needs at its start, and the health of the server.
type configAPI struct {
	cacheServers        []string
	documentationWidget graph.ID
	tracker             *usage.Tracker // nil when uses are not counted
	reference           *apiReference
	disk                *diskGuard
	quotas              *quotas
}

func (a *configAPI) routes() []route {
	return append([]route{
		{"POST", "/api/v1/config", noBody, jsonEndpoint(a.config), "The configuration of a client", fields("application text?")},
		{"GET", "/api/v1/config", noBody, jsonEndpoint(a.config), "The configuration of a client, as with POST", fields("application text?")},
		{"GET", "/api/get-preloaded-concepts", noBody, jsonEndpoint(a.preloaded), "Concepts that are worth caching from the start", requestShape{}},
		{"GET", "/api/health", noBody, withBadTokens(jsonEndpoint(a.health)), "Whether the store responds", requestShape{}},
	}, a.reference.routes()...)
}

// configuration is the configuration of a client.
type configuration struct {
	Success     bool     `json:"success"`
	Servers     []string `json:"servers"`     // cache servers; empty means that there is only this server
	Application string   `json:"application"` // the name that the client gave itself
	Config      struct {
		DocumentationWidget graph.ID `json:"documentationWidget"`
	} `json:"config"`
	Session int64 `json:"session"`
}

const (
	// firstSession is the first session number. It keeps session numbers different from 998 and 999, which clients
	// use before they have a session number.
	firstSession = 1_000_000
	sessionRange = 1 << 52
)

func (a *configAPI) config(req *request) (configuration, error) {
	c := configuration{
		Success: true, Servers: append([]string{}, a.cacheServers...), Application: req.URL.Query().Get("application"),
		Session: firstSession + rand.Int64N(sessionRange),
	}
	c.Config.DocumentationWidget = a.documentationWidget
	return c, nil
}

// preloaded returns the fixed concepts and the most used ones.
func (a *configAPI) preloaded(req *request) (wire.Concepts, error) {
	list := graph.Fixed()
	if a.tracker != nil {
		used, err := mostUsed(req, mostUsedQuery{a.tracker, usage.Concepts, defaultListed}, req.graph.Concepts)
		if err != nil {
			return nil, err
		}
		for _, c := range used {
			if c.ID >= graph.FirstFree {
				list = append(list, c)
			}
		}
	}
	return req.withTypes(list)
}

// health is the state of the store.
type health struct {
	Status string      `json:"status"`
	Disk   diskStatus  `json:"disk,omitempty"`  // ok, low, or full (nothing can be added); absent if the disk is not checked
	Quota  *quotaState `json:"quota,omitempty"` // quota of the caller; absent if the caller has none
	wire.Ready
}

func (a *configAPI) health(req *request) (health, error) {
	seq, err := req.graph.LastSeq(req.Context())
	if err != nil {
		return health{}, err
	}
	quota, err := a.quotas.of(req.Context(), req.caller.User)
	if err != nil {
		return health{}, err
	}
	store, err := req.graph.Identity(req.Context())
	return health{"ok", a.disk.state(), quota, wire.Ready{Seq: seq, Store: store}}, err
}
