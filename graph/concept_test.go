package graph_test

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

func TestTextsUpTo255UnitsAreShared(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a": true, strings.Repeat("a", 255): true, strings.Repeat("a", 256): false,
		strings.Repeat("ü", 255): true, strings.Repeat("😀", 127) + "a": true, strings.Repeat("😀", 128): false,
	} {
		if got := graph.IsShared(text); got != want {
			t.Errorf("IsShared(%d bytes) is %v; want %v", len(text), got, want)
		}
	}
}

func TestCheckTextRejectsTextsThatStoresCannotKeep(t *testing.T) {
	for text, wantInError := range map[string]string{
		"a\x00b":     "byte 1",
		"ü\xff":      "at 2",
		"\xed\xa0":   "at 0", // half a surrogate pair
		"\uFFFD\xff": "at 3",
		strings.Repeat("a", graph.MaxTextBytes+1): "4194305",
	} {
		err := graph.CheckText("the note", text)
		if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), wantInError) || !strings.Contains(err.Error(), "the note") {
			t.Errorf("CheckText of %d bytes: %v; want an invalid error about %q", len(text), err, wantInError)
		}
	}
	for _, text := range []string{"", "a\nb\t", "\uFFFD", "😀", strings.Repeat("a", graph.MaxTextBytes)} {
		if err := graph.CheckText("the note", text); err != nil {
			t.Errorf("CheckText of %d bytes: %v", len(text), err)
		}
	}
}

func TestScopesAreDistinct(t *testing.T) {
	const alice, bob = 1001, 1002
	scopes := map[graph.ID]string{}
	for name, c := range map[string]graph.Concept{
		"private to alice": {Owner: alice, Access: graph.Private}, "private to bob": {Owner: bob, Access: graph.Private},
		"for admins": {Owner: alice, Access: graph.Admin}, "public": {Owner: alice, Access: graph.Public},
	} {
		if other, exists := scopes[c.Scope()]; exists {
			t.Errorf("a value that is %s and a value that is %s have the same scope; want different ones", name, other)
		}
		scopes[c.Scope()] = name
	}
	for _, access := range []graph.Access{graph.Admin, graph.Private, graph.Public} {
		if got := graph.ScopeOf(graph.Anonymous, access); got != 0 {
			t.Errorf("an anonymous record with access %d is in scope %d; want 0", access, got)
		}
	}
}
