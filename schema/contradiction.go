package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/validate"
)

// add reports a problem at the current place.
func (p *parser) add(rule, format string, args ...any) {
	p.problems = append(p.problems, Problem{
		Type: p.typ, Field: strings.Join(p.path, "."), Rule: rule, Message: fmt.Sprintf(format, args...),
	})
}

// checkField reports contradictions within a field.
func (p *parser) checkField(f *Field) {
	if f.Min != nil && f.Max != nil && (f.Min.Number > f.Max.Number || f.Min.Text > f.Max.Text) {
		p.add("max", "is less than min")
	}
	if f.Pattern != "" {
		var err error
		if f.pattern, err = compilePattern(f.Pattern); err != nil {
			p.add("pattern", "%s", err)
		}
	}
	if _, known := validate.DataTypes[f.Format]; f.Format != "" && !known {
		p.add("format", "%q is not a format", f.Format)
	}
	if f.Kind == KindChoice && f.Choices == nil {
		p.add("choices", "needs choices")
	}
	p.checkNested(f)
	p.checkLink(f)
	p.checkDefault(f)
}

// checkNested reports a missing member of or fields. In a field inside a list or a nested record, it also reports
// links, and rules that only the fields of a type may have.
func (p *parser) checkNested(f *Field) {
	if f.Kind == KindList && f.Of == nil {
		p.add("of", "needs the kind of its items")
	}
	if f.Kind == KindRecord && f.Fields == nil {
		p.add("fields", "needs fields")
	}
	if len(p.path) < 2 {
		return
	}
	if f.Kind.IsLink() {
		p.add("kind", "only a type may have links")
	}
	if f.Unique {
		p.add("unique", "only the fields of a type may be unique")
	}
	if f.Name != "" {
		return
	}
	for member, isSet := range map[string]bool{
		"required": f.Required, "default": f.Default != nil, "restricted": f.Restricted, "was": f.Was != nil,
	} {
		if isSet {
			p.add(member, "items of a list cannot have the member %q", member)
		}
	}
}

func (p *parser) checkLink(f *Field) {
	if !f.Kind.IsLink() {
		return
	}
	switch {
	case f.Targets == nil:
		p.add("targets", "needs the types to which it leads")
	case f.Inverse != "" && len(f.Targets) != 1:
		p.add("inverse", "needs exactly one target")
	case f.Inverse != "" && f.Required:
		p.add("required", "the inverse of a link cannot be required: it is stored with the other record")
	case f.Inverse != "" && f.Was != nil:
		p.add("was", "the inverse of a link has no stored name")
	}
}

// checkDefault reports a default that the field itself would refuse.
func (p *parser) checkDefault(f *Field) {
	if f.Default == nil {
		return
	}
	if f.Unique {
		p.add("default", "a unique field cannot have a default")
	}
	if f.Kind == KindDate && f.Default.Text == "today" || f.Kind == KindDateTime && f.Default.Text == "now" {
		return
	}
	if stored, refusals := f.Encode(*f.Default); len(refusals) > 0 || stored.Kind == composition.Null {
		p.add("default", "is not a value of the field")
	}
}

// checkSchema reports contradictions between fields and types.
func (p *parser) checkSchema(s *Schema) {
	for name, t := range s.Types {
		p.typ, p.path = name, nil
		p.checkFormerNames(t.Fields)
		for _, f := range t.Fields {
			p.at(f.Name, func() { p.checkInSchema(s, t, f) })
		}
	}
	p.checkRequiredLinks(s)
}

// checkFormerNames reports former names that another field uses.
func (p *parser) checkFormerNames(fields map[string]*Field) {
	used := map[string]bool{}
	for _, name := range sortedNames(fields) {
		f := fields[name]
		p.at(name, func() {
			for _, was := range f.Was {
				if fields[was] != nil || used[was] || !isName(was) {
					p.add("was", "%q is not a name, or is the name of another field", was)
				}
				used[was] = true
			}
			if f.Fields != nil {
				p.checkFormerNames(f.Fields)
			}
		})
	}
}

// checkInSchema reports contradictions of a field with other types.
func (p *parser) checkInSchema(s *Schema, t *Type, f *Field) {
	if isLeaf := !f.Kind.IsLink() && f.Kind != KindRecord && f.Kind != KindList; isLeaf && s.Types[f.Name] != nil {
		p.add("name", "is also the name of a type: values of the field would be listed as records of that type")
	}
	for _, target := range f.Targets {
		if s.Types[target] == nil {
			p.add("targets", "%q is not a type of the schema", target)
			return
		}
	}
	if f.Inverse != "" && len(f.Targets) == 1 {
		p.checkInverse(t, f, s.Types[f.Targets[0]].Fields[f.Inverse])
	}
}

// checkInverse reports an inverse that does not exist, is not a stored link, or does not lead back to the type.
func (p *parser) checkInverse(t *Type, f, inverse *Field) {
	switch {
	case inverse == nil || !inverse.Kind.IsLink():
		p.add("inverse", "%s has no link %q", f.Targets[0], f.Inverse)
	case inverse.Inverse != "":
		p.add("inverse", "%s.%s is itself the inverse of a link", f.Targets[0], f.Inverse)
	case !slices.Contains(inverse.Targets, t.Name):
		p.add("inverse", "%s.%s does not lead to %s", f.Targets[0], f.Inverse, t.Name)
	}
}

// checkRequiredLinks reports required links that form a cycle: the first record of such a type could not be created. A type
// can be created if each of its required links has a target that can be created.
func (p *parser) checkRequiredLinks(s *Schema) {
	canBeCreated := map[string]bool{}
	for hasMore := true; hasMore; {
		hasMore = false
		for name, t := range s.Types {
			if !canBeCreated[name] && blockingLink(s, t, canBeCreated) == "" {
				canBeCreated[name], hasMore = true, true
			}
		}
	}
	for _, name := range s.Names() {
		if link := blockingLink(s, s.Types[name], canBeCreated); link != "" {
			p.typ, p.path = name, []string{link}
			p.add("required", "is part of a cycle of required links: no first record could be created")
		}
	}
}

// blockingLink returns the name of a required link without a target that can be created, or "".
func blockingLink(s *Schema, t *Type, canBeCreated map[string]bool) string {
	for _, name := range t.names {
		f := t.Fields[name]
		if f.Kind != KindOne || !f.Required || f.Inverse != "" {
			continue
		}
		isBlocked := !slices.ContainsFunc(f.Targets, func(target string) bool { return canBeCreated[target] || s.Types[target] == nil })
		if isBlocked && len(f.Targets) > 0 {
			return name
		}
	}
	return ""
}
