package schemas

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// UniqueLimits limits the information that refusals of unique values reveal; see docs/decisions/0031 and 0037.
type UniqueLimits struct {
	// OnlyVisible restricts the checks to records that the caller may read.
	OnlyVisible bool
	// Take counts a check of a caller and returns 0, or returns how long the caller must wait. Return takes back a check that did not
	// lead to a refusal. Both may be nil.
	Take   func(key string, now time.Time) time.Duration
	Return func(key string)
}

// A claim is a value of a unique field that a batch gives to a record.
type claim struct {
	record *record
	field  *schema.Field
	value  string
}

// addClaim adds a claim if the field is unique and its value can be found by its text.
func (c *check) addClaim(r *record, f *schema.Field, v composition.Value) {
	if f.Unique && v.Kind == composition.Text && graph.IsShared(v.Text) {
		c.claims = append(c.claims, claim{r, f, v.Text})
	}
}

// write writes b, the batch as it was sent, unless another record has one of the unique values. The error names only the first conflict,
// so that a batch with many guesses reveals only one taken value.
func (c *check) write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if len(c.claims) == 0 {
		return c.store.Store.Write(ctx, b)
	}
	caller, limits := callerOf(ctx), c.store.options.Unique
	isLimited := limits.Take != nil && !limits.OnlyVisible && !caller.IsAdmin
	if isLimited {
		if wait := limits.Take(caller.Key, time.Now()); wait > 0 {
			return graph.Receipt{}, graph.Errorf(graph.TooMany, "too many values that must be unique were taken; try again in %s", wait.Round(time.Second))
		}
	}
	receipt, conflict, err := c.writeUnique(ctx, b)
	if conflict != nil {
		return receipt, refusalError(graph.Conflict, []schema.Refusal{schema.NewRefusal(conflict.record.id, conflict.field, "unique")})
	}
	if isLimited && ctx.Err() == nil { // a caller who stops waiting may infer from the duration that the value is taken
		limits.Return(caller.Key)
	}
	return receipt, err
}

// writeUnique writes the batch, or returns the first claim to a value that another record has. Most values are new, so it first lets the
// store find out whether all are. With OnlyVisible it does not, because the duration would reveal values of hidden records.
func (c *check) writeUnique(ctx context.Context, b graph.Batch) (graph.Receipt, *claim, error) {
	if conflict := c.conflictInBatch(); conflict != nil {
		return graph.Receipt{}, conflict, nil
	}
	keys := c.store.lockKeys(c.claims)
	unlock, err := c.store.locks.Lock(ctx, keys)
	if err != nil {
		return graph.Receipt{}, nil, err
	}
	defer unlock()
	if values := typedValues(c.rules, c.claims); !c.store.options.Unique.OnlyVisible && len(values) > 0 {
		unlessPresent := b
		unlessPresent.Absent = &graph.Absent{Values: values, Locks: keys}
		receipt, err := c.store.Store.Write(ctx, unlessPresent)
		if !errors.Is(err, graph.ErrPresent) {
			return receipt, nil, err
		}
	}
	if shared, isShared := graph.As[valueLocker](c.store.Store); isShared {
		unlock, err := shared.LockValues(ctx, keys)
		if err != nil {
			return graph.Receipt{}, nil, err
		}
		defer unlock()
	}
	if conflict, err := c.findConflict(ctx); conflict != nil || err != nil {
		return graph.Receipt{}, conflict, err
	}
	receipt, err := c.store.Store.Write(ctx, b)
	return receipt, nil, err
}

// conflictInBatch returns the first claim to a value that another record of the batch also claims.
func (c *check) conflictInBatch() *claim {
	if len(c.claims) == 1 {
		return nil
	}
	type fieldValue struct {
		field *schema.Field
		value string
	}
	claimed := map[fieldValue]*record{}
	for i, cl := range c.claims {
		first := claimed[fieldValue{cl.field, cl.value}]
		if first != nil && first != cl.record {
			return &c.claims[i]
		}
		claimed[fieldValue{cl.field, cl.value}] = cl.record
	}
	return nil
}

// findConflict returns the first claim to a value that another record of the store has.
func (c *check) findConflict(ctx context.Context) (*claim, error) {
	var viewer graph.ID
	if c.store.options.Unique.OnlyVisible {
		viewer = callerOf(ctx).Viewer
	}
	holders, err := findHolders(ctx, c.store.Store, c.rules, c.claims, viewer)
	if err != nil {
		return nil, err
	}
	for i, held := range holders {
		isOther, err := c.isHeldByOther(ctx, c.claims[i].record, held)
		if err != nil {
			return nil, err
		}
		if isOther {
			return &c.claims[i], nil
		}
	}
	return nil, nil
}

// isHeldByOther reports whether a record other than r will still have a value after the batch. Without this rule, a record
// that is sent again would conflict with itself, because the store already has its values.
func (c *check) isHeldByOther(ctx context.Context, r *record, held []graph.Connection) (bool, error) {
	real := r.real
	for _, connection := range held {
		if c.gone[connection.ID] || c.gone[connection.From] || c.gone[connection.To] || connection.From == real {
			continue
		}
		if r.real == 0 && real == 0 && r.id != 0 {
			reals, err := c.store.ResolveIDs(ctx, c.batch.Sender, []graph.ID{r.id})
			if err != nil {
				return false, err
			}
			if real = reals[r.id]; connection.From == real {
				continue
			}
		}
		return true, nil
	}
	return false, nil
}

// findHolders returns, for each claim, the connections from records of its type to its value. If viewer is not 0, it returns
// only connections that this user may read.
func findHolders(ctx context.Context, r graph.Reader, rules *rules, claims []claim, viewer graph.ID) ([][]graph.Connection, error) {
	held := make([][]graph.Connection, len(claims))
	var keys []graph.ValueKey
	for _, v := range typedValues(rules, claims) {
		keys = append(keys, graph.ValueKey{Value: v.Value, Type: v.Type, Category: graph.CategoryInstance, Viewer: viewer})
	}
	values, err := r.ConceptsByValue(ctx, keys)
	if err != nil || len(values) == 0 {
		return held, err
	}
	valueOf := make(map[graph.ID]graph.Concept, len(values))
	ids := make([]graph.ID, len(values))
	for i, v := range values {
		valueOf[v.ID], ids[i] = v, v.ID
	}
	uses, err := recordsUsing(ctx, r, ids, viewer)
	if err != nil {
		return nil, err
	}
	for i, cl := range claims {
		typ := rules.ids[cl.record.typ.TypeName()]
		for _, use := range uses {
			v := valueOf[use.connection.To]
			if use.recordType == typ && v.Value == cl.value && fieldOf(cl.record.typ, rules.names[v.Type]) == cl.field {
				held[i] = append(held[i], use.connection)
			}
		}
	}
	return held, nil
}

// typedValues returns the claimed values with the types of their fields, under present and former names.
func typedValues(rules *rules, claims []claim) []graph.TypedValue {
	values := make([]graph.TypedValue, 0, len(claims))
	for _, cl := range claims {
		for _, name := range append([]string{cl.field.Name}, cl.field.Was...) {
			if id := rules.ids[graph.WithPrefix(name)]; id != 0 {
				values = append(values, graph.TypedValue{Type: id, Value: cl.value})
			}
		}
	}
	return values
}

// A use is a direct part of a record.
type use struct {
	connection graph.Connection
	recordType graph.ID
}

// usesPerRead is the number of connections of each value in one read.
const usesPerRead = 1_000

// recordsUsing returns the connections by which compositions have one of the values as a direct part.
func recordsUsing(ctx context.Context, r graph.Reader, values []graph.ID, viewer graph.ID) ([]use, error) {
	var found []use
	for _, id := range values {
		page := graph.Page{Limit: usesPerRead}
		for hasMore := true; hasMore; {
			links, err := r.Links(ctx, graph.Links{Of: []graph.ID{id}, Direction: graph.In, Page: page})
			if err != nil {
				return nil, err
			}
			if hasMore = len(links) == usesPerRead; hasMore {
				page.After = links[len(links)-1].ID
			}
			links = slices.DeleteFunc(links, func(c graph.Connection) bool { return c.From != c.Type })
			uses, err := withRecordTypes(ctx, r, links, viewer)
			if err != nil {
				return nil, err
			}
			found = append(found, uses...)
		}
	}
	return found, nil
}

// withRecordTypes adds to each connection the type of the record from which it leads. It leaves out records that
// the viewer may not read.
func withRecordTypes(ctx context.Context, r graph.Reader, links []graph.Connection, viewer graph.ID) ([]use, error) {
	ids := make([]graph.ID, len(links))
	for i, c := range links {
		ids[i] = c.From
	}
	mains, err := r.Concepts(ctx, ids)
	mainOf := make(map[graph.ID]graph.Concept, len(mains))
	for _, m := range mains {
		mainOf[m.ID] = m
	}
	isVisible := func(scope graph.ID) bool { return viewer == 0 || scope == 0 || scope == viewer }
	var found []use
	for _, c := range links {
		if m, exists := mainOf[c.From]; exists && isVisible(m.Scope()) && isVisible(graph.ScopeOf(c.Owner, c.Access)) {
			found = append(found, use{c, m.Type})
		}
	}
	return found, err
}

// A valueLocker is a store that several servers share. LockValues locks keys for all of them.
type valueLocker interface {
	LockValues(ctx context.Context, keys []int32) (unlock func(), err error)
}

// valueLocks is the number of locks of values. They make the check and the write of a unique value atomic: of two batches with the same
// value, the second sees the record of the first.
const valueLocks = 1024

// lockKeys returns the keys of the locks of claimed values, in this server and in the others on the same database.
func (s *Store) lockKeys(claims []claim) []int32 {
	values := make([]string, len(claims))
	for i, c := range claims {
		values[i] = c.field.Name + "\x00" + c.value
	}
	return s.locks.Indexes(values...)
}
