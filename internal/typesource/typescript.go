package typesource

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/schema"
)

// TypeScript returns a module that defines a schema with the builders of @weft/client/schema.
func TypeScript(s *schema.Schema) []byte {
	g := &tsGenerator{used: map[string]bool{"defineSchema": true}}
	for _, name := range s.Names() {
		g.body.WriteString("  " + name + ": {\n")
		for _, f := range fieldsInOrder(s.Types[name].Names(), s.Types[name].Fields) {
			g.body.WriteString("    " + f.Name + ": " + g.field(f) + ",\n")
		}
		g.body.WriteString("  },\n")
	}
	names := strings.Join(slices.Sorted(maps.Keys(g.used)), ", ")
	return []byte(generatedNote + "import { " + names + " } from '@weft/client/schema'\n\n" +
		"export const schema = defineSchema({\n" + g.body.String() + "})\n")
}

// A tsGenerator generates calls of builders and collects their names.
type tsGenerator struct {
	used map[string]bool
	body strings.Builder
}

// field returns the expression that builds a field.
func (g *tsGenerator) field(f *schema.Field) string {
	g.used[string(f.Kind)] = true
	return string(f.Kind) + "(" + g.arguments(f) + ")" + tsRules(f)
}

func (g *tsGenerator) arguments(f *schema.Field) string {
	switch f.Kind {
	case schema.KindChoice:
		return tsTexts(f.Choices)
	case schema.KindList:
		return g.field(f.Of)
	case schema.KindRecord:
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
			fields = append(fields, name+": "+g.field(f.Fields[name]))
		}
		return "{ " + strings.Join(fields, ", ") + " }"
	case schema.KindOne, schema.KindMany:
		targets := tsTexts(f.Targets)
		switch {
		case len(f.Targets) > 1:
			return "[" + targets + "]"
		case f.Inverse != "":
			return targets + ", " + tsText(f.Inverse)
		}
		return targets
	default:
		return ""
	}
}

// tsRules returns the calls that add rules to a field.
func tsRules(f *schema.Field) string {
	var b strings.Builder
	add := func(isSet bool, call string) {
		if isSet {
			b.WriteString("." + call)
		}
	}
	value := f.Value()
	add(f.Required, "required()")
	add(f.Unique, "unique()")
	add(f.Default != nil, "default("+tsValue(value.Get("default"))+")")
	add(f.Min != nil, "min("+tsValue(value.Get("min"))+")")
	add(f.Max != nil, "max("+tsValue(value.Get("max"))+")")
	add(f.Pattern != "", "pattern("+tsPattern(f.Pattern)+")")
	add(f.Format != "", "format("+tsText(string(f.Format))+")")
	add(f.Restricted, "restricted()")
	add(f.Was != nil, "was("+tsTexts(f.Was)+")")
	return b.String()
}

// tsPattern returns a regular expression literal, in which slashes must be escaped.
func tsPattern(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '\\':
			b.WriteString(pattern[i : i+2])
			i++
		case '/':
			b.WriteString(`\/`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		default:
			b.WriteByte(c)
		}
	}
	return "/" + strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(b.String()) + "/u"
}

func tsTexts(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = tsText(text)
	}
	return strings.Join(quoted, ", ")
}

// tsText returns a string literal, in single quotes unless the text contains one or needs an escape.
func tsText(text string) string {
	quoted := composition.TextValue(text).String()
	inner := quoted[1 : len(quoted)-1]
	if strings.ContainsAny(inner, `'\`) {
		return quoted
	}
	return "'" + inner + "'"
}

// tsValue returns the expression of a JSON value.
func tsValue(v composition.Value) string {
	if v.Kind == composition.Text {
		return tsText(v.Text)
	}
	return v.String()
}
