package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/wire"
)

func TestWhatBelongsToAUser(t *testing.T) {
	store := inSQLite(t)
	s, other := servertest.Serve(t, store), servertest.Serve(t, store)
	guest := call(t, s)
	token := servertest.SignUp(t, s.URL, "ann@example.org")
	ann, elsewhere, bob := guest.signed(token), call(t, other).signed(token), guest.signed(servertest.SignUp(t, s.URL, "bob@example.org"))
	users, err := s.Accounts.Users(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var sent synced
	ann.raw2sync(plain, &sent)
	if _, err := store.Write(t.Context(), graph.Batch{
		Sender:   graph.Sender{User: users[1].ID},
		Concepts: []graph.ConceptDraft{{TypeName: "the_name", Value: "Ben", Access: graph.Public}},
	}); err != nil {
		t.Fatal(err)
	}
	const ofConcepts, ofConnections = "/api/get_all_concepts_of_user", "/api/get_all_connections_of_user"
	me := "user_id=" + users[0].ID.String()
	var concepts []wire.Concept
	ann.raw(ofConcepts, me, &concepts)
	seen := map[wire.Text]bool{}
	for _, concept := range concepts {
		seen[concept.CharacterValue] = true
	}
	if !seen["ann@example.org"] || seen["Ben"] || seen["bob@example.org"] {
		t.Errorf("Ann's are %v", seen)
	}
	var whole []wire.Connection
	ann.raw(ofConnections, me, &whole)
	ids, after := map[wire.Int]bool{}, ""
	for range whole {
		var some []wire.Connection
		ann, elsewhere = elsewhere, ann // another server of the store goes on where one stopped
		after = ann.page(ofConnections+"?inpage=1", me+"&after="+after, &some)
		if len(some) != 1 || after == "" {
			t.Fatalf("a page holds %+v, and goes on at %q", some, after)
		}
		ids[some[0].ID] = true
	}
	var rest []wire.Connection
	ann.raw(ofConnections, me+"&after="+after, &rest)
	if len(whole) < 3 || len(ids) != len(whole) || len(rest) != 0 {
		t.Errorf("the pages hold %v, and then %+v", ids, rest)
	}
	for _, row := range []struct {
		by     caller
		path   string
		body   string
		status int
	}{
		{ann, ofConnections, "user_id=1001", http.StatusForbidden},
		{ann, ofConnections, "user_id=999", http.StatusForbidden},
		{guest, ofConnections, "user_id=999", http.StatusUnauthorized},
		{guest, ofConcepts, "user_id=999", http.StatusUnauthorized},
		{ann, ofConnections, me + "&after=a", http.StatusBadRequest},
		{ann, ofConnections, me + "&after=1.2.3", http.StatusBadRequest},
		{ann, ofConcepts, me + "&after=" + after, http.StatusBadRequest},
		{bob, ofConnections, "user_id=" + users[1].ID.String() + "&after=" + after, http.StatusBadRequest},
		{ann, ofConnections, me + "&inpage=0", http.StatusBadRequest},
		{ann, ofConnections, "", http.StatusBadRequest},
	} {
		var e wire.Error
		if got := row.by.do(http.MethodPost, row.path, asForm, strings.NewReader(row.body), &e); got != row.status {
			t.Errorf("%s %q: %d %+v; want %d", row.path, row.body, got, e, row.status)
		}
	}
}

// page returns the header that says where the next page begins.
func (c caller) page(path, body string, into any) (after string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range c.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", asForm)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	response.Body.Close()
	c.raw(path, body, into)
	return response.Header.Get("X-Weft-After")
}
