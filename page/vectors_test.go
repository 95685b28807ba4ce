package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/store/memory"
)

func TestWidgetVectors(t *testing.T) {
	vectors.Each(t, "widget", func(t *testing.T, c vectors.Case) {
		if vectors.Given[stored](t, c).Stored != nil {
			isRead(t, c)
			return
		}
		w := made(vectors.Given[Widget](t, c))
		want := vectors.Want[struct {
			HTML   string
			Styled []graph.ID
		}](t, c)
		drawn, err := Render(Page{Body: &w})
		if err != nil {
			t.Fatal(err)
		}
		host := `<div data-widget="` + w.ID.String() + `">` + asRead(t, want.HTML) + `</div>`
		if drawn.HTML != host {
			t.Errorf("it shows\n%s\nwant\n%s", drawn.HTML, host)
		}
		for _, id := range []graph.ID{1, 2, 3} {
			if got := strings.Contains(drawn.CSS, `@scope ([data-widget="`+id.String()+`"])`); got != slices.Contains(want.Styled, id) {
				t.Errorf("CSS is %q; want the widgets %v styled", drawn.CSS, want.Styled)
			}
		}
	})
}

// stored is a widget as builders store it, and what the operator decided.
type stored struct {
	Stored             *vectors.Graph
	Widget             graph.ID
	Version            string
	Trusted, Sandboxed []graph.ID
	Libraries          []string
}

// isRead checks how a stored widget reads and looks.
func isRead(t *testing.T, c vectors.Case) {
	given, policy := vectors.Given[stored](t, c), Policy{Trusted: map[graph.ID]bool{}, Sandboxed: map[graph.ID]bool{}}
	want := vectors.Want[struct {
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
	store := vectors.Seed(t, memory.New(), *given.Stored)
	versions := map[string]Version{"": Fixed, "latest": Latest, "recent": Recent}
	w, err := LoadWidget(t.Context(), store, policy, store.Real(given.Widget), versions[given.Version])
	if err != nil {
		t.Fatal(err)
	}
	if w != nil {
		*w = inCase(*w, store)
	}
	if diff := cmp.Diff(want.Tree, w); diff != "" {
		t.Errorf("the tree (-want +got)\n%s", diff)
	}
	if w == nil {
		return
	}
	drawn, err := Render(Page{Body: w})
	if err != nil {
		t.Fatal(err)
	}
	if drawn.HTML != want.HTML {
		t.Errorf("it shows\n%s\nwant\n%s", drawn.HTML, want.HTML)
	}
}

// inCase gives a tree the ids of the case. The addresses of its modules have others.
func inCase(w Widget, store vectors.Seeded) Widget {
	w.ID, w.Root = store.Case(w.ID), store.Case(w.Root)
	if w.Code != nil {
		w.Code.Modules = nil
	}
	for i, child := range w.Children {
		w.Children[i].Widget = inCase(child.Widget, store)
	}
	return w
}

// made does to a tree what loading does.
func made(w Widget) Widget {
	w.HTML, w.CSS = safe(w.HTML, w.CSS)
	w.Children = slices.Clone(w.Children)
	for i, child := range w.Children {
		w.Children[i].Widget = made(child.Widget)
	}
	return w
}

// asRead writes HTML the way the parser understood it.
func asRead(t *testing.T, text string) string {
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
