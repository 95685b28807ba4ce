package query

import (
	"math"

	"github.com/weft-graph/weft/graph"
)

// A traversal holds all connections that a hop found from a set of concepts, and computes which connections
// lead to targets. All methods take time linear in the connections.
type traversal struct {
	direction graph.Direction
	depth     int  // largest number of consecutive connections; without a limit inside compositions
	inside    bool // the connections are inside compositions
	links     []graph.Connection
}

// newTraversal returns a traversal of a hop without connections.
func newTraversal(n *node) *traversal {
	switch {
	case n.isSelf() && n.Direct:
		return &traversal{depth: 1, inside: true}
	case n.isSelf():
		return &traversal{depth: math.MaxInt, inside: true}
	}
	return &traversal{direction: n.direction(), depth: max(n.Depth, 1)}
}

// A place is a concept, either inside one composition or outside all of them. A path inside a composition does not
// leave it.
type place struct{ concept, main graph.ID }

// near returns the place where a connection begins in the direction of the traversal.
func (t *traversal) near(c graph.Connection) place { return t.place(nearOf(c, t.direction), c) }

// far returns the place to which a connection leads in the direction of the traversal.
func (t *traversal) far(c graph.Connection) place { return t.place(farOf(c, t.direction), c) }

// place returns the place of a concept that is an end of a connection.
func (t *traversal) place(id graph.ID, c graph.Connection) place {
	if t.inside {
		return place{id, c.Type}
	}
	return place{concept: id}
}

// isStart reports whether a path may start at a place: inside compositions only at the main concept.
func (t *traversal) isStart(p place) bool { return !t.inside || p.concept == p.main }

// startsLeadingTo returns the starts from which a path leads to a target.
func (t *traversal) startsLeadingTo(targets idSet) idSet {
	remaining := t.distancesTo(targets)
	leading := idSet{}
	for _, c := range t.links {
		near := t.near(c)
		if n, ok := remaining[t.far(c)]; ok && n < t.depth && t.isStart(near) {
			leading[near.concept] = true
		}
	}
	return leading
}

// linksBetween returns the connections on paths from the given starts to a target.
func (t *traversal) linksBetween(from, targets idSet) []graph.Connection {
	remaining, walked := t.distancesTo(targets), map[place]int{}
	for _, c := range t.links {
		if p := t.near(c); t.isStart(p) && from[p.concept] {
			walked[p] = 0
		}
	}
	t.measureDistances(walked, t.near, t.far)
	var needed []graph.Connection
	for _, c := range t.links {
		before, isReached := walked[t.near(c)]
		after, isLeading := remaining[t.far(c)]
		if isReached && isLeading && before+after < t.depth {
			needed = append(needed, c)
		}
	}
	return needed
}

// distancesTo returns the length of the shortest path from each place to the nearest target.
func (t *traversal) distancesTo(targets idSet) map[place]int {
	remaining := map[place]int{}
	for _, c := range t.links {
		if p := t.far(c); targets[p.concept] {
			remaining[p] = 0
		}
	}
	t.measureDistances(remaining, t.far, t.near)
	return remaining
}

// measureDistances adds the distances of further places by breadth-first search from the places with distance 0.
func (t *traversal) measureDistances(distance map[place]int, from, to func(graph.Connection) place) {
	if t.depth == 1 {
		return
	}
	next := map[place][]place{}
	for _, c := range t.links {
		next[from(c)] = append(next[from(c)], to(c))
	}
	var queue []place
	for p := range distance {
		queue = append(queue, p)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, p := range next[queue[0]] {
			if _, known := distance[p]; !known {
				distance[p] = distance[queue[0]] + 1
				queue = append(queue, p)
			}
		}
	}
}
