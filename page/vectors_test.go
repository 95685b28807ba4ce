package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
)

func TestWidgetVectors(t *testing.T) {
	vectors.Each(t, "widget", func(t *testing.T, c vectors.Case) {
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
