package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
)

// Anybody may give a page of theirs the slug of one of ours. Then ours is read again, and not drawn again.
func TestAPictureIsDrawnOnce(t *testing.T) {
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	handler, err := Pages(store, fstest.MapFS{}, PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := handler.(*pages)
	look := func() *looks {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/og/index.png", nil)
		p.ServeHTTP(httptest.NewRecorder(), r)
		return p.kept["/"].looks
	}
	before := look()
	_, err = store.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: 1000, Randomizer: 1},
		Concepts: []graph.ConceptDraft{
			{Kind: graph.DraftComposition, Ghost: -1, TypeName: "the_page", Access: graph.Public},
			{Ghost: -2, TypeName: "the_slug", Value: "/", Access: graph.Public},
		},
		Connections: []graph.ConnectionDraft{{From: -1, To: -2, TypeName: "the_page_slug", Access: graph.Public}},
	})
	if err != nil {
		t.Fatal(err)
	}
	after := look()
	if after == before {
		t.Fatal("the page was not read again")
	}
	if after.picture == nil || after.picture != before.picture {
		t.Error("the picture was drawn again")
	}
}
