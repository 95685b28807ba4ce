package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/content"
)

// writeNested writes a widget of a user. The widget contains the widget inside twice; 0 means that it has no
// children.
func (f *accessFixture) writeNested(callerName, name string, inside graph.ID) graph.ID {
	f.t.Helper()
	const html = `<div id="a" class="added-widget-container"></div><div id="b" class="added-widget-container"></div>`
	id := f.writeRecord(callerName, "the_widget", graph.Public, []string{"the_widget_name=" + name, "the_widget_html=" + html}, nil)
	for _, wrapper := range []string{"a", "b"} {
		if inside != 0 {
			child := f.writeRecord(callerName, "the_child_widget", graph.Public, []string{
				"the_child_widget_wrapper=" + wrapper, "the_child_widget_use_latest=true",
			}, map[string]graph.ID{"the_child_widget_info": inside})
			f.writeLink(callerName, id, "the_widget_s_child", child, graph.Public)
		}
	}
	return id
}

// A widget contains a second widget twice, the second contains a third twice, and so on. The number of paths is 2 to the
// power of the depth. Saving the first widget must not follow each path.
func TestSavingADeeplySharedWidgetIsQuick(t *testing.T) {
	f := newAccessFixture(t, nil)
	if err := content.Seed(t.Context(), f.store); err != nil {
		t.Fatal(err)
	}
	var top graph.ID
	for level := range 40 {
		top = f.writeNested(owner, fmt.Sprintf("Level %d", level), top)
	}
	var read content.WidgetDocument
	status, text := f.send(owner, "GET", "/api/v1/content/widget?name="+top.String(), "")
	if err := json.Unmarshal([]byte(text), &read); err != nil || status != http.StatusOK || strings.Count(read.Files["widget.json"], `"wrapper"`) != 2 {
		t.Fatalf("status %d: %s; want 200 and two children", status, text)
	}
	body := editOf(t, read, read.Files["widget.html"]+"<p>edited</p>")
	if status, text := f.send(owner, "POST", "/api/v1/content/widget", body); status != http.StatusOK {
		t.Errorf("saving: status %d: %s; want 200", status, text)
	}
}
