package server

import "github.com/weft-graph/weft/validate"

func (s *Server) anomalyRoutes() []route {
	const path = "/v1/get-frontend-anomaly-parameters"
	return []route{
		{"GET", path, none, answer(s.normal), "How the values of each type usually are: their length and data types", takes{}},
		{"GET", "/api" + path, none, answer(s.normal), "How the values of each type usually are, under /api", takes{}},
	}
}

type normals struct {
	Data map[string]validate.Normal `json:"data"` // by the name of the type
}

func (s *Server) normal(q *request) (normals, error) {
	found, err := s.normals.Get(q.Context())
	return normals{found}, err
}
