package querytest

import (
	"context"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/query"
)

// An Answer is a query.Answer in the format of the cases: ids are the ids in the case, and types are given by
// name.
type Answer struct {
	Roots   []graph.ID  `json:"roots"`
	Links   []graph.ID  `json:"links"`
	Reverse []graph.ID  `json:"reverse"`
	Counts  []Count     `json:"counts"`
	Groups  []Groups    `json:"groups,omitempty"`
	Total   int         `json:"total"`
	Order   query.Order `json:"order"`
}

// A Count is the number of connections of a type at a concept.
type Count struct {
	Of   graph.ID `json:"of"`
	Type string   `json:"type"`
	N    int      `json:"n"`
}

// Groups is the result of one aggregate.
type Groups struct {
	Name       string  `json:"name"`
	Connection string  `json:"connection"`
	Distinct   int     `json:"distinct"`
	Top        []Group `json:"top"`
}

// A Group is a concept and the number of connections that lead to it.
type Group struct {
	Concept graph.ID `json:"concept"`
	N       int      `json:"n"`
}

// CaseAnswer converts an answer to the format of the cases.
func CaseAnswer(ctx context.Context, s spec.Seeded, a query.Answer) (Answer, error) {
	converted := Answer{
		Roots: s.CaseIDs(a.Roots), Links: s.CaseIDs(a.Links), Reverse: s.CaseIDs(a.Reverse),
		Counts: []Count{}, Total: a.Total, Order: a.Order,
	}
	for _, n := range a.Counts {
		types, err := s.Concepts(ctx, []graph.ID{n.Type})
		if err != nil || len(types) == 0 {
			return Answer{}, graph.Wrap(graph.NotFound, err, "unknown type %d", n.Type)
		}
		converted.Counts = append(converted.Counts, Count{s.CaseID(n.Of), types[0].Value, n.N})
	}
	for _, g := range a.Groups {
		groups := Groups{g.Name, g.Connection, g.Distinct, []Group{}}
		for _, top := range g.Top {
			groups.Top = append(groups.Top, Group{s.CaseID(top.Concept), top.N})
		}
		converted.Groups = append(converted.Groups, groups)
	}
	return converted, nil
}

// Diff returns the differences between two answers to one query on one store, or "". Exact totals must be equal. A
// total that is a lower bound must not exceed the other total. Plans and cursors are ignored.
func Diff(want, got query.Answer) string {
	if got.AtLeast && (want.AtLeast || got.Total <= want.Total) || want.AtLeast && want.Total <= got.Total {
		got.Total = want.Total
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(query.Answer{}, "AtLeast", "Plan", "Next"))
}
