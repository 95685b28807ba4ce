package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// A Day is a calendar day without a time zone, such as "2026-02-28". It is the Go type of the kind date.
type Day string

// A StoredFile is an uploaded file. It is the Go type of the kind file.
type StoredFile struct {
	URL  string `json:"url"`
	Name string `json:"name"`
	Type string `json:"type"` // media type
	Size int64  `json:"size"` // in bytes
}

// A One is a link to at most one record of type T. ID is 0 without a link. Record is the linked record if the query
// also read it. To set a link, set ID, or set Record to a record that has an id.
type One[T any] struct {
	ID     graph.ID
	Record *T
}

// Many is a list of links to any number of records of type T.
type Many[T any] []One[T]

// To returns a link to a record.
func To[T any](id graph.ID) One[T] { return One[T]{ID: id} }

// ToAll returns links to records.
func ToAll[T any](ids ...graph.ID) Many[T] {
	links := make(Many[T], len(ids))
	for i, id := range ids {
		links[i].ID = id
	}
	return links
}

// linkType is implemented by One and Many, for Define.
type linkType interface {
	linkKind() Kind
	linkTarget() reflect.Type
	linkValue() composition.Value
}

func (One[T]) linkKind() Kind            { return KindOne }
func (One[T]) linkTarget() reflect.Type  { return reflect.TypeFor[T]() }
func (Many[T]) linkKind() Kind           { return KindMany }
func (Many[T]) linkTarget() reflect.Type { return reflect.TypeFor[T]() }

// Define returns the schema of Go structs. Types and fields have the names of the structs and their fields, but start in lower
// case: Contact is "contact", ZipCode is "zipCode", ID is "id". The field ID holds the id of a record and is not part of the
// schema. A field without a value is a nil pointer, or the zero value if the Go type is not a pointer.
//
//	type Contact struct {
//		ID       graph.ID
//		Name     string               `weft:"name,required,max=200"`
//		Email    *string              `weft:",unique,format=email"`
//		Stage    string               `weft:",choices=lead|customer,default=lead"`
//		Company  *schema.One[Company]
//		Contacts schema.Many[Contact] `weft:"contacts,inverse=manager"`
//	}
//
// The Go types and their kinds:
//
//	string                                  text; choice with the option choices; longText with the option longText
//	int, int8 … int64, uint, uint8 … uint64 integer
//	float32, float64                        number
//	bool, Day, time.Time, StoredFile        boolean, date, dateTime, file
//	json.RawMessage, map, any               json
//	slice, struct                           list, record
//	One, Many                               one, many
//
// A tag is a name, which may be empty, and options: required, unique, restricted, longText, choices=a|b, default=, min=, max=, format=,
// was=a|b, inverse=, targets=a|b, and pattern=, which must come last because it may contain commas. The tag "-" leaves a field out. On
// a slice, required, restricted, min, max and was apply to the list, all other options to its items; itemMin and itemMax set min and
// max of the items.
//
// The error is Invalid. It wraps Problems if the schema contradicts itself.
func Define(structs ...any) (*Schema, error) {
	types := composition.RecordValue()
	for _, s := range structs {
		t := reflect.TypeOf(s)
		if t == nil || t.Kind() != reflect.Struct {
			return nil, graph.Errorf(graph.Invalid, "a type is defined by a struct, not by %T", s)
		}
		fields, err := defineFields(t, nil)
		if err != nil {
			return nil, err
		}
		typ := composition.RecordValue(composition.Member{Key: "fields", Value: fields})
		types.Members = append(types.Members, composition.Member{Key: nameOf(t.Name()), Value: typ})
	}
	s, problems := FromValue(composition.RecordValue(composition.Member{Key: "types", Value: types}))
	if len(problems) > 0 {
		return nil, problems.AsError()
	}
	return s, nil
}

// nameOf converts a Go name to lower camel case: "ID" is "id", "HomePage" is "homePage", "URLOf" is "urlOf".
func nameOf(name string) string {
	runes := []rune(name)
	for i := range runes {
		isLastOfWord := i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if !unicode.IsUpper(runes[i]) || isLastOfWord {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

// defineFields returns the JSON of the fields of a struct. The path contains the structs around it.
func defineFields(t reflect.Type, path []reflect.Type) (composition.Value, error) {
	if slices.Contains(path, t) {
		return composition.Value{}, graph.Errorf(graph.Invalid, "struct %s contains itself; use links (One, Many) between records", t)
	}
	fields := composition.RecordValue()
	for f := range t.Fields() {
		tag := parseTag(f)
		if !f.IsExported() || tag.name == "-" || tag.name == "id" {
			continue
		}
		v, err := defineField(f.Type, tag, append(path, t))
		if err != nil {
			return v, graph.Errorf(graph.Invalid, "%s.%s: %s", t.Name(), f.Name, err)
		}
		fields.Members = append(fields.Members, composition.Member{Key: tag.name, Value: v})
	}
	return fields, nil
}

// A tag is the name of a field and its options, in order.
type tag struct {
	name    string
	options [][2]string // names and values
}

func parseTag(f reflect.StructField) tag {
	text := f.Tag.Get("weft")
	text, pattern, hasPattern := strings.Cut(text, ",pattern=")
	parts := strings.Split(text, ",")
	t := tag{name: parts[0]}
	if t.name == "" {
		t.name = nameOf(f.Name)
	}
	for _, option := range parts[1:] {
		name, value, _ := strings.Cut(option, "=")
		t.options = append(t.options, [2]string{name, value})
	}
	if hasPattern {
		t.options = append(t.options, [2]string{"pattern", pattern})
	}
	return t
}

// has reports whether the tag has an option.
func (t tag) has(name string) bool {
	return slices.ContainsFunc(t.options, func(o [2]string) bool { return o[0] == name })
}

// split separates the options of a list from those of its items.
func (t tag) split() (list, item tag) {
	for _, o := range t.options {
		switch ofItem, isOfItem := strings.CutPrefix(o[0], "item"); {
		case isOfItem:
			item.options = append(item.options, [2]string{nameOf(ofItem), o[1]})
		case slices.Contains([]string{"required", "restricted", "min", "max", "was"}, o[0]):
			list.options = append(list.options, o)
		default:
			item.options = append(item.options, o)
		}
	}
	return list, item
}

// defineField returns the JSON of a field.
func defineField(t reflect.Type, tag tag, path []reflect.Type) (composition.Value, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kind, err := kindOf(t, tag)
	if err != nil {
		return composition.Value{}, err
	}
	v := composition.RecordValue(composition.Member{Key: "kind", Value: composition.TextValue(string(kind))})
	switch kind {
	case KindList:
		var item composition.Value
		list, ofItem := tag.split()
		if item, err = defineField(t.Elem(), ofItem, path); err != nil {
			return item, err
		}
		v.Members = append(v.Members, composition.Member{Key: "of", Value: item})
		tag = list
	case KindRecord:
		fields, err := defineFields(t, path)
		if err != nil {
			return fields, err
		}
		v.Members = append(v.Members, composition.Member{Key: "fields", Value: fields})
	case KindOne, KindMany:
		if link := reflect.Zero(t).Interface().(linkType); !tag.has("targets") {
			v.Members = append(v.Members, composition.Member{Key: "targets", Value: textsValue([]string{nameOf(link.linkTarget().Name())})})
		}
	default:
	}
	for _, o := range tag.options {
		if o[0] == "longText" {
			continue
		}
		value, err := optionValue(kind, o)
		if err != nil {
			return value, err
		}
		v.Members = append(v.Members, composition.Member{Key: o[0], Value: value})
	}
	return v, nil
}

// kindOf returns the kind of a field with a Go type.
func kindOf(t reflect.Type, tag tag) (Kind, error) {
	switch t {
	case reflect.TypeFor[Day]():
		return KindDate, nil
	case reflect.TypeFor[time.Time]():
		return KindDateTime, nil
	case reflect.TypeFor[StoredFile]():
		return KindFile, nil
	case reflect.TypeFor[json.RawMessage]():
		return KindJSON, nil
	}
	if t.Implements(reflect.TypeFor[linkType]()) {
		return reflect.Zero(t).Interface().(linkType).linkKind(), nil
	}
	switch t.Kind() {
	case reflect.String:
		switch {
		case tag.has("choices"):
			return KindChoice, nil
		case tag.has("longText"):
			return KindLongText, nil
		}
		return KindText, nil
	case reflect.Bool:
		return KindBoolean, nil
	case reflect.Float32, reflect.Float64:
		return KindNumber, nil
	case reflect.Map, reflect.Interface:
		return KindJSON, nil
	case reflect.Slice:
		return KindList, nil
	case reflect.Struct:
		return KindRecord, nil
	default:
		if t.ConvertibleTo(reflect.TypeFor[int64]()) {
			return KindInteger, nil
		}
		return "", graph.Errorf(graph.Invalid, "a field cannot have the Go type %s", t)
	}
}

// optionValue returns the JSON of an option of a tag.
func optionValue(kind Kind, option [2]string) (composition.Value, error) {
	text := composition.TextValue(option[1])
	switch option[0] {
	case "required", "unique", "restricted":
		return composition.Value{Kind: composition.Bool, Text: "true"}, nil
	case "choices", "was", "targets":
		return textsValue(strings.Split(option[1], "|")), nil
	case "format", "inverse", "pattern":
		return text, nil
	case "min", "max":
		if kind.isTime() {
			return text, nil
		}
	case "default":
		if kind.isText() || kind.isTime() || kind == KindChoice {
			return text, nil
		}
	default:
		return text, graph.Errorf(graph.Invalid, "unknown option %q", option[0])
	}
	v, err := composition.Parse([]byte(option[1]))
	if err != nil {
		err = graph.Errorf(graph.Invalid, "%s=%s is not JSON", option[0], option[1])
	}
	return v, err
}

// TypeNameOf returns the name of the type that Define derives from a struct. The error is Invalid for other Go types.
func TypeNameOf(t reflect.Type) (string, error) {
	if t.Kind() != reflect.Struct || !isName(nameOf(t.Name())) {
		return "", graph.Errorf(graph.Invalid, "the name of the Go type %s cannot be the name of a type", t)
	}
	return nameOf(t.Name()), nil
}
