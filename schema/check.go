package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// Check returns the refusals of a stored composition, in order of the names of its fields, at most one for each value. Parts
// that the type does not have are accepted. The caller checks uniqueness, and links, which are not in the composition.
func (t *Type) Check(stored composition.Value) []Refusal {
	c := &converter{}
	c.checkFields(t.Fields, t.names, stored)
	return c.refusals
}

// Check returns the refusals of one stored value. Null violates Required, unless Decode would return a default instead.
func (f *Field) Check(stored composition.Value) []Refusal {
	c := &converter{path: []string{f.Name}}
	c.check(f, stored)
	return c.refusals
}

func (c *converter) checkFields(fields map[string]*Field, names []string, stored composition.Value) {
	for _, name := range names {
		f := fields[name]
		if f.Kind.IsLink() {
			continue
		}
		v, exists := f.storedIn(stored)
		if !exists && !f.Required {
			continue
		}
		c.path = append(c.path, name)
		c.check(f, v)
		c.path = c.path[:len(c.path)-1]
	}
}

func (c *converter) check(f *Field, stored composition.Value) {
	isEmpty := stored.IsNested() && len(stored.Members) == 0
	switch {
	case stored.Kind == composition.Null:
		if f.Required && (f.Default == nil || f.isDefaultOfCreation()) {
			c.refuse("required", f)
		}
	case f.Kind == KindList && (stored.Kind == composition.List || isEmpty):
		c.checkList(f, stored)
	case f.Kind == KindRecord && (stored.Kind == composition.Record || isEmpty):
		c.checkFields(f.Fields, f.names, stored)
	case f.Kind == KindList || f.Kind == KindRecord || stored.Kind != composition.Text:
		c.refuse("kind", f)
	default:
		if rule := f.violatedRule(stored.Text); rule != "" {
			c.refuse(rule, f)
		}
	}
}

func (c *converter) checkList(f *Field, stored composition.Value) {
	n := float64(len(stored.Members))
	switch {
	case f.Required && n == 0:
		c.refuse("required", f)
	case f.Min != nil && n < f.Min.Number:
		c.refuse("min", f)
	case f.Max != nil && n > f.Max.Number:
		c.refuse("max", f)
	}
	for i, m := range stored.Members {
		c.path = append(c.path, strconv.Itoa(i))
		c.check(f.Of, m.Value)
		c.path = c.path[:len(c.path)-1]
	}
}

// violatedRule returns the first rule that a stored text violates, or "".
func (f *Field) violatedRule(text string) string {
	switch {
	case len(text) > graph.MaxTextBytes:
		return "max"
	case !isStorable(text):
		return "kind"
	case f.Kind.isText():
		return f.violatedTextRule(text)
	case f.Kind == KindBoolean && text != "true" && text != "false":
		return "kind"
	case f.Kind == KindChoice && !f.hasChoice(text):
		return "choices"
	case f.Kind == KindInteger || f.Kind == KindNumber:
		n, ok := parseNumber(text)
		return f.violatedLimit(ok && (f.Kind == KindNumber || isSafeInteger(n)), Bound{Number: n}, text)
	case f.Kind.isTime():
		at, ok := canonicalTime(f.Kind, text)
		return f.violatedLimit(ok, Bound{Text: at}, text)
	case f.Kind == KindFile:
		file, ok := f.decodeScalar(text)
		size, _ := parseNumber(file.Get("size").Text)
		return f.violatedLimit(ok, Bound{Number: size}, "")
	case f.Kind == KindJSON:
		if _, ok := f.decodeScalar(text); !ok {
			return "kind"
		}
	}
	return ""
}

// violatedTextRule returns the first rule that text violates. An empty text counts as a missing value, to which only
// required and min apply.
func (f *Field) violatedTextRule(text string) string {
	n := float64(utf8.RuneCountInString(text))
	switch {
	case text == "" && f.Required:
		return "required"
	case f.Min != nil && n < f.Min.Number:
		return "min"
	case f.Max != nil && n > f.Max.Number, f.Unique && text != "" && !graph.IsShared(text):
		return "max"
	case text == "":
		return ""
	case f.Format != "" && !f.Format.Accepts(text):
		return "format"
	case f.pattern != nil && !f.pattern.MatchString(text):
		return "pattern"
	default:
		return ""
	}
}

// violatedLimit returns the rule that a number or time violates. A unique value must have its shortest form, because a
// value is found by its text.
func (f *Field) violatedLimit(fits bool, v Bound, text string) string {
	switch {
	case !fits, f.Unique && text != canonicalText(f.Kind, v):
		return "kind"
	case f.Min != nil && (v.Number < f.Min.Number || v.Text < f.Min.Text):
		return "min"
	case f.Max != nil && (v.Number > f.Max.Number || v.Text > f.Max.Text):
		return "max"
	default:
		return ""
	}
}

func canonicalText(kind Kind, v Bound) string {
	if kind.isTime() {
		return v.Text
	}
	return formatNumber(v.Number)
}

// refuse adds a refusal of the current field.
func (c *converter) refuse(rule string, f *Field) {
	path := strings.Join(c.path, ".")
	c.refusals = append(c.refusals, Refusal{Field: path, Rule: rule, Message: f.sentence(rule, path)})
}

// refuseAlso adds each of the given refusals whose value has none yet.
func (c *converter) refuseAlso(more []Refusal) {
	first := len(c.refusals)
	for _, r := range more {
		isKnown := func(known Refusal) bool { return known.Field == r.Field }
		if !slices.ContainsFunc(c.refusals[:first], isKnown) {
			c.refusals = append(c.refusals, r)
		}
	}
}
