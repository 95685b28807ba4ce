package query

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

const (
	// valueQuestions is how often it is asked for them.
	valueQuestions = 32
	// knownLikes is of how many filters that every value may have to be read for.
	knownLikes = 32
	// groupsOfValues is into how many groups filters are divided at first that may be true of much.
	groupsOfValues = 8
)

// Values are what filters by value are true of. Where that is not much it stands in place of the filter, which is otherwise
// read from each value wherever it is checked.
type values struct {
	*run
	all  []*sought
	of   map[leaf]*sought
	left int // questions
}

// A leaf is instances of which a predicate is true.
type leaf struct {
	typ   graph.ID
	where graph.Predicate
}

// A sought leaf is one whose instances shall be known, wherever filters are true of them.
type sought struct {
	leaf
	filter string // one of them, for the plan
	at     []*match
}

func (r *run) findValues(ctx context.Context) error {
	if r.selector == nil || r.where == nil {
		return nil
	}
	v := values{run: r, of: map[leaf]*sought{}, left: valueQuestions}
	v.seek(r.where)
	if err := v.find(ctx); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

func (v *values) seek(e *expression) {
	for i := range e.matches {
		m := &e.matches[i]
		of, ok := m.set.(graph.Instances)
		if !ok || m.node == v.root() || of.Type == 0 || of.Where == nil || of.Where.Field != graph.FieldValue || of.Where.Op == graph.NotEqual {
			continue
		}
		key := leaf{of.Type, *of.Where}
		s := v.of[key]
		if s == nil {
			s = &sought{leaf: key, filter: e.clause.tests[0].filter.Name}
			v.all, v.of[key] = append(v.all, s), s
		}
		s.at = append(s.at, m)
	}
	for _, side := range e.of {
		v.seek(side)
	}
}

func (v *values) find(ctx context.Context) error {
	var equal, others []*sought
	likes := 0
	for _, s := range v.all {
		switch {
		case s.where.Op == graph.Equal:
			equal = append(equal, s)
		case s.where.Op != graph.Like:
			others = append(others, s)
		case likes < knownLikes:
			others = append(others, s)
			likes++
		}
	}
	if err := v.findOf(ctx, equal); err != nil {
		return err
	}
	for some := range slices.Chunk(others, max(1, (len(others)+groupsOfValues-1)/groupsOfValues)) {
		if err := v.findOf(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// findOf looks for what some filters are true of, with one question if that is not much, or for each half of them.
func (v *values) findOf(ctx context.Context, some []*sought) error {
	if len(some) == 0 || v.left == 0 {
		return nil
	}
	v.left--
	ids, err := v.ask(ctx, some)
	switch half := len(some) / 2; {
	case err != nil:
		return err
	case len(ids) <= v.effort.values:
		return v.learn(ctx, some, ids)
	case half == 0:
		return nil
	default:
		if err := v.findOf(ctx, some[:half]); err != nil {
			return err
		}
		return v.findOf(ctx, some[half:])
	}
}

// ask finds what some filters are true of, or a little more of it than an effort takes.
func (v *values) ask(ctx context.Context, some []*sought) ([]graph.ID, error) {
	sets, filters := make([]graph.Set, len(some)), make([]string, len(some))
	for i, s := range some {
		sets[i], filters[i] = graph.Instances{Type: s.typ, Where: &s.where}, s.filter
	}
	step := v.plan.add(1, "look for the values of "+graph.Clip(strings.Join(filters, ", ")), -1, 0)
	found, err := v.selected(ctx, graph.Selection{Set: either(sets...), Page: graph.Page{Limit: v.effort.values + 1}, Unordered: true})
	if err != nil {
		return nil, err
	}
	v.plan.Steps[step].Actual = len(found)
	return found, v.spend(ctx, len(found))
}

// learn puts in place of each filter the concepts among some that it is true of.
func (v *values) learn(ctx context.Context, some []*sought, ids []graph.ID) error {
	if len(some) == 1 {
		v.know(some[0], ids)
		return nil
	}
	found, err := plain{v.asker, v.effort.values}.concepts(ctx, ids)
	if err != nil {
		return err
	}
	keys := make([]graph.Key, len(found))
	for i, c := range found {
		keys[i] = graph.KeyOf(c.Value)
	}
	for _, s := range some {
		var ids []graph.ID
		key := graph.KeyOf(s.where.Text)
		for i, c := range found {
			if c.Type == s.typ && (s.where.Op == graph.Like && s.where.Holds(c) || s.where.Op.HoldsOf(keys[i], key)) {
				ids = append(ids, c.ID)
			}
		}
		v.know(s, ids)
	}
	return nil
}

func (v *values) know(s *sought, ids []graph.ID) {
	if v.sizes != nil && len(ids) > 0 {
		v.sizes[ids[0]] = v.sizes[s.typ] // what is expected of them is known by the first
	}
	for _, m := range s.at {
		m.set = graph.These(ids)
	}
}
