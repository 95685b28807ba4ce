package schema

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// ValueOf returns the typed fields and links of a struct, or of a pointer to one, as Type.Encode accepts them. Tags and Go types
// have the same meaning as in Define. The field ID is left out.
//
// A nil pointer counts as no value. Without a pointer, an empty string, day, time, file, list, nested record or link
// also counts as no value. Numbers and booleans are always values.
//
// The error is Invalid for a Go type that a field cannot have, and for a value that is not JSON.
func ValueOf(s any) (composition.Value, error) {
	v := reflect.Indirect(reflect.ValueOf(s))
	if v.Kind() != reflect.Struct {
		return composition.Value{}, graph.Errorf(graph.Invalid, "a record is a struct, not %T", s)
	}
	return valueOfStruct(v)
}

// ValueOfField returns the typed value of one field. Unlike in ValueOf, an empty text is a value, and so are an empty list and a
// zero time; only nil counts as a missing value.
func ValueOfField(v any) (composition.Value, error) {
	if v == nil {
		return composition.Value{}, nil
	}
	return valueOfGo(reflect.ValueOf(v), true)
}

// valueOfStruct returns the typed fields and links of a struct.
func valueOfStruct(s reflect.Value) (composition.Value, error) {
	record := composition.RecordValue()
	for f, field := range s.Fields() {
		tag := parseTag(f)
		if !f.IsExported() || tag.name == "-" || tag.name == "id" {
			continue
		}
		v, err := valueOfGo(field, false)
		if err != nil {
			return v, graph.Errorf(graph.Invalid, "%s: %s", tag.name, err)
		}
		if v.Kind != composition.Null {
			record.Members = append(record.Members, composition.Member{Key: tag.name, Value: v})
		}
	}
	return record, nil
}

// valueOfGo returns the typed value of a Go value. If isGiven is set, a zero value also counts as a value.
func valueOfGo(v reflect.Value, isGiven bool) (composition.Value, error) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return composition.Value{}, nil
		}
		return valueOfGo(v.Elem(), true)
	}
	switch value := v.Interface().(type) {
	case time.Time:
		if value.IsZero() && !isGiven {
			return composition.Value{}, nil
		}
		return composition.TimeValue(value), nil
	case StoredFile:
		if value == (StoredFile{}) && !isGiven {
			return composition.Value{}, nil
		}
		return jsonValue(value)
	case json.RawMessage:
		if len(value) == 0 {
			return composition.Value{}, nil
		}
		return composition.Parse(value)
	case linkType:
		return value.linkValue(), nil
	case composition.Value:
		return value, nil
	}
	switch v.Kind() {
	case reflect.String:
		if v.Len() == 0 && !isGiven {
			return composition.Value{}, nil
		}
		return composition.TextValue(v.String()), nil
	case reflect.Bool:
		return composition.Value{Kind: composition.Bool, Text: strconv.FormatBool(v.Bool())}, nil
	case reflect.Slice:
		return valueOfSlice(v)
	case reflect.Struct:
		record, err := valueOfStruct(v)
		if len(record.Members) == 0 && !isGiven {
			return composition.Value{}, err
		}
		return record, err
	case reflect.Map, reflect.Interface:
		if v.IsNil() {
			return composition.Value{}, nil
		}
		return jsonValue(v.Interface())
	default:
		return numberValue(v)
	}
}

func valueOfSlice(v reflect.Value) (composition.Value, error) {
	if v.IsNil() {
		return composition.Value{}, nil
	}
	list := composition.ListValue()
	for i := range v.Len() {
		item, err := valueOfGo(v.Index(i), true)
		if err != nil {
			return item, graph.Errorf(graph.Invalid, "%d: %s", i, err)
		}
		list.Members = append(list.Members, composition.Member{Value: item})
	}
	return list, nil
}

func numberValue(v reflect.Value) (composition.Value, error) {
	n := composition.Value{Kind: composition.Number}
	switch {
	case v.CanInt():
		n.Text = strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		n.Text = strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		n.Text = formatNumber(v.Float())
		if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			return n, graph.Errorf(graph.Invalid, "%v is not a finite number", v.Float())
		}
	default:
		return n, graph.Errorf(graph.Invalid, "a field cannot have the Go type %s", v.Type())
	}
	return n, nil
}

func jsonValue(v any) (composition.Value, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return composition.Value{}, graph.Errorf(graph.Invalid, "%s", err)
	}
	return composition.Parse(text)
}

// linkValue returns the id of the linked record, or null.
func (o One[T]) linkValue() composition.Value {
	if o.ID == 0 && o.Record != nil {
		o.ID = idOf(reflect.ValueOf(o.Record).Elem())
	}
	if o.ID == 0 {
		return composition.Value{}
	}
	return composition.IDValue(o.ID)
}

// linkValue returns the ids of the linked records, or null for a nil slice.
func (m Many[T]) linkValue() composition.Value {
	if m == nil {
		return composition.Value{}
	}
	list := composition.ListValue()
	for _, link := range m {
		list.Members = append(list.Members, composition.Member{Value: link.linkValue()})
	}
	return list
}

// IDOf returns the id of a record: the field ID of a struct, or of a pointer to one. It returns 0 for a struct without that field.
func IDOf(s any) graph.ID { return idOf(reflect.Indirect(reflect.ValueOf(s))) }

func idOf(s reflect.Value) graph.ID {
	if id := idField(s); id.IsValid() {
		return graph.ID(id.Int())
	}
	return 0
}

// idField returns the field of a struct with the id of a record.
func idField(s reflect.Value) reflect.Value {
	if s.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for f, field := range s.Fields() {
		if f.IsExported() && parseTag(f).name == "id" && field.CanInt() {
			return field
		}
	}
	return reflect.Value{}
}

// Read sets the fields of a struct to the typed fields of a record, as Type.Decode returns them. A field without a value becomes the zero
// value. The member id sets the field ID. A link in v is an id, or a record with the member id.
//
// The error is Invalid for a number that the Go type of its field cannot hold. Some fields may then have been set.
func Read(v composition.Value, into any) error {
	p := reflect.ValueOf(into)
	if p.Kind() != reflect.Pointer || p.Elem().Kind() != reflect.Struct {
		return graph.Errorf(graph.Invalid, "a record is read into a pointer to a struct, not %T", into)
	}
	return readStruct(v, p.Elem())
}

// readStruct sets the fields of a struct to those of a typed record.
func readStruct(v composition.Value, into reflect.Value) error {
	if id, err := graph.ParseID(v.Get("id").Text); err == nil {
		if field := idField(into); field.IsValid() {
			field.SetInt(int64(id))
		}
	}
	for f, field := range into.Fields() {
		tag := parseTag(f)
		if !f.IsExported() || tag.name == "-" || tag.name == "id" {
			continue
		}
		if err := readGo(v.Get(tag.name), field); err != nil {
			return graph.Errorf(graph.Invalid, "%s: %s", tag.name, err)
		}
	}
	return nil
}

// linkReader is implemented by pointers to One and Many.
type linkReader interface {
	readLink(v composition.Value) error
}

func (o *One[T]) readLink(v composition.Value) error {
	if v.Kind != composition.Record {
		id, err := graph.ParseID(v.Text)
		o.ID = id
		return err
	}
	o.Record = new(T)
	if record := reflect.ValueOf(o.Record).Elem(); record.Kind() == reflect.Struct {
		if err := readStruct(v, record); err != nil {
			return err
		}
	} else {
		o.Record = nil
	}
	return o.readLink(v.Get("id"))
}

func (m *Many[T]) readLink(v composition.Value) error {
	*m = make(Many[T], len(v.Members))
	for i := range *m {
		if err := (*m)[i].readLink(v.Members[i].Value); err != nil {
			return err
		}
	}
	return nil
}

// readGo sets a Go value to a typed value.
func readGo(v composition.Value, into reflect.Value) error {
	if v.Kind == composition.Null {
		into.SetZero()
		return nil
	}
	switch target := into.Addr().Interface().(type) {
	case *time.Time:
		at, err := time.Parse(time.RFC3339Nano, v.Text)
		*target = at
		return err
	case *json.RawMessage:
		*target = v.AppendJSON(nil)
		return nil
	case *StoredFile:
		return json.Unmarshal(v.AppendJSON(nil), target)
	case linkReader:
		into.SetZero()
		return target.readLink(v)
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return readGo(v, into.Elem())
	case reflect.String:
		into.SetString(v.Text)
	case reflect.Bool:
		into.SetBool(v.Text == "true")
	case reflect.Slice:
		items := reflect.MakeSlice(into.Type(), len(v.Members), len(v.Members))
		for i, m := range v.Members {
			if err := readGo(m.Value, items.Index(i)); err != nil {
				return graph.Errorf(graph.Invalid, "%d: %s", i, err)
			}
		}
		into.Set(items)
	case reflect.Struct:
		return readStruct(v, into)
	case reflect.Map, reflect.Interface:
		into.SetZero()
		return json.Unmarshal(v.AppendJSON(nil), into.Addr().Interface())
	default:
		return readNumber(v.Text, into)
	}
	return nil
}

// readNumber sets a Go number to a stored number. The error is Invalid if the number does not fit the Go type. It reads text
// that is not a number as 0.
func readNumber(text string, into reflect.Value) error {
	n, _ := parseNumber(text)
	tooLarge := graph.Errorf(graph.Invalid, "the stored number %s does not fit %s", graph.Clip(text), into.Type())
	switch {
	case into.CanFloat():
		into.SetFloat(n)
	case into.CanInt():
		if into.OverflowInt(int64(n)) {
			return tooLarge
		}
		into.SetInt(int64(n))
	case into.CanUint():
		if n < 0 || into.OverflowUint(uint64(n)) {
			return tooLarge
		}
		into.SetUint(uint64(n))
	}
	return nil
}

// WithLinked returns the given structs and all structs that can be reached from them through links, without duplicates. Define needs all
// of them.
func WithLinked(structs ...any) []any {
	seen := map[reflect.Type]bool{}
	var all []any
	for queue := structs; len(queue) > 0; queue = queue[1:] {
		t := reflect.TypeOf(queue[0])
		if t == nil || seen[t] {
			continue
		}
		seen[t] = true
		all = append(all, queue[0])
		if t.Kind() == reflect.Struct {
			queue = append(queue[:1:1], append(linkedFrom(t), queue[1:]...)...)
		}
	}
	return all
}

// linkedFrom returns zero values of the structs that are the targets of the links of a struct.
func linkedFrom(t reflect.Type) (linked []any) {
	for f := range t.Fields() {
		typ := f.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if !f.IsExported() || parseTag(f).name == "-" || !typ.Implements(reflect.TypeFor[linkType]()) {
			continue
		}
		if target := reflect.Zero(typ).Interface().(linkType).linkTarget(); target.Kind() == reflect.Struct {
			linked = append(linked, reflect.Zero(target).Interface())
		}
	}
	return linked
}
