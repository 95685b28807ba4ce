package wire

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// Groups are those of one aggregate. Its list is never null.
type Groups struct {
	Name       string  `json:"name"`
	Connection string  `json:"connection"`
	Distinct   int     `json:"distinct"`
	Top        []Group `json:"top"`
}

// A Group is a concept, its value and how many connections lead to it.
type Group struct {
	ID    graph.ID `json:"id"`
	Value string   `json:"value"`
	Count int      `json:"count"`
}

// groupsOf are groups without values; see Answer.NameGroups.
func groupsOf(all []query.Groups) []Groups {
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

// Grouped are the ids of the concepts in groups.
func (a Answer) Grouped() []graph.ID {
	var ids []graph.ID
	for _, g := range a.Groups {
		for _, top := range g.Top {
			ids = append(ids, top.ID)
		}
	}
	return ids
}

// NameGroups puts the values of concepts beside their ids in groups.
func (a Answer) NameGroups(concepts []graph.Concept) {
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
