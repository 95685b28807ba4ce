package account_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/raw"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// writeRecords writes private and public records as a user.
func writeRecords(t *testing.T, w fixture, user graph.ID, n int) (private, public []graph.ID) {
	t.Helper()
	b := graph.Batch{}
	for i := range n {
		head := -graph.ID(3*i) - 1
		b.Concepts = append(b.Concepts,
			graph.ConceptDraft{LocalID: head, Kind: graph.DraftComposition, TypeName: "the_note"},
			graph.ConceptDraft{LocalID: head - 1, TypeName: "the_text", Value: fmt.Sprint("mine ", user, i)},
			graph.ConceptDraft{LocalID: head - 2, TypeName: "the_text", Value: fmt.Sprint("everybody's ", user, i), Access: graph.Public})
		b.Connections = append(b.Connections,
			graph.ConnectionDraft{From: head, To: head - 1, Type: head, Order: graph.OrderInternal},
			graph.ConnectionDraft{From: head - 1, To: head - 2, Type: head, Order: graph.OrderInternal},
			graph.ConnectionDraft{From: head - 2, To: graph.The, TypeName: "the_text_s_mark"})
	}
	receipt, err := access.New(w.store, access.Rules{}).As(access.Caller{User: user}).Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range receipt.Concepts {
		if i%3 == 2 {
			public = append(public, c.ID)
		} else {
			private = append(private, c.ID)
		}
	}
	return private, public
}

func TestEraseRemovesOnlyRecordsPrivateToRemovedUsers(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		if _, ok := w.store.(raw.Store); !ok {
			t.Skip("a store in memory cannot be read row by row")
		}
		leaver, other := w.addUser(t, ann), w.addUser(t, "bo@example.org")
		private, public := writeRecords(t, w, leaver.ID, 1_500)
		othersPrivate, _ := writeRecords(t, w, other.ID, 10)
		if _, err := w.Remove(t.Context(), leaver.ID); err != nil {
			t.Fatal(err)
		}
		if err := w.Erase(t.Context()); err != nil {
			t.Fatal(err)
		}
		countExisting := func(ids []graph.ID) int {
			found, err := w.store.Concepts(t.Context(), ids)
			if err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		if n := countExisting(private); n != 0 {
			t.Errorf("%d of %d private concepts remain; want none", n, len(private))
		}
		if n := countExisting(public); n != len(public) {
			t.Errorf("%d of %d public concepts remain; want all", n, len(public))
		}
		if n := countExisting(othersPrivate); n != len(othersPrivate) {
			t.Errorf("%d of %d concepts of another user remain; want all", n, len(othersPrivate))
		}
		if links, err := w.store.Links(t.Context(), graph.Links{Of: public}); err != nil || len(links) != 0 {
			t.Errorf("%d private connections between public concepts remain, %v; want none", len(links), err)
		}
		if entries, err := kv.In(w.store).List(t.Context(), kv.Range{Prefix: "account/gone/"}); err != nil || len(entries) != 0 {
			t.Errorf("the entries still to erase = %v, %v; want none", entries, err)
		}
		if err := w.store.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// storeInUse is a store with a concept that cannot be removed because it is in use.
type storeInUse struct {
	graph.Store
	id graph.ID
}

func (u *storeInUse) Unwrap() graph.Store { return u.Store }

func (u *storeInUse) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if slices.Contains(b.RemoveConcepts, u.id) {
		return graph.Receipt{}, graph.Errorf(graph.Forbidden, "concept %d is in use", u.id)
	}
	return u.Store.Write(ctx, b)
}

func TestEraseContinuesPastRecordsInUse(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		used, other := w.addUser(t, ann), w.addUser(t, "bo@example.org")
		entity := used.Records.Entity
		inUse := &storeInUse{w.store, entity}
		w.UseStore(inUse)
		for _, u := range []account.User{used, other} {
			if _, err := w.Remove(t.Context(), u.ID); err != nil {
				t.Fatal(err)
			}
		}
		keysToErase := func() []string {
			t.Helper()
			if err := w.Erase(t.Context()); err != nil {
				t.Fatal(err)
			}
			found, err := kv.In(w.store).List(t.Context(), kv.Range{Prefix: "account/gone/"})
			if err != nil {
				t.Fatal(err)
			}
			keys := []string{}
			for _, e := range found {
				keys = append(keys, e.Key)
			}
			return keys
		}
		countExisting := func() int {
			found, err := w.store.Concepts(t.Context(), []graph.ID{used.Records.User, entity, used.Records.Email, other.Records.Entity})
			if err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		want := []string{fmt.Sprint("account/gone/", used.ID)}
		for range 2 {
			if diff := cmp.Diff(want, keysToErase()); diff != "" || countExisting() != 1 {
				t.Errorf("while the entity is in use, %d records remain; want 1; entries left to erase (-want +got):\n%s", countExisting(), diff)
			}
		}
		inUse.id = 0
		if keys := keysToErase(); len(keys) != 0 || countExisting() != 0 {
			t.Errorf("after the last use %d records and the entries to erase %v remain; want none", countExisting(), keys)
		}
	})
}

func TestEraseRemovesRecordsWithManyParts(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		leaver := w.addUser(t, ann)
		b := graph.Batch{Sender: graph.Sender{User: graph.System}}
		for i := range 2_500 {
			localID := -graph.ID(i) - 1
			b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: localID, TypeName: "the_title", Value: fmt.Sprint(i), Owner: leaver.ID})
			b.Connections = append(b.Connections, graph.ConnectionDraft{
				LocalID: localID, From: leaver.Records.Entity, To: localID, Type: leaver.Records.Entity, Order: graph.OrderInternal, Owner: leaver.ID,
			})
		}
		receipt, err := w.store.Write(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Remove(t.Context(), leaver.ID); err != nil {
			t.Fatal(err)
		}
		ids := []graph.ID{leaver.Records.Entity}
		for _, c := range receipt.Concepts {
			ids = append(ids, c.ID)
		}
		if found, err := w.store.Concepts(t.Context(), ids); err != nil || len(found) != 0 {
			t.Errorf("%d of %d records remain, %v; want none", len(found), len(ids), err)
		}
	})
}

func TestRunErasesAtStartAndAfterRemovals(t *testing.T) {
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	w := newFixture(t, store)
	first, second := w.addUser(t, ann), w.addUser(t, "bo@example.org")
	var ids []graph.ID
	for _, u := range []account.User{first, second} {
		private, _ := writeRecords(t, w, u.ID, 3)
		ids = append(ids, private...)
	}
	if _, err := w.Remove(t.Context(), first.ID); err != nil { // removed before Run starts, as after a crash
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Run(ctx)
	}()
	if _, err := w.Remove(t.Context(), second.ID); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		found, err := store.Concepts(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute the records %v remain; want none", found)
		}
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	<-ended
}
