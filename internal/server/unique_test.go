package server_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
)

const valueTaken = "/api/v1/value-taken"

// A uniqueWorld is a server whose store has two codes of Ann: "hers", which is private, and "public", which is
// public.
type uniqueWorld struct{ guest, ann, bob caller }

func newUniqueWorld(t *testing.T, change ...func(*server.Options)) uniqueWorld {
	t.Helper()
	s := servertest.Serve(t, inSQLite(t), change...)
	guest := newCaller(t, s)
	w := uniqueWorld{
		guest, guest.withToken(servertest.SignUp(t, s.URL, "ann@example.org")), guest.withToken(servertest.SignUp(t, s.URL, "bob@example.org")),
	}
	users, err := s.Accounts.Users(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	code := func(text string, access graph.Access) graph.ConceptDraft {
		return graph.ConceptDraft{TypeName: "the_code", Value: text, Access: access}
	}
	if _, err := s.Store.Write(t.Context(), graph.Batch{
		Sender:   graph.Sender{User: users[0].ID},
		Concepts: []graph.ConceptDraft{code("hers", graph.Private), code("public", graph.Public)},
	}); err != nil {
		t.Fatal(err)
	}
	return w
}

// isTaken reports whether a code is taken.
func (c caller) isTaken(code string) bool {
	c.t.Helper()
	return c.mustPost(valueTaken, object{"type": "the_code", "value": code})["taken"].(bool)
}

func TestUniquenessIsCheckedAmongTheRecordsOfAllUsers(t *testing.T) {
	w := newUniqueWorld(t)
	for name, c := range map[string]caller{"the owner": w.ann, "another user": w.bob, "a guest": w.guest} {
		for code, want := range map[string]bool{"hers": true, "public": true, "Hers": false, "free": false, "the_code": false} {
			if got := c.isTaken(code); got != want {
				t.Errorf("for %s, %q is taken: %v; want %v", name, code, got, want)
			}
		}
		if got := c.mustPost(valueTaken, object{"type": "the_other_code", "value": "hers"}); got["taken"] != false {
			t.Errorf("for %s, the response for a value of an unknown type = %v; want taken = false", name, got)
		}
	}
}

func TestACheckOfUniquenessDoesNotRevealWhetherAValueIsHidden(t *testing.T) {
	w := newUniqueWorld(t)
	for name, c := range map[string]caller{"another user": w.bob, "a guest": w.guest} {
		hidden, visible := c.rawCheck("hers"), c.rawCheck("public")
		if hidden != visible {
			t.Errorf("for %s, the response to a hidden value = %q, to a visible one = %q; want equal ones", name, hidden, visible)
		}
	}
}

// rawCheck returns the status, headers and body of a check, without the headers that differ between all responses.
func (c caller) rawCheck(code string) string {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+valueTaken, strings.NewReader(`{"type":"the_code","value":"`+code+`"}`))
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range c.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", asJSON)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	for _, name := range []string{"Date", "X-Request-Id", "Traceparent", "Server-Timing"} {
		response.Header.Del(name)
	}
	body := make([]byte, 100)
	n, _ := response.Body.Read(body) // the body is shorter than a packet
	return fmt.Sprint(response.Status, response.Header, string(body[:n]))
}

func TestChecksOfUniquenessAreLimited(t *testing.T) {
	w := newUniqueWorld(t, func(o *server.Options) { o.UniqueChecks = 3 })
	for i := range 3 {
		w.bob.isTaken("guess " + strconv.Itoa(i))
	}
	refusal := w.bob.mustFailPost(http.StatusTooManyRequests, valueTaken, object{"type": "the_code", "value": "hers"})
	if refusal.Kind != "tooMany" {
		t.Errorf("the refusal = %+v; want the kind tooMany", refusal)
	}
	w.bob.mustFailPost(http.StatusTooManyRequests, valueTaken, object{"type": "the_code", "value": "public"})
	if !w.ann.isTaken("hers") {
		t.Error("the limit of one user refused another")
	}
	for range 3 {
		w.guest.isTaken("hers")
	}
	other := w.guest
	other.headers = map[string]string{"X-Session-Id": "12345", "Randomizer": "1"}
	other.mustFailPost(http.StatusTooManyRequests, valueTaken, object{"type": "the_code", "value": "hers"})
}

func TestChecksOfUniquenessCanBeRestrictedToVisibleValues(t *testing.T) {
	w := newUniqueWorld(t, func(o *server.Options) { o.UniqueChecks = -1 })
	for range server.DefaultUniqueChecks + 1 {
		w.guest.isTaken("public")
	}
	if w.guest.isTaken("hers") || w.bob.isTaken("hers") || !w.ann.isTaken("hers") || !w.bob.isTaken("public") {
		t.Error("a check saw a hidden value, or missed a visible one")
	}
}

func TestMalformedChecksOfUniquenessAreRefused(t *testing.T) {
	w := newUniqueWorld(t)
	for _, body := range []object{
		{},
		{"type": "the_code"},
		{"type": "the_code", "value": ""},
		{"type": "the_code", "value": strings.Repeat("x", graph.MaxSharedValue+1)},
		{"type": "", "value": "hers"},
	} {
		w.bob.mustFailPost(http.StatusBadRequest, valueTaken, body)
	}
}
