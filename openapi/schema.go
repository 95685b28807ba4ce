package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// schemas makes schemas of types and keeps those that have a name.
type schemas struct {
	known    map[reflect.Type]Schema
	examples map[reflect.Type]json.RawMessage
	names    map[use]string
	taken    map[string]bool
	list     List[*Schema]
}

// A use is a type in requests or in answers. In a request every member may be left out, and what a server
// reads leniently is described as what it should be.
type use struct {
	t    reflect.Type
	sent bool
}

func (s *schemas) of(u use) (*Schema, error) {
	if known, ok := s.known[u.t]; ok {
		return &known, nil
	}
	if u.t.Kind() == reflect.Pointer { // it has the methods of what it points to
		return s.pointer(u)
	}
	switch u.t {
	case reflect.TypeFor[time.Time]():
		return &Schema{Type: "string", Format: "date-time"}, nil
	case reflect.TypeFor[json.RawMessage]():
		return &Schema{}, nil
	}
	if shown, ok := u.t.MethodByName("Wire"); ok && shown.Type.NumIn() == 1 && shown.Type.NumOut() == 1 {
		return s.of(use{shown.Type.Out(0), u.sent})
	}
	if !u.t.Implements(reflect.TypeFor[json.Marshaler]()) && u.t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return &Schema{Type: "string"}, nil
	}
	if ownJSON(u.t) && !tagged(u.t) {
		return nil, fmt.Errorf("%s writes its own JSON; give it a method Wire that returns what the JSON looks like, or tags", u.t)
	}
	return s.byKind(u)
}

func (s *schemas) byKind(u use) (*Schema, error) {
	switch u.t.Kind() {
	case reflect.Bool:
		return &Schema{Type: "boolean"}, nil
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
		return &Schema{Type: "integer", Format: "int64"}, nil
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return &Schema{Type: "integer", Format: "int32"}, nil
	case reflect.Float32, reflect.Float64:
		return &Schema{Type: "number", Format: "double"}, nil
	case reflect.String:
		return &Schema{Type: "string"}, nil
	case reflect.Interface:
		return &Schema{}, nil
	case reflect.Slice, reflect.Array:
		return s.slice(u)
	case reflect.Map:
		return s.object(u)
	case reflect.Struct:
		return s.record(u)
	default:
		return nil, fmt.Errorf("%s cannot be described in JSON", u.t)
	}
}

func (s *schemas) pointer(u use) (*Schema, error) {
	to, err := s.of(use{u.t.Elem(), u.sent})
	if err != nil || u.sent {
		return to, err
	}
	return &Schema{AnyOf: []*Schema{to, {Type: "null"}}}, nil
}

func (s *schemas) slice(u use) (*Schema, error) {
	if u.t.Elem().Kind() == reflect.Uint8 {
		return &Schema{Type: "string", ContentEncoding: "base64"}, nil
	}
	items, err := s.of(use{u.t.Elem(), u.sent})
	return &Schema{Type: "array", Items: items}, err
}

func (s *schemas) object(u use) (*Schema, error) {
	values, err := s.of(use{u.t.Elem(), u.sent})
	return &Schema{Type: "object", AdditionalProperties: values}, err
}

// record describes a struct, under its name if it has one.
func (s *schemas) record(u use) (*Schema, error) {
	if u.t.Name() == "" {
		made := &Schema{Type: "object"}
		return made, s.members(made, u)
	}
	if name, ok := s.names[u]; ok {
		return ref(name), nil
	}
	name := s.name(u)
	made := &Schema{Type: "object"}
	s.names[u] = name
	s.list = append(s.list, Member[*Schema]{name, made})
	return ref(name), s.members(made, u)
}

func ref(name string) *Schema { return &Schema{Ref: "#/components/schemas/" + name} }

// name takes the name of the type. A type that is in answers too is called Sent… in requests; of two types
// with one name, the second has that of its package in front.
func (s *schemas) name(u use) string {
	name := title(nameOf(u.t))
	if u.sent && s.taken[name] {
		if _, answered := s.names[use{u.t, false}]; answered {
			name = "Sent" + name
		}
	}
	if s.taken[name] {
		pkg := u.t.PkgPath()
		name = title(pkg[strings.LastIndexByte(pkg, '/')+1:]) + name
	}
	s.taken[name] = true
	return name
}

// nameOf is the name of a type without packages: Page[x.y.Concept] is PageConcept.
func nameOf(t reflect.Type) string {
	name, parameters, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	for parameter := range strings.SplitSeq(strings.TrimSuffix(parameters, "]"), ",") {
		name += title(strings.TrimLeft(parameter[strings.LastIndexByte(parameter, '.')+1:], "[]*"))
	}
	return name
}

func title(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// members describes the fields of a struct as encoding/json sees them.
func (s *schemas) members(of *Schema, u use) error {
	for field := range u.t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct {
			if err := s.members(of, use{field.Type, u.sent}); err != nil {
				return err
			}
			continue
		}
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		member, err := s.of(use{field.Type, u.sent})
		if err != nil {
			return fmt.Errorf("%s.%s: %w", u.t, field.Name, err)
		}
		if strings.Contains(options, "string") {
			member = &Schema{Type: "string"}
		}
		of.Properties = append(of.Properties, Member[*Schema]{name, member})
		if !u.sent && !strings.Contains(options, "omit") {
			of.Required = append(of.Required, name)
		}
	}
	return nil
}

// ownJSON says whether a type writes itself.
func ownJSON(t reflect.Type) bool {
	_, appends := t.MethodByName("AppendJSON")
	return appends || t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// tagged says whether the JSON that a type writes can be read off it all the same: a struct says so by a tag
// on every field, and a list is a list.
func tagged(t reflect.Type) bool {
	if t.Kind() == reflect.Slice {
		return true
	}
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return false
	}
	for field := range t.Fields() {
		if field.Tag.Get("json") == "" {
			return false
		}
	}
	return true
}
