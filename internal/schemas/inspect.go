package schemas

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// maxRefusals is the maximum number of refusals in one error.
const maxRefusals = 100

// run checks the batch, except its unique values, and returns the check that collected them: c itself, or the check of the batch without
// the drafts that were sent before.
func (c *check) run(ctx context.Context) (*check, error) {
	if err := c.inspectAll(ctx); err != nil {
		return nil, err
	}
	c.doubts.concepts = c.doubts.concepts || len(c.refusals) > 0
	again, err := c.withoutSent(ctx)
	if err != nil {
		return nil, err
	}
	if again != nil {
		return again.run(ctx)
	}
	if len(c.refusals) > 0 {
		return nil, refusalError(graph.Invalid, c.refusals[:min(len(c.refusals), maxRefusals)])
	}
	return c, nil
}

func (c *check) inspectAll(ctx context.Context) error {
	if err := c.collect(ctx); err != nil {
		return err
	}
	for _, r := range c.order {
		if c.removesRecord(r) {
			continue
		}
		if err := c.inspect(ctx, r); err != nil {
			return err
		}
		if len(c.refusals) >= maxRefusals {
			break
		}
	}
	return nil
}

// A refusedError is an error with the refusals that it describes.
type refusedError struct {
	error

	refusals []schema.Refusal
}

// Unwrap returns the graph.Error.
func (e refusedError) Unwrap() error { return e.error }

// refusalError returns an error whose message is the sentence of the first refusal.
func refusalError(kind graph.ErrorKind, refusals []schema.Refusal) error {
	return refusedError{graph.Errorf(kind, "%s", refusals[0].Message), refusals}
}

// RefusalsOf returns the reasons why a batch was refused, or nil for an error with another cause.
func RefusalsOf(err error) []schema.Refusal {
	if refused, ok := errors.AsType[refusedError](err); ok {
		return refused.refusals
	}
	return nil
}

// refuse adds the refusals of a record.
func (c *check) refuse(r *record, refusals ...schema.Refusal) {
	for _, refusal := range refusals {
		refusal.Record = r.id
		c.refusals = append(c.refusals, refusal)
	}
}

// inspect checks a record, and collects its unique values.
func (c *check) inspect(ctx context.Context, r *record) error {
	if r.partsFollow {
		return nil
	}
	if err := c.inspectLinks(ctx, r); err != nil {
		return err
	}
	if r.real == 0 {
		return c.inspectNew(ctx, r)
	}
	return c.inspectChanged(ctx, r)
}

func (c *check) inspectNew(ctx context.Context, r *record) error {
	v, err := c.valueIn(ctx, r, r.id, nil)
	if err != nil {
		return err
	}
	c.doubts.concepts = c.doubts.concepts || len(c.partsOfStored(r)) > 0
	if v.Kind != composition.Record { // a record without fields is empty, or a value of the type that is not a composition
		v = composition.RecordValue()
	}
	c.refuse(r, r.typ.Check(v)...)
	for _, m := range v.Members {
		if f := fieldOf(r.typ, m.Key); f != nil {
			c.addClaim(r, f, m.Value)
		}
	}
	return nil
}

// inspectChanged checks the changed fields of an existing record. If the new value of a field consists partly of stored
// concepts, it reads the whole record.
func (c *check) inspectChanged(ctx context.Context, r *record) error {
	needsWhole, given, err := c.newParts(ctx, r)
	if err != nil {
		return err
	}
	for _, connection := range r.removed {
		f, err := c.fieldAt(ctx, r.typ, connection.To)
		if err != nil {
			return err
		}
		_, isGiven := given[f]
		isReplaced := connection.From == r.real && f != nil && isGiven
		isNeeded := connection.From != r.real || f != nil && f.Required
		c.doubts.connections = c.doubts.connections || isNeeded && len(r.parts) > 0
		needsWhole = needsWhole || isNeeded && !isReplaced
	}
	if needsWhole {
		return c.inspectWhole(ctx, r, given)
	}
	for _, name := range r.typ.Names() {
		f := r.typ.Fields[name]
		for _, g := range given[f] {
			c.refuse(r, f.Check(g.value)...)
			c.addClaim(r, f, g.value)
		}
	}
	return nil
}

// A newPart is a direct part that a batch adds to an existing record.
type newPart struct {
	key        string
	value      composition.Value
	usesStored bool // the value does not include stored parts, which only the whole record has
}

// newParts returns the direct parts that the batch adds to an existing record, by field, and reports whether it also adds to stored parts.
// A batch may add several parts of a field, under its present and former names.
func (c *check) newParts(ctx context.Context, r *record) (addsToStored bool, given map[*schema.Field][]newPart, err error) {
	given = map[*schema.Field][]newPart{}
	for _, d := range r.parts {
		if c.sameID(r, d.From) != r.id {
			continue
		}
		f, part, err := c.part(ctx, r, d.To)
		if err != nil {
			return false, nil, err
		}
		if f == nil {
			continue
		}
		c.doubts.concepts = c.doubts.concepts || len(given[f]) > 0
		given[f] = append(given[f], part)
		addsToStored = addsToStored || part.usesStored
	}
	for _, d := range c.partsOfStored(r) {
		addsToStored = true
		c.doubts.concepts = c.doubts.concepts || c.drafts[d.From] != nil
	}
	return addsToStored, given, nil
}

// partsOfStored returns the new connections inside a record that do not belong to its new parts.
func (c *check) partsOfStored(r *record) []*graph.ConnectionDraft {
	if !slices.ContainsFunc(r.parts, func(d *graph.ConnectionDraft) bool { return c.sameID(r, d.From) != r.id }) {
		return nil
	}
	reached := map[graph.ID]bool{r.id: true}
	for level := []graph.ID{r.id}; len(level) > 0; {
		var next []graph.ID
		for _, id := range level {
			for _, d := range c.children[node{r.id, id}] {
				if to := c.sameID(r, d.To); !reached[to] {
					reached[to] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	var others []*graph.ConnectionDraft
	for _, d := range r.parts {
		if !reached[c.sameID(r, d.From)] {
			others = append(others, d)
		}
	}
	return others
}

// part returns the field and the new value of a direct part of a record. The field is nil if the type does not have it.
func (c *check) part(ctx context.Context, r *record, id graph.ID) (*schema.Field, newPart, error) {
	name, err := c.typeNameOf(ctx, id)
	f := fieldOf(r.typ, name)
	if err != nil || f == nil {
		return nil, newPart{}, err
	}
	r.usesStored = false
	v, err := c.valueIn(ctx, r, id, []graph.ID{r.id})
	return f, newPart{graph.WithoutPrefix(name), v, r.usesStored}, err
}

// fieldAt returns the field of t for a part whose concept has the given id, or nil.
func (c *check) fieldAt(ctx context.Context, t *schema.Type, id graph.ID) (*schema.Field, error) {
	name, err := c.typeNameOf(ctx, id)
	return fieldOf(t, name), err
}

// typeNameOf returns the name of the type of a concept, drafted or existing; or "" if the concept does not exist.
func (c *check) typeNameOf(ctx context.Context, id graph.ID) (string, error) {
	if d := c.drafts[id]; d != nil {
		return d.TypeName, nil
	}
	concept, exists := c.concepts[id]
	if !exists {
		return "", nil
	}
	if name, known := c.rules.names[concept.Type]; known {
		return name, nil
	}
	types, err := c.store.Concepts(ctx, []graph.ID{concept.Type})
	if err != nil || len(types) == 0 {
		return "", err
	}
	return types[0].Value, nil
}

// valueIn returns the value of a concept inside a record, as the batch describes it, in the form of composition.Read.
func (c *check) valueIn(ctx context.Context, r *record, id graph.ID, path []graph.ID) (composition.Value, error) {
	id = c.sameID(r, id)
	children := c.children[node{r.id, id}]
	text, isComposition := c.content(id)
	r.usesStored = r.usesStored || text == "" && id != r.id && c.drafts[id] == nil
	if text != "" || len(children) == 0 && !isComposition {
		return composition.TextValue(text), nil
	}
	if len(path) > composition.MaxDepth {
		return composition.Value{}, graph.Errorf(graph.Invalid, "the record is nested deeper than %d levels", composition.MaxDepth)
	}
	if c.values += len(children); c.values > composition.MaxValues { // nested records may occur several times
		return composition.Value{}, graph.Errorf(graph.TooLarge, "the batch has records with more than %d values", composition.MaxValues)
	}
	path = append(path, id)
	var fields composition.Fields
	for _, d := range children {
		if slices.Contains(path, c.sameID(r, d.To)) {
			continue
		}
		name, err := c.typeNameOf(ctx, d.To)
		if err != nil {
			return composition.Value{}, err
		}
		v, err := c.valueIn(ctx, r, d.To, path)
		if err != nil {
			return composition.Value{}, err
		}
		key := graph.WithoutPrefix(name)
		c.doubts.concepts = c.doubts.concepts || fields.Get(key) != nil
		fields.Set(key, v)
	}
	v, _ := fields.List()
	return v, nil
}

// content returns the text of a concept, drafted or existing, and whether it is a composition.
func (c *check) content(id graph.ID) (text string, isComposition bool) {
	if d := c.drafts[id]; d != nil {
		return d.Value, d.Kind == graph.DraftComposition
	}
	concept := c.concepts[id]
	return concept.Value, concept.Composition
}

// inspectWhole checks an existing record in its state after the batch. It refuses violations that did not exist before, and all
// violations of the given fields.
func (c *check) inspectWhole(ctx context.Context, r *record, given map[*schema.Field][]newPart) error {
	before, err := readRecord(ctx, c.store, r.real)
	if err != nil {
		return err
	}
	after, err := readRecord(ctx, &overlay{Reader: c.store, check: c, record: r}, r.real)
	if err != nil {
		return err
	}
	wrongBefore := map[string]bool{}
	for _, refusal := range r.typ.Check(before) {
		wrongBefore[refusal.Field+" "+refusal.Rule] = true
	}
	for _, refusal := range r.typ.Check(after) {
		name, _, _ := strings.Cut(refusal.Field, ".")
		_, isGiven := given[r.typ.Fields[name]]
		if isGiven || !wrongBefore[refusal.Field+" "+refusal.Rule] {
			c.refuse(r, refusal)
		}
	}
	// If the record has a value under the present name of a field, a new value under a former name is not the
	// value of the field.
	for _, name := range r.typ.Names() {
		for _, g := range given[r.typ.Fields[name]] {
			if g.usesStored {
				g.value = after.Get(g.key)
			}
			if after.Get(name).String() != g.value.String() {
				c.refuse(r, r.typ.Fields[name].Check(g.value)...)
			}
		}
	}
	for _, m := range after.Members {
		f := fieldOf(r.typ, m.Key)
		if f != nil && f.Unique && before.Get(m.Key).Text != m.Value.Text {
			c.addClaim(r, f, m.Value)
		}
	}
	return nil
}

// readRecord reads the fields of a composition.
func readRecord(ctx context.Context, r graph.Reader, id graph.ID) (composition.Value, error) {
	found, err := composition.Read(ctx, r, []graph.ID{id}, composition.Plain)
	if err != nil || len(found) == 0 || len(found[0].Members) == 0 {
		return composition.RecordValue(), err
	}
	if v := found[0].Members[0].Value; v.Kind == composition.Record {
		return v, nil
	}
	return composition.RecordValue(), nil
}
