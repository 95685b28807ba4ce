package server_test

import (
	"fmt"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/wire"
)

func TestMakingATypeTwiceMakesOne(t *testing.T) {
	c := call(t, servertest.Start(t))
	var a, b wire.Concept
	c.raw("/api/make_the_type_concept", "type=the_person_name", &a)
	c.raw("/api/make_the_type_concept", "type=the_person_name", &b)
	if a.ID < 1 || a.ID != b.ID || a.TypeID == 4 || a.CharacterValue != "the_person_name" {
		t.Errorf("made %+v, then %+v", a, b)
	}
	c.raw("/api/make_the_type_concept", "type=the_connection", &a)
	if a.ID != 16 {
		t.Errorf("the_connection is %d; want 16", a.ID)
	}
}

func TestRemoving(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	var sent synced
	c.raw2sync(plain, &sent)
	remove := func(t *testing.T, path string, want bool, f func(into any)) {
		t.Helper()
		var got struct {
			Success bool
			Message string
		}
		if f(&got); got.Success != want || got.Message == "" {
			t.Errorf("%s answered %+v; want %v", path, got, want)
		}
	}
	id := func(n wire.Int) map[string]string { return map[string]string{"id": fmt.Sprint(n)} }
	remove(t, "a type", false, func(into any) { c.multipart("/api/delete_concept", id(sent.Concepts[0].TypeID), into) })
	remove(t, "a connection", true, func(into any) { c.multipart("/api/delete_connection", id(sent.Connections[0].ID), into) })
	remove(t, "it again", true, func(into any) { c.multipart("/api/delete_connection", id(sent.Connections[0].ID), into) })
	remove(t, "several", true, func(into any) {
		c.json("/api/delete_connection_bulk", []wire.Int{sent.Connections[0].ID, sent.Connections[1].ID}, into)
	})
	remove(t, "a concept", true, func(into any) { c.multipart("/api/delete_concept", id(sent.Concepts[0].ID), into) })
	left, err := s.Store.Concepts(t.Context(), []graph.ID{graph.ID(sent.Concepts[0].ID), graph.ID(sent.Concepts[1].ID)})
	if err != nil || len(left) != 1 {
		t.Errorf("left are %+v, %v; want the value alone", left, err)
	}
}
