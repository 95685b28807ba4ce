package query

// A queryTree lists the nodes of a query in the order of the query. The root has index 0.
type queryTree struct {
	nodes   []*Query
	parents []int            // index of the parent of each node; -1 for the root
	levels  []int            // depth of each node; 0 for the root
	byName  map[string][]int // nodes by name; "" is the root only
}

// flatten returns the tree of a query.
func flatten(root *Query) *queryTree {
	t := &queryTree{byName: map[string][]int{}}
	t.add(root, -1, 0)
	t.byName[""] = []int{0}
	return t
}

func (t *queryTree) add(node *Query, parent, level int) {
	n := len(t.nodes)
	t.nodes, t.parents, t.levels = append(t.nodes, node), append(t.parents, parent), append(t.levels, level)
	t.byName[node.Name] = append(t.byName[node.Name], n)
	for i := range node.Hops {
		t.add(&node.Hops[i], n, level+1)
	}
}

// lowestCommonAncestor returns the deepest node that is an ancestor of all given nodes, or one of them.
func (t *queryTree) lowestCommonAncestor(nodes []int) int {
	a := nodes[0]
	for _, b := range nodes[1:] {
		for a != b {
			if t.levels[a] < t.levels[b] {
				b = t.parents[b]
			} else {
				a = t.parents[a]
			}
		}
	}
	return a
}
