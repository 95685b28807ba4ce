package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// A Query is a schema query as clients send it. Members it does not list are ignored.
type Query struct {
	Type                Text      `json:"type"`
	TypeConnection      Text      `json:"typeConnection"` // of a hop
	Name                Text      `json:"name"`
	Inpage              Int       `json:"inpage"`
	Page                Int       `json:"page"`
	Concepts            []Concept `json:"concepts"`
	ConceptIDs          []Int     `json:"conceptIds"`
	Selectors           []Text    `json:"selectors"`
	FreeschemaQueries   []Query   `json:"freeschemaQueries"`
	Filters             []Filter  `json:"filters"`
	FilterLogic         Text      `json:"filterLogic"`
	FilterAncestor      Text      `json:"filterAncestor"`
	IncludeInFilter     Bool      `json:"includeInFilter"`
	Order               Text      `json:"order"`
	Reverse             Bool      `json:"reverse"`
	Limit               Bool      `json:"limit"`
	IsOldConnectionType Bool      `json:"isOldConnectionType"`
	OutputFormat        Int       `json:"outputFormat"` // a query.Format; see Answer.Data

	// What the contract does not know.
	After     Int  `json:"after"`
	CountAll  Bool `json:"countAll"`
	Depth     Int  `json:"depth"`
	Aggregate Text `json:"aggregate"`
	Explain   Bool `json:"explain"`
}

// A Filter is a query.Filter as clients send it.
type Filter struct {
	Name          Text `json:"name"`
	OperateOn     Text `json:"operateon"`
	Type          Text `json:"type"`
	LogicOperator Text `json:"logicoperator"`
	Search        Text `json:"search"`
}

// Graph is the query in the words of the core. Pages larger than the largest are cut to it.
func (q Query) Graph() query.Query {
	out := query.Query{
		Type:       string(q.Type),
		ConceptIDs: ids(q.ConceptIDs),
		Connection: string(q.TypeConnection),
		Reverse:    bool(q.Reverse),
		Legacy:     bool(q.IsOldConnectionType),
		Order:      query.Order(strings.ToUpper(string(q.Order))),
		Page:       int(q.Page),
		PageSize:   min(int(q.Inpage), query.MaxPageSize),
		// A record's own data is never paged, though clients say limit there too.
		Limit:     bool(q.Limit) && q.TypeConnection != query.Self,
		Name:      string(q.Name),
		Logic:     string(q.FilterLogic),
		Ancestor:  string(q.FilterAncestor),
		Include:   bool(q.IncludeInFilter),
		After:     graph.ID(q.After),
		CountAll:  bool(q.CountAll),
		Depth:     int(q.Depth),
		Aggregate: query.Aggregate(strings.ToLower(string(q.Aggregate))),
	}
	for _, f := range q.Filters {
		out.Filters = append(out.Filters, query.Filter{
			Name: string(f.Name), On: string(f.OperateOn), Type: string(f.Type),
			Op: graph.Op(strings.ToLower(string(f.LogicOperator))), Search: string(f.Search),
		})
	}
	for _, c := range q.Concepts {
		if c.ID > 0 {
			out.ConceptIDs = append(out.ConceptIDs, graph.ID(c.ID))
		}
	}
	for _, name := range q.Selectors {
		out.Selectors = append(out.Selectors, string(name))
	}
	for _, hop := range q.FreeschemaQueries {
		out.Hops = append(out.Hops, hop.Graph())
	}
	return out
}

// An Answer to a query is ids; clients fetch the records they lack. Its lists are never null.
type Answer struct {
	MainID              graph.ID   `json:"mainId,omitempty"` // of a widget: the version that was meant
	ConceptIDs          []graph.ID `json:"conceptIds"`
	Linkers             []graph.ID `json:"linkers"`
	InternalConnections []graph.ID `json:"internalConnections"`
	Reverse             []graph.ID `json:"reverse"`
	MainCompositionIDs  []graph.ID `json:"mainCompositionIds"`
	MainCount           int        `json:"mainCount"`
	// MainCountAtLeast says that there may be more than MainCount.
	MainCountAtLeast bool     `json:"mainCountAtLeast,omitempty"`
	CountInfo        []string `json:"countinfo"` // "<concept>_<connection type>_<count>"
	Groups           []Groups `json:"groups,omitempty"`
	// Data is one record for each of MainCompositionIDs, when the query asked for a format that has
	// records in it. Clients that shape what they fetch ask for query.AllID.
	Data json.RawMessage `json:"data,omitempty"`
	// Plan is how the answer was found, when the query asked to explain that: an outline with a line for each step.
	Plan string `json:"plan,omitempty"`
}

// AnswerOf is an answer in the words of the wire.
func AnswerOf(a query.Answer) Answer {
	out := Answer{
		ConceptIDs:          list(a.Concepts),
		Linkers:             list(a.Links),
		InternalConnections: []graph.ID{},
		Reverse:             list(a.Reverse),
		MainCompositionIDs:  list(a.Roots),
		MainCount:           a.Total,
		MainCountAtLeast:    a.AtLeast,
		Groups:              groupsOf(a.Groups),
		CountInfo:           make([]string, len(a.Counts)),
	}
	for i, c := range a.Counts {
		out.CountInfo[i] = c.Of.String() + "_" + c.Type.String() + "_" + strconv.Itoa(c.N)
	}
	return out
}

// Graph is the answer in the words of the core. The connections themselves did not cross the wire.
func (a Answer) Graph() (query.Answer, error) {
	out := query.Answer{
		Roots: a.MainCompositionIDs, Total: a.MainCount, AtLeast: a.MainCountAtLeast,
		Links: a.Linkers, Reverse: a.Reverse, Concepts: a.ConceptIDs,
	}
	for _, g := range a.Groups {
		out.Groups = append(out.Groups, g.graph())
	}
	for _, text := range a.CountInfo {
		var c graph.LinkCount
		if _, err := fmt.Sscanf(text, "%d_%d_%d", &c.Of, &c.Type, &c.N); err != nil {
			return query.Answer{}, graph.Wrap(graph.Invalid, err, "%q does not count anything", graph.Clip(text))
		}
		out.Counts = append(out.Counts, c)
	}
	return out, nil
}

func list(ids []graph.ID) []graph.ID {
	if ids == nil {
		return []graph.ID{}
	}
	return ids
}

// AppendJSON appends the answer.
func (a Answer) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	if a.MainID != 0 {
		b = append(appendInt(b, `"mainId":`, a.MainID), ',')
	}
	b = appendIDs(b, `"conceptIds":`, a.ConceptIDs)
	b = appendIDs(b, `,"linkers":`, a.Linkers)
	b = appendIDs(b, `,"internalConnections":`, a.InternalConnections)
	b = appendIDs(b, `,"reverse":`, a.Reverse)
	b = appendIDs(b, `,"mainCompositionIds":`, a.MainCompositionIDs)
	b = appendInt(b, `,"mainCount":`, a.MainCount)
	if a.MainCountAtLeast {
		b = append(b, `,"mainCountAtLeast":true`...)
	}
	b = append(b, `,"countinfo":[`...)
	for i, text := range a.CountInfo {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, text)
	}
	b = append(b, ']')
	b = appendGroups(b, a.Groups)
	if len(a.Data) > 0 {
		b = append(append(b, `,"data":`...), a.Data...)
	}
	if a.Plan != "" {
		b = appendText(append(b, `,"plan":`...), a.Plan)
	}
	return append(b, '}')
}

func appendIDs(b []byte, member string, ids []graph.ID) []byte {
	b = append(append(b, member...), '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendInt(b, "", id)
	}
	return append(b, ']')
}
