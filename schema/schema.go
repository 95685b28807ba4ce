package schema

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/validate"
)

// A Schema holds the types of an application by name. It is read-only after Parse or Define.
type Schema struct {
	Types map[string]*Type
}

// A Type holds the fields and links of a type by name.
type Type struct {
	Name   string
	Fields map[string]*Field
	names  []string // keys of Fields, sorted
}

// A Field describes a field or a link. Kind determines which other members may be set.
type Field struct {
	Name       string // "" for the items of a list
	Kind       Kind
	Required   bool // a value must be given; the empty text and the empty list do not count
	Unique     bool // no other record of the type has the value
	Restricted bool // some users may read the record but not this field
	// Default is the typed value of a field that a new record leaves out; nil means no default. It may be "today" for a date and
	// "now" for a time.
	Default *composition.Value
	// Min and Max limit a number, a time, the code points of text, the items of a list, or the bytes of a file.
	Min, Max *Bound
	Pattern  string            // must match some part of the text; see compilePattern for the syntax
	Format   validate.DataType // data type that the text must have
	Was      []string          // former names, under which data is still read
	Choices  []string
	Of       *Field            // the items of a list
	Fields   map[string]*Field // fields of a nested record
	Targets  []string          // names of the types that a link can point to
	Inverse  string            // the link of the target that stores this link; "" if it is stored under its own name

	pattern *regexp.Regexp
	names   []string // keys of Fields, sorted
}

// A Bound is the value of min or max: a number, or text for a field of kind date or dateTime.
type Bound struct {
	Number float64
	Text   string
}

// TypeName returns the name of the store type of the records.
func (t *Type) TypeName() string { return graph.WithPrefix(t.Name) }

// Names returns the names of the fields and links in order.
func (t *Type) Names() []string { return t.names }

// ConnectionName returns the store type of the connections of a link. A link with an inverse has no connections of its
// own: it follows those of the inverse in the other direction.
func (s *Schema) ConnectionName(typ string, link *Field) string {
	if link.Inverse != "" {
		typ, link = link.Targets[0], s.Types[link.Targets[0]].Fields[link.Inverse]
	}
	return connectionName(typ, link.Kind, link.Name)
}

// ConnectionNames returns the store types of the connections of a link without an inverse, the current one first, and then the
// types from its former names, which older connections may have.
func (t *Type) ConnectionNames(link *Field) []string {
	var names []string
	for _, name := range append([]string{link.Name}, link.Was...) {
		names = append(names, connectionName(t.Name, link.Kind, name))
	}
	return names
}

func connectionName(typ string, kind Kind, name string) string {
	if kind == KindMany {
		return graph.WithPrefix(typ) + "_s_" + name
	}
	return graph.WithPrefix(typ) + "_" + name
}

// A Problem is a contradiction in a schema.
type Problem struct {
	Type    string `json:"type,omitempty"`
	Field   string `json:"field,omitempty"` // path of the field; items of a list have the name "of"
	Rule    string `json:"rule"`            // the member that is wrong
	Message string `json:"message"`
}

// String returns the place and the message of the problem.
func (p Problem) String() string {
	return cmp.Or(strings.Trim(p.Type+"."+p.Field, "."), "schema") + ": " + p.Message
}

// Problems lists all contradictions in a schema, in order of type, field and rule.
type Problems []Problem

// String lists the first problems.
func (p Problems) String() string {
	const maxListed = 10
	texts := make([]string, 0, maxListed)
	for _, problem := range p[:min(len(p), maxListed)] {
		texts = append(texts, problem.String())
	}
	text := "the schema has problems: " + strings.Join(texts, "; ")
	if more := len(p) - maxListed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// sorted returns the problems in order of type, field and rule, with one problem for each rule of a field.
func (p Problems) sorted() Problems {
	byPlace := func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Rule, b.Rule))
	}
	slices.SortStableFunc(p, byPlace)
	return slices.CompactFunc(p, func(a, b Problem) bool { return byPlace(a, b) == 0 })
}

// sortedNames returns the names of fields in order.
func sortedNames(fields map[string]*Field) []string { return slices.Sorted(maps.Keys(fields)) }

// Names returns the names of the types in order.
func (s *Schema) Names() []string { return slices.Sorted(maps.Keys(s.Types)) }
