package query

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// followInside follows the steps over Self: first all steps of any depth together, then all direct steps together.
func (r *execution) followInside(ctx context.Context, steps []*step) error {
	for _, direct := range []bool{false, true} {
		if err := r.followParts(ctx, steps, direct); err != nil {
			return err
		}
	}
	return nil
}

func (r *execution) followParts(ctx context.Context, steps []*step, direct bool) error {
	stepsFrom := map[graph.ID][]*step{} // keyed by main concept
	for _, s := range steps {
		if s.node.isSelf() && s.node.Direct == direct {
			for _, id := range s.from {
				stepsFrom[id] = append(stepsFrom[id], s)
			}
		}
	}
	found, err := r.linksInside(ctx, slices.Sorted(maps.Keys(stepsFrom)), direct)
	for _, c := range found {
		for _, s := range stepsFrom[c.Type] {
			s.found[c.To] = true
			s.links = append(s.links, c)
		}
	}
	return err
}

// linksInside returns the connections inside compositions, level by level. It takes two requests per level, and more
// for many compositions (see composition.InternalLinks). With direct it returns the first level only.
func (e *evaluator) linksInside(ctx context.Context, mains []graph.ID, direct bool) ([]graph.Connection, error) {
	level := make([]composition.Node, len(mains))
	for i, id := range mains {
		level[i] = composition.Node{Concept: id, Main: id}
	}
	var all []graph.Connection
	seen := map[composition.Node]bool{}
	for depth := 1; len(level) > 0; depth++ {
		if depth > composition.MaxDepth+1 { // one level more, for the values of the deepest record
			return nil, graph.Errorf(graph.TooLarge, "composition %d is nested deeper than %d levels", level[0].Main, composition.MaxDepth)
		}
		for _, n := range level {
			seen[n] = true
		}
		records, err := e.withoutTexts(ctx, level)
		if err != nil {
			return nil, err
		}
		found, err := composition.InternalLinks(ctx, e.Reader, records)
		if err != nil {
			return nil, err
		}
		level = level[:0]
		for _, c := range found {
			if n := (composition.Node{Concept: c.To, Main: c.Type}); !seen[n] {
				seen[n] = true
				level = append(level, n)
			}
		}
		all = append(all, found...)
		e.heldLinks += len(found)
		if err := e.spendRows(ctx, len(records)+len(found)); err != nil {
			return nil, err
		}
		if direct {
			break
		}
	}
	return all, nil
}

// withoutTexts removes the nodes whose concepts are values. Reading the concepts is cheaper than requesting the
// connections of all nodes.
func (e *evaluator) withoutTexts(ctx context.Context, nodes []composition.Node) ([]composition.Node, error) {
	ids := make([]graph.ID, len(nodes))
	for i, n := range nodes {
		ids[i] = n.Concept
	}
	found, err := e.Concepts(ctx, ids)
	if err != nil {
		return nil, err
	}
	hasText := make(map[graph.ID]bool, len(found))
	for _, c := range found {
		hasText[c.ID] = c.Value != ""
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n composition.Node) bool { return hasText[n.Concept] }), nil
}
