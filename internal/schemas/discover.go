package schemas

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

const (
	// MaxDiscovered is the maximum number of records that Discover reads.
	MaxDiscovered = 1_000
	// linksPerRecord is the number of connections of each record that are read in each direction.
	linksPerRecord = 100
	// maxExamples is the maximum number of example values of a field or link.
	maxExamples = 5
	// maxExampleRunes is the maximum length of an example.
	maxExampleRunes = 80
)

// A Discovery describes the actual records of a type, whether or not the schema has the type.
type Discovery struct {
	Type    string       `json:"type"`    // the name of the store type
	Records int          `json:"records"` // number of records that were read; the newest are read
	All     bool         `json:"all"`     // true if all records of the type were read
	Fields  []FoundField `json:"fields"`
	Links   []FoundLink  `json:"links"`
}

// A FoundField is a part of records, or of records nested in them.
type FoundField struct {
	Name     string       `json:"name"`
	Kind     schema.Kind  `json:"kind"`     // record, list, or the narrowest kind that fits all values; see schema.FittingKind
	Records  int          `json:"records"`  // number of records that have the field
	Distinct int          `json:"distinct"` // different values, for kinds of a single value
	Examples []string     `json:"examples"`
	Fields   []FoundField `json:"fields"` // fields of a nested record, or of the items of a list of records
}

// A FoundLink is a type of the connections at records, except connections inside the records.
type FoundLink struct {
	Connection string   `json:"connection"`
	Reverse    bool     `json:"reverse"` // the connections lead to the records
	Types      []string `json:"types"`   // types of the concepts at the other end, most frequent first
	Records    int      `json:"records"` // number of records that have such a connection
	Most       int      `json:"most"`    // largest number of connections of one record, at most linksPerRecord
	// Kind is the narrowest kind that fits all values at the other end, or "" if all concepts at the other end are
	// records.
	Kind     schema.Kind `json:"kind"`
	Distinct int         `json:"distinct"` // number of different values
	Examples []string    `json:"examples"`
}

// Discover reads the newest records of a type and describes their fields and links. It reads at most limit and at most
// MaxDiscovered records. The error is NotFound for an unknown type.
func Discover(ctx context.Context, r graph.Reader, typeName string, limit int) (Discovery, error) {
	types, err := graph.TypesNamed(ctx, r, typeName)
	if err != nil {
		return Discovery{}, err
	}
	typ, exists := types[typeName]
	if !exists {
		return Discovery{}, graph.Errorf(graph.NotFound, "no type %q", graph.Clip(typeName))
	}
	limit = min(max(limit, 1), MaxDiscovered)
	found, err := r.ConceptsByType(ctx, typ.ID, graph.Page{Limit: limit, Descending: true})
	if err != nil {
		return Discovery{}, err
	}
	all := len(found) < limit
	found = slices.DeleteFunc(found, func(c graph.Concept) bool { return c.Category != graph.CategoryInstance })
	d := Discovery{Type: typeName, Records: len(found), All: all, Fields: []FoundField{}, Links: []FoundLink{}}
	if len(found) == 0 {
		return d, nil
	}
	ids := make([]graph.ID, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	values, err := composition.Read(ctx, r, ids, composition.Plain)
	if err != nil {
		return Discovery{}, err
	}
	fields := newFieldCount()
	for _, v := range values {
		fields.addRecord(v.Members[0].Value)
	}
	d.Fields = fields.found()
	for _, direction := range []graph.Direction{graph.Out, graph.In} {
		links, err := discoverLinks(ctx, r, ids, direction)
		if err != nil {
			return Discovery{}, err
		}
		d.Links = append(d.Links, links...)
	}
	return d, nil
}

// A fieldCount counts the fields of records.
type fieldCount struct {
	names []string // in order of their first occurrence
	byKey map[string]*fieldValues
}

// fieldValues holds the values of a field.
type fieldValues struct {
	records int
	texts   []string
	nested  *fieldCount // fields of nested records and of the items of lists
	isList  bool
}

func newFieldCount() *fieldCount { return &fieldCount{byKey: map[string]*fieldValues{}} }

// addRecord adds the fields of a record. It adds nothing for a value that has no fields.
func (c *fieldCount) addRecord(record composition.Value) {
	if record.Kind != composition.Record {
		return
	}
	for _, m := range record.Members {
		f := c.byKey[m.Key]
		if f == nil {
			f = &fieldValues{nested: newFieldCount()}
			c.byKey[m.Key] = f
			c.names = append(c.names, m.Key)
		}
		f.records++
		f.add(m.Value)
	}
}

// add adds a value of the field.
func (f *fieldValues) add(v composition.Value) {
	switch v.Kind {
	case composition.Record:
		f.nested.addRecord(v)
	case composition.List:
		f.isList = true
		for _, item := range v.Members {
			if item.Value.Kind == composition.Record {
				f.nested.addRecord(item.Value)
			} else {
				f.texts = append(f.texts, item.Value.Text)
			}
		}
	default:
		f.texts = append(f.texts, v.Text)
	}
}

// found returns the fields, the most frequent first.
func (c *fieldCount) found() []FoundField {
	fields := make([]FoundField, len(c.names))
	for i, name := range c.names {
		f := c.byKey[name]
		out := FoundField{Name: name, Records: f.records, Kind: schema.FittingKind(f.texts), Fields: f.nested.found()}
		out.Examples, out.Distinct = examplesOf(f.texts)
		switch {
		case f.isList:
			out.Kind = schema.KindList
		case len(f.texts) == 0:
			out.Kind = schema.KindRecord
		}
		fields[i] = out
	}
	slices.SortStableFunc(fields, func(a, b FoundField) int { return cmp.Compare(b.Records, a.Records) })
	return fields
}

// examplesOf returns the most frequent of the given values in shortened form, and the number of different values.
func examplesOf(texts []string) (examples []string, distinct int) {
	examples = []string{}
	count := map[string]int{}
	for _, text := range texts {
		count[text]++
	}
	byFrequency := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	for _, text := range byFrequency[:min(maxExamples, len(byFrequency))] {
		if runes := []rune(text); len(runes) > maxExampleRunes {
			text = string(runes[:maxExampleRunes]) + "…"
		}
		examples = append(examples, text)
	}
	return examples, len(count)
}
