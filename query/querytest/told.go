package querytest

import (
	"context"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/query"
)

// An Answer is what an answer says, as cases write it: in ids of the case, and types by name.
type Answer struct {
	Roots   []graph.ID  `json:"roots"`
	Links   []graph.ID  `json:"links"`
	Reverse []graph.ID  `json:"reverse"`
	Counts  []Count     `json:"counts"`
	Groups  []Groups    `json:"groups,omitempty"`
	Total   int         `json:"total"`
	Order   query.Order `json:"order"`
}

// A Count is written as concept, type name, number.
type Count struct {
	Of   graph.ID `json:"of"`
	Type string   `json:"type"`
	N    int      `json:"n"`
}

// Groups are those of one aggregate.
type Groups struct {
	Name       string  `json:"name"`
	Connection string  `json:"connection"`
	Distinct   int     `json:"distinct"`
	Top        []Group `json:"top"`
}

// A Group is a concept and how many connections lead to it.
type Group struct {
	Concept graph.ID `json:"concept"`
	N       int      `json:"n"`
}

// Told is an answer as cases write it.
func Told(ctx context.Context, s vectors.Seeded, a query.Answer) (Answer, error) {
	told := Answer{
		Roots: s.CaseIDs(a.Roots), Links: s.CaseIDs(a.Links), Reverse: s.CaseIDs(a.Reverse),
		Counts: []Count{}, Total: a.Total, Order: a.Order,
	}
	for _, n := range a.Counts {
		types, err := s.Concepts(ctx, []graph.ID{n.Type})
		if err != nil || len(types) == 0 {
			return Answer{}, graph.Wrap(graph.NotFound, err, "there is no type %d", n.Type)
		}
		told.Counts = append(told.Counts, Count{s.Case(n.Of), types[0].Value, n.N})
	}
	for _, g := range a.Groups {
		groups := Groups{g.Name, g.Connection, g.Distinct, []Group{}}
		for _, top := range g.Top {
			groups.Top = append(groups.Top, Group{s.Case(top.Concept), top.N})
		}
		told.Groups = append(told.Groups, groups)
	}
	return told, nil
}

// Same says in which way two answers to one query in one store differ; "" means in none. Of totals that are counted
// to the end both are equal; one that is not is at most as large as the other.
func Same(want, got query.Answer) string {
	if got.AtLeast && (want.AtLeast || got.Total <= want.Total) || want.AtLeast && want.Total <= got.Total {
		got.Total = want.Total
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(query.Answer{}, "AtLeast", "Plan"))
}
