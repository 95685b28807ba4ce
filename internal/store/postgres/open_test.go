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
	"github.com/weft-graph/weft/internal/store/postgres"
)

func TestReopenedStoreHasEveryBatch(t *testing.T) {
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
	second, err := s.Write(t.Context(), note(0, 0))
	first.Seq = 0
	if diff := cmp.Diff(first, second); err != nil || diff != "" {
		t.Errorf("sent again (%v, -first +again):\n%s", err, diff)
	}
	r, err := postgres.OpenReader(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if found, err := r.Concepts(t.Context(), []graph.ID{first.Concepts[0].ID}); err != nil || len(found) != 1 {
		t.Errorf("a reader found %v (%v); want one concept", found, err)
	}
}

func TestConcurrentOpensCreateOneStore(t *testing.T) {
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
			t.Errorf("one server sees identity %q, another %q; want the same identity", identities[0], identity)
		}
	}
	other, err := open(t, pgtest.Database(t)).Identity(t.Context())
	if err != nil || other == identities[0] {
		t.Errorf("two stores have identity %s (%v); want different identities", other, err)
	}
}

func TestOpenErrors(t *testing.T) {
	url := pgtest.Database(t)
	checkOpenFails := func(what, url string, kind graph.ErrorKind, wantText string) {
		t.Helper()
		_, err := postgres.OpenReader(t.Context(), url)
		if graph.KindOf(err) != kind || !strings.Contains(err.Error(), wantText) {
			t.Errorf("%s, for reading: %q (%v); want %q and %s", what, graph.KindOf(err), err, kind, wantText)
		}
		if kind == graph.NotFound {
			return
		}
		_, err = postgres.Open(t.Context(), url)
		if graph.KindOf(err) != kind || !strings.Contains(err.Error(), wantText) {
			t.Errorf("%s, for writing: %q (%v); want %q and %s", what, graph.KindOf(err), err, kind, wantText)
		}
	}
	checkOpenFails("an empty database", url, graph.NotFound, "no store")
	if err := open(t, url).Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, url, `update weft_version set steps = 1000`)
	checkOpenFails("a store of a newer version", url, graph.Unavailable, "the store has version 1000; this program supports ")
	execute(t, url, `create database latin encoding 'LATIN1' locale 'C' template template0`)
	t.Cleanup(func() { execute(t, url, `drop database latin with (force)`) })
	_, where, _ := strings.Cut(url, "?")
	checkOpenFails("a database in another encoding", "postgres://weft@/latin?"+where, graph.Invalid, "LATIN1")

	for _, bad := range []string{"postgres://ann:geheim@127.0.0.1:1/x", "postgres://ann:geheim@127.0.0.1:99999999/x", "postgres://ann:geheim%zz@h/x", "postgres://ann:gehe im@h/x"} {
		if _, err := postgres.Open(t.Context(), bad); err == nil || strings.Contains(err.Error(), "gehe") {
			t.Errorf("%s: %v; want an error without the password", bad, err)
		}
	}
}

func TestOpenMigratesAnOlderStore(t *testing.T) {
	url := pgtest.Database(t)
	s := open(t, url)
	ids, err := s.Reserve(t.Context(), 1001, 2)
	batch := graph.Batch{Sender: graph.Sender{User: 1001}}
	for i := range 6_000 {
		batch.Concepts = append(batch.Concepts, graph.ConceptDraft{LocalID: graph.ID(-1 - i), TypeName: "the_thing", Value: fmt.Sprint("Thing ", i)})
		batch.Connections = append(batch.Connections, graph.ConnectionDraft{From: -1, To: graph.ID(-1 - i), TypeName: "the_thing_next"})
	}
	_, writeErr := s.Write(t.Context(), batch)
	if err := errors.Join(err, writeErr, s.Close()); err != nil {
		t.Fatal(err)
	}
	execute(t, url, `drop index reserved_unused; alter table reserved drop column at;
		alter table concept drop column key, drop column folded, drop column position; drop table tally; drop index concept_type_scope;
		alter table connection drop column scope; create index connection_type on connection (type);
		create index concept_hidden on concept (type, access, owner) where category = 4 and owner <> 999 and access <> 5;
		update weft_version set steps = 1`)
	if _, err := postgres.OpenReader(t.Context(), url); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("reading a store of version 1: %v; want unavailable", err)
	}
	s = open(t, url)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	drafts := []graph.ConceptDraft{{ID: ids[0], Kind: graph.DraftComposition, TypeName: "the_thing"}}
	if err := s.DeleteBefore(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: 1001}, Concepts: drafts}); err != nil {
		t.Errorf("an id that was reserved before: %v; want no error", err)
	}
}

// execute runs a statement in a database on a separate connection.
func execute(t *testing.T, url, statement string) {
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
