package schemas_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/schema"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main{M: m}.Run()) }

const crm = `{"types": {
	"contact": {"fields": {
		"name": {"kind": "text", "required": true, "max": 10}, "email": {"kind": "text", "unique": true, "was": ["mail"]},
		"age": {"kind": "integer", "min": 0}, "tags": {"kind": "list", "of": {"kind": "text", "max": 3}},
		"address": {"kind": "record", "fields": {"city": {"kind": "text", "required": true}}},
		"company": {"kind": "one", "targets": ["company"], "required": true}
	}},
	"company": {"fields": {"label": {"kind": "text"}, "email": {"kind": "text"}, "contacts": {"kind": "many", "targets": ["contact"], "inverse": "company"}}}
}}`

func parse(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A crmStore is a checked store with the schema crm and one company.
type crmStore struct {
	*schemas.Store
	t       testing.TB
	local   composition.LocalIDs
	company graph.ID
}

func newStore(t testing.TB, inner graph.Store, o schemas.Options) *crmStore {
	t.Helper()
	s := &crmStore{Store: schemas.NewStore(inner, o), t: t, local: composition.LocalIDs{Concept: -1_000, Connection: -1_000}}
	if _, err := schemas.Push(t.Context(), s.Store, parse(t, crm), schemas.PushOptions{}); err != nil {
		t.Fatal(err)
	}
	s.company = s.mustWrite(s.build("the_company", `{"label": "Acme"}`))
	return s
}

// build returns a batch of user 7 with a record.
func (s *crmStore) build(typ, fields string) graph.Batch {
	s.t.Helper()
	v, err := composition.Parse([]byte(fields))
	if err != nil {
		s.t.Fatal(err)
	}
	b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}}
	if _, err := composition.Build(&b, typ, v, &s.local); err != nil {
		s.t.Fatal(err)
	}
	return b
}

// contact returns a batch with a contact of the company.
func (s *crmStore) contact(fields string) graph.Batch {
	s.t.Helper()
	b := s.build("the_contact", fields)
	b.Connections = append(b.Connections, graph.ConnectionDraft{
		From: b.Concepts[0].LocalID, To: s.company, TypeName: "the_contact_company", Order: graph.OrderLink,
	})
	return b
}

// patch returns a batch that changes fields of a record.
func (s *crmStore) patch(id graph.ID, fields string) graph.Batch {
	s.t.Helper()
	v, err := composition.Parse([]byte(fields))
	if err != nil {
		s.t.Fatal(err)
	}
	b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}}
	if err := (composition.Patch{Main: id, Fields: v}).AppendTo(s.t.Context(), &b, s.Store, &s.local); err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *crmStore) mustWrite(b graph.Batch) graph.ID {
	s.t.Helper()
	receipt, err := s.Write(s.t.Context(), b)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(receipt.Concepts) == 0 {
		return 0
	}
	return receipt.Concepts[0].ID
}

// refused returns the refusals of a batch as "field rule", and checks that nothing was written.
func (s *crmStore) refused(b graph.Batch) []string {
	s.t.Helper()
	before, _ := s.LastSeq(s.t.Context())
	_, err := s.Write(s.t.Context(), b)
	after, _ := s.LastSeq(s.t.Context())
	refusals := schemas.RefusalsOf(err)
	if err != nil && refusals == nil {
		s.t.Fatal(err)
	}
	if err != nil && after != before {
		s.t.Error("a refused batch was written")
	}
	list := []string{}
	for _, r := range refusals {
		if r.Record == 0 || r.Message == "" {
			s.t.Errorf("the refusal has no record or no message: %v", r)
		}
		list = append(list, r.Field+" "+r.Rule)
	}
	return list
}

func (s *crmStore) wantRefused(name string, b graph.Batch, want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), s.refused(b)); diff != "" {
		s.t.Errorf("%s: %s", name, diff)
	}
}

// removeField returns a batch that removes the part of a record with the given type.
func (s *crmStore) removeField(id graph.ID, typ string) graph.Batch {
	s.t.Helper()
	links, err := s.Links(s.t.Context(), graph.Links{Of: []graph.ID{id}, Direction: graph.Out})
	if err != nil {
		s.t.Fatal(err)
	}
	b := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}}
	for _, c := range links {
		ends, _ := s.Concepts(s.t.Context(), []graph.ID{c.To, c.Type})
		types, _ := s.Concepts(s.t.Context(), []graph.ID{ends[0].Type})
		if types[0].Value == typ || ends[1].Value == typ {
			b.RemoveConnections = append(b.RemoveConnections, c.ID)
		}
	}
	if len(b.RemoveConnections) == 0 {
		s.t.Fatalf("record %d has no %s", id, typ)
	}
	return b
}

func TestChecksNewRecords(t *testing.T) {
	s := newStore(t, memory.New(), schemas.Options{})
	s.wantRefused("a valid contact", s.contact(`{"name": "Ann", "age": 5, "tags": ["a"], "address": {"city": "Gent"}, "unknown": "kept"}`))
	s.wantRefused("a contact without fields or links", s.build("the_contact", `{}`), "company required", "name required")
	s.wantRefused("wrong fields at every level",
		s.contact(`{"name": "longer than ten", "age": "five", "tags": ["a", "long"], "address": {"street": "x"}}`),
		"address.city required", "age kind", "name max", "tags.1 max")
	value := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{LocalID: -9999, TypeName: "the_contact", Value: "Ann"}}}
	s.wantRefused("a value of the type", value, "company required", "name required")
	b := s.contact(`{"name": "Ann"}`)
	b.Connections[len(b.Connections)-1].To = b.Concepts[0].LocalID
	s.wantRefused("a link to a record of another type", b, "company targets")
	b = s.contact(`{"name": "Ann"}`)
	b.Connections = append(b.Connections, b.Connections[len(b.Connections)-1])
	s.wantRefused("two connections of a link to one", b, "company one")
	s.wantRefused("a type without a schema", s.build("the_other", `{"age": "x"}`))
}

func TestChecksChangedRecords(t *testing.T) {
	s := newStore(t, memory.New(), schemas.Options{})
	id := s.mustWrite(s.contact(`{"name": "Ann", "age": 5, "tags": ["a"], "address": {"city": "Gent"}}`))
	s.wantRefused("a valid change", s.patch(id, `{"name": "Bo", "age": 6}`))
	s.wantRefused("wrong fields", s.patch(id, `{"name": "longer than ten", "age": -1, "tags": ["long"], "address": {}}`),
		"address.city required", "age min", "name max", "tags.0 max")
	s.wantRefused("the removal of an optional field", s.removeField(id, "the_age"))
	s.wantRefused("the removal of a required field", s.removeField(id, "the_name"), "name required")
	s.wantRefused("the removal of a required link", s.removeField(id, "the_contact_company"), "company required")
	nested := graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}}
	head := s.removeField(id, "address").RemoveConnections
	link, _ := s.Connections(t.Context(), head)
	inner, _ := s.Links(t.Context(), graph.Links{Of: []graph.ID{link[0].To}, Direction: graph.Out})
	nested.RemoveConnections = []graph.ID{inner[0].ID}
	s.wantRefused("the removal of a required field inside a field", nested, "address.city required")
	nested = graph.Batch{Sender: graph.Sender{User: 7, Randomizer: 1}, RemoveConcepts: []graph.ID{inner[0].To}}
	s.wantRefused("the removal of the value of a required field", nested, "address.city required")
	undone := s.patch(id, `{"age": -1}`)
	undone.RemoveConnections = append(undone.RemoveConnections, undone.Connections[len(undone.Connections)-1].LocalID)
	s.wantRefused("a wrong value that the same batch removes", undone)
	nested.RemoveConcepts = []graph.ID{id}
	s.wantRefused("the removal of the record", nested)
}

func TestAcceptsChangesDespiteEarlierViolations(t *testing.T) {
	inner := memory.New()
	plain := &crmStore{Store: schemas.NewStore(inner, schemas.Options{}), t: t}
	id := plain.mustWrite(plain.build("the_contact", `{"age": "old", "address": {"street": "x"}}`))
	s := newStore(t, inner, schemas.Options{})
	s.wantRefused("a change of another field", s.patch(id, `{"name": "Ann"}`))
	s.wantRefused("a change of the wrong field to another wrong value", s.patch(id, `{"age": "older"}`), "age kind")
	s.wantRefused("a replacement of a wrong nested record by another wrong nested record", s.patch(id, `{"address": {"street": "y"}}`), "address.city required")
	s.wantRefused("a change next to a wrong value in a nested record", s.patch(id, `{"address": {"city": "Gent"}}`))
	var found []string
	report := func(v schemas.Violation) error { found = append(found, v.Type+"."+v.Field+" "+v.Rule); return nil }
	if err := schemas.Report(t.Context(), s.Store, parse(t, crm), report); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"contact.age kind", "contact.company required"}, found); diff != "" {
		t.Error(diff)
	}
}

func TestUniqueValues(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		first := s.contact(`{"name": "Ann", "email": "a@b.co"}`)
		id := s.mustWrite(first)
		s.wantRefused("the same value by another user", s.byOther(s.contact(`{"name": "Bo", "email": "a@b.co"}`)), "email unique")
		s.wantRefused("the same value under a former name", s.contact(`{"name": "Bo", "mail": "a@b.co"}`), "email unique")
		s.wantRefused("the same batch again", first)
		s.wantRefused("the same value in another type", s.build("the_company", `{"email": "a@b.co"}`))
		s.wantRefused("another case", s.contact(`{"name": "Bo", "email": "A@b.co"}`))
		s.wantRefused("the value of the record itself", s.patch(id, `{"email": "a@b.co", "age": 3}`))
		two := s.contact(`{"name": "Bo", "email": "two@b.co"}`)
		twice := s.contact(`{"name": "Cy", "email": "two@b.co"}`)
		two.Concepts = append(two.Concepts, twice.Concepts...)
		two.Connections = append(two.Connections, twice.Connections...)
		s.wantRefused("the same value twice in a batch", two, "email unique")
		s.mustWrite(s.patch(id, `{"email": "new@b.co"}`))
		s.wantRefused("a value that no record has any more", s.contact(`{"name": "Bo", "email": "a@b.co"}`))
		s.wantRefused("a change to the value of another record", s.patch(id, `{"email": "a@b.co"}`), "email unique")
	})
}

func TestChecksAllValuesThatABatchGivesToAField(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		s.mustWrite(s.contact(`{"name": "Bo", "email": "taken@b.co"}`))
		id := s.mustWrite(s.contact(`{"name": "Ann", "email": "a@b.co"}`))
		s.wantRefused("a taken value before one under a former name", s.patch(id, `{"email": "taken@b.co", "mail": "c@b.co"}`), "email unique")
		s.wantRefused("a taken value under a former name", s.patch(id, `{"mail": "taken@b.co", "email": "c@b.co"}`), "email unique")
		s.wantRefused("a wrong value before one under a former name", s.patch(id, `{"email": {"x": "y"}, "mail": "c@b.co"}`), "email kind")
		s.wantRefused("a wrong value after one under a former name", s.patch(id, `{"mail": "c@b.co", "email": {"x": "y"}}`), "email kind")
		s.wantRefused("a wrong value under a former name before one that fits", s.patch(id, `{"mail": {"x": "y"}, "email": "c@b.co"}`), "email kind")
		s.wantRefused("two values that fit", s.patch(id, `{"mail": "c@b.co", "email": "d@b.co"}`))
	})
}

// byOther returns the batch with user 8 as its sender.
func (s *crmStore) byOther(b graph.Batch) graph.Batch {
	b.Sender.User = 8
	return b
}

func TestOneOfManyConcurrentWritersStoresAUniqueValue(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		const writers = 16
		var batches []graph.Batch
		for range writers {
			batches = append(batches, s.contact(`{"name": "Ann", "email": "one@b.co"}`))
		}
		var mu sync.Mutex
		var group sync.WaitGroup
		written := 0
		for i, b := range batches {
			b.Sender.User = graph.ID(100 + i)
			group.Go(func() {
				if _, err := s.Write(context.Background(), b); err == nil {
					mu.Lock()
					written++
					mu.Unlock()
				} else if graph.KindOf(err) != graph.Conflict {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if written != 1 {
			t.Errorf("%d records have the value; want 1", written)
		}
	})
}

func TestPushReplacesTypesInOneBatch(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		before, _ := s.LastSeq(t.Context())
		if d, err := schemas.Push(t.Context(), s.Store, parse(t, crm), schemas.PushOptions{Prune: true}); err != nil || len(d) != 0 {
			t.Errorf("a second push changes %v, %v", d, err)
		}
		changed := parse(t, strings.Replace(crm, `"max": 10`, `"max": 11`, 1))
		if _, err := schemas.Push(t.Context(), s.Store, changed, schemas.PushOptions{}); err != nil {
			t.Fatal(err)
		}
		if after, _ := s.LastSeq(t.Context()); after != before+1 {
			t.Errorf("the pushes made %d changes; want 1", after-before)
		}
		loaded, err := schemas.Load(t.Context(), s.Store)
		if err != nil {
			t.Fatal(err)
		}
		if diff := schema.Diff(changed, loaded); diff != nil {
			t.Error(diff)
		}
		s.wantRefused("a name of eleven characters", s.contact(`{"name": "abcdefghijk"}`))
		other := parse(t, `{"types": {"note": {"fields": {"body": {"kind": "text"}}}}}`)
		if _, err := schemas.Push(t.Context(), s.Store, other, schemas.PushOptions{Prune: true}); err != nil {
			t.Fatal(err)
		}
		s.wantRefused("a type that was removed", s.contact(`{"name": "longer than ever"}`))
		if loaded, err = schemas.Load(t.Context(), s.Store); err != nil || len(loaded.Types) != 1 {
			t.Errorf("the remaining types = %v, %v; want 1", loaded, err)
		}
	})
}

func TestPushRefusesATypeWithoutANeededInverse(t *testing.T) {
	s := newStore(t, memory.New(), schemas.Options{})
	only := parse(t, `{"types": {"company": {"fields": {"label": {"kind": "text"}}}}}`)
	if _, err := schemas.Push(t.Context(), s.Store, only, schemas.PushOptions{}); err != nil {
		t.Error("a company without its inverse link is refused:", err)
	}
	broken := parse(t, `{"types": {"contact": {"fields": {"label": {"kind": "text"}}}}}`)
	if _, err := schemas.Push(t.Context(), s.Store, parse(t, crm), schemas.PushOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := schemas.Push(t.Context(), s.Store, broken, schemas.PushOptions{})
	if problems := schema.ProblemsOf(err); len(problems) != 1 || problems[0].Rule != "inverse" {
		t.Errorf("the problems are %v; want the problem of the inverse", problems)
	}
}

func TestIgnoresSchemasOfUsers(t *testing.T) {
	s := &crmStore{Store: schemas.NewStore(memory.New(), schemas.Options{}), t: t}
	s.mustWrite(graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{
		LocalID: -1, TypeName: "the_weft_schema", Value: `{"fields":{"x":{"kind":"text","required":true}},"name":"note"}`, Access: graph.Public,
	}}})
	s.local.Concept = -1
	s.wantRefused("a note", s.build("the_note", `{}`))
}

// Two servers on one database have separate locks, and must still not store a unique value twice.
func TestOneOfManyWritersOnTwoServersStoresAUniqueValue(t *testing.T) {
	url := pgtest.Database(t)
	var servers []*crmStore
	for i := range 2 {
		inner, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = inner.Close() })
		s := &crmStore{Store: schemas.NewStore(inner, schemas.Options{}), t: t, local: composition.LocalIDs{Concept: graph.ID(-1_000_000 * (i + 1))}}
		if i == 0 {
			if _, err := schemas.Push(t.Context(), s.Store, parse(t, crm), schemas.PushOptions{}); err != nil {
				t.Fatal(err)
			}
			s.company = s.mustWrite(s.build("the_company", `{"label": "Acme"}`))
		} else {
			s.company = servers[0].company
		}
		servers = append(servers, s)
	}
	for round := range 20 {
		var group sync.WaitGroup
		var written atomic.Int64
		for i, s := range servers {
			for j := range 3 {
				b := s.contact(fmt.Sprintf(`{"name": "Ann", "email": "%d@b.co"}`, round))
				b.Sender.User = graph.ID(100 + 10*i + j)
				group.Go(func() {
					switch _, err := s.Write(context.Background(), b); graph.KindOf(err) {
					case "":
						written.Add(1)
					case graph.Conflict:
					default:
						t.Error(err)
					}
				})
			}
		}
		group.Wait()
		if n := written.Load(); n != 1 {
			t.Fatalf("round %d: %d records have the value; want 1", round, n)
		}
	}
}

// unreadable is a store whose reads by type fail.
type unreadable struct{ graph.Store }

func (unreadable) ConceptsByType(context.Context, graph.ID, graph.Page) ([]graph.Concept, error) {
	return nil, errors.New("the disk failed")
}

func TestWritesFailIfTheSchemaCannotBeRead(t *testing.T) {
	inner := memory.New()
	if _, err := schemas.Push(t.Context(), inner, parse(t, crm), schemas.PushOptions{}); err != nil {
		t.Fatal(err)
	}
	store := schemas.NewStore(unreadable{inner}, schemas.Options{Log: slog.New(slog.DiscardHandler)})
	b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_company"}}}
	if _, err := store.Write(t.Context(), b); err == nil || !strings.Contains(err.Error(), "the disk failed") {
		t.Errorf("a write without a readable schema: got error %v; want that of the read", err)
	}
}

// unresolving is a store that fails to resolve local ids.
type unresolving struct{ graph.Store }

func (unresolving) ResolveIDs(context.Context, graph.Sender, []graph.ID) (map[graph.ID]graph.ID, error) {
	return nil, errors.New("the disk failed")
}

func TestFailedCheckOfAUniqueValueIsNoConflict(t *testing.T) {
	inner := memory.New()
	s := newStore(t, inner, schemas.Options{})
	s.mustWrite(s.contact(`{"name": "Ann", "email": "a@b.co"}`))
	b := s.contact(`{"name": "Bo", "email": "a@b.co"}`)
	_, err := schemas.NewStore(unresolving{inner}, schemas.Options{}).Write(t.Context(), b)
	if graph.KindOf(err) == graph.Conflict || err == nil || !strings.Contains(err.Error(), "the disk failed") {
		t.Errorf("got error %v; want that of the store", err)
	}
}
