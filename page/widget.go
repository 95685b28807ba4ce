package page

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Widget is a piece of a page. One without a name does not exist: it shows InvalidWidget.
type Widget struct {
	ID         graph.ID `json:"id"`
	Name       string   `json:"name"`
	HTML       string   `json:"html"` // sanitised
	CSS        string   `json:"css"`  // checked; "" when it was refused
	Children   []Child  `json:"children"`
	Root       graph.ID `json:"root"`    // the original of which it is a version
	Version    int      `json:"version"` // 0 when it is not known
	Type       string   `json:"type"`    // DefaultType when it has none
	Documented bool     `json:"documented,omitempty"`
	Trust      Trust    `json:"trust,omitempty"`
	Code       *Code    `json:"code,omitempty"` // nil when nothing is to run
}

// DefaultType is the type of data that a widget is for when it says nothing.
const DefaultType = "the_element_name"

// A Child is a widget that stands in its parent's element whose id is Wrapper.
type Child struct {
	Wrapper string `json:"wrapper"`
	Widget  Widget `json:"widget"`
}

// Code is what of a widget runs, "" and [] where it has nothing. Nothing in it is sanitised.
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
	Styles       []string   `json:"styles"`    // addresses, by their order
	Scripts      []string   `json:"scripts"`
	// Modules are the addresses of the parts that have a text, for the code of trusted widgets.
	Modules map[string]string `json:"modules,omitempty"`
}

// A Function is what authors call a service: a text that adds something to a widget for its hooks to use.
type Function struct {
	Name string `json:"name"`
	Slug string `json:"slug"`
	Code string `json:"code"`
}

// ModuleAddress is where the parts of trusted widgets are served as modules.
const ModuleAddress = "/api/v1/widgets/code"

// texts are the parts of the code that are not empty.
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

func (c *Code) empty() bool { return len(c.texts())+len(c.Styles)+len(c.Scripts) == 0 }

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

// Module is the source of a part as a module, whose default export runs it. The error is NotFound when the
// widget is not trusted, or has no such part with that hash (any more).
func (w *Widget) Module(part, hash string) (string, error) {
	if w != nil && w.Trust == Trusted && w.Code != nil {
		if text := w.Code.texts()[part]; text != "" && hashOf(text) == hash {
			return "export default async function (tsccs) {\n" + text + "\n}\n", nil
		}
	}
	return "", graph.Errorf(graph.NotFound, "there is no code %q with that hash", graph.Clip(part))
}

// runs says whether anything in a tree has code.
func (w *Widget) runs() bool {
	if w == nil {
		return false
	}
	for i := range w.Children {
		if w.Children[i].Widget.runs() {
			return true
		}
	}
	return w.Code != nil
}
