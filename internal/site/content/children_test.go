package content_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/site/content"
)

// Guests may read public widgets of users as files, so a widget with many children must not take quadratic time.
func TestAWidgetWithManyChildrenIsReadQuickly(t *testing.T) {
	const children = 40_000
	w := content.Widget{Children: []content.Child{{Wrapper: "w0", Widget: "replaced"}, {Wrapper: "nowhere", Widget: "hidden"}}}
	var html strings.Builder
	for i := range children {
		fmt.Fprintf(&html, `<div id="w%d" class="added-widget-container"></div>`, i)
		w.Children = append(w.Children, content.Child{Wrapper: fmt.Sprintf("w%d", i), Widget: fmt.Sprintf("inside-%d", i)})
	}
	w.HTML = html.String()
	began := time.Now()
	got := content.Normalized(w).Children
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("%d children took %v", children, took)
	}
	if len(got) != children || got[0].Widget != "inside-0" || got[children-1].Widget != fmt.Sprintf("inside-%d", children-1) {
		t.Errorf("%d children remain, the first is %+v; want %d in their order", len(got), got[0], children)
	}
}
