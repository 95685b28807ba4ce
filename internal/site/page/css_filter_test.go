package page

import (
	"slices"
	"strings"
	"testing"
)

func TestFilterCSSOmitsOnlyWhatIsNotAllowed(t *testing.T) {
	for _, c := range []struct{ name, text, kept, warning string }{
		{"nothing", ".a { color: red }", ".a { color: red }", ""},
		{"an import", `@import "https://other.test/a.css"; .a { color: red }`, ".a { color: red }", "@import is not allowed"},
		{"a font", ".a { gap: 1px } @font-face { font-family: f; src: url(https://other.test/f) } .b { gap: 2px }", ".a { gap: 1px } .b { gap: 2px }", "@font-face is not allowed"},
		{"a list of layers", "@layer a, b; .a { color: red }", ".a { color: red }", "@layer is not allowed"},
		{"a layer with rules", ".b { } @layer a { .a { color: red } }", ".b { }", "@layer is not allowed"},
		{"a picture", ".a { color: red; background: url(https://other.test/a.png); gap: 1px }", ".a { color: red; gap: 1px }", `"https://other.test/a.png"`},
		{"the last declaration", ".a{color:red;background:url(//other.test)} .b{}", ".a{color:red;} .b{}", `"//other.test"`},
		{"a picture in a nested rule", "@media (a) { .a { &:hover { background: url(//other.test); top: 0 } } }", "@media (a) { .a { &:hover { top: 0 } } }", `"//other.test"`},
		{"a font in a condition", "@media (a) { @font-face { src: url(/f) } .a { top: 0 } }", "@media (a) { .a { top: 0 } }", "@font-face is not allowed"},
		{"an escape in a selector", `.a\:b { top: 0 } .c { top: 1px }`, ".c { top: 1px }", "escape"},
		{"a variable with a block", ".a { --x: { b: url(//other.test) }; top: 0 }", ".a { --x: {}; top: 0 }", `"//other.test"`},
		{"a function in a function", ".a { background: cross-fade(image-set('//other.test' 1x), red); top: 0 }", ".a { top: 0 }", "image-set("},
		{"only an import", `@import "/a.css";`, "", "@import is not allowed"},
		{"everything after a brace too many", ".a { top: 0 } }", "", "unmatched"},
		{"an open string", `.a { content: "x }`, "", "not closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept, warnings := cssRules{}.filter(c.text)
			if got := strings.Join(strings.Fields(kept), " "); got != c.kept {
				t.Errorf("filterCSS(%q) keeps %q; want %q", c.text, got, c.kept)
			}
			if (c.warning == "") != (len(warnings) == 0) ||
				!slices.ContainsFunc(append(warnings, ""), func(w string) bool { return strings.Contains(w, c.warning) }) {
				t.Errorf("filterCSS(%q) warns %q; want %q", c.text, warnings, c.warning)
			}
		})
	}
}

func TestFilterCSSLimitsItsWarnings(t *testing.T) {
	kept, warnings := cssRules{}.filter(strings.Repeat(`@import "a";`, 1_000) + ".a { }")
	if kept != ".a { }" || len(warnings) != maxWarnings {
		t.Errorf("keeps %q with %d warnings; want %d", kept, len(warnings), maxWarnings)
	}
}

// The kept part is allowed, and allowed CSS is kept unchanged.
func FuzzFilterCSS(f *testing.F) {
	for _, seed := range []string{
		".a { color: red }", `@import "a"; .a{}`, ".a{b:url(//c);d:e}", "@layer a{b{c:d}}", "a{--b:{c:url(//d)};e:f}", "a{b{c:src(d)}e:f}", `a\b{}c{}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kept, warnings := cssRules{}.filter(text)
		if err := CheckCSS(kept); err != nil {
			t.Fatalf("%q is kept of %q: %v", kept, text, err)
		}
		if allowed := CheckCSS(text) == nil; allowed && kept != text || allowed != (len(warnings) == 0) {
			t.Fatalf("%q is kept of %q with the warnings %q", kept, text, warnings)
		}
	})
}
