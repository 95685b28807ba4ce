package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// typeListAPI lists the types of the store that have instances that the caller may read.
type typeListAPI struct{ store graph.Store }

func (a *typeListAPI) routes() []route {
	return []route{{"GET", "/api/v1/types", noBody, jsonEndpoint(a.list), "The types with instances that the caller may read, by name, with the number of instances. `counted` is false for an estimate", requestShape{}}}
}

// listedTypes is the response.
type listedTypes struct {
	Types []listedType `json:"types"`
	// Complete is false if the store has more types than maxListedTypes.
	Complete bool `json:"complete"`
}

// A listedType is a type and its size as the caller sees it.
type listedType struct {
	ID    graph.ID `json:"id"`
	Name  string   `json:"name"`
	Count int      `json:"count"`
	// Counted is false if Count is an estimate, because there are more than maxCountedInstances.
	Counted bool `json:"counted"`
	// Kind is "record" if the newest instances are compositions or have no value, "value" otherwise.
	Kind string `json:"kind"`
}

const (
	// maxCountedInstances is the largest number of instances that are counted exactly.
	maxCountedInstances = 20_000
	// maxListedTypes is the maximum number of types that are read.
	maxListedTypes = 10_000
	// sampledInstances is the number of instances that determine the kind of a type.
	sampledInstances = 5
)

func (a *typeListAPI) list(req *request) (listedTypes, error) {
	ctx := req.Context()
	types, complete, err := a.usedTypes(ctx, req.graph)
	if err != nil {
		return listedTypes{}, err
	}
	sizes, err := sizesOf(ctx, req.graph, types)
	if err != nil {
		return listedTypes{}, err
	}
	out := listedTypes{Types: []listedType{}, Complete: complete}
	for i, t := range types {
		if sizes != nil && sizes[i].Instances == 0 {
			continue
		}
		listed, err := sizeOf(ctx, req.graph, t, sizes, i)
		if err != nil {
			return listedTypes{}, err
		}
		if listed.Count > 0 {
			out.Types = append(out.Types, listed)
		}
	}
	slices.SortFunc(out.Types, func(a, b listedType) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// usedTypes returns the types in use whose names start with `the_`. It reads at most maxListedTypes types; isComplete is false if there
// are more types.
func (a *typeListAPI) usedTypes(ctx context.Context, r graph.Reader) (types []graph.Concept, isComplete bool, err error) {
	lister, ok := graph.As[graph.TypeLister](a.store)
	if !ok {
		return nil, false, graph.Errorf(graph.NotFound, "the store of this server does not list types")
	}
	ids, err := lister.UsedTypes(ctx, maxListedTypes+1)
	if err != nil {
		return nil, false, err
	}
	isComplete = len(ids) <= maxListedTypes
	types, err = r.Concepts(ctx, ids[:min(len(ids), maxListedTypes)])
	types = slices.DeleteFunc(types, func(c graph.Concept) bool { return !c.IsType() || !strings.HasPrefix(c.Value, graph.TypePrefix) })
	return types, isComplete, err
}

// sizesOf returns the approximate sizes of types, or nil if the store does not estimate sizes.
func sizesOf(ctx context.Context, r graph.Reader, types []graph.Concept) ([]graph.Size, error) {
	sizer, ok := r.(graph.Sizer)
	if !ok {
		return nil, nil
	}
	ids := make([]graph.ID, len(types))
	for i, t := range types {
		ids[i] = t.ID
	}
	sizes, err := sizer.Sizes(ctx, ids)
	if err != nil || len(sizes) != len(ids) {
		return nil, nil //nolint:nilerr // a store without sizes counts
	}
	return sizes, nil
}

// sizeOf counts the instances of a type, up to maxCountedInstances.
func sizeOf(ctx context.Context, r graph.Reader, t graph.Concept, sizes []graph.Size, i int) (listedType, error) {
	out := listedType{ID: t.ID, Name: t.Value, Kind: "value"}
	n, err := r.CountByType(ctx, t.ID, maxCountedInstances+1)
	if err != nil || n == 0 {
		return out, err
	}
	out.Count, out.Counted = n, n <= maxCountedInstances
	if !out.Counted && sizes != nil {
		out.Count = max(n, sizes[i].Instances)
	}
	newest, err := r.ConceptsByType(ctx, t.ID, graph.Page{Limit: sampledInstances, Descending: true})
	if err != nil {
		return out, err
	}
	if slices.ContainsFunc(newest, func(c graph.Concept) bool { return c.Composition || c.Value == "" }) {
		out.Kind = "record"
	}
	return out, nil
}
