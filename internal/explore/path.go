package explore

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// The limits of a search for a path.
const (
	// MaxSteps is the maximum number of links of a path.
	MaxSteps = 8
	// maxReached is the number of reached concepts after which a search ends.
	maxReached = 20_000
	// linksPerStep is the number of links of a concept, newest first, that are followed in each direction.
	linksPerStep = 200
)

// A PathStatus is the result of a search for a path.
type PathStatus string

// The results of a search. AtLimit means that the search ended before it had followed all links.
const (
	Found   PathStatus = "found"
	NoPath  PathStatus = "none"
	AtLimit PathStatus = "limit"
)

// A PathResult is a path, in order from one end to the other.
type PathResult struct {
	Status  PathStatus `json:"status"`
	Reached int        `json:"reached"` // number of concepts that were reached
	Drawing
}

// Path returns a shortest path between two concepts. The path may follow links in either direction. A path through
// records is preferred to a path through values that records share. The error is NotFound if the reader does not
// return both concepts.
func Path(ctx context.Context, r graph.Reader, from, to graph.ID) (PathResult, error) {
	result := PathResult{Status: NoPath, Drawing: Drawing{Nodes: []Node{}, Edges: []Edge{}}}
	ends, err := r.Concepts(ctx, []graph.ID{from, to})
	if err != nil {
		return result, err
	}
	if len(ends) < 2 && (from != to || len(ends) == 0) {
		return result, errHidden()
	}
	for _, throughValues := range []bool{false, true} {
		s := newPathSearch(r, from, to, throughValues)
		links, err := s.run(ctx)
		if err != nil {
			return result, err
		}
		result.Reached += len(s.sides[0].steps) + len(s.sides[1].steps)
		if links != nil || from == to {
			result.Status = Found
			result.Drawing, err = pathDrawing(ctx, r, from, links)
			return result, err
		}
		if s.stopped {
			result.Status = AtLimit
		}
	}
	return result, nil
}

// pathDrawing returns the concepts along the links of a path, in order.
func pathDrawing(ctx context.Context, r graph.Reader, from graph.ID, links []graph.Connection) (Drawing, error) {
	ids, at := []graph.ID{from}, from
	for _, c := range links {
		at = otherEnd(c, at)
		ids = append(ids, at)
	}
	nodes, err := Nodes(ctx, r, ids)
	if err != nil {
		return Drawing{}, err
	}
	edges, err := edgesOf(ctx, r, links)
	return Drawing{Nodes: nodes, Edges: edges}, err
}

// A pathSearch searches from both ends. Each step extends the side that has fewer concepts at its edge.
type pathSearch struct {
	reader        graph.Reader
	throughValues bool
	sides         [2]*pathSide
	stopped       bool // a limit ended the search, or links were left out
}

// A pathSide holds the concepts that were reached from one end.
type pathSide struct {
	end   graph.ID
	steps map[graph.ID]graph.Connection // the link by which each concept was reached; zero for the end
	edge  []graph.ID                    // the concepts reached last
}

func newPathSearch(r graph.Reader, from, to graph.ID, throughValues bool) *pathSearch {
	side := func(id graph.ID) *pathSide {
		return &pathSide{end: id, steps: map[graph.ID]graph.Connection{id: {}}, edge: []graph.ID{id}}
	}
	return &pathSearch{reader: r, throughValues: throughValues, sides: [2]*pathSide{side(from), side(to)}}
}

// run returns the links of a path, or nil.
func (s *pathSearch) run(ctx context.Context) ([]graph.Connection, error) {
	if s.sides[0].end == s.sides[1].end {
		return nil, nil
	}
	for range MaxSteps {
		side, other := s.sides[0], s.sides[1]
		if len(other.edge) < len(side.edge) {
			side, other = other, side
		}
		if len(side.edge) == 0 {
			return nil, nil
		}
		if len(side.steps)+len(other.steps) > maxReached {
			break
		}
		meeting, err := s.step(ctx, side, other)
		if err != nil {
			return nil, err
		}
		if meeting != 0 {
			return append(s.sides[0].linksTo(meeting, true), s.sides[1].linksTo(meeting, false)...), nil
		}
	}
	s.stopped = true
	return nil, nil
}

// step follows the links of the edge of a side. It returns the concept at which the sides meet, or 0.
func (s *pathSearch) step(ctx context.Context, side, other *pathSide) (graph.ID, error) {
	var links []graph.Connection
	for chunk := range slices.Chunk(side.edge, 500) {
		for _, direction := range []graph.Direction{graph.Out, graph.In} {
			found, err := s.reader.Links(ctx, graph.Links{Of: chunk, Direction: direction, Page: graph.Page{Descending: true, Limit: linksPerStep}})
			if err != nil {
				return 0, err
			}
			links = append(links, found...)
		}
		if len(links) > maxReached {
			s.stopped = true
			break
		}
	}
	reached := s.reach(side, links)
	if !s.throughValues {
		var err error
		if reached, err = s.withoutValues(ctx, side, other, reached); err != nil {
			return 0, err
		}
	}
	side.edge = reached
	for _, id := range reached {
		if _, met := other.steps[id]; met {
			return id, nil
		}
	}
	return 0, nil
}

// reach records the link by which each new concept was reached, and returns the new concepts.
func (s *pathSearch) reach(side *pathSide, links []graph.Connection) []graph.ID {
	followed := map[graph.ID]int{}
	isEdge := map[graph.ID]bool{}
	for _, id := range side.edge {
		isEdge[id] = true
	}
	var reached []graph.ID
	for _, c := range links {
		at := c.From
		if !isEdge[at] {
			at = c.To
		}
		if followed[at]++; followed[at] >= linksPerStep {
			s.stopped = true
		}
		next := otherEnd(c, at)
		if _, known := side.steps[next]; !known {
			side.steps[next] = c
			reached = append(reached, next)
		}
	}
	return reached
}

// withoutValues removes values from the concepts that were reached, except the end of the other side.
func (s *pathSearch) withoutValues(ctx context.Context, side, other *pathSide, reached []graph.ID) ([]graph.ID, error) {
	found, err := s.reader.Concepts(ctx, reached)
	if err != nil {
		return nil, err
	}
	kept := make([]graph.ID, 0, len(found))
	for _, c := range found {
		if c.Composition || c.ID == other.end {
			kept = append(kept, c.ID)
		} else {
			delete(side.steps, c.ID)
		}
	}
	return kept, nil
}

// linksTo returns the links between the end of the side and a concept, in order from the end if fromEnd is true, otherwise in
// order from the concept.
func (p *pathSide) linksTo(id graph.ID, fromEnd bool) []graph.Connection {
	var links []graph.Connection
	for at := id; at != p.end; {
		c := p.steps[at]
		links = append(links, c)
		at = otherEnd(c, at)
	}
	if fromEnd {
		slices.Reverse(links)
	}
	return links
}

func otherEnd(c graph.Connection, id graph.ID) graph.ID {
	if c.From == id {
		return c.To
	}
	return c.From
}
