package server

import (
	"fmt"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/wire"
)

// contentAPI reads and edits the pages and widgets of the site as files. Every read and write has the permissions of the
// caller, so only admins can change content of the system or of an admin.
type contentAPI struct{ audit *auditAPI }

func (a contentAPI) routes() []route {
	return inTurns([]route{
		{"GET", "/api/v1/content", noBody, jsonEndpoint(a.list), "The pages and widgets of the site, with their published and newest versions", requestShape{}},
		{"GET", "/api/v1/content/widget", noBody, jsonEndpoint(a.widget), "A version of a widget as files; the newest if version is missing, the original for 0", fields("name text", "version int?")},
		{"POST", "/api/v1/content/widget", largeBody, jsonEndpoint(a.saveWidget), "Save an edited widget as a new version, which is not published. Refused with 409 if base is not the newest version", jsonBody[widgetEdit]()},
		{"POST", "/api/v1/content/publish", smallBody, jsonEndpoint(a.publish), "Publish a version of a widget, which may be an older version; the newest if version is missing", fields("name text", "version int?")},
		{"GET", "/api/v1/content/page", noBody, jsonEndpoint(a.page), "The settings of a page", fields("name text")},
		{"POST", "/api/v1/content/page", smallBody, jsonEndpoint(a.savePage), "Write the settings of a page, which visitors see immediately", jsonBody[pageEdit]()},
	})
}

// contentList is the pages and widgets of the site.
type contentList struct {
	Items []content.Item `json:"items"`
}

func (a contentAPI) list(req *request) (contentList, error) {
	items, err := content.List(req.Context(), req.graph)
	if items == nil {
		items = []content.Item{}
	}
	return contentList{items}, err
}

func (a contentAPI) widget(req *request) (content.WidgetDocument, error) {
	name, version, err := contentVersion(req)
	if err != nil {
		return content.WidgetDocument{}, err
	}
	return content.ReadWidget(req.Context(), req.graph, name, version)
}

// contentVersion returns the fields name and version. A missing version is content.Newest.
func contentVersion(req *request) (name string, version int, err error) {
	fields, err := req.fields("name", "version")
	if err != nil {
		return "", 0, err
	}
	if name, err = fields.Text("name"); err != nil {
		return "", 0, err
	}
	version, err = fields.Int("version", content.Newest)
	if err == nil && version < content.Newest {
		err = graph.Errorf(graph.Invalid, "the field \"version\" is %d; want a version number", version)
	}
	return name, version, err
}

// widgetEdit is the body of a request that saves a widget.
type widgetEdit struct {
	Name  string            `json:"name"`
	Base  int               `json:"base"` // number of the version that was edited
	Files map[string]string `json:"files"`
}

func (a contentAPI) saveWidget(req *request) (content.WidgetDocument, error) {
	var sent widgetEdit
	if err := decodeEdit(req, &sent); err != nil {
		return content.WidgetDocument{}, err
	}
	saved, err := content.SaveWidget(req.Context(), req.graph, content.WidgetEdit(sent), req.sender())
	a.record(req, err, action{name: "content.save", target: sent.Name})
	return saved, err
}

// decodeEdit decodes a body for a caller who may write.
func decodeEdit(req *request, into any) error {
	if err := req.requireGraphWrite(); err != nil {
		return err
	}
	return wire.Decode(req.body, into)
}

// publishedVersion is the version of a widget that visitors see.
type publishedVersion struct {
	Version int `json:"version"`
}

func (a contentAPI) publish(req *request) (publishedVersion, error) {
	if err := req.requireGraphWrite(); err != nil {
		return publishedVersion{}, err
	}
	name, version, err := contentVersion(req)
	if err != nil {
		return publishedVersion{}, err
	}
	shown, err := content.Publish(req.Context(), req.graph, name, version, req.sender())
	a.record(req, err, action{"content.publish", name, fmt.Sprintf("version %d", shown)})
	return publishedVersion{shown}, err
}

func (a contentAPI) page(req *request) (content.PageDocument, error) {
	name, err := req.textField("name")
	if err != nil {
		return content.PageDocument{}, err
	}
	return content.ReadPage(req.Context(), req.graph, name)
}

type pageEdit struct {
	Name string       `json:"name"`
	Page content.Page `json:"page"`
}

func (a contentAPI) savePage(req *request) (content.PageDocument, error) {
	var sent pageEdit
	if err := decodeEdit(req, &sent); err != nil {
		return content.PageDocument{}, err
	}
	saved, err := content.SavePage(req.Context(), req.graph, sent.Name, sent.Page, req.sender())
	a.record(req, err, action{name: "content.page", target: sent.Name})
	return saved, err
}

// record adds a change of an admin to the audit log, unless it failed. Other users can only change their own content.
func (a contentAPI) record(req *request, err error, done action) {
	if err == nil && req.caller.Admin {
		a.audit.add(req, done)
	}
}
