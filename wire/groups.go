package wire

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// Groups is the result of one aggregate hop. Its list is never null.
type Groups struct {
	Name       string  `json:"name"`
	Connection string  `json:"connection"`
	Distinct   int     `json:"distinct"`
	Top        []Group `json:"top"`
}

// A Group is a concept, its value, and the number of connections that lead to it.
type Group struct {
	ID    graph.ID `json:"id"`
	Value string   `json:"value"`
	Count int      `json:"count"`
}

// newGroups converts groups. The values are not set; see Answer.SetGroupValues.
func newGroups(all []query.Groups) []Groups {
	var out []Groups
	for _, g := range all {
		groups := Groups{Name: g.Name, Connection: g.Connection, Distinct: g.Distinct, Top: make([]Group, len(g.Top))}
		for i, top := range g.Top {
			groups.Top[i] = Group{ID: top.Concept, Count: top.N}
		}
		out = append(out, groups)
	}
	return out
}

func (g Groups) graph() query.Groups {
	out := query.Groups{Name: g.Name, Connection: g.Connection, Distinct: g.Distinct}
	for _, top := range g.Top {
		out.Top = append(out.Top, query.GroupCount{Concept: top.ID, N: top.Count})
	}
	return out
}

// GroupIDs returns the ids of all concepts in the groups.
func (a Answer) GroupIDs() []graph.ID {
	var ids []graph.ID
	for _, g := range a.Groups {
		for _, top := range g.Top {
			ids = append(ids, top.ID)
		}
	}
	return ids
}

// SetGroupValues sets the values of the concepts in the groups.
func (a Answer) SetGroupValues(concepts []graph.Concept) {
	values := make(map[graph.ID]string, len(concepts))
	for _, c := range concepts {
		values[c.ID] = c.Value
	}
	for _, g := range a.Groups {
		for i := range g.Top {
			g.Top[i].Value = values[g.Top[i].ID]
		}
	}
}

// appendGroups appends the member groups, unless there are none.
func appendGroups(b []byte, all []Groups) []byte {
	for i, g := range all {
		if i == 0 {
			b = append(b, `,"groups":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"name":`...), g.Name)
		b = appendText(append(b, `,"connection":`...), g.Connection)
		b = appendInt(b, `,"distinct":`, g.Distinct)
		b = append(b, `,"top":[`...)
		for i, top := range g.Top {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendInt(b, `{"id":`, top.ID)
			b = appendText(append(b, `,"value":`...), top.Value)
			b = append(appendInt(b, `,"count":`, top.Count), '}')
		}
		b = append(b, "]}"...)
	}
	if len(all) > 0 {
		b = append(b, ']')
	}
	return b
}
