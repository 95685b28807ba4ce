package explore

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

const (
	// maxLabelRunes is the maximum length of a label, in code points.
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
		n.Kind, n.Label, n.LabelID, n.LabelType, n.LabelVia = Record, shorten(label.text), label.value, label.typeName, label.via
	case c.IsType():
		n.Kind = Type
	}
	return n
}

// A label is the text that names a record.
type label struct {
	text     string
	value    graph.ID // the value that is the text; 0 if the text is made of several values
	typeName string   // of the value
	via      string   // name of the link to the value; "" inside the record
	rank     int      // see labelRank
}

// recordLabels returns the best label of each composition that has one. Among the values of its first and last links, it is the newest
// value of the type that comes first in labelTypes. Without such a value, it consists of the label of the first linked record and the
// quantity, as in "Pen × 3" for a line of an order; without a linked record that has a label, it is the first value.
func recordLabels(ctx context.Context, r graph.Reader, concepts []graph.Concept) (map[graph.ID]label, error) {
	l := labeller{r, map[graph.ID]graph.Concept{}, map[graph.ID]string{}}
	var records []graph.ID
	for _, c := range concepts {
		if c.Composition {
			records = append(records, c.ID)
		}
	}
	links, err := l.links(ctx, records)
	if err != nil {
		return nil, err
	}
	labels := l.valueLabels(links)
	parents := l.linkedRecords(links, labels)
	if len(parents) == 0 {
		return labels, nil
	}
	var named []graph.ID
	for _, c := range parents {
		named = append(named, c.To)
	}
	slices.Sort(named)
	linksOfNamed, err := l.links(ctx, slices.Compact(named))
	if err != nil {
		return nil, err
	}
	names := l.valueLabels(linksOfNamed)
	quantities := l.quantities(links)
	for record, c := range parents {
		if name, found := names[c.To]; found {
			labels[record] = label{text: name.text + quantities[record]}
		}
	}
	return labels, nil
}

// A labeller reads the links of records, with the concepts to which they lead.
type labeller struct {
	reader graph.Reader
	ends   map[graph.ID]graph.Concept // by id: the concepts to which links lead
	names  map[graph.ID]string        // of the types of these concepts and of the links
}

// links returns the first and the last links of records, in order of id, after it has read the ends of the links.
func (l labeller) links(ctx context.Context, records []graph.ID) ([]graph.Connection, error) {
	links, err := labelLinks(ctx, l.reader, records)
	if err != nil {
		return nil, err
	}
	ids := make([]graph.ID, len(links))
	types := make([]graph.ID, len(links))
	for i, c := range links {
		ids[i], types[i] = c.To, c.Type
	}
	ends, err := l.reader.Concepts(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, c := range ends {
		l.ends[c.ID] = c
		types = append(types, c.Type)
	}
	slices.Sort(types)
	names, err := linkNames(ctx, l.reader, slices.Compact(types))
	maps.Copy(l.names, names)
	return links, err
}

// valueLabels returns the best value of each record.
func (l labeller) valueLabels(links []graph.Connection) map[graph.ID]label {
	labels := map[graph.ID]label{}
	for _, c := range links {
		value := l.ends[c.To]
		if value.Composition || value.Value == "" {
			continue
		}
		typeName := l.names[value.Type]
		next := label{value.Value, value.ID, typeName, l.names[c.Type], labelRank(typeName)}
		if best, found := labels[c.From]; !found || next.rank < best.rank || next.rank == best.rank && next.rank < len(labelTypes) {
			labels[c.From] = next
		}
	}
	return labels
}

// linkedRecords returns the first link to another record of each record that has no value of labelTypes. The links of lists do not count.
func (l labeller) linkedRecords(links []graph.Connection, labels map[graph.ID]label) map[graph.ID]graph.Connection {
	found := map[graph.ID]graph.Connection{}
	for _, c := range links {
		name := l.names[c.Type]
		if !l.ends[c.To].Composition || name == "" || strings.Contains(name, "_s_") || c.To == c.From {
			continue
		}
		own, isNamed := labels[c.From]
		if _, isLinked := found[c.From]; !isLinked && (!isNamed || own.rank == len(labelTypes)) {
			found[c.From] = c
		}
	}
	return found
}

// quantities returns the quantity of each record that has one, as the end of a label.
func (l labeller) quantities(links []graph.Connection) map[graph.ID]string {
	found := map[graph.ID]string{}
	for _, c := range links {
		if value := l.ends[c.To]; l.names[value.Type] == "the_quantity" {
			found[c.From] = " × " + value.Value
		}
	}
	return found
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

// shorten cuts text to the length of a label, on one line.
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
