package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// A parser repeats formatting elements that were not closed in every following block. Without a limit, 100 KB of HTML become a
// million nodes, and 4 MB of HTML become more nodes than fit into memory.
func TestCleanHTMLRefusesRepeatedFormatting(t *testing.T) {
	var open strings.Builder
	open.WriteString("<p>")
	for n := range 200 {
		fmt.Fprintf(&open, `<b id="%d">`, n)
	}
	for name, text := range map[string]string{
		"in paragraphs":                        open.String() + strings.Repeat("<p>x", 20_000),
		"after closing tags of other elements": open.String() + strings.Repeat("</i>", 200) + strings.Repeat("<p>x", 20_000),
		"after closing tags in a cell": open.String() + "<table><td>" + strings.Repeat("</b>", 200) + "</table>" +
			strings.Repeat("<p>x", 20_000),
		"after cells outside a table": strings.Replace(open.String(), "<p>", "<p><td>", 1) + "</td>" + strings.Repeat("<p>x", 20_000),
	} {
		if _, err := CleanHTML(text); graph.KindOf(err) != graph.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"much formatted text":           strings.Repeat("<p>a <b>bold</b> and <i>italic</i> text with <a href=/x>a link</a></p>", 20_000),
		"formatting that is not closed": strings.Repeat("<p><b>bold", 20_000),
		"cells that are not closed":     "<table>" + strings.Repeat("<tr><td><b>x</b><td>y", 20_000) + "</table>",
	} {
		if _, err := CleanHTML(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Cleaning long HTML takes a second. During this time, the cleaner must pause many times for other long work.
func TestCleaningPausesOften(t *testing.T) {
	text := strings.Repeat("<p class=a><b>text</b></p>", 40_000)
	handled, longest := 0, 0
	cleaned, err := defaultRules.clean(text, func(bytes int) error {
		handled, longest = handled+bytes, max(longest, bytes)
		return nil
	})
	if want, _ := CleanHTML(text); err != nil || cleaned != want {
		t.Errorf("the text is %d bytes, %v; want %d bytes", len(cleaned), err, len(want))
	}
	if handled < 3*len(text) || longest > minLongText {
		t.Errorf("%d bytes were handled, at most %d without a pause; want the text to be read twice and written once", handled, longest)
	}
	stop := errors.New("stop")
	if _, err := defaultRules.clean(text, func(int) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("after a pause that failed: %v", err)
	}
}

// FuzzCountNodes checks that the count is an upper bound of the nodes that the parser creates.
func FuzzCountNodes(f *testing.F) {
	f.Add("<p><b><i>x<p>y</b>z<table><td></i>q</table>")
	f.Add("<a><p><a>x<div><a>y")
	f.Add("<td><b></td><p>x<p>y")
	f.Add("<p><b id=1><b id=2></p><table><td></b></td></table><p>x")
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := parseFragment(text)
		if err != nil {
			t.Skip()
		}
		parsed := 0
		for _, node := range nodes {
			parsed++
			for range node.Descendants() {
				parsed++
			}
		}
		// countNodes does not count elements such as tbody that the parser adds; the parser adds each of them
		// because of a tag.
		if counted := countNodes(text); parsed > 4*counted+8 {
			t.Errorf("%q has %d nodes, and countNodes = %d; want at most four times that, and 8 more", html.EscapeString(text), parsed, counted)
		}
	})
}

func TestCleaner(t *testing.T) {
	text := strings.Repeat("<b>x</b>", 10_000)
	t.Run("cleans equal HTML once", func(t *testing.T) {
		c := NewCleaner(1<<20, Looks{})
		var group sync.WaitGroup
		for range 48 {
			group.Go(func() {
				if got, err := c.clean(t.Context(), text); got != text || err != nil {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			})
		}
		group.Wait()
		if c.Parsed() != 1 {
			t.Errorf("%d pieces of HTML were parsed", c.Parsed())
		}
	})
	t.Run("does not share the refusal of another request", func(t *testing.T) {
		c := NewCleaner(1<<20, Looks{})
		b := budget.New(8 << 20)
		holder := b.Open("a")
		if err := holder.Grow(4 << 20); err != nil {
			t.Fatal(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.clean(budget.In(ended, b.Open("a")), text); graph.KindOf(err) != graph.Unavailable {
			t.Errorf("without memory: %v", err)
		}
		holder.Close()
		if got, err := c.clean(budget.In(t.Context(), b.Open("a")), text); got != text || err != nil {
			t.Errorf("afterwards: %d bytes, %v", len(got), err)
		}
	})
	t.Run("evicts old results", func(t *testing.T) {
		c := NewCleaner(400_000, Looks{})
		for n := range 20 {
			if _, err := c.clean(t.Context(), fmt.Sprint(n, text)); err != nil {
				t.Fatal(err)
			}
		}
		if len(c.young)+len(c.old) > 5 {
			t.Errorf("%d results of 80 kB are cached in 400 kB", len(c.young)+len(c.old))
		}
	})
}
