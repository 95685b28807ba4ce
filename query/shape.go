package query

import (
	"context"
	"slices"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// Shape returns a list with one record per root of an answer or, for Raw, one record of the ids. It reads the
// connections, concepts and types of the answer in at most three requests.
//
//   - Connections and concepts that the reader does not return are left out, and so is a connection back to a concept that
//     contains it.
//   - If several single links have the same key, the newest link is returned. DataV2 returns a list of all of them.
//   - Internal fields keep the order of their connections. Links are in the order of the answer.
//
// The error is TooLarge for more than composition.MaxValues values or MaxRecordBytes of text.
func Shape(ctx context.Context, r graph.Reader, a Answer, f Format) (composition.Value, error) {
	if f == Raw {
		return shapeRaw(a), nil
	}
	l, err := loadAnswer(ctx, r, a)
	if err != nil {
		return composition.Value{}, err
	}
	shape := shaper{
		answerData: l, format: f, ascending: a.Order == Ascending, valuesLeft: composition.MaxValues, textLeft: MaxRecordBytes,
		account: budget.Of(ctx),
	}
	list := composition.ListValue()
	for _, id := range a.Roots {
		root, ok, err := shape.shapeRoot(id)
		if err != nil {
			return composition.Value{}, err
		}
		if ok {
			list.Members = append(list.Members, composition.Member{Value: root})
		}
	}
	return list, nil
}

// shapeRaw returns the ids of an answer as a record.
func shapeRaw(a Answer) composition.Value {
	counts := composition.ListValue()
	for _, c := range a.Counts {
		counts.Members = append(counts.Members, composition.Member{Value: composition.RecordValue(
			member("conceptId", composition.IDValue(c.Of)),
			member("connectionTypeId", composition.IDValue(c.Type)),
			member("connectionType", composition.TextValue("")),
			member("count", composition.IDValue(graph.ID(c.N))),
		)})
	}
	return composition.RecordValue(
		member("linkers", idList(a.Links)),
		member("conceptIds", idList(a.Concepts)),
		member("compositionIds", idList(a.Roots)),
		member("reverse", idList(a.Reverse)),
		member("countInfos", counts),
		member("order", composition.TextValue(string(a.Order))),
	)
}

func idList(ids []graph.ID) composition.Value {
	list := composition.ListValue()
	for _, id := range ids {
		list.Members = append(list.Members, composition.Member{Value: composition.IDValue(id)})
	}
	return list
}

// member returns a member of a record.
func member(key string, v composition.Value) composition.Member {
	return composition.Member{Key: key, Value: v}
}

// A shaper builds the records of one answer.
type shaper struct {
	*answerData
	format     Format
	ascending  bool
	path       []graph.ID // the concepts around the current one
	valuesLeft int
	textLeft   int // bytes
	account    *budget.Account
}

// MaxRecordBytes limits the text in the records of one answer, in bytes. Text that several records contain counts
// for each of them.
const MaxRecordBytes = 256 << 20

// bytesPerValue is the memory of a value with its key and its place in a list, in bytes.
const bytesPerValue = 256

// count counts a value and its text.
func (s *shaper) count(c graph.Concept) error {
	if s.valuesLeft--; s.valuesLeft < 0 {
		return graph.Errorf(graph.TooLarge, "the answer has more than %d values", composition.MaxValues)
	}
	if s.textLeft -= len(c.Value); s.textLeft < 0 {
		return graph.Errorf(graph.TooLarge, "the records of the answer have more than %d bytes of text; ask for fewer in one query", MaxRecordBytes)
	}
	return s.account.Grow(bytesPerValue)
}

// shapeRoot returns the record of a root. If the root or its type is missing, ok is false.
func (s *shaper) shapeRoot(id graph.ID) (composition.Value, bool, error) {
	concept, name, ok := s.conceptWithType(id)
	if !ok {
		return composition.Value{}, false, nil
	}
	content, err := s.shapeContent(concept, id)
	if err != nil {
		return composition.Value{}, false, err
	}
	data := s.underTypeName(name, content, id)
	if s.format.wrapsIDs() {
		return wrapWithID(id, data, concept.Created), true, nil
	}
	return withMembers(data, member("id", composition.IDValue(id))), true, nil
}

// shapeContent returns the text of a concept without connections, or else a record of its connections. Its
// internal connections are the connections inside the composition main.
func (s *shaper) shapeContent(c graph.Concept, main graph.ID) (composition.Value, error) {
	if err := s.count(c); err != nil {
		return composition.Value{}, err
	}
	ends := s.links[c.ID]
	if len(ends) == 0 && !c.Composition {
		return composition.TextValue(c.Value), nil
	}
	s.path = append(s.path, c.ID)
	defer func() { s.path = s.path[:len(s.path)-1] }()
	var own, linked composition.Fields
	for _, end := range ends {
		if !end.isInternal || end.link.Type != main {
			continue
		}
		if err := s.addField(&own, end, main); err != nil {
			return composition.Value{}, err
		}
	}
	if !s.ascending {
		ends = slices.Clone(ends)
		slices.Reverse(ends)
	}
	for _, end := range ends {
		if end.isInternal {
			continue
		}
		if err := s.addField(&linked, end, end.far); err != nil {
			return composition.Value{}, err
		}
	}
	return mergeFields(c, &own, &linked), nil
}

// mergeFields returns the value of a concept with internal and linked fields. If an internal and a linked field have
// the same key, the internal field is kept.
func mergeFields(c graph.Concept, own, linked *composition.Fields) composition.Value {
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

// addField adds a connection to the fields of its near end. It skips a connection whose far end is missing or contains the
// near end, and a single link if a newer link with the same key was added.
func (s *shaper) addField(fields *composition.Fields, end outputLink, main graph.ID) error {
	concept, name, ok := s.conceptWithType(end.far)
	if !ok || slices.Contains(s.path, end.far) {
		return nil
	}
	isList := end.isList || s.format == DataV2 && !end.isInternal
	existing := fields.Get(end.key)
	if existing != nil && !isList && !end.isInternal && !s.ascending {
		return nil
	}
	content, err := s.shapeContent(concept, main)
	if err != nil {
		return err
	}
	entry := s.shapeEntry(end, farValue{concept, name, content}, isList)
	switch {
	case !isList:
		fields.Set(end.key, entry)
	case existing == nil:
		fields.Set(end.key, composition.ListValue(entry))
	default:
		existing.Members = append(existing.Members, composition.Member{Value: entry})
	}
	return nil
}

// A farValue is the far end of a connection with its content.
type farValue struct {
	concept  graph.Concept
	typeName string
	content  composition.Value
}

// shapeEntry returns the value of a connection: its far end in the form that the format prescribes.
func (s *shaper) shapeEntry(end outputLink, far farValue, isList bool) composition.Value {
	c, name, content := far.concept, far.typeName, far.content
	switch {
	case s.format.wrapsIDs():
		data := s.underTypeName(name, content, c.ID)
		if !content.IsNested() && !isList {
			return composition.RecordValue(member("id", composition.IDValue(c.ID)), member("data", data))
		}
		entry := wrapWithID(c.ID, data, end.link.Created)
		if isList {
			return withMembers(entry, s.counts[c.ID]...)
		}
		return entry
	case s.format != JustData && end.isInternal:
		return content
	case s.format != JustData:
		return s.underTypeName(name, content, c.ID)
	case end.isInternal:
		return wrapWithID(c.ID, content, end.link.Created)
	case end.isReverse:
		return withMembers(s.underTypeName(name, content, c.ID),
			member("id", composition.IDValue(c.ID)), member("created_on", composition.TimeValue(c.Created)))
	default:
		return s.underTypeName(name, wrapWithID(c.ID, content, end.link.Created), c.ID)
	}
}

// wrapWithID wraps data with an id and a time.
func wrapWithID(id graph.ID, data composition.Value, created time.Time) composition.Value {
	return composition.RecordValue(
		member("id", composition.IDValue(id)), member("data", data), member("created_on", composition.TimeValue(created)))
}

// underTypeName returns a record of the content under the name of its type, and of the counts of the concept.
func (s *shaper) underTypeName(name string, content composition.Value, id graph.ID) composition.Value {
	return withMembers(composition.RecordValue(member(name, content)), s.counts[id]...)
}

// withMembers returns a record with further members.
func withMembers(v composition.Value, members ...composition.Member) composition.Value {
	if len(members) == 0 {
		return v
	}
	var fields composition.Fields
	for _, m := range slices.Concat(v.Members, members) {
		fields.Set(m.Key, m.Value)
	}
	return fields.Record()
}
