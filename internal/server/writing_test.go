package server_test

import (
	"fmt"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/wire"
)

func TestMakeTypeIsIdempotent(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	var a, b wire.Concept
	c.postForm("/api/make_the_type_concept", "type=the_person_name", &a)
	c.postForm("/api/make_the_type_concept", "type=the_person_name", &b)
	if a.ID < 1 || a.ID != b.ID || a.TypeID == 4 || a.CharacterValue != "the_person_name" {
		t.Errorf("created %+v, then %+v", a, b)
	}
	c.postForm("/api/make_the_type_concept", "type=the_connection", &a)
	if a.ID != wire.Int(graph.TypeConnection) {
		t.Errorf("the_connection is %d; want %d", a.ID, graph.TypeConnection)
	}
}

func TestRemovalResponsesReportSuccess(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	var sent synced
	c.postSync(plainBatch, &sent)
	checkRemoval := func(t *testing.T, what string, want bool, remove func(into any)) {
		t.Helper()
		var got struct {
			Success bool
			Message string
		}
		if remove(&got); got.Success != want || got.Message == "" {
			t.Errorf("%s: response %+v; want success %v and a message", what, got, want)
		}
	}
	id := func(n wire.Int) map[string]string { return map[string]string{"id": fmt.Sprint(n)} }
	checkRemoval(t, "a type", false, func(into any) { c.postMultipart("/api/delete_concept", id(sent.Concepts[0].TypeID), into) })
	checkRemoval(t, "a connection", true, func(into any) { c.postMultipart("/api/delete_connection", id(sent.Connections[0].ID), into) })
	checkRemoval(t, "a connection that is removed already", true, func(into any) { c.postMultipart("/api/delete_connection", id(sent.Connections[0].ID), into) })
	checkRemoval(t, "several connections", true, func(into any) {
		c.postJSON("/api/delete_connection_bulk", []wire.Int{sent.Connections[0].ID, sent.Connections[1].ID}, into)
	})
	checkRemoval(t, "a concept", true, func(into any) { c.postMultipart("/api/delete_concept", id(sent.Concepts[0].ID), into) })
	remaining, err := s.Store.Concepts(t.Context(), []graph.ID{graph.ID(sent.Concepts[0].ID), graph.ID(sent.Concepts[1].ID)})
	if err != nil || len(remaining) != 1 {
		t.Errorf("the remaining concepts are %+v (%v); want only the value", remaining, err)
	}
}
