package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// A Format is a shape for what a query found. The numbers travel on the wire.
type Format int

// The formats. DataIDDate, AllID and ListNormal have no shape of their own: they are Normal.
const (
	Normal     Format = 1
	DataID     Format = 2
	JustData   Format = 3
	DataIDDate Format = 4
	Raw        Format = 5
	AllID      Format = 6
	ListNormal Format = 7
	DataV2     Format = 8
)

var formats = []string{"", "NORMAL", "DATAID", "JUSTDATA", "DATAIDDATE", "RAW", "ALLID", "LISTNORMAL", "DATAV2"}

// ParseFormat reads the name of a format in any case. It returns an Invalid error for another text.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formats, strings.ToUpper(name)); i > 0 {
		return Format(i), nil
	}
	return 0, graph.Errorf(graph.Invalid, "there is no format %.20q; there are %s", name, strings.Join(formats[1:], ", "))
}

func (f Format) String() string {
	if f < 1 || int(f) >= len(formats) {
		return "format " + graph.ID(f).String()
	}
	return formats[f]
}

// Shapes says whether the format is one of records. Raw and AllID are ids.
func (f Format) Shapes() bool { return f >= Normal && f <= DataV2 && f != Raw && f != AllID }

// identified says whether the format wraps everything with its id.
func (f Format) identified() bool { return f == DataID || f == DataV2 }

// Shape makes of an answer one record for each root, in a list, or, for Raw, one record of the ids.
// It reads what the answer names. Connections and concepts that the reader does not have are left out, and
// so is a connection back to a concept around it. The newest of several single links counts (DataV2 lists
// them all); a record's own data comes in its own order, lists in theirs.
//
// The error is TooLarge for more than composition.MaxValues values.
func Shape(ctx context.Context, r graph.Reader, a Answer, f Format) (composition.Value, error) {
	if f == Raw {
		return raw(a), nil
	}
	l, err := load(ctx, r, a)
	if err != nil {
		return composition.Value{}, err
	}
	shape := shape{loaded: l, format: f, ascending: a.Order == Ascending, left: composition.MaxValues}
	list := composition.ListValue()
	for _, id := range a.Roots {
		root, ok, err := shape.root(id)
		if err != nil {
			return composition.Value{}, err
		}
		if ok {
			list.Members = append(list.Members, composition.Member{Value: root})
		}
	}
	return list, nil
}

func raw(a Answer) composition.Value {
	counts := composition.ListValue()
	for _, c := range a.Counts {
		counts.Members = append(counts.Members, composition.Member{Value: composition.RecordValue(
			at("conceptId", composition.IDValue(c.Of)),
			at("connectionTypeId", composition.IDValue(c.Type)),
			at("connectionType", composition.TextValue("")),
			at("count", composition.IDValue(graph.ID(c.N))),
		)})
	}
	return composition.RecordValue(
		at("linkers", idList(a.Links)),
		at("conceptIds", idList(a.Concepts)),
		at("compositionIds", idList(a.Roots)),
		at("reverse", idList(a.Reverse)),
		at("countInfos", counts),
		at("order", composition.TextValue(string(a.Order))),
	)
}

func idList(ids []graph.ID) composition.Value {
	list := composition.ListValue()
	for _, id := range ids {
		list.Members = append(list.Members, composition.Member{Value: composition.IDValue(id)})
	}
	return list
}

// at is a member of a record.
func at(key string, v composition.Value) composition.Member {
	return composition.Member{Key: key, Value: v}
}

// A shape is one formatting under way.
type shape struct {
	*loaded
	format    Format
	ascending bool
	path      []graph.ID
	left      int
}

func (s *shape) root(id graph.ID) (composition.Value, bool, error) {
	concept, name, ok := s.named(id)
	if !ok {
		return composition.Value{}, false, nil
	}
	content, err := s.content(concept, id)
	if err != nil {
		return composition.Value{}, false, err
	}
	data := s.under(name, content, id)
	if s.format.identified() {
		return identified(id, data, concept.Created), true, nil
	}
	return with(data, at("id", composition.IDValue(id))), true, nil
}

// content is the text of a concept, or what its connections say of it. Own data is that of the
// composition main.
func (s *shape) content(c graph.Concept, main graph.ID) (composition.Value, error) {
	if s.left--; s.left < 0 {
		return composition.Value{}, graph.Errorf(graph.TooLarge, "the answer is made of more than %d values", composition.MaxValues)
	}
	ends := s.ends[c.ID]
	if len(ends) == 0 && !c.Composition {
		return composition.TextValue(c.Value), nil
	}
	s.path = append(s.path, c.ID)
	defer func() { s.path = s.path[:len(s.path)-1] }()
	var own, linked composition.Fields
	for _, end := range ends {
		if !end.own || end.link.Type != main {
			continue
		}
		if err := s.add(&own, end, main); err != nil {
			return composition.Value{}, err
		}
	}
	if !s.ascending {
		ends = slices.Clone(ends)
		slices.Reverse(ends)
	}
	for _, end := range ends {
		if end.own {
			continue
		}
		if err := s.add(&linked, end, end.far); err != nil {
			return composition.Value{}, err
		}
	}
	return together(c, &own, &linked), nil
}

// together is a concept with its own data and what is linked to it; its own data wins.
func together(c graph.Concept, own, linked *composition.Fields) composition.Value {
	members := linked.Record().Members
	if len(members) == 0 {
		v, _ := own.List()
		if len(v.Members) == 0 && !c.Composition {
			return composition.TextValue(c.Value)
		}
		return v
	}
	for _, m := range members {
		if own.Get(m.Key) == nil {
			own.Set(m.Key, m.Value)
		}
	}
	return own.Record()
}

// add puts one connection into the fields of its near end, if it has a place there.
func (s *shape) add(fields *composition.Fields, end end, main graph.ID) error {
	concept, name, ok := s.named(end.far)
	if !ok || slices.Contains(s.path, end.far) {
		return nil
	}
	list := end.many || s.format == DataV2 && !end.own
	taken := fields.Get(end.key)
	if taken != nil && !list && !end.own && !s.ascending {
		return nil
	}
	content, err := s.content(concept, main)
	if err != nil {
		return err
	}
	entry := s.entry(end, concept, name, content, list)
	switch {
	case !list:
		fields.Set(end.key, entry)
	case taken == nil:
		fields.Set(end.key, composition.ListValue(entry))
	default:
		taken.Members = append(taken.Members, composition.Member{Value: entry})
	}
	return nil
}

func (s *shape) entry(end end, c graph.Concept, name string, content composition.Value, list bool) composition.Value {
	switch {
	case s.format.identified():
		data := s.under(name, content, c.ID)
		if !content.Nested() && !list {
			return composition.RecordValue(at("id", composition.IDValue(c.ID)), at("data", data))
		}
		entry := identified(c.ID, data, end.link.Created)
		if list {
			return with(entry, s.counts[c.ID]...)
		}
		return entry
	case s.format != JustData && end.own:
		return content
	case s.format != JustData:
		return s.under(name, content, c.ID)
	case end.own:
		return identified(c.ID, content, end.link.Created)
	case end.back:
		return with(s.under(name, content, c.ID),
			at("id", composition.IDValue(c.ID)), at("created_on", composition.TimeValue(c.Created)))
	default:
		return s.under(name, identified(c.ID, content, end.link.Created), c.ID)
	}
}

func identified(id graph.ID, data composition.Value, created time.Time) composition.Value {
	return composition.RecordValue(
		at("id", composition.IDValue(id)), at("data", data), at("created_on", composition.TimeValue(created)))
}

// under is the content under its type's name, and beside it the counts.
func (s *shape) under(name string, content composition.Value, id graph.ID) composition.Value {
	return with(composition.RecordValue(at(name, content)), s.counts[id]...)
}

// with sets further members.
func with(v composition.Value, members ...composition.Member) composition.Value {
	if len(members) == 0 {
		return v
	}
	var fields composition.Fields
	for _, m := range slices.Concat(v.Members, members) {
		fields.Set(m.Key, m.Value)
	}
	return fields.Record()
}
