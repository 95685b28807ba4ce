package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/wire"
)

// accessOf returns the access of the connection that a local id became.
func (s synced) accessOf(t *testing.T, localID wire.Int) wire.Int {
	t.Helper()
	for _, c := range s.Connections {
		if c.GhostID == localID {
			return c.AccessID
		}
	}
	t.Fatalf("the response has no connection for local id %d: %+v", localID, s.Connections)
	return 0
}

func TestConnectionsOfContractClientsFollowTheirEnds(t *testing.T) {
	for name, store := range map[string]graph.Store{"memory": memory.New(), "sqlite": inSQLite(t)} {
		t.Run(name, func(t *testing.T) {
			s := servertest.Serve(t, store)
			me := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, ann))
			concepts := `"concepts":[
				{"id":-1,"categoryId":4,"typeCharacter":"the_page","isComposition":true,"accessId":5},
				{"id":-2,"categoryId":4,"typeCharacter":"the_title","characterValue":"Welcome","accessId":5},
				{"id":-3,"categoryId":4,"typeCharacter":"the_page","isComposition":true,"accessId":4},
				{"id":-4,"categoryId":4,"typeCharacter":"the_title","characterValue":"a draft","accessId":4}]`
			link := func(id, from, to int, typ string) string {
				return fmt.Sprintf(`{"id":%d,"ofTheConceptId":%d,"toTheConceptId":%d,"accessId":4,%s}`, id, from, to, typ)
			}
			connections := `"connections":[` + strings.Join([]string{
				link(-11, -1, -2, `"typeId":-1`), // of a public composition
				link(-12, -1, -2, `"typeId":-900,"typeCharacter":"the_page_s_title"`),
				link(-13, -3, -4, `"typeId":-3`), // of a private composition
				link(-14, -1, -4, `"typeId":-1`), // one end is private
				link(-15, -3, -2, `"typeId":-3`),
				link(-16, -1, -2, `"typeId":-3`), // the composition is private
			}, ",") + `]`
			want := map[wire.Int]wire.Int{-11: 5, -12: 5, -13: 4, -14: 4, -15: 4, -16: 4}
			var first synced
			me.postSync("{"+concepts+","+connections+"}", &first)
			for id, access := range want {
				if got := first.accessOf(t, id); got != access {
					t.Errorf("connection %d has access %d; want %d", id, got, access)
				}
			}
			t.Run("in a later request, by local and by real ids", func(t *testing.T) {
				me := me.in(t)
				var later synced
				me.postSync(`{"concepts":[],"connections":[`+link(-21, -1, -2, `"typeCharacter":"the_page_s_name"`)+","+
					link(-22, int(first.recordOf(t, -1).ID), int(first.recordOf(t, -2).ID), `"typeCharacter":"the_page_s_label"`)+","+
					link(-23, int(first.recordOf(t, -3).ID), -2, `"typeCharacter":"the_page_s_label"`)+`]}`, &later)
				for id, access := range map[wire.Int]wire.Int{-21: 5, -22: 5, -23: 4} {
					if got := later.accessOf(t, id); got != access {
						t.Errorf("connection %d has access %d; want %d", id, got, access)
					}
				}
			})
			t.Run("created online", func(t *testing.T) {
				me := me.in(t)
				var created []wire.Connection
				me.mustDo(http.MethodPost, "/api/create_the_connection", asJSON, strings.NewReader("["+
					link(0, int(first.recordOf(t, -1).ID), int(first.recordOf(t, -2).ID), `"typeCharacter":"the_page_s_heading"`)+"]"), &created)
				if len(created) != 1 || created[0].AccessID != 5 {
					t.Errorf("the connections are %+v; want a public one", created)
				}
			})
			t.Run("a guest sees the title of the public page only", func(t *testing.T) {
				for id, n := range map[wire.Int]int{-1: 1, -3: 0} {
					var inside []wire.Connection
					newCaller(t, s).postMultipart("/api/get_all_connections_of_composition", map[string]string{"composition_id": fmt.Sprint(first.recordOf(t, id).ID)}, &inside)
					if len(inside) != n {
						t.Errorf("a guest reads %d connections of %d; want %d", len(inside), id, n)
					}
				}
			})
			t.Run("but not in an atomic batch", func(t *testing.T) {
				me := me.in(t)
				me.headers["Randomizer"] = "7"
				var atomic synced
				me.postSync("{"+concepts+","+connections+`,"atomic":true}`, &atomic)
				for id := range want {
					if got := atomic.accessOf(t, id); got != 4 {
						t.Errorf("connection %d has access %d; want 4", id, got)
					}
				}
			})
		})
	}
}

func TestConnectionsToRecordsOfOthersRevealNothing(t *testing.T) {
	s := servertest.Start(t)
	me, other := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, ann)), newCaller(t, s).withToken(servertest.SignUp(t, s.URL, "bo@example.org"))
	var mine, others synced
	me.postSync(`{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_page","isComposition":true,"accessId":5}],"connections":[]}`, &mine)
	other.postSync(`{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_note","isComposition":true,"accessId":4}],"connections":[]}`, &others)
	link := func(to wire.Int) string {
		return fmt.Sprintf(`{"concepts":[],"connections":[{"id":-30,"ofTheConceptId":%d,"toTheConceptId":%d,"typeCharacter":"the_page_s_note","accessId":4}]}`, mine.recordOf(t, -1).ID, to)
	}
	hidden, absent := me.mustFailSync(link(others.recordOf(t, -1).ID)), me.mustFailSync(link(99_999))
	if strings.ReplaceAll(hidden, fmt.Sprint(others.recordOf(t, -1).ID), "N") != strings.ReplaceAll(absent, "99999", "N") {
		t.Errorf("a hidden concept is refused with %q, an absent one with %q; want the same message except for the id", hidden, absent)
	}
}

// mustFailSync sends a batch that is refused, and returns the message.
func (c caller) mustFailSync(body string) string {
	c.t.Helper()
	var e wire.Error
	if status := c.do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(body), &e); status < 400 {
		c.t.Fatalf("status %d; want a refusal", status)
	}
	return e.Message
}
