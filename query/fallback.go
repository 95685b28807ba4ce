package query

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A fallback evaluates sets with the methods that every graph.Reader has. It gathers members backwards, from values
// to the concepts linked with them, and checks candidates forwards (see candidates.go).
type fallback struct {
	*evaluator
	limit int // members of a set that it gathers
}

// errWide is returned for a set that has more members than the limit, that depends on such a set, or that cannot be
// gathered.
var errWide = errors.New("set exceeds the limit")

// firstLinkRequest is the number of concepts in the first request for connections while gathering. It is small,
// because a few concepts may already have too many connections.
const firstLinkRequest = 16

// members returns all members of a set. The error is errWide if there are more members than the limit, or if the members cannot be
// gathered.
func (f fallback) members(ctx context.Context, set graph.Set) (idSet, error) {
	switch set := set.(type) {
	case graph.IDs:
		found, err := f.readConcepts(ctx, set)
		return setOf(conceptIDs(found)), err
	case graph.Instances:
		return f.instances(ctx, set)
	case graph.Linked:
		return f.linked(ctx, set)
	case graph.Holders:
		return f.holders(ctx, set)
	case graph.Intersection:
		found, err := f.members(ctx, set[0])
		if err != nil {
			return nil, err
		}
		return f.check(ctx, found, set[1:])
	case graph.Union:
		all := idSet{}
		for _, operand := range set {
			found, err := f.members(ctx, operand)
			if err != nil {
				return nil, err
			}
			maps.Copy(all, found)
		}
		return all, f.checkLimit(all)
	default:
		return nil, errWide
	}
}

func (f fallback) checkLimit(found idSet) error {
	if len(found) > f.limit {
		return errWide
	}
	return nil
}

// scannedPerMember is how many instances may be read for each member that the limit permits. It bounds the search for
// a predicate that few instances satisfy.
const scannedPerMember = 10

// instances reads all instances of a type and returns those that satisfy the predicate.
func (f fallback) instances(ctx context.Context, set graph.Instances) (idSet, error) {
	if set.Type == 0 {
		return nil, errWide
	}
	maxScanned := f.limit
	if set.Where != nil {
		maxScanned *= scannedPerMember
	}
	n, err := f.CountByType(ctx, set.Type, maxScanned+1)
	if err != nil {
		return nil, err
	}
	if n > maxScanned {
		return nil, errWide
	}
	found := idSet{}
	page := graph.Page{Limit: MaxPageSize}
	for {
		chunk, err := f.ConceptsByType(ctx, set.Type, page)
		if err != nil {
			return nil, err
		}
		for _, c := range chunk {
			if set.Where == nil || set.Where.Holds(c) {
				found[c.ID] = true
			}
		}
		if err := f.spendRows(ctx, len(chunk)); err != nil {
			return nil, err
		}
		if len(chunk) < page.Limit {
			return found, f.checkLimit(found)
		}
		page.After = chunk[len(chunk)-1].ID
	}
}

// linked follows connections backwards from the members of set.Far.
func (f fallback) linked(ctx context.Context, set graph.Linked) (idSet, error) {
	far, err := f.members(ctx, set.Far)
	if err != nil {
		return nil, err
	}
	found := idSet{}
	back := graph.Links{Of: far.sorted(), Direction: graph.In, Types: set.Types}
	if set.Direction == graph.In {
		back.Direction = graph.Out
	}
	for range max(set.Depth, 1) {
		next := idSet{}
		err := f.visitLinks(ctx, back, firstLinkRequest, func(c graph.Connection) error {
			if near := farOf(c, back.Direction); !found[near] {
				found[near], next[near] = true, true
			}
			return f.checkLimit(found)
		})
		if err != nil {
			return nil, err
		}
		back.Of = next.sorted()
	}
	return found, nil
}

// holders returns the compositions among the types of the connections to members of set.Of.
func (f fallback) holders(ctx context.Context, set graph.Holders) (idSet, error) {
	contents, err := f.members(ctx, set.Of)
	if err != nil {
		return nil, err
	}
	types := idSet{}
	err = f.visitLinks(ctx, graph.Links{Of: contents.sorted(), Direction: graph.In}, firstLinkRequest, func(c graph.Connection) error {
		if !set.Direct || c.From == c.Type {
			types[c.Type] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found, err := f.readConcepts(ctx, types.sorted())
	holders := idSet{}
	for _, c := range found {
		if c.Composition {
			holders[c.ID] = true
		}
	}
	return holders, errors.Join(err, f.checkLimit(holders))
}

// check returns those of the given ids that are members of a set.
func (f fallback) check(ctx context.Context, ids idSet, set graph.Set) (idSet, error) {
	defer f.releaseHeld(f.heldLinks)
	return f.membersAmong(ctx, &candidates{ids: ids}, set)
}

// readConcepts reads concepts in requests of MaxPageSize ids.
func (f fallback) readConcepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	var all []graph.Concept
	for chunk := range slices.Chunk(ids, MaxPageSize) {
		found, err := f.Concepts(ctx, chunk)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		if err := f.spendRows(ctx, len(chunk)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// visitLinks calls visit for the connections that links selects, until visit returns an error. The first request is
// for the connections of first concepts, each further request for those of four times as many.
func (f fallback) visitLinks(ctx context.Context, links graph.Links, first int, visit func(graph.Connection) error) error {
	of, request := links.Of, links
	for n := first; len(of) > 0; n = min(4*n, MaxPageSize) {
		request.Of = of[:min(n, len(of))]
		of = of[len(request.Of):]
		found, err := f.Links(ctx, request)
		if err != nil {
			return err
		}
		if err := f.spendRows(ctx, len(found)); err != nil {
			return err
		}
		for _, c := range found {
			if err := visit(c); err != nil {
				return err
			}
		}
	}
	return nil
}
