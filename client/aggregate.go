package client

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// An Aggregate selects the groups that Find.Aggregate computes.
type Aggregate struct {
	GroupBy []string // fields and links to one record; if empty, all records are one group
	Of      []string // fields for which Numbers are computed
}

// A Group summarises the records with equal values in the fields of Aggregate.GroupBy.
type Group struct {
	// Key holds the values of the fields in Aggregate.GroupBy. A value is a string, float64 or bool, or nil if the field is
	// missing. The value of a link is the graph.ID of the linked record.
	Key    map[string]any
	Count  int                // number of records
	Fields map[string]Numbers // keyed by the names in Aggregate.Of
}

// Numbers describe the values of a field in a group. Min and Max are of type string, float64 or bool; they are nil if no
// record has a value.
type Numbers struct {
	Count    int     // number of records with a value
	Sum      float64 // sum of the values that are numbers
	Min, Max any
}

// Average returns the mean of the values that are numbers, or 0 if no record has a value.
func (n Numbers) Average() float64 { return n.Sum / float64(max(n.Count, 1)) }

// Aggregate reads all records that the query finds, page by page, and returns groups of them, the largest first. Its cost grows with the
// number of these records. The error is Invalid for an unknown field, and for a field whose kind cannot be grouped, such as a list.
func (f Find[T]) Aggregate(ctx context.Context, a Aggregate) ([]Group, error) {
	m := f.records.model
	if m.err != nil {
		return nil, m.err
	}
	f.with, f.limit = nil, max(f.limit, 1_000)
	for _, name := range append(slices.Clone(a.GroupBy), a.Of...) {
		field := m.typ.Fields[name]
		switch {
		case field == nil:
			return nil, graph.Errorf(graph.Invalid, "%s has no field %q", m.typ.Name, graph.Clip(name))
		case field.Kind == schema.KindOne && slices.Contains(a.GroupBy, name):
			f.with = append(f.with, name)
		case field.Kind.IsLink() || slices.Contains([]schema.Kind{schema.KindJSON, schema.KindFile, schema.KindList, schema.KindRecord}, field.Kind):
			return nil, graph.Errorf(graph.Invalid, "cannot group by %s.%s: its kind is %s", m.typ.Name, name, field.Kind)
		}
	}
	groups := map[string]*Group{}
	if len(a.GroupBy) == 0 {
		groups[""] = &Group{Fields: map[string]Numbers{}}
	}
	for {
		page, next, err := f.page(ctx)
		if err != nil {
			return nil, err
		}
		for _, v := range page {
			a.groupOf(groups, v).add(a, v)
		}
		if next == "" {
			break
		}
		f.after = next
	}
	var all []Group
	for _, key := range sortedKeys(groups) {
		all = append(all, *groups[key])
	}
	slices.SortStableFunc(all, func(a, b Group) int { return cmp.Compare(b.Count, a.Count) })
	return all, nil
}

// groupOf returns the group of a typed record, and creates it if necessary.
func (a Aggregate) groupOf(groups map[string]*Group, v composition.Value) *Group {
	var id strings.Builder
	key := map[string]any{}
	for _, name := range a.GroupBy {
		field := v.Get(name)
		if field.Kind == composition.Record {
			linked, _ := graph.ParseID(field.Get("id").Text)
			key[name] = linked
			field = field.Get("id")
		} else {
			key[name] = goValue(field)
		}
		id.WriteString(field.String())
		id.WriteByte(0)
	}
	g := groups[id.String()]
	if g == nil {
		g = &Group{Key: key, Fields: map[string]Numbers{}}
		groups[id.String()] = g
	}
	return g
}

// add adds a typed record to the group.
func (g *Group) add(a Aggregate, v composition.Value) {
	g.Count++
	for _, name := range a.Of {
		n := g.Fields[name]
		if value := goValue(v.Get(name)); value != nil {
			n.Count++
			if number, ok := value.(float64); ok {
				n.Sum += number
			}
			if n.Min == nil || isLess(value, n.Min) {
				n.Min = value
			}
			if n.Max == nil || isLess(n.Max, value) {
				n.Max = value
			}
		}
		g.Fields[name] = n
	}
}

// isLess compares two values of one field. Strings are compared without regard to case.
func isLess(a, b any) bool {
	switch a := a.(type) {
	case float64:
		return a < b.(float64)
	case string:
		return strings.ToLower(a) < strings.ToLower(b.(string))
	default:
		return a == false && b == true
	}
}

// goValue returns a typed scalar as a string, float64 or bool, and nil for a value of any other kind.
func goValue(v composition.Value) any {
	switch v.Kind {
	case composition.Text:
		return v.Text
	case composition.Number:
		n, _ := strconv.ParseFloat(v.Text, 64)
		return n
	case composition.Bool:
		return v.Text == "true"
	default:
		return nil
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
