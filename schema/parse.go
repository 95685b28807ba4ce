package schema

import (
	"errors"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/validate"
)

// The largest schemas that Parse accepts.
const (
	maxTypes  = 10_000
	maxFields = 500
	maxNested = 16 // levels of lists and records below a type
)

// Parse reads a schema from JSON, canonical or not. The error is of kind Invalid; it wraps Problems unless the JSON itself is
// malformed.
func Parse(data []byte) (*Schema, error) {
	v, err := composition.Parse(data)
	if err != nil {
		return nil, err
	}
	s, problems := FromValue(v)
	if len(problems) > 0 {
		return nil, problems.AsError()
	}
	return s, nil
}

// AsError returns the problems as an Invalid error.
func (p Problems) AsError() error {
	return problemsError{graph.Errorf(graph.Invalid, "%s", p), p}
}

// A problemsError is an Invalid error together with the problems that its message lists.
type problemsError struct {
	error

	problems Problems
}

// Unwrap returns the graph.Error.
func (e problemsError) Unwrap() error { return e.error }

// ProblemsOf returns the problems that an error of Parse wraps.
func ProblemsOf(err error) Problems {
	if cause, ok := errors.AsType[problemsError](err); ok {
		return cause.problems
	}
	return nil
}

// FromValue reads a schema from a JSON value, and returns every contradiction in it. The schema is complete if there are none.
func FromValue(v composition.Value) (*Schema, Problems) {
	p := &parser{}
	s := &Schema{Types: map[string]*Type{}}
	types := v.Get("types")
	if v.Kind != composition.Record || types.Kind != composition.Record || len(types.Members) > maxTypes {
		p.add("types", "needs the member types, a record of at most %d types", maxTypes)
		return s, p.problems
	}
	p.checkMembers(v, []string{"types"})
	for _, m := range types.Members {
		p.typ = m.Key
		s.Types[m.Key] = p.parseType(m.Key, m.Value)
	}
	p.checkSchema(s)
	return s, p.problems.sorted()
}

// A parser collects the problems of a schema. Its place is the place of the field that it is reading.
type parser struct {
	problems Problems
	typ      string
	path     []string
}

func (p *parser) parseType(name string, v composition.Value) *Type {
	t := &Type{Name: name, Fields: map[string]*Field{}}
	if !isName(name) || slices.Contains(reservedTypes, name) {
		p.add("name", "%q cannot be the name of a type", graph.Clip(name))
	}
	p.checkMembers(v, []string{"fields"})
	t.Fields = p.parseFields(v.Get("fields"))
	t.names = sortedNames(t.Fields)
	return t
}

func (p *parser) parseFields(v composition.Value) map[string]*Field {
	fields := map[string]*Field{}
	if v.Kind != composition.Record || len(v.Members) == 0 || len(v.Members) > maxFields {
		p.add("fields", "needs the member fields, a record of 1 to %d fields", maxFields)
		return fields
	}
	for _, m := range v.Members {
		p.at(m.Key, func() {
			if !isName(m.Key) || slices.Contains(reservedFields, m.Key) {
				p.add("name", "%q cannot be the name of a field", graph.Clip(m.Key))
			}
			fields[m.Key] = p.parseField(m.Key, m.Value)
		})
	}
	return fields
}

// parseField reads a field: first its members, then its items or nested fields.
func (p *parser) parseField(name string, v composition.Value) *Field {
	f := &Field{Name: name, Kind: Kind(v.Get("kind").Text)}
	if v.Kind != composition.Record || v.Get("kind").Kind != composition.Text {
		p.add("kind", "is not a field: a record with the member kind")
		return f
	}
	if _, known := members[f.Kind]; !known {
		p.add("kind", "%q is not a kind", graph.Clip(string(f.Kind)))
		return f
	}
	if len(p.path) > maxNested {
		p.add("kind", "is nested deeper than %d levels", maxNested)
		return f
	}
	p.checkMembers(v, append([]string{"kind"}, members[f.Kind]...))
	for _, m := range v.Members {
		if read, known := memberReaders[m.Key]; known && f.Kind.allows(m.Key) {
			read(p, f, m.Value)
		}
	}
	p.checkField(f)
	return f
}

// memberReaders holds a function for each member of a field, which reads it.
var memberReaders map[string]func(p *parser, f *Field, v composition.Value)

func init() {
	memberReaders = map[string]func(p *parser, f *Field, v composition.Value){
		"required":   func(p *parser, f *Field, v composition.Value) { f.Required = p.readFlag("required", v) },
		"unique":     func(p *parser, f *Field, v composition.Value) { f.Unique = p.readFlag("unique", v) },
		"restricted": func(p *parser, f *Field, v composition.Value) { f.Restricted = p.readFlag("restricted", v) },
		"min":        func(p *parser, f *Field, v composition.Value) { f.Min = p.readBound("min", f.Kind, v) },
		"max":        func(p *parser, f *Field, v composition.Value) { f.Max = p.readBound("max", f.Kind, v) },
		"pattern":    func(p *parser, f *Field, v composition.Value) { f.Pattern = unescapeSlashes(p.readText("pattern", v)) },
		"inverse":    func(p *parser, f *Field, v composition.Value) { f.Inverse = p.readText("inverse", v) },
		"format":     func(p *parser, f *Field, v composition.Value) { f.Format = validate.DataType(p.readText("format", v)) },
		"was":        func(p *parser, f *Field, v composition.Value) { f.Was = p.readTexts("was", v) },
		"choices":    func(p *parser, f *Field, v composition.Value) { f.Choices = p.readTexts("choices", v) },
		"targets":    func(p *parser, f *Field, v composition.Value) { f.Targets = p.readTexts("targets", v) },
		"default":    func(p *parser, f *Field, v composition.Value) { f.Default = &v },
		"of":         func(p *parser, f *Field, v composition.Value) { p.at("of", func() { f.Of = p.parseField("", v) }) },
		"fields": func(p *parser, f *Field, v composition.Value) {
			f.Fields = p.parseFields(v)
			f.names = sortedNames(f.Fields)
		},
	}
}

func (p *parser) readFlag(member string, v composition.Value) bool {
	if v.Kind != composition.Bool {
		p.add(member, "must be true or false")
	}
	return v.Text == "true"
}

func (p *parser) readText(member string, v composition.Value) string {
	if v.Kind != composition.Text || v.Text == "" {
		p.add(member, "must be text")
	}
	return v.Text
}

// readTexts reads a list of distinct strings.
func (p *parser) readTexts(member string, v composition.Value) []string {
	var texts []string
	for _, m := range v.Members {
		if m.Value.Kind != composition.Text || m.Value.Text == "" || slices.Contains(texts, m.Value.Text) {
			p.add(member, "must be a list of distinct texts")
			return nil
		}
		texts = append(texts, m.Value.Text)
	}
	if v.Kind != composition.List || len(texts) == 0 {
		p.add(member, "must be a list of distinct texts")
	}
	return texts
}

// readBound reads min or max. The limits of text, lists and files must be counts.
func (p *parser) readBound(member string, kind Kind, v composition.Value) *Bound {
	if kind.isTime() {
		text, ok := canonicalTime(kind, v.Text)
		if v.Kind != composition.Text || !ok {
			p.add(member, "must be a %s", kind)
		}
		return &Bound{Text: text}
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	isCount := kind != KindInteger && kind != KindNumber
	if v.Kind != composition.Number || err != nil || isCount && (n < 0 || !isSafeInteger(n)) {
		p.add(member, "must be a number, and for a length or a size a whole number from 0 on")
	}
	return &Bound{Number: n}
}

// checkMembers reports members of a record that are not allowed.
func (p *parser) checkMembers(v composition.Value, allowed []string) {
	for _, m := range v.Members {
		if !slices.Contains(allowed, m.Key) {
			p.add("unknown", "cannot have the member %q", graph.Clip(m.Key))
		}
	}
}

// at calls read while name is appended to the path.
func (p *parser) at(name string, read func()) {
	p.path = append(p.path, name)
	read()
	p.path = p.path[:len(p.path)-1]
}
