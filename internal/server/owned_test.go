package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/wire"
)

func TestUsersListOnlyTheirOwnRecords(t *testing.T) {
	store := inSQLite(t)
	s, other := servertest.Serve(t, store), servertest.Serve(t, store)
	guest := newCaller(t, s)
	token := servertest.SignUp(t, s.URL, "ann@example.org")
	ann, annOnOther, bob := guest.withToken(token), newCaller(t, other).withToken(token), guest.withToken(servertest.SignUp(t, s.URL, "bob@example.org"))
	users, err := s.Accounts.Users(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var sent synced
	ann.postSync(plainBatch, &sent)
	if _, err := store.Write(t.Context(), graph.Batch{
		Sender:   graph.Sender{User: users[1].ID},
		Concepts: []graph.ConceptDraft{{TypeName: "the_name", Value: "Ben", Access: graph.Public}},
	}); err != nil {
		t.Fatal(err)
	}
	const ofConcepts, ofConnections = "/api/get_all_concepts_of_user", "/api/get_all_connections_of_user"
	me := "user_id=" + users[0].ID.String()
	var concepts []wire.Concept
	ann.postForm(ofConcepts, me, &concepts)
	values := map[wire.Text]bool{}
	for _, concept := range concepts {
		values[concept.CharacterValue] = true
	}
	if !values["ann@example.org"] || values["Ben"] || values["bob@example.org"] {
		t.Errorf("the values of Ann's concepts = %v; want ann@example.org, without Ben and bob@example.org", values)
	}
	var all []wire.Connection
	ann.postForm(ofConnections, me, &all)
	ids, after := map[wire.Int]bool{}, ""
	for range all {
		var page []wire.Connection
		ann, annOnOther = annOnOther, ann // another server of the store continues with the cursor
		after = ann.postPage(ofConnections+"?inpage=1", me+"&after="+after, &page)
		if len(page) != 1 || after == "" {
			t.Fatalf("a page = %+v with the cursor %q; want one connection and a cursor", page, after)
		}
		ids[page[0].ID] = true
	}
	var rest []wire.Connection
	ann.postForm(ofConnections, me+"&after="+after, &rest)
	if len(all) < 3 || len(ids) != len(all) || len(rest) != 0 {
		t.Errorf("the pages hold %v, and then %+v", ids, rest)
	}
	for _, row := range []struct {
		caller caller
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
		if got := row.caller.do(http.MethodPost, row.path, asForm, strings.NewReader(row.body), &e); got != row.status {
			t.Errorf("%s %q: %d %+v; want %d", row.path, row.body, got, e, row.status)
		}
	}
}

// postPage posts a form, decodes the page in the response, and returns the cursor of the next page.
func (c caller) postPage(path, body string, into any) (after string) {
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
	c.postForm(path, body, into)
	return response.Header.Get("X-Weft-After")
}
