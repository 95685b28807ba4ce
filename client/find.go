package client

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/schema"
	"github.com/weft-graph/weft/wire"
)

// A Find is a query for records of type T. Its methods return changed copies, so the original query can be used
// again.
//
//	page, err := contacts.Find(client.Eq("vip", true), client.Gt("age", 20)).With("company").OrderBy("name").Limit(20).Page(ctx)
//
// Without OrderBy, the newest records come first. A page costs four requests, however many links With has.
type Find[T any] struct {
	records *Records[T]
	where   []Condition
	with    []string
	order   []wire.OrderBy
	oldest  bool
	limit   int
	after   string
}

// A Page is a part of the records that a query finds. Next is the argument of Find.After for the next page, or "" if the page is not
// full.
type Page[T any] struct {
	Records []T
	Next    string
}

const defaultLimit = 100

// Find returns a query for the records that meet all the conditions.
func (r *Records[T]) Find(conditions ...Condition) Find[T] {
	return Find[T]{records: r, where: conditions, limit: defaultLimit}
}

// With also reads linked records: One.Record and the elements of Many. A path such as "company.contacts" reads the links of linked
// records.
func (f Find[T]) With(links ...string) Find[T] {
	f.with = append(slices.Clone(f.with), links...)
	return f
}

// OrderBy orders the records by fields, in ascending order. Records without a value come last. It may be called again for
// further fields.
func (f Find[T]) OrderBy(fields ...string) Find[T] { return f.ordered(query.Ascending, fields) }

// OrderByDesc orders the records by fields, in descending order. Records without a value come last.
func (f Find[T]) OrderByDesc(fields ...string) Find[T] { return f.ordered(query.Descending, fields) }

func (f Find[T]) ordered(direction query.Order, fields []string) Find[T] {
	f.order = slices.Clone(f.order)
	for _, name := range fields {
		f.order = append(f.order, wire.OrderBy{Field: wire.Text(name), Direction: wire.Text(direction)})
	}
	return f
}

// OldestFirst orders the records by their creation, the oldest first. After OrderBy, it orders records with equal values.
func (f Find[T]) OldestFirst() Find[T] {
	f.oldest = true
	return f
}

// Limit sets the number of records of a page, from 1 to 10,000. The default is 100.
func (f Find[T]) Limit(n int) Find[T] {
	f.limit = n
	return f
}

// After makes the query start after a page; next is the Page.Next of that page.
func (f Find[T]) After(next string) Find[T] {
	f.after = next
	return f
}

// Page reads one page. Some conditions, such as those on lists, cannot be expressed as a query; Page then reads further pages of the
// server until it has a full page.
func (f Find[T]) Page(ctx context.Context) (Page[T], error) {
	typed, next, err := f.page(ctx)
	if err != nil {
		return Page[T]{}, err
	}
	return newPage[T](typed, next)
}

// newPage returns the page of typed records.
func newPage[T any](typed []composition.Value, next string) (Page[T], error) {
	page := Page[T]{Records: make([]T, len(typed)), Next: next}
	for i, v := range typed {
		if err := schema.Read(v, &page.Records[i]); err != nil {
			return page, err
		}
	}
	return page, nil
}

// page returns the typed records of a page, and the cursor of the next page.
func (f Find[T]) page(ctx context.Context) (typed []composition.Value, next string, err error) {
	for limit := f.limit; ; {
		c, err := f.compile()
		if err != nil {
			return nil, "", err
		}
		found, next, err := c.run(ctx, f.records.source)
		if err != nil {
			return nil, "", err
		}
		for _, v := range found {
			if !slices.ContainsFunc(c.tests, func(holds rowTest) bool { return !holds(v) }) {
				typed = append(typed, v)
			}
		}
		if next == "" || len(typed) >= limit {
			return typed, next, nil
		}
		f.after, f.limit = next, limit-len(typed)
	}
}

// All returns the records of all pages, starting at After, and reads each page only when it is needed. It ends after the first
// error.
func (f Find[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			page, err := f.Page(ctx)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, record := range page.Records {
				if !yield(record, nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			f.after = page.Next
		}
	}
}

// First returns the first record. The error is NotFound if there is none.
func (f Find[T]) First(ctx context.Context) (T, error) {
	page, err := f.Limit(1).Page(ctx)
	if err == nil && len(page.Records) == 0 {
		err = graph.Errorf(graph.NotFound, "no record of the type %s meets the conditions", f.records.model.typ.Name)
	}
	if err != nil {
		var none T
		return none, err
	}
	return page.Records[0], nil
}

// Count returns the number of all records that meet the conditions; Limit and After have no effect. If a condition cannot be expressed
// as a query, such as one on a list, Count reads the records.
func (f Find[T]) Count(ctx context.Context) (int, error) {
	f.with, f.order, f.after, f.limit = nil, nil, "", query.MaxPageSize
	c, err := f.compile()
	if err != nil {
		return 0, err
	}
	if len(c.tests) > 0 {
		n := 0
		for _, err := range f.All(ctx) {
			if err != nil {
				return 0, err
			}
			n++
		}
		return n, nil
	}
	c.query.CountAll, c.query.Inpage, c.query.Selectors = true, 1, nil
	answer, err := f.records.source.Query(ctx, c.query)
	return answer.Total, err
}

// A compiledFind holds a query, the tests that its rows must pass, and the links that its rows contain.
type compiledFind struct {
	query wire.Query
	tests []rowTest
	plan  rowPlan
}

// compile checks the query against the schema and compiles it. The error is Invalid for a limit out of range, and for an unknown field or
// link.
func (f Find[T]) compile() (*compiledFind, error) {
	m := f.records.model
	if m.err != nil {
		return nil, m.err
	}
	if f.limit < 1 || f.limit > query.MaxPageSize {
		return nil, graph.Errorf(graph.Invalid, "the limit of a page is %d; it must be from 1 to %d", f.limit, query.MaxPageSize)
	}
	c := &compiledFind{
		query: wire.Query{Order: wire.Text(query.Descending), Inpage: wire.Int(f.limit), After: wire.Text(f.after), Selectors: []wire.Text{query.Self}},
		plan:  rowPlan{schema: m.schema, typ: m.typ},
	}
	if f.oldest {
		c.query.Order = wire.Text(query.Ascending)
	}
	for _, o := range f.order {
		kind, err := orderKind(m.typ, string(o.Field))
		if err != nil {
			return nil, err
		}
		o.Field, o.Kind = wire.Text(graph.WithPrefix(string(o.Field))), wire.Text(kind)
		c.query.OrderBy = append(c.query.OrderBy, o)
	}
	for _, path := range f.with {
		if err := c.plan.add(path, strings.Split(path, ".")); err != nil {
			return nil, err
		}
	}
	c.query.FreeschemaQueries = c.plan.hops()
	var err error
	if c.tests, err = compileWhere(m.schema, m.typ, f.where, &c.query); err != nil {
		return nil, err
	}
	if len(c.query.ConceptIDs) == 0 {
		c.query.Type = wire.Text(m.typ.TypeName())
	}
	return c, nil
}

func orderKind(typ *schema.Type, name string) (query.OrderKind, error) {
	f := typ.Fields[name]
	if f == nil {
		return "", graph.Errorf(graph.Invalid, "%s has no field %q to order by", typ.Name, graph.Clip(name))
	}
	switch f.Kind {
	case schema.KindInteger, schema.KindNumber:
		return query.OrderNumber, nil
	case schema.KindDate, schema.KindDateTime:
		return query.OrderTime, nil
	case schema.KindText, schema.KindLongText, schema.KindChoice, schema.KindBoolean:
		return query.OrderText, nil
	default:
		return "", graph.Errorf(graph.Invalid, "%s.%s is of the kind %s, which has no order", typ.Name, name, f.Kind)
	}
}

// run runs the query. It returns typed records with their ids and links, and the cursor of the next page.
func (c *compiledFind) run(ctx context.Context, source Source) ([]composition.Value, string, error) {
	answer, err := source.Query(ctx, c.query)
	if err != nil {
		return nil, "", err
	}
	rows, err := loadRows(ctx, source, answer)
	if err != nil {
		return nil, "", err
	}
	typed, err := rows.records(ctx, &c.plan, answer.Roots)
	next := answer.Next
	if len(c.query.OrderBy) == 0 && len(answer.Roots) == int(c.query.Inpage) {
		next = cmp.Or(next, answer.Roots[len(answer.Roots)-1].String())
	}
	return typed, next, err
}
