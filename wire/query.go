package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// A Query is a schema query in a request (see query.Query). Other members are ignored.
type Query struct {
	Type                Text      `json:"type"`
	TypeConnection      Text      `json:"typeConnection"` // connection type of a hop
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

	// Members that this server adds to the contract.
	Direct    Bool      `json:"direct"` // only for a hop over self
	OrderBy   []OrderBy `json:"orderBy"`
	After     Text      `json:"after"` // an id, or with OrderBy the Next of the previous answer
	CountAll  Bool      `json:"countAll"`
	Depth     Int       `json:"depth"`
	Aggregate Text      `json:"aggregate"`
	Explain   Bool      `json:"explain"`
	Warnings  Bool      `json:"warnings"`
}

// An OrderBy is a query.OrderBy in a request.
type OrderBy struct {
	Field      Text `json:"field"`
	Connection Text `json:"connection"`
	Direction  Text `json:"direction"`
	Kind       Text `json:"kind"`
}

// A Filter is a query.Filter in a request.
type Filter struct {
	Name          Text `json:"name"`
	OperateOn     Text `json:"operateon"`
	Type          Text `json:"type"`
	LogicOperator Text `json:"logicoperator"`
	Search        Text `json:"search"`
	// Composition and Index have no documented meaning. Clients always send true and 0.
	Composition *Bool `json:"composition"`
	Index       Int   `json:"index"`
}

// CheckSupported returns an Invalid error for a query with an unsupported member that would change the answer.
func (q Query) CheckSupported() error {
	for _, f := range q.Filters {
		switch {
		case f.Composition != nil && !bool(*f.Composition):
			return graph.Errorf(graph.Invalid, "filter %q: composition false is not supported; leave it out", graph.Clip(string(f.Name)))
		case f.Index != 0:
			return graph.Errorf(graph.Invalid, "filter %q: index %d is not supported; leave it out", graph.Clip(string(f.Name)), f.Index)
		}
	}
	for _, hop := range q.FreeschemaQueries {
		if err := hop.CheckSupported(); err != nil {
			return err
		}
	}
	return nil
}

// Graph converts to a query.Query. It reduces page sizes to query.MaxPageSize.
func (q Query) Graph() query.Query {
	out := query.Query{
		Type:       string(q.Type),
		ConceptIDs: ids(q.ConceptIDs),
		Connection: string(q.TypeConnection),
		Reverse:    bool(q.Reverse),
		Direct:     bool(q.Direct),
		Legacy:     bool(q.IsOldConnectionType),
		Order:      query.Order(strings.ToUpper(string(q.Order))),
		Page:       int(q.Page),
		PageSize:   min(int(q.Inpage), query.MaxPageSize),
		// Internal connections are never paged, but clients of the contract set limit for them, too.
		Limit:     bool(q.Limit) && q.TypeConnection != query.Self,
		Name:      string(q.Name),
		Logic:     string(q.FilterLogic),
		Ancestor:  string(q.FilterAncestor),
		Include:   bool(q.IncludeInFilter),
		CountAll:  bool(q.CountAll),
		Depth:     int(q.Depth),
		Aggregate: query.Aggregate(strings.ToLower(string(q.Aggregate))),
	}
	if id, err := strconv.ParseInt(string(q.After), 10, 64); err == nil {
		out.After = graph.ID(id)
	} else {
		out.Cursor = string(q.After)
	}
	for _, o := range q.OrderBy {
		out.OrderBy = append(out.OrderBy, query.OrderBy{
			Field: string(o.Field), Connection: string(o.Connection),
			Direction: query.Order(strings.ToUpper(string(o.Direction))), Kind: query.OrderKind(strings.ToLower(string(o.Kind))),
		})
	}
	for _, f := range q.Filters {
		out.Filters = append(out.Filters, query.Filter{
			Name: string(f.Name), On: string(f.OperateOn), Type: string(f.Type),
			Op: graph.Op(f.LogicOperator), Search: string(f.Search),
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

// An Answer is the result of a query. It consists of ids; clients request the records that they do not have yet. Its
// lists are never null.
type Answer struct {
	MainID              graph.ID   `json:"mainId,omitempty"` // for a widget: the version that the query resolved to
	ConceptIDs          []graph.ID `json:"conceptIds"`
	Linkers             []graph.ID `json:"linkers"`
	InternalConnections []graph.ID `json:"internalConnections"`
	Reverse             []graph.ID `json:"reverse"`
	MainCompositionIDs  []graph.ID `json:"mainCompositionIds"`
	MainCount           int        `json:"mainCount"`
	// MainCountAtLeast means that MainCount is a lower bound.
	MainCountAtLeast bool     `json:"mainCountAtLeast,omitempty"`
	CountInfo        []string `json:"countinfo"` // "<concept>_<connection type>_<count>"
	// Next is the After of the next page if the query has an OrderBy and this page is full.
	Next   string   `json:"next,omitempty"`
	Groups []Groups `json:"groups,omitempty"`
	// Data holds one record per MainCompositionIDs if the query requested a format with records (see
	// query.Format.ReturnsRecords). Clients that build records themselves request query.AllID.
	Data json.RawMessage `json:"data,omitempty"`
	// Warnings holds sentences about members of the query that have no effect, if the query requested them; see
	// query.Warnings.
	Warnings []string `json:"warnings,omitempty"`
	// Plan is the text of a query.Plan, one line per step, if the query requested an explanation.
	Plan string `json:"plan,omitempty"`
	// PlanSteps holds the lines of Plan with their durations, for callers who may see estimates.
	PlanSteps []PlanStep `json:"planSteps,omitempty"`
}

// NewAnswer converts a query.Answer, without Data and Plan.
func NewAnswer(a query.Answer) Answer {
	out := Answer{
		ConceptIDs:          notNil(a.Concepts),
		Linkers:             notNil(a.Links),
		InternalConnections: []graph.ID{},
		Reverse:             notNil(a.Reverse),
		MainCompositionIDs:  notNil(a.Roots),
		MainCount:           a.Total,
		MainCountAtLeast:    a.AtLeast,
		Next:                a.Next,
		Groups:              newGroups(a.Groups),
		CountInfo:           make([]string, len(a.Counts)),
	}
	for i, c := range a.Counts {
		out.CountInfo[i] = c.Of.String() + "_" + c.Type.String() + "_" + strconv.Itoa(c.N)
	}
	return out
}

// Graph converts to a query.Answer, without Connections, Order and Plan. The error is Invalid for a malformed
// CountInfo.
func (a Answer) Graph() (query.Answer, error) {
	out := query.Answer{
		Roots: a.MainCompositionIDs, Total: a.MainCount, AtLeast: a.MainCountAtLeast,
		Links: a.Linkers, Reverse: a.Reverse, Concepts: a.ConceptIDs, Next: a.Next,
	}
	for _, g := range a.Groups {
		out.Groups = append(out.Groups, g.graph())
	}
	for _, text := range a.CountInfo {
		var c graph.LinkCount
		if _, err := fmt.Sscanf(text, "%d_%d_%d", &c.Of, &c.Type, &c.N); err != nil {
			return query.Answer{}, graph.Wrap(graph.Invalid, err, "invalid count info %q", graph.Clip(text))
		}
		out.Counts = append(out.Counts, c)
	}
	return out, nil
}

// notNil returns ids, or an empty list instead of nil.
func notNil(ids []graph.ID) []graph.ID {
	if ids == nil {
		return []graph.ID{}
	}
	return ids
}

// AppendJSON appends the answer as JSON to b.
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
	if a.Next != "" {
		b = appendText(append(b, `,"next":`...), a.Next)
	}
	b = appendGroups(b, a.Groups)
	if len(a.Data) > 0 {
		b = append(append(b, `,"data":`...), a.Data...)
	}
	for i, warning := range a.Warnings {
		b = append(b, []string{`,"warnings":[`, `,`}[min(i, 1)]...)
		b = appendText(b, warning)
	}
	if len(a.Warnings) > 0 {
		b = append(b, ']')
	}
	if a.Plan != "" {
		b = appendText(append(b, `,"plan":`...), a.Plan)
	}
	b = appendPlanSteps(b, a.PlanSteps)
	return append(b, '}')
}

// appendIDs appends a member name, given with its punctuation, and a list of ids.
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
