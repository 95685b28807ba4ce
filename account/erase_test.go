package account_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/store/raw"
	"github.com/weft-graph/weft/store/sqlite"
)

// own writes a record, a private value in it and one that is public, as somebody.
func own(t *testing.T, w world, user graph.ID, n int) (private, public []graph.ID) {
	t.Helper()
	b := graph.Batch{}
	for i := range n {
		head := -graph.ID(3*i) - 1
		b.Concepts = append(b.Concepts,
			graph.ConceptDraft{Ghost: head, Kind: graph.DraftComposition, TypeName: "the_note"},
			graph.ConceptDraft{Ghost: head - 1, TypeName: "the_text", Value: fmt.Sprint("mine ", user, i)},
			graph.ConceptDraft{Ghost: head - 2, TypeName: "the_text", Value: fmt.Sprint("everybody's ", user, i), Access: graph.Public})
		b.Connections = append(b.Connections,
			graph.ConnectionDraft{From: head, To: head - 1, Type: head, Order: graph.OrderInternal},
			graph.ConnectionDraft{From: head - 1, To: head - 2, Type: head, Order: graph.OrderInternal},
			graph.ConnectionDraft{From: head - 2, To: graph.The, TypeName: "the_text_s_mark"})
	}
	receipt, err := auth.New(w.store, auth.Rules{}).As(auth.Caller{User: user}).Write(t.Context(), b)
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

func TestWhatOnlyALeaverCouldReadIsErased(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		if _, ok := w.store.(raw.Store); !ok {
			t.Skip("a store in memory cannot be read row by row")
		}
		leaver, other := w.person(t, ann), w.person(t, "bo@example.org")
		private, public := own(t, w, leaver.ID, 1_500)
		theirs, _ := own(t, w, other.ID, 10)
		if _, err := w.Remove(t.Context(), leaver.ID); err != nil {
			t.Fatal(err)
		}
		if err := w.Erase(t.Context()); err != nil {
			t.Fatal(err)
		}
		there := func(ids []graph.ID) int {
			found, err := w.store.Concepts(t.Context(), ids)
			if err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		if n := there(private); n != 0 {
			t.Errorf("%d of %d private concepts are there", n, len(private))
		}
		if n := there(public); n != len(public) {
			t.Errorf("%d of %d public concepts are there", n, len(public))
		}
		if n := there(theirs); n != len(theirs) {
			t.Errorf("%d of %d concepts of somebody else are there", n, len(theirs))
		}
		if links, err := w.store.Links(t.Context(), graph.Links{Of: public}); err != nil || len(links) != 0 {
			t.Errorf("%d private connections between public concepts are there, %v", len(links), err)
		}
		if left, err := kv.In(w.store).List(t.Context(), kv.Range{Prefix: "account/gone/"}); err != nil || len(left) != 0 {
			t.Errorf("still to erase: %v, %v", left, err)
		}
		if err := w.store.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// using is a store in which a concept is in use, and so cannot be removed.
type using struct {
	graph.Store
	id graph.ID
}

func (u *using) Unwrap() graph.Store { return u.Store }

func (u *using) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if slices.Contains(b.RemoveConcepts, u.id) {
		return graph.Receipt{}, graph.Errorf(graph.Forbidden, "concept %d is in use", u.id)
	}
	return u.Store.Write(ctx, b)
}

func TestALeaverWhoseRecordsOthersUseHoldsUpNobody(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		used, other := w.person(t, ann), w.person(t, "bo@example.org")
		entity := used.Records.Entity
		inUse := &using{w.store, entity}
		w.Through(inUse)
		for _, u := range []account.User{used, other} {
			if _, err := w.Remove(t.Context(), u.ID); err != nil {
				t.Fatal(err)
			}
		}
		left := func() []string {
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
		there := func() int {
			found, err := w.store.Concepts(t.Context(), []graph.ID{used.Records.User, entity, used.Records.Email, other.Records.Entity})
			if err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		want := []string{fmt.Sprint("account/gone/", used.ID)}
		for range 2 {
			if diff := cmp.Diff(want, left()); diff != "" || there() != 1 {
				t.Errorf("while the entity is in use %d records are there; left to erase: %s", there(), diff)
			}
		}
		inUse.id = 0
		if keys := left(); len(keys) != 0 || there() != 0 {
			t.Errorf("afterwards %d records are there, and left to erase is %v", there(), keys)
		}
	})
}

func TestRecordsOfManyPartsAreErased(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		leaver := w.person(t, ann)
		b := graph.Batch{Sender: graph.Sender{User: graph.System}}
		for i := range 2_500 {
			ghost := -graph.ID(i) - 1
			b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: ghost, TypeName: "the_title", Value: fmt.Sprint(i), Owner: leaver.ID})
			b.Connections = append(b.Connections, graph.ConnectionDraft{
				Ghost: ghost, From: leaver.Records.Entity, To: ghost, Type: leaver.Records.Entity, Order: graph.OrderInternal, Owner: leaver.ID,
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
			t.Errorf("%d of %d records are there, %v", len(found), len(ids), err)
		}
	})
}

func TestRunErasesWhatIsLeft(t *testing.T) {
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	w := on(t, store)
	first, second := w.person(t, ann), w.person(t, "bo@example.org")
	var ids []graph.ID
	for _, u := range []account.User{first, second} {
		private, _ := own(t, w, u.ID, 3)
		ids = append(ids, private...)
	}
	if _, err := w.Remove(t.Context(), first.ID); err != nil { // before Run begins, as after an accident
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
			t.Fatalf("after a minute there are %v", found)
		}
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	<-ended
}
