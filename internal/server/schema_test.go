package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/schema"
	"github.com/weft-graph/weft/wire"
)

const peopleSchema = `{"types": {"person": {"fields": {
	"name": {"kind": "text", "required": true}, "email": {"kind": "text", "unique": true}, "age": {"kind": "integer"}}}}}`

// withPeople starts a server with the schema peopleSchema.
func withPeople(t *testing.T, change ...func(*server.Options)) *servertest.Server {
	t.Helper()
	s := servertest.Start(t, change...)
	c := sdk.New(s.URL)
	c.Token = servertest.Admin(t, s, "admin@example.org")
	people, err := schema.Parse([]byte(peopleSchema))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.PushSchema(t.Context(), people, false, false); err != nil {
		t.Fatal(err)
	}
	return s
}

// personBatch returns a batch with a person, as the Go SDK sends it.
func personBatch(t *testing.T, fields string) graph.Batch {
	t.Helper()
	v, err := composition.Parse([]byte(fields))
	if err != nil {
		t.Fatal(err)
	}
	b := graph.Batch{Sender: graph.Sender{User: graph.Anonymous, Randomizer: 1}}
	if _, err := composition.Build(&b, "the_person", v, &composition.LocalIDs{}); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSchemaIsReadByAllAndPushedByAdmins(t *testing.T) {
	s := withPeople(t)
	guest := sdk.New(s.URL)
	found, err := guest.Schema(t.Context())
	if err != nil || found.Types["person"] == nil {
		t.Fatalf("a guest reads %v, %v", found, err)
	}
	if _, err := guest.PushSchema(t.Context(), found, true, true); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("the error of a push by a guest = %v; want unauthorized", err)
	}
	user := sdk.New(s.URL)
	user.Token = servertest.SignUp(t, s.URL, "user@example.org")
	if _, err := user.PushSchema(t.Context(), found, true, true); graph.KindOf(err) != graph.Forbidden {
		t.Errorf("the error of a push by a user = %v; want forbidden", err)
	}
}

func TestRefusalNamesRecordFieldAndRule(t *testing.T) {
	s := withPeople(t)
	body := `{"concepts": [{"id": -1, "categoryId": 4, "typeCharacter": "the_person", "isComposition": true},
		{"id": -2, "categoryId": 4, "typeCharacter": "the_age", "characterValue": "five"}],
		"connections": [{"id": -3, "ofTheConceptId": -1, "toTheConceptId": -2, "typeId": -1}]%s}`
	before, _ := s.Store.LastSeq(t.Context())
	for _, atomic := range []string{"", `, "atomic": true`} {
		response, err := http.Post(s.URL+"/api/v1/local-concepts", asJSON, strings.NewReader(strings.Replace(body, "%s", atomic, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var got wire.Error
		if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		got.RequestID = ""
		want := wire.Error{
			Message: "Age must be a whole number.", StatusText: "Age must be a whole number.", Kind: graph.Invalid,
			Record: -1, Field: "age", Rule: "kind", Refusals: []schema.Refusal{
				{Record: -1, Field: "age", Rule: "kind", Message: "Age must be a whole number."},
				{Record: -1, Field: "name", Rule: "required", Message: "Name is required."},
			},
		}
		if diff := cmp.Diff(want, got); response.StatusCode != http.StatusBadRequest || diff != "" {
			t.Errorf("%s %s", response.Status, diff)
		}
	}
	if after, err := s.Store.LastSeq(t.Context()); err != nil || after != before {
		t.Errorf("%d changes by refused batches, %v", after-before, err)
	}
}

func TestLooseSchemasCheckOnlyAtomicBatches(t *testing.T) {
	s := withPeople(t, func(o *server.Options) { o.LooseSchemas = true })
	body := `{"concepts": [{"id": %d, "categoryId": 4, "typeCharacter": "the_person", "isComposition": true}], "connections": []%s}`
	for i, atomic := range []string{"", `, "atomic": true`} {
		want := []int{http.StatusOK, http.StatusBadRequest}[i]
		sent := fmt.Sprintf(body, -1-i, atomic)
		response, err := http.Post(s.URL+"/api/v1/local-concepts", asJSON, strings.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%q: %s; want %d", atomic, response.Status, want)
		}
	}
}

func TestRefusedUniqueValuesCountAsChecks(t *testing.T) {
	s := withPeople(t, func(o *server.Options) { o.UniqueChecks = 2 })
	owner, other := sdk.New(s.URL), sdk.New(s.URL)
	owner.Token = servertest.SignUp(t, s.URL, "owner@example.org")
	other.Token = servertest.SignUp(t, s.URL, "other@example.org")
	for range 5 { // a value that is free costs nothing
		if _, err := owner.Write(t.Context(), personBatch(t, `{"name": "Ann", "email": "a@b.co"}`)); err != nil {
			t.Fatal(err)
		}
	}
	var kinds []graph.ErrorKind
	for _, email := range []string{"a@b.co", "free@b.co", "a@b.co", "a@b.co", "c@b.co"} {
		b := personBatch(t, `{"name": "Bo", "email": "`+email+`"}`)
		b.Sender.Randomizer = int64(len(kinds)) + 2
		_, err := other.Write(t.Context(), b)
		kinds = append(kinds, graph.KindOf(err))
	}
	want := []graph.ErrorKind{graph.Conflict, "", graph.Conflict, graph.TooMany, graph.TooMany}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
}

// Clients of the contract create a record under a reserved id, and send the parts of the record in a later
// request.
func TestChecksARecordWhosePartsFollow(t *testing.T) {
	s := withPeople(t)
	response, err := http.Get(s.URL + "/api/get_reserved_ids")
	if err != nil {
		t.Fatal(err)
	}
	var ids []int
	if err := json.NewDecoder(response.Body).Decode(&ids); err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	concept := `{"id": %d, "categoryId": 4, "typeCharacter": "%t", "characterValue": "%v", "isComposition": %c}`
	fill := func(id int, typ, value, isComposition string) string {
		data, _ := json.Marshal(id)
		return strings.NewReplacer("%d", string(data), "%t", typ, "%v", value, "%c", isComposition).Replace(concept)
	}
	send := func(path, body string) int {
		response, err := http.Post(s.URL+path, asJSON, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	connect := func(to int) string {
		data, _ := json.Marshal([]map[string]any{{"id": -5 - to, "ofTheConceptId": ids[0], "toTheConceptId": to, "typeId": ids[0]}})
		return string(data)
	}
	records := "[" + fill(ids[0], "the_person", "", "true") + "," + fill(ids[1], "the_age", "five", "false") + "," + fill(ids[2], "the_name", "Ann", "false") + "]"
	for _, step := range []struct {
		name, path, body string
		want             int
	}{
		{"the record and its values", "/api/create_the_concept", records, http.StatusOK},
		{"a wrong part", "/api/create_the_connection", connect(ids[1]), http.StatusBadRequest},
		{"a right part", "/api/create_the_connection", connect(ids[2]), http.StatusOK},
	} {
		if got := send(step.path, step.body); got != step.want {
			t.Errorf("%s: status %d; want %d", step.name, got, step.want)
		}
	}
}
