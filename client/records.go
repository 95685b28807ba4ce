package client

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/schema"
	"github.com/weft-graph/weft/wire"
)

// A Source executes the reads and writes of Records. A *Client sends each write immediately, a *Tx sends all its writes together,
// and an outbox stores writes before it sends them.
type Source interface {
	graph.Reader
	// Query runs a query on the server.
	Query(ctx context.Context, q wire.Query) (query.Answer, error)
	// Submit writes records. It returns the real ids of new concepts by their local ids, as far as the source
	// already has them.
	Submit(ctx context.Context, s Submission) (map[graph.ID]graph.ID, error)
	// LocalIDs returns local ids for the drafts of one submission.
	LocalIDs() composition.LocalIDs
	// RealID returns the real id of a record that was written with a local id. It returns id itself if id is real, or if the
	// source does not have the real id yet.
	RealID(id graph.ID) graph.ID
	// TypeID returns the id of a type by its name, or 0 if the type does not exist.
	TypeID(ctx context.Context, name string) (graph.ID, error)
}

// A Submission is a batch and the rules by which the server computes some of its records. The source sets the sender of the batch.
type Submission struct {
	Batch      graph.Batch
	Increments []wire.Increment
	Upserts    []wire.Upsert
}

// Records reads and writes the records of one type as values of the struct T, whose tags define the schema (see schema.Define).
//
//	type Contact struct {
//		ID      graph.ID
//		Name    string `weft:",required"`
//		Company schema.One[Company]
//	}
//	contacts := client.For[Contact](c)
//	id, err := contacts.Create(ctx, Contact{Name: "Ann"})
//
// Every write is checked against the rules of the struct before it is sent, and by the server against its schema. The error for a
// record that violates a rule is a RefusedError. If the struct contradicts itself, every method returns the error of
// schema.Define.
type Records[T any] struct {
	source Source
	model  *model
	access graph.Access
}

// For returns the records of type T of a source. The schema also contains the structs that are targets of links.
func For[T any](source Source) *Records[T] {
	return &Records[T]{source: source, model: modelOf(reflect.TypeFor[T]())}
}

// WithAccess returns a copy of r that creates records with the given access. The default is graph.Private, as on the server.
// Updates keep the access of records.
func (r *Records[T]) WithAccess(access graph.Access) *Records[T] {
	changed := *r
	changed.access = access
	return &changed
}

// A model is the type that a struct defines, in a schema that also contains the target types of its links. If err is set, the struct is
// invalid and the other fields are nil.
type model struct {
	schema *schema.Schema
	typ    *schema.Type
	err    error
}

// models caches the *model of each struct by its reflect.Type.
var models sync.Map

func modelOf(t reflect.Type) *model {
	if known, ok := models.Load(t); ok {
		return known.(*model)
	}
	m := newModel(t)
	models.Store(t, m)
	return m
}

func newModel(t reflect.Type) *model {
	if t.Kind() != reflect.Struct {
		return &model{err: graph.Errorf(graph.Invalid, "records are structs, not %s", t)}
	}
	structs := schema.WithLinked(reflect.Zero(t).Interface())
	s, err := schema.Define(structs...)
	if err != nil {
		return &model{err: err}
	}
	name, err := schema.TypeNameOf(t)
	if err != nil {
		return &model{err: err}
	}
	return &model{schema: s, typ: s.Types[name]}
}

// Fields holds values of fields and links by their names. A nil value removes a field, or all targets of a link. The value of a field
// has one of the Go types that schema.Define accepts. The value of a link is an id, a schema.One, or a list of ids.
type Fields map[string]any

// Create writes a new record and its links. It ignores the ID of the struct, and returns the id of the new record, which is a local id
// if the source sends writes later.
func (r *Records[T]) Create(ctx context.Context, record T) (graph.ID, error) {
	s, main, err := r.newRecord(record)
	if err != nil {
		return 0, err
	}
	return r.submit(ctx, s, main)
}

// Upsert updates the stored record that has the same value in the unique field by. If the caller may change no such record, Upsert
// creates one. The server decides this, so concurrent upserts of the same value create one record. Stored fields that have
// neither a value nor a default in record are kept. Upsert returns the id of the record, as Create does. The error is Invalid if by is not
// a unique field.
func (r *Records[T]) Upsert(ctx context.Context, by string, record T) (graph.ID, error) {
	s, main, err := r.newRecord(record)
	if err != nil {
		return 0, err
	}
	if f := r.model.typ.Fields[by]; f == nil || !f.Unique {
		return 0, graph.Errorf(graph.Invalid, "%s has no unique field %q", r.model.typ.Name, graph.Clip(by))
	}
	s.Upserts = []wire.Upsert{{Concept: wire.Int(main), By: wire.Text(graph.WithPrefix(by))}}
	return r.submit(ctx, s, main)
}

// submit submits a record and returns its id. main is the local id of the record.
func (r *Records[T]) submit(ctx context.Context, s Submission, main graph.ID) (graph.ID, error) {
	realIDs, err := r.source.Submit(ctx, s)
	if real, known := realIDs[main]; known {
		return real, err
	}
	return main, err
}

// newRecord returns the drafts of a record and its links, and the local id of the record.
func (r *Records[T]) newRecord(record T) (Submission, graph.ID, error) {
	var s Submission
	if r.model.err != nil {
		return s, 0, r.model.err
	}
	typed, err := schema.ValueOf(record)
	if err != nil {
		return s, 0, err
	}
	typ := r.model.typ
	stored, refusals := typ.Encode(typed, time.Now())
	if len(refusals) > 0 {
		return s, 0, refused(0, refusals)
	}
	ids := r.source.LocalIDs()
	main, err := composition.Build(&s.Batch, typ.TypeName(), stored, &ids)
	if err != nil {
		return s, 0, err
	}
	for _, name := range typ.Names() {
		if f := typ.Fields[name]; f.Kind.IsLink() {
			for _, to := range linkedIDs(typed.Get(name)) {
				s.Batch.Connections = append(s.Batch.Connections, r.linkDraft(&ids, f, main, to))
			}
		}
	}
	for i := range s.Batch.Concepts {
		s.Batch.Concepts[i].Access = r.access
	}
	for i := range s.Batch.Connections {
		s.Batch.Connections[i].Access = r.access
	}
	return s, main, nil
}

func (r *Records[T]) linkDraft(ids *composition.LocalIDs, link *schema.Field, id, to graph.ID) graph.ConnectionDraft {
	ids.Connection--
	d := graph.ConnectionDraft{
		LocalID: ids.Connection, From: id, To: to, Order: graph.OrderLink,
		TypeName: r.model.schema.ConnectionName(r.model.typ.Name, link),
	}
	if link.Inverse != "" {
		d.From, d.To = to, id
	}
	return d
}

// linkedIDs returns the ids in the typed value of a link.
func linkedIDs(v composition.Value) []graph.ID {
	if v.Kind == composition.Number {
		v = composition.ListValue(v)
	}
	var ids []graph.ID
	for _, m := range v.Members {
		if id, err := graph.ParseID(m.Value.Text); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Get returns a record without its links. The error is NotFound if no record has this type and id, or if the caller may
// not read it.
func (r *Records[T]) Get(ctx context.Context, id graph.ID) (T, error) {
	var record T
	typed, err := r.read(ctx, id)
	if err == nil {
		err = schema.Read(typed, &record)
	}
	return record, err
}

// read returns the id and the typed fields of a record. The error is that of Get.
func (r *Records[T]) read(ctx context.Context, id graph.ID) (composition.Value, error) {
	if r.model.err != nil {
		return composition.Value{}, r.model.err
	}
	var values []composition.Value
	err := r.readStable(ctx, func() (err error) {
		id = r.source.RealID(id)
		values, err = composition.Read(ctx, r.source, []graph.ID{id}, composition.Plain)
		return err
	})
	if err != nil {
		return composition.Value{}, err
	}
	if len(values) == 0 || len(values[0].Members) == 0 || values[0].Members[0].Key != r.model.typ.TypeName() {
		return composition.Value{}, graph.Errorf(graph.NotFound, "there is no %s with the id %d", r.model.typ.Name, id)
	}
	typed, _ := r.model.typ.Decode(values[0].Members[0].Value)
	typed.Members = append([]composition.Member{{Key: "id", Value: composition.IDValue(id)}}, typed.Members...)
	return typed, nil
}

// A pendingSource is a Source with pending writes.
type pendingSource interface {
	// Settled returns how many writes have stopped pending: they were sent or discarded.
	Settled() int
}

// readStable calls read, and calls it again if the source sent or discarded pending writes in the meantime. A record is read in several
// steps, and a write that stops pending between two steps would be missing from the result, or be in it twice.
func (r *Records[T]) readStable(ctx context.Context, read func() error) error {
	pending, ok := r.source.(pendingSource)
	if !ok {
		return read()
	}
	for {
		settled := pending.Settled()
		err := read()
		if pending.Settled() == settled || ctx.Err() != nil {
			return err
		}
	}
}

// Update changes the given fields and links of a record, and keeps the others.
func (r *Records[T]) Update(ctx context.Context, id graph.ID, fields Fields) error {
	if r.model.err != nil {
		return r.model.err
	}
	typed := composition.RecordValue()
	for name, value := range fields {
		v, err := schema.ValueOfField(value)
		if err != nil {
			return graph.Errorf(graph.Invalid, "%s: %s", name, err)
		}
		typed.Members = append(typed.Members, composition.Member{Key: name, Value: v})
	}
	return r.update(ctx, id, typed)
}

// Save updates the stored record that has the ID of the struct. It first reads the stored record, and then writes only the fields
// that differ. It does not change links.
func (r *Records[T]) Save(ctx context.Context, record T) error {
	id := schema.IDOf(record)
	before, err := r.read(ctx, id)
	if err != nil {
		return err
	}
	after, err := schema.ValueOf(record)
	if err != nil {
		return err
	}
	changes := composition.RecordValue()
	for _, name := range r.model.typ.Names() {
		f := r.model.typ.Fields[name]
		v := after.Get(name)
		stored, _ := f.Encode(v)
		old, _ := f.Encode(before.Get(name))
		bothEmpty := f.Kind == schema.KindList && len(v.Members) == 0 && len(before.Get(name).Members) == 0
		if !f.Kind.IsLink() && !bothEmpty && stored.String() != old.String() {
			changes.Members = append(changes.Members, composition.Member{Key: name, Value: v})
		}
	}
	return r.update(ctx, id, changes)
}

// update replaces the given typed fields and links of a record.
func (r *Records[T]) update(ctx context.Context, id graph.ID, typed composition.Value) error {
	stored, refusals := r.model.typ.EncodeChanges(typed)
	if len(refusals) > 0 {
		return refused(r.source.RealID(id), refusals)
	}
	patch := composition.Patch{Fields: composition.RecordValue()}
	for _, m := range stored.Members {
		patch.Removed = append(patch.Removed, r.model.typ.Fields[m.Key].Was...)
		if m.Value.Kind == composition.Null {
			patch.Removed = append(patch.Removed, m.Key)
		} else {
			patch.Fields.Members = append(patch.Fields.Members, m)
		}
	}
	var s Submission
	err := r.readStable(ctx, func() error {
		s = Submission{}
		ids := r.source.LocalIDs()
		patch.Main = r.source.RealID(id)
		if len(stored.Members) > 0 {
			if err := patch.AppendTo(ctx, &s.Batch, r.source, &ids); err != nil {
				return err
			}
		}
		for _, m := range typed.Members {
			if f := r.model.typ.Fields[m.Key]; f.Kind.IsLink() {
				if err := r.replaceLinks(ctx, &s.Batch, &ids, patch.Main, f, linkedIDs(m.Value)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.submitChanges(ctx, s)
}

// submitChanges submits a batch, unless it is empty.
func (r *Records[T]) submitChanges(ctx context.Context, s Submission) error {
	if len(s.Batch.Concepts)+len(s.Batch.Connections)+len(s.Batch.RemoveConcepts)+len(s.Batch.RemoveConnections) == 0 {
		return nil
	}
	_, err := r.source.Submit(ctx, s)
	return err
}

// Increment adds a number to a field. Concurrent increments are all applied. A field without a value counts as 0.
func (r *Records[T]) Increment(ctx context.Context, id graph.ID, field string, by float64) error {
	if r.model.err != nil {
		return r.model.err
	}
	f := r.model.typ.Fields[field]
	if f == nil || f.Kind != schema.KindInteger && f.Kind != schema.KindNumber {
		return graph.Errorf(graph.Invalid, "%s has no field %q of a numeric kind", r.model.typ.Name, graph.Clip(field))
	}
	step, err := schema.ValueOfField(by)
	if err != nil {
		return err
	}
	before, err := r.read(ctx, id)
	if err != nil {
		return err
	}
	sum, err := composition.Increment(before.Get(field).Text, step.Text)
	if err != nil {
		return graph.Wrap(graph.Invalid, err, "%s cannot be incremented", field)
	}
	// The server replaces this sum with a sum that it computes from the stored value.
	typed := composition.Value{Kind: composition.Number, Text: sum}
	stored, refusals := r.model.typ.EncodeChanges(composition.RecordValue(composition.Member{Key: field, Value: typed}))
	if len(refusals) > 0 {
		return refused(id, refusals)
	}
	var s Submission
	err = r.readStable(ctx, func() error {
		s = Submission{}
		ids := r.source.LocalIDs()
		return composition.Patch{Main: r.source.RealID(id), Fields: stored}.AppendTo(ctx, &s.Batch, r.source, &ids)
	})
	if err != nil {
		return err
	}
	for _, d := range s.Batch.Concepts {
		s.Increments = append(s.Increments, wire.Increment{Concept: wire.Int(d.LocalID), By: wire.Text(step.Text)})
	}
	return r.submitChanges(ctx, s)
}
