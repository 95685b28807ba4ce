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

// schemas derives schemas from Go types and collects the named schemas.
type schemas struct {
	known     map[reflect.Type]Schema
	examples  map[reflect.Type]json.RawMessage
	names     map[typeUse]string
	usedNames map[string]bool
	list      List[*Schema]
}

// A typeUse is a type in requests or in responses. In requests every member is optional, and a type that the server
// reads leniently is described as a client should send it.
type typeUse struct {
	t         reflect.Type
	inRequest bool
}

// of returns the schema of a type. The schema of a named struct is a reference.
func (s *schemas) of(u typeUse) (*Schema, error) {
	if known, ok := s.known[u.t]; ok {
		return &known, nil
	}
	if u.t.Kind() == reflect.Pointer { // first, because a pointer has the methods of its element type
		return s.pointer(u)
	}
	switch u.t {
	case reflect.TypeFor[time.Time]():
		return &Schema{Type: "string", Format: "date-time"}, nil
	case reflect.TypeFor[json.RawMessage]():
		return &Schema{}, nil
	}
	if wire, ok := u.t.MethodByName("Wire"); ok && wire.Type.NumIn() == 1 && wire.Type.NumOut() == 1 {
		return s.of(typeUse{wire.Type.Out(0), u.inRequest})
	}
	if !u.t.Implements(reflect.TypeFor[json.Marshaler]()) && u.t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return &Schema{Type: "string"}, nil
	}
	if encodesItself(u.t) && !hasJSONTags(u.t) {
		return nil, fmt.Errorf("%s encodes its own JSON; give it JSON tags, or a method Wire that returns the JSON as a Go value", u.t)
	}
	return s.byKind(u)
}

func (s *schemas) byKind(u typeUse) (*Schema, error) {
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

func (s *schemas) pointer(u typeUse) (*Schema, error) {
	element, err := s.of(typeUse{u.t.Elem(), u.inRequest})
	if err != nil || u.inRequest {
		return element, err
	}
	return &Schema{AnyOf: []*Schema{element, {Type: "null"}}}, nil
}

func (s *schemas) slice(u typeUse) (*Schema, error) {
	if u.t.Elem().Kind() == reflect.Uint8 {
		return &Schema{Type: "string", ContentEncoding: "base64"}, nil
	}
	items, err := s.of(typeUse{u.t.Elem(), u.inRequest})
	return &Schema{Type: "array", Items: items}, err
}

func (s *schemas) object(u typeUse) (*Schema, error) {
	values, err := s.of(typeUse{u.t.Elem(), u.inRequest})
	return &Schema{Type: "object", AdditionalProperties: values}, err
}

// record returns the schema of a struct: a reference if the type has a name.
func (s *schemas) record(u typeUse) (*Schema, error) {
	if u.t.Name() == "" {
		schema := &Schema{Type: "object"}
		return schema, s.members(schema, u)
	}
	if name, ok := s.names[u]; ok {
		return ref(name), nil
	}
	name := s.name(u)
	schema := &Schema{Type: "object"}
	s.names[u] = name
	s.list = append(s.list, Member[*Schema]{name, schema})
	return ref(name), s.members(schema, u)
}

func ref(name string) *Schema { return &Schema{Ref: "#/components/schemas/" + name} }

// name returns an unused name for a type. A type that is also in responses is called Sent… in requests; if two types
// have the same name, the name of the second is prefixed with its package.
func (s *schemas) name(u typeUse) string {
	name := title(nameOf(u.t))
	if u.inRequest && s.usedNames[name] {
		if _, inResponse := s.names[typeUse{u.t, false}]; inResponse {
			name = "Sent" + name
		}
	}
	if s.usedNames[name] {
		pkg := u.t.PkgPath()
		name = title(pkg[strings.LastIndexByte(pkg, '/')+1:]) + name
	}
	s.usedNames[name] = true
	return name
}

// nameOf returns the name of a type without packages: PageConcept for Page[x.y.Concept].
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

// members adds the fields of a struct, as encoding/json encodes them, to a schema.
func (s *schemas) members(of *Schema, u typeUse) error {
	for field := range u.t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct {
			if err := s.members(of, typeUse{field.Type, u.inRequest}); err != nil {
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
		member, err := s.of(typeUse{field.Type, u.inRequest})
		if err != nil {
			return fmt.Errorf("%s.%s: %w", u.t, field.Name, err)
		}
		if strings.Contains(options, "string") {
			member = &Schema{Type: "string"}
		}
		of.Properties = append(of.Properties, Member[*Schema]{name, member})
		if !u.inRequest && !strings.Contains(options, "omit") {
			of.Required = append(of.Required, name)
		}
	}
	return nil
}

// encodesItself reports whether a type has its own JSON encoding.
func encodesItself(t reflect.Type) bool {
	_, appends := t.MethodByName("AppendJSON")
	return appends || t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// hasJSONTags reports whether the JSON of a type that encodes itself can be derived from the type: a slice, or a struct
// with a tag on every field.
func hasJSONTags(t reflect.Type) bool {
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
