package main

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/wire"
)

func TestUnknownMembersOfQueriesAreNamedWithASuggestion(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"the_a","Selectors":["self"],"filters":[],"freeschemaQueries":[{"typeConnection":"x","reverse":true}]}`: "",
		`{"pageSize":3}`:        `a query has no member "pageSize"; did you mean "inpage"?`,
		`{"hops":[]}`:           `a query has no member "hops"; did you mean "freeschemaQueries"?`,
		`{"selector":[]}`:       `a query has no member "selector"; did you mean "selectors"?`,
		`{"freeSchemaQuery":1}`: `a query has no member "freeSchemaQuery"; did you mean "freeschemaQueries"?`,
		`{"isSecure":true,"cache":true,"filters":[{"operateOn":"a","composition":true,"index":0}]}`: "",
		`{"filters":[{"opperateon":"a"}]}`: `a query has no member "opperateon"; did you mean "operateon"?`,
		`{"filters":[{"op":"a"}]}`:         `a query has no member "op"; did you mean "logicoperator"?`,
		`{"bogus":1}`:                      `a query has no member "bogus"; weft query --help lists them`,
		`{"freeschemaQueries":[{"typeConnection":"x"},{"FREESCHEMAQUERIES":[{"typeConection":"y"}]}]}`: `a query has no member "typeConection"; did you mean "typeConnection"?`,
	} {
		err := checkMembers([]byte(text))
		if got := errorText(err); got != want {
			t.Errorf("%s: %q; want %q", text, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestHelpListsOnlyMembersOfAQuery(t *testing.T) {
	for typ, members := range map[reflect.Type][][2]string{
		reflect.TypeFor[wire.Query](): members, reflect.TypeFor[wire.Filter](): filterMembers, reflect.TypeFor[wire.OrderBy](): orderMembers,
	} {
		for _, m := range members {
			if name := strings.TrimSpace(m[0]); contractName(name, typ) != name {
				t.Errorf("%s has no member %q", typ, name)
			}
		}
	}
}

func TestEditDistance(t *testing.T) {
	word := rapid.StringMatching(`[abc]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := editDistance(a, b), slowEditDistance(a, b); got != want {
			t.Errorf("the edit distance from %q to %q is %d; want %d", a, b, got, want)
		}
	})
}

// slowEditDistance computes the edit distance by trying all edits.
func slowEditDistance(a, b string) int {
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case a[0] == b[0]:
		return slowEditDistance(a[1:], b[1:])
	default:
		return 1 + min(slowEditDistance(a[1:], b[1:]), slowEditDistance(a[1:], b), slowEditDistance(a, b[1:]))
	}
}
