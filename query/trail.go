package query

import (
	"math"

	"github.com/weft-graph/weft/graph"
)

// A trail is the connections that a hop came upon, all of those that start at what stood above.
type trail struct {
	direction graph.Direction
	depth     int  // how many of them may follow each other; unbounded inside a composition
	inside    bool // inside the compositions that stood above
	links     []graph.Connection
}

func trailOf(n *node) *trail {
	if n.self() {
		return &trail{depth: math.MaxInt, inside: true}
	}
	return &trail{direction: n.direction(), depth: max(n.Depth, 1)}
}

// A place is a concept, inside of a composition or of none. A walk that is in one composition stays there.
type place struct{ concept, main graph.ID }

func (t *trail) near(c graph.Connection) place { return t.place(nearOf(c, t.direction), c) }

func (t *trail) far(c graph.Connection) place { return t.place(farOf(c, t.direction), c) }

func (t *trail) place(id graph.ID, c graph.Connection) place {
	if t.inside {
		return place{id, c.Type}
	}
	return place{concept: id}
}

// begins says whether a walk begins at a place that it found above.
func (t *trail) begins(p place) bool { return !t.inside || p.concept == p.main }

// leading are the concepts from which the trail leads to one that is good.
func (t *trail) leading(good idSet) idSet {
	left := t.left(good)
	leading := idSet{}
	for _, c := range t.links {
		near := t.near(c)
		if n, ok := left[t.far(c)]; ok && n < t.depth && t.begins(near) {
			leading[near.concept] = true
		}
	}
	return leading
}

// needed are the connections on walks that lead from some concepts to a good one.
func (t *trail) needed(from, good idSet) []graph.Connection {
	left, gone := t.left(good), map[place]int{}
	for _, c := range t.links {
		if p := t.near(c); t.begins(p) && from[p.concept] {
			gone[p] = 0
		}
	}
	t.spread(gone, t.near, t.far)
	var needed []graph.Connection
	for _, c := range t.links {
		before, begun := gone[t.near(c)]
		after, ends := left[t.far(c)]
		if begun && ends && before+after < t.depth {
			needed = append(needed, c)
		}
	}
	return needed
}

// left is how many connections lead from each place to a good one.
func (t *trail) left(good idSet) map[place]int {
	left := map[place]int{}
	for _, c := range t.links {
		if p := t.far(c); good[p.concept] {
			left[p] = 0
		}
	}
	t.spread(left, t.far, t.near)
	return left
}

// spread goes from places with distance 0 along the connections and notes the distance of the others.
func (t *trail) spread(distance map[place]int, from, to func(graph.Connection) place) {
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
