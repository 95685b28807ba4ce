package content_test

import (
	"testing"
	"testing/fstest"

	"github.com/weft-graph/weft/internal/site/content"
)

// Loading a site with any page and any widget must return an error, or a site whose widgets contain no files from outside
// their folders.
func FuzzLoad(f *testing.F) {
	f.Add(`{"slug":"a","title":"A","widget":"b"}`, `{"name":"b"}`, "<p>{{x}}</p>", "p{color:red}")
	f.Add(`{"slug":"../a"}`, `{"name":"../b","functions":[{"slug":"c","file":"../../d"}]}`, "", "")
	f.Add(`{}`, `{"functions":[{}]}`, "\xff", "@import 'x'")
	f.Add(`[`, `null`, "<script>", "}")
	f.Fuzz(func(t *testing.T, page, widget, html, css string) {
		files := fstest.MapFS{}
		for name, text := range map[string]string{
			"pages/a.json": page, "widgets/b/widget.json": widget, "widgets/b/widget.html": html, "widgets/b/widget.css": css,
			"secret.js": "secret",
		} {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		site, err := content.LoadFrom(files)
		if err != nil {
			return
		}
		for _, w := range site.Widgets {
			for name, code := range w.Code {
				if code == "secret\n" || code == "secret" {
					t.Errorf("the widget reads a file outside of its folder as %q", name)
				}
			}
		}
	})
}
