package schemas

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// rules is a schema prepared for checking batches. It is read-only.
type rules struct {
	types map[string]*schema.Type // keyed by the name of their store type
	links map[string][]linkRule   // keyed by the name of their connection type
	parts map[string]bool         // names of the store types of fields, at any depth
	names map[graph.ID]string     // names of all types in types and links, by id
	ids   map[string]graph.ID     // ids of all types in types and links, by name
}

// A linkRule is a link that is stored with the records of a type.
type linkRule struct {
	owner *schema.Type
	link  *schema.Field
}

// newRules returns the rules of a schema, or nil for a schema without types.
func newRules(ctx context.Context, r graph.Reader, s *schema.Schema) (*rules, error) {
	if len(s.Types) == 0 {
		return nil, nil //nolint:nilnil // nil rules mean that there is nothing to check
	}
	found := &rules{
		types: map[string]*schema.Type{}, links: map[string][]linkRule{}, parts: map[string]bool{},
		names: map[graph.ID]string{}, ids: map[string]graph.ID{},
	}
	for _, t := range s.Types {
		found.types[t.TypeName()] = t
		found.addLinks(t)
		for _, name := range partTypes(t.Fields) {
			found.parts[name] = true
		}
	}
	var names []string
	for name := range found.types {
		names = append(names, name)
	}
	for name := range found.links {
		names = append(names, name)
	}
	for name := range found.parts {
		names = append(names, name)
	}
	types, err := graph.TypesNamed(ctx, r, names...)
	for name, c := range types {
		found.names[c.ID], found.ids[name] = name, c.ID
	}
	return found, err
}

// addLinks adds the links that are stored with the records of a type.
func (r *rules) addLinks(t *schema.Type) {
	for _, f := range t.Fields {
		if !f.Kind.IsLink() || f.Inverse != "" {
			continue
		}
		for _, connection := range t.ConnectionNames(f) {
			r.links[connection] = append(r.links[connection], linkRule{t, f})
		}
	}
}

// partTypes returns the names of the store types of fields, at any depth. The type of a value has the prefix; the type of a
// nested record or list is the key as written.
func partTypes(fields map[string]*schema.Field) []string {
	var names []string
	for name, f := range fields {
		if f.Kind.IsLink() {
			continue
		}
		for _, name := range append([]string{name}, f.Was...) {
			names = append(names, graph.WithPrefix(name))
			if f.Kind == schema.KindRecord || f.Kind == schema.KindList {
				names = append(names, name)
			}
		}
		names = append(names, partTypes(f.Fields)...)
		if f.Of != nil {
			names = append(names, partTypes(f.Of.Fields)...)
		}
	}
	return names
}

// fieldOf returns the field to which a part of a record belongs, or nil. typeName is the name of the part's type.
func fieldOf(t *schema.Type, typeName string) *schema.Field {
	key := graph.WithoutPrefix(typeName)
	if f := t.Fields[key]; f != nil && !f.Kind.IsLink() {
		return f
	}
	for _, name := range t.Names() {
		f := t.Fields[name]
		for _, was := range f.Was {
			if was == key && !f.Kind.IsLink() {
				return f
			}
		}
	}
	return nil
}

// linkOf returns the link of a type whose connections have the type with the given name, or nil.
func (r *rules) linkOf(t *schema.Type, connectionType string) *schema.Field {
	for _, rule := range r.links[connectionType] {
		if rule.owner == t {
			return rule.link
		}
	}
	return nil
}
