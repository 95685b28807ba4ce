package page

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestWidgetVectors(t *testing.T) {
	spec.RunCases(t, "widget", func(t *testing.T, c spec.Case) {
		if spec.Given[storedWidget](t, c).Stored != nil {
			checkLoaded(t, c)
			return
		}
		given := spec.Given[Widget](t, c)
		var looks Looks
		if given.Looks != nil {
			looks = NewLooks(given.Looks.Styles, given.Looks.Hosts)
		}
		w := cleanTree(given, looks)
		want := spec.Want[struct {
			HTML   string
			Styled []graph.ID
		}](t, c)
		rendering, err := Render(Page{Body: &w})
		if err != nil {
			t.Fatal(err)
		}
		host := `<div data-widget="` + w.ID.String() + `">` + normalizeHTML(t, want.HTML) + `</div>`
		if rendering.HTML != host {
			t.Errorf("the rendering is\n%s\nwant\n%s", rendering.HTML, host)
		}
		for _, id := range []graph.ID{1, 2, 3} {
			if got := strings.Contains(rendering.CSS, `@scope ([data-widget="`+id.String()+`"])`); got != slices.Contains(want.Styled, id) {
				t.Errorf("CSS is %q; want the widgets %v styled", rendering.CSS, want.Styled)
			}
		}
	})
}

// storedWidget is a widget as builders store it, with the settings of the operator.
type storedWidget struct {
	Stored             *spec.Graph
	Widget             graph.ID
	Version            string
	Trusted, Sandboxed []graph.ID
	Libraries          []string
}

// checkLoaded checks how a stored widget is loaded and rendered.
func checkLoaded(t *testing.T, c spec.Case) {
	given, policy := spec.Given[storedWidget](t, c), Policy{Trusted: map[graph.ID]bool{}, Sandboxed: map[graph.ID]bool{}}
	want := spec.Want[struct {
		Tree *Widget
		HTML string
	}](t, c)
	for _, owner := range given.Trusted {
		policy.Trusted[owner] = true
	}
	for _, owner := range given.Sandboxed {
		policy.Sandboxed[owner] = true
	}
	for _, text := range given.Libraries {
		library, err := ParseLibrary(text)
		if err != nil {
			t.Fatal(err)
		}
		policy.Libraries = append(policy.Libraries, library)
	}
	store := spec.Seed(t, memory.New(), *given.Stored)
	versions := map[string]Version{"": Fixed, "latest": Latest, "recent": Recent}
	w, err := LoadWidget(t.Context(), store, policy, store.RealID(given.Widget), versions[given.Version])
	if err != nil {
		t.Fatal(err)
	}
	if w != nil {
		*w = withCaseIDs(*w, store)
	}
	if diff := cmp.Diff(want.Tree, w); diff != "" {
		t.Errorf("the tree (-want +got)\n%s", diff)
	}
	if w == nil {
		return
	}
	rendering, err := Render(Page{Body: w})
	if err != nil {
		t.Fatal(err)
	}
	if rendering.HTML != want.HTML {
		t.Errorf("the rendering is\n%s\nwant\n%s", rendering.HTML, want.HTML)
	}
}

// withCaseIDs replaces the ids of a tree with the ids of the case, except in the URLs of modules.
func withCaseIDs(w Widget, store spec.Seeded) Widget {
	w.ID, w.Root = store.CaseID(w.ID), store.CaseID(w.Root)
	if w.Code != nil {
		w.Code.Modules = nil
	}
	for i, child := range w.Children {
		w.Children[i].Widget = withCaseIDs(child.Widget, store)
	}
	return w
}

// cleanTree cleans a tree as loading does.
func cleanTree(w Widget, looks Looks) Widget {
	w.HTML, _ = NewCleaner(0, looks).clean(context.Background(), w.HTML)
	w.setCSS(w.CSS, looks)
	w.Children = slices.Clone(w.Children)
	for i, child := range w.Children {
		w.Children[i].Widget = cleanTree(child.Widget, looks)
	}
	return w
}

// normalizeHTML parses HTML and renders it again.
func normalizeHTML(t *testing.T, text string) string {
	nodes, err := parseFragment(text)
	if err != nil {
		t.Fatal(err)
	}
	text, err = renderNodes(nodes)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
