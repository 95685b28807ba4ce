package typesource

import (
	"fmt"
	"go/format"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// Go returns a Go file of the package pkg with a struct for each type, from which schema.Define creates the same schema.
// The error is Invalid for an invalid package name, and for text that the tag of a struct cannot contain.
func Go(s *schema.Schema, pkg string) ([]byte, error) {
	if !token.IsIdentifier(pkg) {
		return nil, graph.Errorf(graph.Invalid, "%q is not a valid name of a Go package", graph.Clip(pkg))
	}
	g := &goGenerator{imports: map[string]bool{}}
	for _, name := range s.Names() {
		g.imports["github.com/weft-graph/weft/graph"] = true
		fmt.Fprintf(&g.body, "// %s is the type %s of the schema.\ntype %s struct {\nID graph.ID\n", goName(name), name, goName(name))
		g.fields(s.Types[name].Names(), s.Types[name].Fields)
		g.body.WriteString("}\n\n")
	}
	if g.err != nil {
		return nil, g.err
	}
	var out strings.Builder
	out.WriteString(generatedNote + "package " + pkg + "\n\nimport (\n")
	for _, path := range slices.Sorted(maps.Keys(g.imports)) {
		fmt.Fprintf(&out, "%q\n", path)
	}
	out.WriteString(")\n\n" + g.body.String())
	return format.Source([]byte(out.String()))
}

// A goGenerator generates structs and collects the packages that they need.
type goGenerator struct {
	imports map[string]bool
	body    strings.Builder
	err     error
}

// fields writes the fields of a struct.
func (g *goGenerator) fields(names []string, fields map[string]*schema.Field) {
	for _, f := range fieldsInOrder(names, fields) {
		tag := "weft:" + strconv.Quote(f.Name+g.options(f, 0))
		if strings.Contains(tag, "`") {
			tag = strconv.Quote(tag)
		} else {
			tag = "`" + tag + "`"
		}
		g.body.WriteString(goName(f.Name) + " ")
		g.goType(f)
		g.body.WriteString(" " + tag + "\n")
	}
}

// goType writes the Go type of a field. A field that can lack a value is a pointer, except a list, a link to many and JSON: these are nil
// without a value.
func (g *goGenerator) goType(f *schema.Field) {
	mayBeNil := !f.Required && f.Name != "" && f.Kind != schema.KindList && f.Kind != schema.KindMany && f.Kind != schema.KindJSON
	if mayBeNil {
		g.body.WriteByte('*')
	}
	switch f.Kind {
	case schema.KindInteger:
		g.body.WriteString("int64")
	case schema.KindNumber:
		g.body.WriteString("float64")
	case schema.KindBoolean:
		g.body.WriteString("bool")
	case schema.KindDate:
		g.qualified("github.com/weft-graph/weft/schema", "schema.Day")
	case schema.KindDateTime:
		g.qualified("time", "time.Time")
	case schema.KindFile:
		g.qualified("github.com/weft-graph/weft/schema", "schema.StoredFile")
	case schema.KindJSON:
		g.qualified("encoding/json", "json.RawMessage")
	case schema.KindList:
		g.body.WriteString("[]")
		g.goType(f.Of)
	case schema.KindRecord:
		g.body.WriteString("struct {\n")
		g.fields(slices.Sorted(maps.Keys(f.Fields)), f.Fields)
		g.body.WriteString("}")
	case schema.KindOne:
		g.qualified("github.com/weft-graph/weft/schema", "schema.One["+goTarget(f)+"]")
	case schema.KindMany:
		g.qualified("github.com/weft-graph/weft/schema", "schema.Many["+goTarget(f)+"]")
	default:
		g.body.WriteString("string")
	}
}

// qualified writes a type of another package.
func (g *goGenerator) qualified(path, name string) {
	g.imports[path] = true
	g.body.WriteString(name)
}

// goTarget returns the type argument of a link.
func goTarget(f *schema.Field) string {
	if len(f.Targets) > 1 {
		return "any"
	}
	return goName(f.Targets[0])
}

// options returns the options of a tag, each after a comma. The limits of list items have the prefix "item", once for each level of
// lists.
func (g *goGenerator) options(f *schema.Field, lists int) string {
	var b strings.Builder
	add := func(isSet bool, name string, values ...string) {
		if !isSet {
			return
		}
		b.WriteString("," + name)
		if len(values) == 0 {
			return
		}
		for _, v := range values {
			if strings.ContainsAny(v, ",|") {
				g.err = graph.Errorf(graph.Invalid, "the tag of a Go struct cannot hold %q, because it contains a comma or a bar", v)
			}
		}
		b.WriteString("=" + strings.Join(values, "|"))
	}
	value := f.Value()
	add(f.Kind == schema.KindLongText, "longText")
	add(f.Required, "required")
	add(f.Unique, "unique")
	add(f.Restricted, "restricted")
	add(f.Choices != nil, "choices", f.Choices...)
	add(len(f.Targets) > 1, "targets", f.Targets...)
	add(f.Inverse != "", "inverse", f.Inverse)
	add(f.Default != nil, "default", plainText(value.Get("default")))
	add(f.Min != nil, limitName("min", lists), plainText(value.Get("min")))
	add(f.Max != nil, limitName("max", lists), plainText(value.Get("max")))
	add(f.Was != nil, "was", f.Was...)
	if f.Of != nil {
		b.WriteString(g.options(f.Of, lists+1))
	}
	add(f.Format != "", "format", string(f.Format))
	if f.Pattern != "" {
		b.WriteString(",pattern=" + f.Pattern)
	}
	return b.String()
}

// limitName returns the name of an option for the items of lists: itemMin, itemItemMin.
func limitName(name string, lists int) string {
	for range lists {
		name = "item" + goName(name)
	}
	return name
}

// goName returns a name with an upper-case first letter.
func goName(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// generatedNote starts every generated file.
const generatedNote = "// Code generated by weft types. DO NOT EDIT.\n\n"

// fieldsInOrder returns the fields of a type or a nested record in order of their names.
func fieldsInOrder(names []string, fields map[string]*schema.Field) []*schema.Field {
	list := make([]*schema.Field, len(names))
	for i, name := range names {
		list[i] = fields[name]
	}
	return list
}

// plainText returns a value of kind Text unchanged, and any other value as JSON.
func plainText(v composition.Value) string {
	if v.Kind == composition.Text {
		return v.Text
	}
	return v.String()
}
