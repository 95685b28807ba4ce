package schemas

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
	"github.com/weft-graph/weft/wire"
)

const (
	// valueType is the type of the values that contain the canonical JSON of a type.
	valueType = "the_weft_schema"
	// valueLink is the type of the connections from prototypes to these values.
	valueLink = "the_prototype_schema"
	// pageSize is the number of stored types or records in one read.
	pageSize = 500
)

// A storedType is a stored type of a schema.
type storedType struct {
	value graph.ID          // id of the value that contains the JSON
	json  composition.Value // a record with the members fields and name
}

// Load reads the schema of a store. If the store has no schema, the result has no types. The error is Internal if the stored
// schema contradicts itself; a newer version of the program may have written it.
func Load(ctx context.Context, r graph.Reader) (*schema.Schema, error) {
	types, err := loadTypes(ctx, r)
	if err != nil {
		return nil, err
	}
	s, problems := schema.FromValue(schemaValue(types))
	if len(problems) > 0 {
		return nil, graph.Wrap(graph.Internal, problems.AsError(), "the stored schema cannot be used")
	}
	return s, nil
}

// loadTypes reads the stored types by name.
func loadTypes(ctx context.Context, r graph.Reader) (map[string]storedType, error) {
	found := map[string]storedType{}
	types, err := graph.TypesNamed(ctx, r, valueType)
	typ, exists := types[valueType]
	if err != nil || !exists {
		return found, err
	}
	for page := (graph.Page{Limit: pageSize}); ; {
		values, err := r.ConceptsByType(ctx, typ.ID, page)
		if err != nil {
			return nil, err
		}
		for _, c := range values {
			v, err := composition.Parse([]byte(c.Value))
			if name := v.Get("name").Text; err == nil && c.Owner == graph.System && name != "" {
				found[name] = storedType{c.ID, v}
			}
		}
		if len(values) < pageSize {
			return found, nil
		}
		page.After = values[len(values)-1].ID
	}
}

// schemaValue converts stored types to the JSON of a schema.
func schemaValue(types map[string]storedType) composition.Value {
	all := composition.RecordValue()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		fields := composition.Member{Key: "fields", Value: types[name].json.Get("fields")}
		all.Members = append(all.Members, composition.Member{Key: name, Value: composition.RecordValue(fields)})
	}
	return composition.RecordValue(composition.Member{Key: "types", Value: all})
}

// PushOptions are the options of Push.
type PushOptions struct {
	Prune  bool // remove the types that the pushed schema does not have
	DryRun bool // change nothing
}

// Push stores the types of a schema, in one batch of the system user, and returns the differences from the stored schema.
// Other stored types are kept, unless o.Prune is set. The error is Invalid if the result contradicts itself.
func Push(ctx context.Context, store graph.Store, s *schema.Schema, o PushOptions) ([]schema.Difference, error) {
	m, err := mergeInto(ctx, store, s, o.Prune)
	if err != nil || o.DryRun || len(m.differences) == 0 {
		return m.differences, err
	}
	merged, before, differences := m.schema, m.before, m.differences
	p := &pusher{next: graph.ID(-1<<40 - rand.Int64N(1<<52)), schema: merged, types: map[string]bool{}}
	p.batch.Sender = graph.Sender{User: graph.System, Randomizer: rand.Int64()}
	for _, name := range changedTypes(differences) {
		if err := p.remove(ctx, store, before[name]); err != nil {
			return nil, err
		}
		if t := merged.Types[name]; t != nil {
			p.add(t)
		}
	}
	_, err = store.Write(ctx, p.batch)
	return differences, err
}

// A merged is the result of mergeInto: the stored schema with the types of another schema.
type merged struct {
	before      map[string]storedType // the stored types, by name
	schema      *schema.Schema
	differences []schema.Difference
}

// mergeInto adds the types of a schema to the stored types, and replaces stored types with the same name. The error is
// Invalid if the result contradicts itself.
func mergeInto(ctx context.Context, r graph.Reader, s *schema.Schema, prune bool) (merged, error) {
	before, err := loadTypes(ctx, r)
	if err != nil {
		return merged{}, err
	}
	after := map[string]storedType{}
	if !prune {
		after = maps.Clone(before)
	}
	for name, t := range s.Types {
		after[name] = storedType{json: storedJSON(t)}
	}
	result, problems := schema.FromValue(schemaValue(after))
	if len(problems) > 0 {
		return merged{}, problems.AsError()
	}
	old, _ := schema.FromValue(schemaValue(before))
	return merged{before: before, schema: result, differences: schema.Diff(old, result)}, nil
}

// changedTypes returns the distinct types in differences, which must be in order of types.
func changedTypes(differences []schema.Difference) []string {
	names := make([]string, len(differences))
	for i, d := range differences {
		names[i] = d.Type
	}
	return slices.Compact(names)
}

// storedJSON returns the canonical JSON of a type with its name.
func storedJSON(t *schema.Type) composition.Value {
	v := t.Value()
	v.Members = append(v.Members, composition.Member{Key: "name", Value: composition.TextValue(t.Name)})
	return v
}

// A pusher collects the batch of a push.
type pusher struct {
	batch  graph.Batch
	next   graph.ID // next local id
	schema *schema.Schema
	types  map[string]bool // names of the types that the batch creates
}

// remove removes the stored form of a type, if it has one. Removing the prototype also removes its connections.
func (p *pusher) remove(ctx context.Context, r graph.Reader, t storedType) error {
	if t.value == 0 {
		return nil
	}
	links, err := r.Links(ctx, graph.Links{Of: []graph.ID{t.value}, Direction: graph.In})
	for _, c := range links {
		p.batch.RemoveConcepts = append(p.batch.RemoveConcepts, c.From)
	}
	p.batch.RemoveConcepts = append(p.batch.RemoveConcepts, t.value)
	return err
}

// add adds the prototype of a schema type, the value with its JSON, and the store types of its fields that the batch does not create
// yet. These types then have ids when records are checked.
func (p *pusher) add(t *schema.Type) {
	prototype := wire.Prototype{Prototype: wire.Text(t.TypeName())}
	for _, name := range t.Names() {
		f, member := t.Fields[name], graph.WithPrefix(name)
		if f.Kind.IsLink() {
			member = p.schema.ConnectionName(t.Name, f)
		}
		if f.Required {
			prototype.Required = append(prototype.Required, wire.Text(member))
		} else {
			prototype.Optional = append(prototype.Optional, wire.Text(member))
		}
	}
	b, _ := prototype.Batch(p.batch.Sender, p.next) // fails only for a type without a name
	value := graph.ConceptDraft{LocalID: p.next - graph.ID(len(b.Concepts)), TypeName: valueType, Value: storedJSON(t).String()}
	b.Connections = append(b.Connections, graph.ConnectionDraft{
		From: b.Concepts[0].LocalID, To: value.LocalID, TypeName: valueLink, Order: graph.OrderLink,
	})
	b.Concepts = append(b.Concepts, value)
	p.next = value.LocalID - 1
	for i := range b.Concepts {
		b.Concepts[i].Access = graph.Public
	}
	for i := range b.Connections {
		b.Connections[i].Access = graph.Public
	}
	p.batch.Concepts = append(p.batch.Concepts, b.Concepts...)
	p.batch.Connections = append(p.batch.Connections, b.Connections...)
	for _, name := range partTypes(t.Fields) {
		if !p.types[name] {
			p.types[name] = true
			p.batch.Concepts = append(p.batch.Concepts, graph.ConceptDraft{Kind: graph.DraftType, TypeName: name})
		}
	}
}
