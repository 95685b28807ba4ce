package server

import "github.com/weft-graph/weft/graph"

// removeAPI removes records from the graph.
type removeAPI struct{}

func (a removeAPI) routes() []route {
	return []route{
		{"POST", "/api/delete_concept", smallBody, jsonEndpoint(a.concept), "Remove a concept and its connections", fields("id int")},
		{"POST", "/api/delete_connection", smallBody, jsonEndpoint(a.connection), "Remove a connection", fields("id int")},
		{"POST", "/api/delete_connection_bulk", largeBody, writeEndpoint(a.connections), "Remove connections, all or none", jsonBody[[]graph.ID]()},
	}
}

// removal is the result of a removal. In the contract, removing another user's record is not an HTTP error but a result
// with success: false.
type removal struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

func (removeAPI) concept(req *request) (removal, error) {
	id, err := req.idField("id")
	if err != nil {
		return removal{}, err
	}
	return remove(req, graph.Batch{RemoveConcepts: []graph.ID{id}})
}

func (removeAPI) connection(req *request) (removal, error) {
	id, err := req.idField("id")
	if err != nil {
		return removal{}, err
	}
	return remove(req, graph.Batch{RemoveConnections: []graph.ID{id}})
}

func (removeAPI) connections(req *request) (removal, error) {
	ids, err := req.idList()
	if err != nil {
		return removal{}, err
	}
	return remove(req, graph.Batch{RemoveConnections: ids})
}

func remove(req *request, b graph.Batch) (removal, error) {
	b.Sender = req.sender()
	_, err := req.graph.Write(req.Context(), b)
	if graph.KindOf(err) == graph.Forbidden {
		return removal{Message: messageOf(err)}, nil
	}
	return removal{Success: err == nil, Message: "Deleted"}, err
}
