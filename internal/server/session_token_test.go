package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/clock"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

// serveWithClock serves an empty store whose accounts use a clock.
func serveWithClock(t *testing.T, change ...func(*server.Options)) (caller, *clock.Clock) {
	t.Helper()
	store, now := memory.New(), clock.At(time.Now())
	accounts, err := account.New(t.Context(), store, account.Options{InsecureHashes: true, Now: now.Now})
	if err != nil {
		t.Fatal(err)
	}
	change = append([]func(*server.Options){func(o *server.Options) { o.Accounts = accounts }}, change...)
	return newCaller(t, servertest.Serve(t, store, change...)), now
}

// signInAs creates an account and signs in, as a client that renews its tokens if renews is true, otherwise as a
// client of the contract, which does not renew them.
func (c caller) signInAs(email string, renews bool) caller {
	c.t.Helper()
	c.mustPost("/api/auth/signup", credentials(email, password))
	body := credentials(email, password)
	if renews {
		body["refresh"] = true
	}
	return c.withToken(c.mustPost("/api/auth/login", body)["data"].(object)["token"].(string))
}

func TestAClientThatNeverRenewsItsTokenStaysSignedIn(t *testing.T) {
	c, now := serveWithClock(t)
	me, renewing := c.signInAs(ann, false), c.signInAs("bo@example.org", true)
	now.Move(20 * 24 * time.Hour)
	var sessions []object
	me.get("/api/auth/sessions", &sessions)
	if len(sessions) != 1 {
		t.Errorf("the sessions are %v; want only the session of the client", sessions)
	}
	renewing.mustFail(http.StatusUnauthorized, http.MethodGet, "/api/auth/sessions", nil)
}

func TestPublicReadsWithAnEndedSessionTokenAreThoseOfAGuest(t *testing.T) {
	c, now := serveWithClock(t)
	me, renewing := c.signInAs(ann, false), c.signInAs("bo@example.org", true)
	foreign := c.withToken("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJlbHNld2hlcmUifQ.c2lnbmF0dXJl")
	var written struct{ Concepts []struct{ ID graph.ID } }
	me.postJSON("/api/v1/local-concepts", object{"concepts": []object{
		{"id": -1, "categoryId": 4, "typeCharacter": "the_word", "characterValue": "hello", "accessId": 5},
		{"id": -2, "categoryId": 4, "typeCharacter": "the_word", "characterValue": "secret", "accessId": 4},
	}}, &written)
	ids := []graph.ID{written.Concepts[0].ID, written.Concepts[1].ID}
	now.Move(31 * 24 * time.Hour)
	for name, c := range map[string]caller{"an ended session": me, "a token of another issuer": foreign} {
		t.Run(name, func(t *testing.T) {
			c := c.in(t)
			var found []struct{ CharacterValue string }
			c.postJSON("/api/get_concept_bulk", ids, &found)
			if len(found) != 1 || found[0].CharacterValue != "hello" {
				t.Errorf("the concepts are %v; want only the public concept", found)
			}
			answer := c.mustPost("/api/freeschema-query", object{"type": "the_word"})
			if got := answer["mainCompositionIds"].([]any); len(got) != 1 {
				t.Errorf("the query finds %v; want the public word", got)
			}
			c.mustFailPost(http.StatusUnauthorized, "/api/v1/local-concepts", object{"concepts": []object{}})
			c.mustFailPost(http.StatusUnauthorized, "/api/delete_concept", object{"id": ids[0]})
			c.mustFail(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)
			c.mustFail(http.StatusUnauthorized, http.MethodGet, "/api/uploads", nil)
			c.mustFailPost(http.StatusUnauthorized, "/api/get_all_concepts_of_user", object{"user_id": 1})
		})
	}
	// A client that renews tokens needs the status 401 to notice that its token has ended.
	renewing.mustFailPost(http.StatusUnauthorized, "/api/get_concept_bulk", ids)
	c.withToken("nonsense").mustFailPost(http.StatusUnauthorized, "/api/get_concept_bulk", ids)
}

func TestTokensAreRefreshedUnderBothPaths(t *testing.T) {
	c, _ := serveWithClock(t)
	c.mustPost("/api/auth/signup", credentials(ann, password))
	data := c.mustPost("/api/auth/login", credentials(ann, password))["data"].(object)
	data = c.mustPost("/api/Auth/refresh", object{"refreshtoken": data["refreshtoken"]})["data"].(object)
	c.withToken(data["token"].(string)).get("/api/auth/me", new(object))
}

func TestHealthIsReportedWhateverTheToken(t *testing.T) {
	c, now := serveWithClock(t)
	c.mustPost("/api/auth/signup", credentials(ann, password))
	expired := c.withToken(c.mustPost("/api/auth/login", credentials(ann, password))["data"].(object)["token"].(string))
	now.Move(365 * 24 * time.Hour)
	for name, c := range map[string]caller{"no token": c, "an expired token": expired, "something else": c.withToken("nonsense")} {
		var health struct{ Status string }
		if c.get("/api/health", &health); health.Status != "ok" {
			t.Errorf("the health with %s = %q; want ok", name, health.Status)
		}
	}
}
