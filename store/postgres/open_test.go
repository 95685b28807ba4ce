package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/store/postgres"
)

func TestWhatWasWrittenIsThereAfterReopening(t *testing.T) {
	url := pgtest.Database(t)
	s := open(t, url)
	first, err := s.Write(t.Context(), note(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), note(0, 1)); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("writing to a closed store: %v; want %s", err, graph.Unavailable)
	}
	s = open(t, url)
	again, err := s.Write(t.Context(), note(0, 0))
	first.Seq = 0
	if diff := cmp.Diff(first, again); err != nil || diff != "" {
		t.Errorf("sent again (%v, -first +again):\n%s", err, diff)
	}
	r, err := postgres.OpenReader(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if found, err := r.Concepts(t.Context(), []graph.ID{first.Concepts[0].ID}); err != nil || len(found) != 1 {
		t.Errorf("a reader found %v (%v)", found, err)
	}
}

func TestServersThatOpenAnEmptyDatabaseAtOnceMakeOneStore(t *testing.T) {
	url := pgtest.Database(t)
	identities := make([]string, 8)
	var wait sync.WaitGroup
	for i := range identities {
		wait.Go(func() {
			s, err := postgres.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if identities[i], err = s.Identity(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, identity := range identities {
		if identity == "" || identity != identities[0] {
			t.Errorf("the store is %q to one server and %q to another", identities[0], identity)
		}
	}
	other, err := open(t, pgtest.Database(t)).Identity(t.Context())
	if err != nil || other == identities[0] {
		t.Errorf("two stores are both %s (%v)", other, err)
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	url := pgtest.Database(t)
	refused := func(what, url string, kind graph.ErrorKind, says string) {
		t.Helper()
		_, err := postgres.OpenReader(t.Context(), url)
		if graph.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
			t.Errorf("%s, to read: %q (%v); want %q and %s", what, graph.KindOf(err), err, kind, says)
		}
		if kind == graph.NotFound {
			return
		}
		_, err = postgres.Open(t.Context(), url)
		if graph.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
			t.Errorf("%s, to write: %q (%v); want %q and %s", what, graph.KindOf(err), err, kind, says)
		}
	}
	refused("an empty database", url, graph.NotFound, "no store")
	if err := open(t, url).Close(); err != nil {
		t.Fatal(err)
	}
	do(t, url, `update weft_version set steps = 1000`)
	refused("a store from the future", url, graph.Unavailable, "the store is of version 1000; this program knows ")
	do(t, url, `create database latin encoding 'LATIN1' locale 'C' template template0`)
	t.Cleanup(func() { do(t, url, `drop database latin with (force)`) })
	_, where, _ := strings.Cut(url, "?")
	refused("a database in another encoding", "postgres://weft@/latin?"+where, graph.Invalid, "LATIN1")

	for _, bad := range []string{"postgres://ann:geheim@127.0.0.1:1/x", "postgres://ann:geheim@127.0.0.1:99999999/x", "postgres://ann:geheim%zz@h/x", "postgres://ann:gehe im@h/x"} {
		if _, err := postgres.Open(t.Context(), bad); err == nil || strings.Contains(err.Error(), "gehe") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestAnOlderStoreIsBroughtUpToDate(t *testing.T) {
	url := pgtest.Database(t)
	s := open(t, url)
	ids, err := s.Reserve(t.Context(), 1001, 2)
	many := graph.Batch{Sender: graph.Sender{User: 1001}}
	for i := range 6_000 {
		many.Concepts = append(many.Concepts, graph.ConceptDraft{Ghost: graph.ID(-1 - i), TypeName: "the_thing", Value: fmt.Sprint("Thing ", i)})
		many.Connections = append(many.Connections, graph.ConnectionDraft{From: -1, To: graph.ID(-1 - i), TypeName: "the_thing_next"})
	}
	_, wrong := s.Write(t.Context(), many)
	if err := errors.Join(err, wrong, s.Close()); err != nil {
		t.Fatal(err)
	}
	do(t, url, `drop index reserved_unused; alter table reserved drop column at;
		alter table concept drop column key, drop column folded; drop table tally;
		create index concept_hidden on concept (type, access, owner) where category = 4 and owner <> 999 and access <> 5;
		update weft_version set steps = 1`)
	if _, err := postgres.OpenReader(t.Context(), url); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("reading it: %v", err)
	}
	s = open(t, url)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	drafts := []graph.ConceptDraft{{ID: ids[0], Kind: graph.DraftComposition, TypeName: "the_thing"}}
	if err := s.Forget(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: 1001}, Concepts: drafts}); err != nil {
		t.Errorf("an id that was reserved before: %v", err)
	}
}

// do runs a statement in a database, as somebody else.
func do(t *testing.T, url, statement string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
}
