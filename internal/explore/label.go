package explore

import (
	"context"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

const (
	// maxLabelRunes is the maximum length of a label.
	maxLabelRunes = 80
	// labelLinksRead is the number of links that are read at each end of the list of a record to find its label.
	labelLinksRead = 16
)

// labelTypes lists the types whose values name a record, best first.
var labelTypes = []string{"name", "title", "label", "full_name", "display_name", "subject", "number", "code", "slug", "email", "date", "text"}

// Nodes returns the given concepts that the reader returns, each once, with their labels.
func Nodes(ctx context.Context, r graph.Reader, ids []graph.ID) ([]Node, error) {
	concepts, err := r.Concepts(ctx, ids)
	if err != nil {
		return nil, err
	}
	types := make([]graph.ID, 0, len(concepts))
	for _, c := range concepts {
		types = append(types, c.Type)
	}
	slices.Sort(types)
	names, err := linkNames(ctx, r, slices.Compact(types))
	if err != nil {
		return nil, err
	}
	labels, err := recordLabels(ctx, r, concepts)
	if err != nil {
		return nil, err
	}
	nodes := make([]Node, len(concepts))
	for i, c := range concepts {
		nodes[i] = newNode(c, names[c.Type], labels[c.ID])
	}
	return nodes, nil
}

func newNode(c graph.Concept, typeName string, label label) Node {
	n := Node{ID: c.ID, Type: typeName, Kind: Value, Label: shorten(c.Value), Owner: c.Owner, Access: c.Access}
	switch {
	case c.Composition:
		n.Kind, n.Label, n.LabelID, n.LabelType, n.LabelVia = Record, shorten(label.value.Value), label.value.ID, label.typeName, label.via
	case c.IsType():
		n.Kind = Type
	}
	return n
}

// A label is the value that names a record.
type label struct {
	value    graph.Concept
	typeName string
	via      string // name of the link; "" inside the record
	rank     int    // see labelRank
}

// recordLabels returns the best label of each composition that has one. Among the values of its first and last links, it is the newest
// value of the type that comes first in labelTypes or, if there is none, the first short value.
func recordLabels(ctx context.Context, r graph.Reader, concepts []graph.Concept) (map[graph.ID]label, error) {
	var records []graph.ID
	for _, c := range concepts {
		if c.Composition {
			records = append(records, c.ID)
		}
	}
	links, err := labelLinks(ctx, r, records)
	if err != nil {
		return nil, err
	}
	values, names, err := linkedValues(ctx, r, links)
	if err != nil {
		return nil, err
	}
	types := make([]graph.ID, 0, len(links))
	for _, c := range links {
		types = append(types, c.Type)
	}
	slices.Sort(types)
	linkTypes, err := linkNames(ctx, r, slices.Compact(types))
	if err != nil {
		return nil, err
	}
	labels := map[graph.ID]label{}
	for _, c := range links {
		value, ok := values[c.To]
		if !ok {
			continue
		}
		next := label{value, names[value.Type], linkTypes[c.Type], labelRank(names[value.Type])}
		if best, found := labels[c.From]; !found || next.rank < best.rank || next.rank == best.rank && next.rank < len(labelTypes) {
			labels[c.From] = next
		}
	}
	return labels, nil
}

// labelLinks returns the first and the last links of records, in order of id.
func labelLinks(ctx context.Context, r graph.Reader, records []graph.ID) ([]graph.Connection, error) {
	if len(records) == 0 {
		return nil, nil
	}
	var all []graph.Connection
	for _, descending := range []bool{false, true} {
		found, err := r.Links(ctx, graph.Links{Of: records, Page: graph.Page{Limit: labelLinksRead, Descending: descending}})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b graph.Connection) int { return int(a.ID - b.ID) })
	return slices.CompactFunc(all, func(a, b graph.Connection) bool { return a.ID == b.ID }), nil
}

// linkedValues returns the values to which links lead, and the names of their types.
func linkedValues(ctx context.Context, r graph.Reader, links []graph.Connection) (map[graph.ID]graph.Concept, map[graph.ID]string, error) {
	ids := make([]graph.ID, len(links))
	for i, c := range links {
		ids[i] = c.To
	}
	found, err := r.Concepts(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	values := map[graph.ID]graph.Concept{}
	var types []graph.ID
	for _, c := range found {
		if !c.Composition && c.Value != "" {
			values[c.ID] = c
			types = append(types, c.Type)
		}
	}
	slices.Sort(types)
	names, err := linkNames(ctx, r, slices.Compact(types))
	return values, names, err
}

// labelRank rates how well a type names a record; smaller is better.
func labelRank(typeName string) int {
	name := strings.TrimPrefix(typeName, "the_")
	for i, known := range labelTypes {
		if name == known || strings.HasSuffix(name, "_"+known) {
			return i
		}
	}
	return len(labelTypes)
}

// shorten cuts a text to the length of a label, on one line.
func shorten(text string) string {
	if len(text) > 4*maxLabelRunes {
		text = strings.ToValidUTF8(text[:4*maxLabelRunes], "")
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxLabelRunes {
		return string(runes[:maxLabelRunes-1]) + "…"
	}
	return text
}

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}
