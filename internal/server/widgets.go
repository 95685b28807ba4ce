package server

import (
	"context"
	"net/http"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/wire"
)

// widgetAPI serves stored widgets: as ids for clients of the contract and as a tree that is ready to show. It
// also serves the code of widgets as modules.
type widgetAPI struct {
	views         *storeViews
	policies      *Policies
	queries       *queryRunner
	frame         *frame
	trees         *treeGate
	documentation graph.ID // the widget that shows documentation; 0 for none
}

func (a *widgetAPI) routes() []route {
	return []route{
		{"GET", "/api/get-widget", noBody, inTurn(jsonEndpoint(a.widget)), "A widget with all its children, as ids", fields("id int")},
		{"GET", "/api/get-latest-widget", noBody, inTurn(jsonEndpoint(a.latestWidget)), "The published version of a widget", fields("id int")},
		{"GET", "/api/get-recent-widget", noBody, inTurn(jsonEndpoint(a.recentWidget)), "The newest version of a widget", fields("id int")},
		{"GET", "/api/v1/widgets", noBody, jsonEndpoint(a.tree), "A widget with everything inside it, ready to show. version is fixed for exactly this widget, latest for its published version, recent for the version saved last", fields("id int", "version text fixed")},
		{"POST", "/api/v1/widgets/preview", largeBody, jsonEndpoint(a.preview), "A version of a widget with everything inside it, with HTML and CSS that are not stored: for the preview of an edit. Stores nothing", jsonBody[widgetDraft]()},
		{"GET", "/api/v1/widgets/documentation", noBody, inTurn(jsonEndpoint(a.documentationOf)), "The documentation of a widget", fields("id int")},
		{"GET", page.ModuleAddress, noBody, rawEndpoint("text/javascript", a.module), "Part of the code of a trusted widget, as a module; the widget contains the address", fields("id int", "part text", "hash text")},
		{"GET", "/api/v1/widgets/frame", noBody, rawEndpoint("text/html", a.frame.serve), "The document in which the code of untrusted widgets runs", requestShape{}},
	}
}

func (a *widgetAPI) widget(req *request) (wire.Answer, error) {
	id, err := req.idField("id")
	if err != nil {
		return wire.Answer{}, err
	}
	return loadWidgetAnswer(req.Context(), req.graph, id)
}

func (a *widgetAPI) latestWidget(req *request) (wire.Answer, error) {
	return a.version(req, page.Latest)
}

func (a *widgetAPI) recentWidget(req *request) (wire.Answer, error) {
	return a.version(req, page.Recent)
}

// version returns a version of a widget, or the widget itself if it does not have the version.
func (a *widgetAPI) version(req *request, version page.Version) (wire.Answer, error) {
	id, err := req.idField("id")
	if err != nil {
		return wire.Answer{}, err
	}
	policy, err := a.policies.current(req.Context())
	if err != nil {
		return wire.Answer{}, err
	}
	if id, err = page.ResolveVersion(req.Context(), req.graph, *policy, id, version); err != nil {
		return wire.Answer{}, err
	}
	return loadWidgetAnswer(req.Context(), req.graph, id)
}

// widgetTree is a widget with everything inside it; null when there is none.
type widgetTree struct {
	Widget *page.Widget `json:"widget"`
}

var versionNames = map[string]page.Version{"": page.Fixed, "fixed": page.Fixed, "latest": page.Latest, "recent": page.Recent}

// treeWeight is the weight of a tree among queries. The weight is high because all HTML in a tree must be
// sanitised.
const treeWeight = 200

func (a *widgetAPI) tree(req *request) (widgetTree, error) {
	fields, err := req.fields("id", "version")
	if err != nil {
		return widgetTree{}, err
	}
	id, err := fields.ID("id")
	if err != nil {
		return widgetTree{}, err
	}
	version, ok := versionNames[fields["version"]]
	if !ok {
		return widgetTree{}, graph.Errorf(graph.Invalid, "version: %q is not fixed, latest or recent", graph.Clip(fields["version"]))
	}
	return a.load(req, id, version, nil)
}

// widgetDraft is the body of a request for a preview.
type widgetDraft struct {
	ID   graph.ID `json:"id"` // id of the version that is edited
	HTML string   `json:"html"`
	CSS  string   `json:"css"`
}

func (a *widgetAPI) preview(req *request) (widgetTree, error) {
	var draft widgetDraft
	if err := wire.Decode(req.body, &draft); err != nil {
		return widgetTree{}, err
	}
	return a.load(req, draft.ID, page.Fixed, &draft)
}

// load returns a version of a widget, with the HTML and CSS of the draft, unless draft is nil.
func (a *widgetAPI) load(req *request, id graph.ID, version page.Version, draft *widgetDraft) (widgetTree, error) {
	policy, err := a.policies.current(req.Context())
	if err != nil {
		return widgetTree{}, err
	}
	endTree, err := a.trees.begin(req.Context(), req.owner)
	if err != nil {
		return widgetTree{}, err
	}
	defer endTree()
	release, err := a.queries.weights.Enter(req.owner, min(treeWeight, max(1, a.queries.Weight/2)))
	if err != nil {
		return widgetTree{}, err
	}
	defer release()
	w, err := page.LoadWidget(req.Context(), req.graph, *policy, id, version)
	if err != nil || w == nil {
		return widgetTree{}, err
	}
	if draft != nil {
		if err := w.SetDraft(req.Context(), *policy, draft.HTML, draft.CSS); err != nil {
			return widgetTree{}, err
		}
	}
	if a.documentation != 0 {
		w.Documented = true
	}
	return widgetTree{w}, chargeEncoding(req.Context(), w)
}

// A treeGate limits the widget trees and pages that are loaded concurrently: to maxTrees, and to one per owner
// while other owners wait. Each of them may hold half of the memory for requests.
type treeGate struct{ slots *budget.Budget }

const (
	maxTrees = 3
	// treeSlot is the amount that one tree takes from the budget. The budget counts slots here instead of bytes, so the value is
	// arbitrary.
	treeSlot = 1 << 20
)

func newTreeGate() *treeGate { return &treeGate{budget.New(maxTrees * treeSlot)} }

// begin waits for a slot, which the caller releases with end. The error is Unavailable.
func (g *treeGate) begin(ctx context.Context, owner string) (end func(), err error) {
	slot := g.slots.Open(owner)
	if err := slot.Wait(ctx, treeSlot); err != nil {
		return nil, graph.Errorf(graph.Unavailable, "too many widgets and pages are being loaded; try again in a moment")
	}
	return slot.Close, nil
}

// encodedCopies is the memory for encoding and sending a tree, as a multiple of the size of the text in the tree.
const encodedCopies = 3

// chargeEncoding charges the memory for encoding a tree, and waits until it is available.
func chargeEncoding(ctx context.Context, w *page.Widget) error {
	account := budget.Of(ctx)
	return account.Wait(ctx, min(encodedCopies*int64(w.TextBytes()), account.Share()))
}

func (a *widgetAPI) documentationOf(req *request) (page.Documentation, error) {
	id, err := req.idField("id")
	if err != nil {
		return page.Documentation{}, err
	}
	policy, err := a.policies.current(req.Context())
	if err != nil {
		return page.Documentation{}, err
	}
	return page.LoadDocumentation(req.Context(), req.graph, *policy, id)
}

// module writes part of a widget's code. It reads with the permissions of a guest, because browsers import
// modules without a token.
func (a *widgetAPI) module(w http.ResponseWriter, req *request) error {
	fields, err := req.fields("id", "part", "hash")
	if err != nil {
		return err
	}
	id, err := fields.ID("id")
	if err != nil {
		return err
	}
	policy, err := a.policies.current(req.Context())
	if err != nil {
		return err
	}
	text, err := page.LoadModule(req.Context(), a.views.public(), *policy, id, fields["part"], fields["hash"])
	if err != nil {
		return err
	}
	module := newRepresentation("text/javascript; charset=utf-8", []byte(text))
	module.cacheControl = cacheForever // the address contains the hash of the text
	module.serve(w, req.Request, http.StatusOK)
	return nil
}
