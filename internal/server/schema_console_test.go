package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/internal/server/servertest"
)

// callAs sends a request with a token, or as a guest, and returns the status and the decoded body.
func callAs(t *testing.T, token, method, address, body string) (status int, decoded any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatalf("%s: %s", err, text)
	}
	return response.StatusCode, decoded
}

// addPeople stores people as an admin. Ann is 30, has an e-mail address, lives in Oslo and has the friend Cid, whose e-mail
// address is the same as hers. Bob is private, and his age is not a number.
func addPeople(t *testing.T, url, token string) {
	t.Helper()
	body := `{"concepts": [
		{"id": -1, "categoryId": 4, "typeCharacter": "the_person", "isComposition": true, "accessId": 5},
		{"id": -2, "categoryId": 4, "typeCharacter": "the_age", "characterValue": "30", "accessId": 5},
		{"id": -3, "categoryId": 4, "typeCharacter": "the_email", "characterValue": "a@example.org", "accessId": 5},
		{"id": -4, "categoryId": 4, "typeCharacter": "the_person", "isComposition": true, "accessId": 4},
		{"id": -5, "categoryId": 4, "typeCharacter": "the_age", "characterValue": "old", "accessId": 4},
		{"id": -6, "categoryId": 4, "typeCharacter": "the_person", "isComposition": true, "accessId": 5},
		{"id": -7, "categoryId": 4, "typeCharacter": "the_email", "characterValue": "a@example.org", "accessId": 5},
		{"id": -8, "categoryId": 4, "typeCharacter": "the_city", "characterValue": "Oslo", "accessId": 5}],
	"connections": [
		{"id": -11, "ofTheConceptId": -1, "toTheConceptId": -2, "typeId": -1, "accessId": 5},
		{"id": -12, "ofTheConceptId": -1, "toTheConceptId": -3, "typeId": -1, "accessId": 5},
		{"id": -13, "ofTheConceptId": -4, "toTheConceptId": -5, "typeId": -4, "accessId": 4},
		{"id": -14, "ofTheConceptId": -6, "toTheConceptId": -7, "typeId": -6, "accessId": 5},
		{"id": -15, "ofTheConceptId": -1, "toTheConceptId": -8, "typeCharacter": "the_person_city", "accessId": 5},
		{"id": -16, "ofTheConceptId": -1, "toTheConceptId": -6, "typeCharacter": "the_person_s_friend", "accessId": 5}]}`
	if status, answer := callAs(t, token, "POST", url+"/api/v1/local-concepts", body); status != http.StatusOK {
		t.Fatalf("status %d %v; want 200", status, answer)
	}
}

func TestSchemaPreviewCountsWhatAPushWouldViolate(t *testing.T) {
	s := servertest.Start(t)
	admin := servertest.Admin(t, s, "admin@example.org")
	addPeople(t, s.URL, admin)
	push := `{"schema": {"types": {"person": {"fields": {"age": {"kind": "integer", "required": true}, "email": {"kind": "text", "unique": true}}}}}}`
	status, got := callAs(t, admin, "POST", s.URL+"/api/v1/schema/preview", push)
	if status != http.StatusOK {
		t.Fatalf("status %d %v; want 200", status, got)
	}
	answer := got.(map[string]any)
	if answer["records"] != 3.0 || answer["complete"] != true || len(answer["differences"].([]any)) == 0 {
		t.Errorf("the preview = %v; want 3 records, complete, with differences", answer)
	}
	counts := map[string]any{}
	for _, v := range answer["violations"].([]any) {
		violation := v.(map[string]any)
		counts[violation["field"].(string)+" "+violation["rule"].(string)] = violation["count"]
		if len(violation["records"].([]any)) != int(violation["count"].(float64)) || violation["message"] == "" {
			t.Errorf("the violation = %v; want all of its records, and a message", violation)
		}
	}
	if diff := cmp.Diff(map[string]any{"age kind": 1.0, "age required": 1.0, "email unique": 1.0}, counts); diff != "" {
		t.Error(diff)
	}
	if _, after := callAs(t, admin, "GET", s.URL+"/api/v1/schema", ""); !cmp.Equal(after, map[string]any{"types": map[string]any{}}) {
		t.Errorf("the preview stored %v", after)
	}
	user := servertest.SignUp(t, s.URL, "user@example.org")
	for token, want := range map[string]int{"": http.StatusUnauthorized, user: http.StatusForbidden} {
		if status, _ := callAs(t, token, "POST", s.URL+"/api/v1/schema/preview", push); status != want {
			t.Errorf("status %d; want %d", status, want)
		}
	}
	if status, _ := callAs(t, admin, "POST", s.URL+"/api/v1/schema/preview", `{"schema": {"types": {"person": {"fields": {"age": {"kind": "colour"}}}}}}`); status != http.StatusBadRequest {
		t.Errorf("a schema with an unknown kind: status %d; want 400", status)
	}
}

func TestSchemaFoundDescribesWhatTheCallerMayRead(t *testing.T) {
	s := servertest.Start(t)
	admin := servertest.Admin(t, s, "admin@example.org")
	addPeople(t, s.URL, admin)
	find := func(token, query string) (int, map[string]any) {
		status, got := callAs(t, token, "GET", s.URL+"/api/v1/schema/found?"+query, "")
		return status, got.(map[string]any)
	}
	_, all := find(admin, "type=the_person")
	_, public := find("", "type=the_person")
	if all["records"] != 3.0 || public["records"] != 2.0 || public["all"] != true {
		t.Errorf("an admin finds %v records and a guest %v; want 3 and 2", all["records"], public["records"])
	}
	age := func(found map[string]any) any {
		for _, f := range found["fields"].([]any) {
			if field := f.(map[string]any); field["name"] == "age" {
				return field["kind"]
			}
		}
		return nil
	}
	if age(all) != "text" || age(public) != "integer" {
		t.Errorf("the kind of age is %v for an admin and %v for a guest; want text and integer", age(all), age(public))
	}
	links := map[string]any{}
	for _, l := range public["links"].([]any) {
		link := l.(map[string]any)
		links[link["connection"].(string)+map[bool]string{true: " reverse"}[link["reverse"].(bool)]] = []any{link["types"].([]any)[0], link["kind"]}
	}
	want := map[string]any{
		"the_person_city": []any{"the_city", "text"}, "the_person_s_friend": []any{"the_person", ""}, "the_person_s_friend reverse": []any{"the_person", ""},
	}
	if diff := cmp.Diff(want, links); diff != "" {
		t.Error(diff)
	}
	if _, one := find(admin, "type=the_person&records=1"); one["records"] != 1.0 || one["all"] != false {
		t.Errorf("with records=1 the response is %v; want 1 record and all false", one)
	}
	for query, want := range map[string]int{"type=the_dragon": http.StatusNotFound, "": http.StatusBadRequest, "type=the_person&records=many": http.StatusBadRequest} {
		if status, answer := find(admin, query); status != want {
			t.Errorf("%q: status %d %v; want %d", query, status, answer, want)
		}
	}
}

func TestSchemaSource(t *testing.T) {
	s := withPeople(t)
	for language, want := range map[string]string{"ts": "name: text().required()", "go": "type Person struct"} {
		status, got := callAs(t, "", "GET", s.URL+"/api/v1/schema/source?"+url.Values{"language": {language}}.Encode(), "")
		if source := got.(map[string]any)["source"]; status != http.StatusOK || !strings.Contains(source.(string), want) {
			t.Errorf("%s: status %d %s; want 200 and %q in the source", language, status, source, want)
		}
	}
	for _, wrong := range []string{"language=cobol", "", "language=go&package=1"} {
		if status, answer := callAs(t, "", "GET", s.URL+"/api/v1/schema/source?"+wrong, ""); status != http.StatusBadRequest {
			t.Errorf("%q: status %d %v; want 400", wrong, status, answer)
		}
	}
}

func TestPlanStepsAreForAdmins(t *testing.T) {
	s := servertest.Start(t)
	admin := servertest.Admin(t, s, "admin@example.org")
	addPeople(t, s.URL, admin)
	explained := `{"explain": true, "type": "the_person", "selectors": ["the_person_city"], "freeschemaQueries": [{"name": "in", "typeConnection": "self"}],
		"filters": [{"name": "thirty", "operateon": "in", "search": "30"}], "filterLogic": "thirty"}`
	_, got := callAs(t, admin, "POST", s.URL+queryPath, explained)
	answer := got.(map[string]any)
	steps, _ := answer["planSteps"].([]any)
	if lines := strings.Count(answer["plan"].(string), "\n"); len(steps) != lines || lines < 4 {
		t.Errorf("%d steps; the plan is\n%s", len(steps), answer["plan"])
	}
	took := 0.0
	for _, step := range steps {
		took += step.(map[string]any)["ms"].(float64)
	}
	if took <= 0 || steps[0].(map[string]any)["label"] != "the_person" {
		t.Errorf("the steps = %v; want a duration, and the_person as the first label", steps)
	}
	_, got = callAs(t, servertest.SignUp(t, s.URL, "user@example.org"), "POST", s.URL+queryPath, explained)
	if answer := got.(map[string]any); answer["plan"] == "" || answer["planSteps"] != nil {
		t.Errorf("a user sees %v; want a plan without planSteps", answer)
	}
}
