package page

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Widget is a part of a page. A widget without a name does not exist; it is rendered as InvalidWidget.
type Widget struct {
	ID         graph.ID `json:"id"`
	Name       string   `json:"name"`
	HTML       string   `json:"html"` // sanitised
	CSS        string   `json:"css"`  // without declarations and rules that are not allowed
	Children   []Child  `json:"children"`
	Root       graph.ID `json:"root"`    // the original of which this widget is a version
	Version    int      `json:"version"` // 0 when unknown
	Type       string   `json:"type"`    // DefaultType when not set
	Documented bool     `json:"documented,omitempty"`
	Trust      Trust    `json:"trust,omitempty"`
	Code       *Code    `json:"code,omitempty"` // nil when no code runs

	// Looks is for the renderer in the browser. Only the root of a tree has it.
	Looks *Looks `json:"looks,omitempty"`

	// Warnings describe, for the author, the parts of the CSS that were left out.
	Warnings []string `json:"warnings,omitempty"`

	// Notes of the builder, which are not rendered.
	Timestamp string     `json:"timestamp,omitempty"` // when the widget was saved, in the format of the site builder
	Clean     string     `json:"clean,omitempty"`     // HTML without the builder's markers; sanitised
	Assistant *Assistant `json:"assistant,omitempty"`
}

// An Assistant is the request from which a builder generated a widget.
type Assistant struct {
	ID    string `json:"id"`
	Input string `json:"input"`
	Type  string `json:"type"`
}

// DefaultType is the type of data that a widget without a type shows.
const DefaultType = "the_element_name"

// A Child is a widget placed in the element of its parent whose id is Wrapper.
type Child struct {
	Wrapper string `json:"wrapper"`
	Widget  Widget `json:"widget"`
}

// Code is the code of a widget, with "" and [] for missing parts. It is not sanitised.
type Code struct {
	HTML         string     `json:"html"`
	CSS          string     `json:"css"`
	JS           string     `json:"js"`
	BeforeRender string     `json:"beforeRender"`
	AfterRender  string     `json:"afterRender"`
	MountChild   string     `json:"mountChild"`
	Update       string     `json:"update"`
	Dependency   string     `json:"dependency"`
	Functions    []Function `json:"functions"` // oldest first
	Styles       []string   `json:"styles"`    // URLs, in loading order
	Scripts      []string   `json:"scripts"`
	// Modules are the URLs of the parts that are not empty; only for trusted widgets.
	Modules map[string]string `json:"modules,omitempty"`
}

// A Function adds members to a widget; the hooks of the widget can call them. Authors call a Function a service.
type Function struct {
	Name string `json:"name"`
	Slug string `json:"slug"`
	Code string `json:"code"`
}

// ModuleAddress is the path at which parts of trusted widgets are served as modules.
const ModuleAddress = "/api/v1/widgets/code"

// texts returns the parts of the code that are not empty, by name.
func (c *Code) texts() map[string]string {
	functions := make([]string, len(c.Functions))
	for i, f := range c.Functions {
		functions[i] = f.Code
	}
	texts := map[string]string{
		"js": c.JS, "beforeRender": c.BeforeRender, "afterRender": c.AfterRender, "mountChild": c.MountChild,
		"update": c.Update, "dependency": c.Dependency, "functions": strings.Join(functions, "\n;\n"),
	}
	for part, text := range texts {
		if text == "" {
			delete(texts, part)
		}
	}
	return texts
}

func (c *Code) isEmpty() bool { return len(c.texts())+len(c.Styles)+len(c.Scripts) == 0 }

func (c *Code) modules(id graph.ID) map[string]string {
	modules := map[string]string{}
	for part, text := range c.texts() {
		modules[part] = ModuleAddress + "?id=" + id.String() + "&part=" + part + "&hash=" + hashOf(text)
	}
	return modules
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Module returns the source of a part of the code as a module. The default export of the module runs the part. The
// error is NotFound if the widget is not trusted, or if it has no part with this name and hash, for example because
// the part has changed.
func (w *Widget) Module(part, hash string) (string, error) {
	if w != nil && w.Trust == Trusted && w.Code != nil {
		if text := w.Code.texts()[part]; text != "" && hashOf(text) == hash {
			return "export default async function (tsccs) {\n" + text + "\n}\n", nil
		}
	}
	return "", graph.Errorf(graph.NotFound, "widget has no code %q with that hash", graph.Clip(part))
}

// TextBytes returns the size of the text in a tree, in bytes.
func (w *Widget) TextBytes() int {
	n := len(w.HTML) + len(w.CSS) + len(w.Clean)
	if w.Assistant != nil {
		n += len(w.Assistant.Input)
	}
	if c := w.Code; c != nil {
		n += len(c.HTML) + len(c.CSS)
		for _, text := range c.texts() {
			n += len(text)
		}
	}
	for i := range w.Children {
		n += w.Children[i].Widget.TextBytes()
	}
	return n
}

// hasCode reports whether a widget of the tree has code.
func (w *Widget) hasCode() bool {
	if w == nil {
		return false
	}
	for i := range w.Children {
		if w.Children[i].Widget.hasCode() {
			return true
		}
	}
	return w.Code != nil
}

// SetDraft replaces the HTML and CSS of a widget with unsaved HTML and CSS of its author, without the parts that may not be
// shown. If the code of the widget runs, it draws the draft unchanged, as it draws stored HTML and CSS.
func (w *Widget) SetDraft(ctx context.Context, policy Policy, html, css string) error {
	clean, err := policy.Cleaner.clean(ctx, html)
	if err != nil {
		return err
	}
	w.HTML = clean
	w.setCSS(css, policy.Looks)
	if w.Code != nil {
		code := *w.Code
		code.HTML, code.CSS = html, css
		w.Code, w.Warnings = &code, nil
	}
	return nil
}

// setCSS sets the CSS of a widget to the part of its stored CSS that may be shown, so that one malformed widget does not
// break the page. The fonts of a trusted widget are kept although they apply to the whole document, because the code of the
// widget could declare them, too.
func (w *Widget) setCSS(stored string, looks Looks) {
	rules := cssRules{looks, looks.addresses != nil && w.Trust == Trusted}
	kept, warnings := rules.filter(stored)
	w.CSS, w.Warnings = newlines.Replace(kept), warnings
}

// Browsers normalise line ends before they compare CSS with the hash in the page's policy.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")
