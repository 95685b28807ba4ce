package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A user may create a page with the slug of one of the site's pages. The server then loads the site's page again,
// but must not draw its share card again.
func TestReloadedPageReusesItsShareCard(t *testing.T) {
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	handler, err := Pages(store, fstest.MapFS{}, PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := handler.(*pages)
	requestCard := func() *renderedPage {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/og/index.png", nil)
		p.ServeHTTP(httptest.NewRecorder(), r)
		return p.cache.pages["/"].rendered
	}
	before := requestCard()
	_, err = store.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: 1000, Randomizer: 1},
		Concepts: []graph.ConceptDraft{
			{Kind: graph.DraftComposition, LocalID: -1, TypeName: "the_page", Access: graph.Public},
			{LocalID: -2, TypeName: "the_slug", Value: "/", Access: graph.Public},
		},
		Connections: []graph.ConnectionDraft{{From: -1, To: -2, TypeName: "the_page_slug", Access: graph.Public}},
	})
	if err != nil {
		t.Fatal(err)
	}
	after := requestCard()
	if after == before {
		t.Fatal("the page was not loaded again")
	}
	if after.card == nil || after.card != before.card {
		t.Error("the share card was drawn again")
	}
}
