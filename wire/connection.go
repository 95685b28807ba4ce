package wire

import "github.com/weft-graph/weft/graph"

// A Connection is a connection in a request or response.
type Connection struct {
	ID             Int  `json:"id"`
	GhostID        Int  `json:"ghostId"`
	OfTheConceptID Int  `json:"ofTheConceptId"`
	ToTheConceptID Int  `json:"toTheConceptId"`
	TypeID         Int  `json:"typeId"`
	OrderID        Int  `json:"orderId"`
	UserID         Int  `json:"userId"`
	AccessID       Int  `json:"accessId"`
	TypeCharacter  Text `json:"typeCharacter"` // in requests: the name of the type, or ""
	EntryTimeStamp Time `json:"entryTimeStamp"`
}

// Graph converts to a graph.Connection.
func (c Connection) Graph() graph.Connection {
	return graph.Connection{
		ID:      graph.ID(c.ID),
		From:    graph.ID(c.OfTheConceptID),
		To:      graph.ID(c.ToTheConceptID),
		Type:    graph.ID(c.TypeID),
		Order:   int(c.OrderID),
		Owner:   graph.ID(c.UserID),
		Access:  graph.Access(c.AccessID),
		Created: c.EntryTimeStamp.Time(),
	}
}

// A ResponseConnection is a connection of a response together with its local id.
type ResponseConnection struct {
	Connection graph.Connection
	LocalID    graph.ID // 0 if the connection was not sent under a local id
}

// Wire converts to a Connection.
func (l ResponseConnection) Wire() Connection {
	c, ghost := l.Connection, l.LocalID
	if ghost == 0 {
		ghost = c.ID
	}
	return Connection{
		ID:             Int(c.ID),
		GhostID:        Int(ghost),
		OfTheConceptID: Int(c.From),
		ToTheConceptID: Int(c.To),
		TypeID:         Int(c.Type),
		OrderID:        Int(c.Order),
		UserID:         Int(c.Owner),
		AccessID:       Int(c.Access),
		EntryTimeStamp: Time(c.Created),
	}
}

// AppendJSON appends the JSON of Wire to b without allocating.
func (l ResponseConnection) AppendJSON(b []byte) []byte {
	c, ghost := &l.Connection, l.LocalID
	if ghost == 0 {
		ghost = c.ID
	}
	b = appendInt(b, `{"id":`, c.ID)
	b = appendInt(b, `,"ghostId":`, ghost)
	b = appendInt(b, `,"ofTheConceptId":`, c.From)
	b = appendInt(b, `,"toTheConceptId":`, c.To)
	b = appendInt(b, `,"typeId":`, c.Type)
	b = appendInt(b, `,"orderId":`, c.Order)
	b = appendInt(b, `,"userId":`, c.Owner)
	b = appendInt(b, `,"accessId":`, c.Access)
	b = append(b, `,"typeCharacter":"","entryTimeStamp":`...)
	b = appendTime(b, c.Created)
	return append(b, '}')
}

// Connections is a list of connections in a response.
type Connections []ResponseConnection

// AppendJSON appends the list as a JSON array.
func (list Connections) AppendJSON(b []byte) []byte {
	return list.AppendChunks(b, keep)
}

// AppendChunks is like AppendJSON, but calls flush with the JSON so far after each connection. The function flush
// returns the buffer to continue with, so it may send the JSON and return an empty buffer.
func (list Connections) AppendChunks(b []byte, flush func([]byte) []byte) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = flush(list[i].AppendJSON(b))
	}
	return append(b, ']')
}

// NewConnections returns a response list of stored connections, which have no local ids.
func NewConnections(connections []graph.Connection) Connections {
	list := make(Connections, len(connections))
	for i, c := range connections {
		list[i].Connection = c
	}
	return list
}
