package server

import (
	"math/rand/v2"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// configuration is what a client is told when it starts.
type configuration struct {
	Success     bool     `json:"success"`
	Servers     []string `json:"servers"`     // cache servers; empty means that this one is all there is
	Application string   `json:"application"` // as the client calls itself
	Config      struct {
		DocumentationWidget graph.ID `json:"documentationWidget"`
	} `json:"config"`
	Session int64 `json:"session"`
}

// firstSession keeps given sessions clear of 998 and 999, which clients use before they have one.
const firstSession = 1_000_000

func (s *Server) config(q *request) (configuration, error) {
	c := configuration{
		Success: true, Servers: append([]string{}, s.options.CacheServers...), Application: q.URL.Query().Get("application"),
		Session: firstSession + rand.Int64N(1<<52),
	}
	c.Config.DocumentationWidget = s.options.DocumentationWidget
	return c, nil
}

// vitals are signs of life: the store answers.
type vitals struct {
	Status string `json:"status"`
	wire.Ready
}

func (s *Server) health(q *request) (vitals, error) {
	seq, err := q.graph.LastSeq(q.Context())
	if err != nil {
		return vitals{}, err
	}
	store, err := q.graph.Identity(q.Context())
	return vitals{"ok", wire.Ready{Seq: seq, Store: store}}, err
}
