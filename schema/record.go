package schema

import (
	"slices"
	"strconv"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// A Refusal is a reason why a record cannot be stored.
type Refusal struct {
	Record  graph.ID `json:"record,omitempty"` // real or local id
	Field   string   `json:"field,omitempty"`  // path of the field, such as "address.city" or "tags.0"
	Rule    string   `json:"rule"`
	Message string   `json:"message"` // a sentence for the user
}

// Encode converts a typed value to its stored form and checks it. Null stays null. Each value has at most one refusal. Refusals
// by the rule "kind" and, in a record, by the rule "unknown" come first; the others follow in the order of Check.
func (f *Field) Encode(v composition.Value) (composition.Value, []Refusal) {
	c := &converter{path: []string{f.Name}}
	stored := c.encode(f, v)
	c.refuseAlso(f.Check(stored))
	return stored, c.refusals
}

// Decode converts a stored value to its typed form. A value that does not fit the kind is null; a list that does not
// fit is empty, and an item that does not fit is left out. The result malformed lists the paths of such values.
func (f *Field) Decode(stored composition.Value) (v composition.Value, malformed []string) {
	c := &converter{path: []string{f.Name}}
	v = c.decode(f, stored)
	for _, r := range c.refusals {
		malformed = append(malformed, r.Field)
	}
	return v, malformed
}

// Encode converts the typed fields of a new record to a composition and checks them, as Field.Encode does. A field without
// a value gets its default; now is the time for the defaults "today" and "now". Links are checked, but are not part of the
// composition.
func (t *Type) Encode(v composition.Value, now time.Time) (composition.Value, []Refusal) {
	c := &converter{now: now, withDefaults: true}
	stored := c.encodeFields(t.Fields, t.names, v)
	c.refuseAlso(t.Check(stored))
	c.checkLinks(t, v)
	return stored, c.refusals
}

// EncodeChanges converts and checks the given fields of a record. Null removes a field; fields that are not given do not
// change.
func (t *Type) EncodeChanges(v composition.Value) (composition.Value, []Refusal) {
	c := &converter{keepsNull: true}
	stored := c.encodeFields(t.Fields, t.names, v)
	given := &converter{}
	for _, m := range stored.Members {
		given.at(m.Key, func() { given.check(t.Fields[m.Key], m.Value) })
	}
	c.refuseAlso(given.refusals)
	c.checkLinks(t, v)
	return stored, c.refusals
}

// checkLinks checks the links in the typed fields of a record: an id for a link to one, a list of ids for a link to many. The
// inverse of a link is refused, because it is set on the other record.
func (c *converter) checkLinks(t *Type, v composition.Value) {
	for _, name := range t.names {
		f := t.Fields[name]
		if !f.Kind.IsLink() {
			continue
		}
		given, isGiven := member(v, name)
		c.at(name, func() {
			switch {
			case f.Inverse != "" && isGiven:
				c.refuse("unknown", f)
			case given.Kind == composition.Null && f.Required && (isGiven || c.withDefaults):
				c.refuse("required", f)
			case given.Kind != composition.Null && !f.isLinkValue(given):
				c.refuse("kind", f)
			}
		})
	}
}

// isLinkValue reports whether a typed value is an id, or a list of ids for a link to many.
func (f *Field) isLinkValue(v composition.Value) bool {
	if f.Kind == KindMany {
		return v.Kind == composition.List && !slices.ContainsFunc(v.Members, func(m composition.Member) bool { return !isID(m.Value) })
	}
	return isID(v)
}

func isID(v composition.Value) bool {
	n, ok := parseNumber(v.Text)
	return v.Kind == composition.Number && ok && n != 0 && isSafeInteger(n)
}

// Decode converts a composition to typed fields, in order of their names. A field without a part of its name has the value
// under a former name. Without such a value, a list is empty, and any other field has its default or null; the defaults "today"
// and "now" count as null. Parts that the type does not have are left out.
func (t *Type) Decode(stored composition.Value) (v composition.Value, malformed []string) {
	c := &converter{}
	v = c.decodeFields(t.Fields, t.names, stored)
	for _, r := range c.refusals {
		malformed = append(malformed, r.Field)
	}
	return v, malformed
}

// A converter converts values and collects the refusals. Its path is the path of the current field.
type converter struct {
	refusals     []Refusal
	path         []string
	now          time.Time
	withDefaults bool
	keepsNull    bool // a field set to null is kept as null, which removes it
}

func (c *converter) encode(f *Field, v composition.Value) composition.Value {
	switch {
	case v.Kind == composition.Null:
		return v
	case f.Kind == KindList && v.Kind == composition.List:
		return c.encodeItems(f, v)
	case f.Kind == KindRecord && v.Kind == composition.Record:
		nested := *c
		nested.keepsNull, nested.refusals = false, nil
		stored := nested.encodeFields(f.Fields, f.names, v)
		c.refusals = append(c.refusals, nested.refusals...)
		return stored
	case f.Kind == KindList || f.Kind == KindRecord:
		c.refuse("kind", f)
		return composition.Value{}
	}
	text, ok := f.encodeScalar(v)
	if !ok || !isStorable(text) {
		c.refuse("kind", f)
		return composition.Value{}
	}
	return composition.TextValue(text)
}

func (c *converter) encodeItems(f *Field, v composition.Value) composition.Value {
	stored := composition.ListValue()
	for i, m := range v.Members {
		c.at(strconv.Itoa(i), func() {
			item := c.encode(f.Of, m.Value)
			if m.Value.Kind == composition.Null {
				c.refuse("kind", f.Of)
			}
			stored.Members = append(stored.Members, composition.Member{Value: item})
		})
	}
	return stored
}

// encodeFields converts the fields of a record, in order of their names.
func (c *converter) encodeFields(fields map[string]*Field, names []string, v composition.Value) composition.Value {
	stored := composition.RecordValue()
	for _, m := range v.Members {
		if fields[m.Key] == nil {
			c.at(m.Key, func() { c.refuse("unknown", nil) })
		}
	}
	for _, name := range names {
		f := fields[name]
		given, isGiven := member(v, name)
		if f.Kind.IsLink() {
			continue
		}
		if given.Kind == composition.Null && c.withDefaults && f.Default != nil {
			given = f.defaultAt(c.now)
		}
		c.at(name, func() {
			value := c.encode(f, given)
			if value.Kind != composition.Null || isGiven && c.keepsNull {
				stored.Members = append(stored.Members, composition.Member{Key: name, Value: value})
			}
		})
	}
	return stored
}

// defaultAt returns the default value of a field that is created at a time.
func (f *Field) defaultAt(now time.Time) composition.Value {
	switch {
	case f.Kind == KindDate && f.Default.Text == "today":
		return composition.TextValue(now.Format(time.DateOnly))
	case f.Kind == KindDateTime && f.Default.Text == "now":
		return composition.TimeValue(now)
	default:
		return *f.Default
	}
}

func (c *converter) decode(f *Field, stored composition.Value) composition.Value {
	isEmpty := stored.IsNested() && len(stored.Members) == 0 // the graph stores an empty list like an empty record
	switch {
	case f.Kind == KindList && (stored.Kind == composition.List || isEmpty):
		return c.decodeItems(f, stored)
	case f.Kind == KindRecord && (stored.Kind == composition.Record || isEmpty):
		return c.decodeFields(f.Fields, f.names, stored)
	case f.Kind != KindList && f.Kind != KindRecord && stored.Kind == composition.Text:
		if v, ok := f.decodeScalar(stored.Text); ok {
			return v
		}
	}
	c.refuse("kind", f)
	if f.Kind == KindList {
		return composition.ListValue()
	}
	return composition.Value{}
}

func (c *converter) decodeItems(f *Field, stored composition.Value) composition.Value {
	list := composition.ListValue()
	for i, m := range stored.Members {
		c.at(strconv.Itoa(i), func() {
			before := len(c.refusals)
			v := c.decode(f.Of, m.Value)
			if v.Kind != composition.Null || len(c.refusals) == before {
				list.Members = append(list.Members, composition.Member{Value: v})
			}
		})
	}
	return list
}

func (c *converter) decodeFields(fields map[string]*Field, names []string, stored composition.Value) composition.Value {
	v := composition.RecordValue()
	for _, name := range names {
		f := fields[name]
		if f.Kind.IsLink() {
			continue
		}
		c.at(name, func() {
			v.Members = append(v.Members, composition.Member{Key: name, Value: c.decodeField(f, stored)})
		})
	}
	return v
}

func (c *converter) decodeField(f *Field, record composition.Value) composition.Value {
	stored, exists := f.storedIn(record)
	switch {
	case exists:
		return c.decode(f, stored)
	case f.Kind == KindList:
		return composition.ListValue()
	case f.Default != nil && !f.isDefaultOfCreation():
		return *f.Default
	default:
		return composition.Value{}
	}
}

// isDefaultOfCreation reports whether the default is the time of creation, which is unknown when the record is
// read.
func (f *Field) isDefaultOfCreation() bool {
	return f.Kind == KindDate && f.Default.Text == "today" || f.Kind == KindDateTime && f.Default.Text == "now"
}

// storedIn returns the stored value of the field in a record, under its name or else a former name.
func (f *Field) storedIn(record composition.Value) (composition.Value, bool) {
	if v, exists := member(record, f.Name); exists {
		return v, true
	}
	for _, name := range f.Was {
		if v, exists := member(record, name); exists {
			return v, true
		}
	}
	return composition.Value{}, false
}

// member returns the value of a key, and whether it exists.
func member(v composition.Value, key string) (composition.Value, bool) {
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value, true
		}
	}
	return composition.Value{}, false
}

// at calls convert while name is appended to the path.
func (c *converter) at(name string, convert func()) {
	c.path = append(c.path, name)
	convert()
	c.path = c.path[:len(c.path)-1]
}
