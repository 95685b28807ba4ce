package server

import (
	"github.com/weft-graph/weft/internal/telemetry/anomaly"
	"github.com/weft-graph/weft/validate"
)

// anomalyAPI serves statistics of the values of each type. Clients recognise unusual values with them.
type anomalyAPI struct{ statistics *anomaly.Statistics }

func (a *anomalyAPI) routes() []route {
	const path = "/v1/get-frontend-anomaly-parameters"
	return []route{
		{"GET", path, noBody, jsonEndpoint(a.get), "The usual length and data types of the values of each type", requestShape{}},
		{"GET", "/api" + path, noBody, jsonEndpoint(a.get), "The usual length and data types of the values of each type, under /api", requestShape{}},
	}
}

// anomalyParameters describe the usual values of each type, by the name of the type.
type anomalyParameters struct {
	Data map[string]validate.TypeNorms `json:"data"`
}

func (a *anomalyAPI) get(req *request) (anomalyParameters, error) {
	found, err := a.statistics.Get(req.Context())
	return anomalyParameters{found}, err
}
