package wire

import "github.com/weft-graph/weft/graph"

// A Connection is the JSON shape of a connection, in requests and in answers.
type Connection struct {
	ID             Int  `json:"id"`
	GhostID        Int  `json:"ghostId"`
	OfTheConceptID Int  `json:"ofTheConceptId"`
	ToTheConceptID Int  `json:"toTheConceptId"`
	TypeID         Int  `json:"typeId"`
	OrderID        Int  `json:"orderId"`
	UserID         Int  `json:"userId"`
	AccessID       Int  `json:"accessId"`
	TypeCharacter  Text `json:"typeCharacter"` // in requests, the name of the type or ""
	EntryTimeStamp Time `json:"entryTimeStamp"`
}

// Graph is the connection without what the wire adds.
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

// A Link is a connection on its way out.
type Link struct {
	Connection graph.Connection
	Ghost      graph.ID // 0 when it was not sent under a local id
}

// Wire is the same as a Connection.
func (l Link) Wire() Connection {
	c, ghost := l.Connection, l.Ghost
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

// AppendJSON appends what json.Marshal makes of Wire, without allocating.
func (l Link) AppendJSON(b []byte) []byte {
	c, ghost := &l.Connection, l.Ghost
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

// Connections is a list of connections in an answer.
type Connections []Link

// AppendJSON appends the list as a JSON array.
func (list Connections) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

// LinksOf makes the list of an answer from connections that were not sent but found.
func LinksOf(connections []graph.Connection) Connections {
	list := make(Connections, len(connections))
	for i, c := range connections {
		list[i].Connection = c
	}
	return list
}
