package sqlite

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/race"
)

// The index of a value must list all trigrams of the value, and little else. A long repetitive value must be shortened before it
// is indexed.
func TestShortenedTextsHaveAllTrigrams(t *testing.T) {
	race.Skip(t, "one goroutine, with long values")
	random := func(letters string, n int) string {
		r, chars := rand.New(rand.NewPCG(1, 2)), []rune(letters)
		var b strings.Builder
		for range n {
			b.WriteRune(chars[r.IntN(len(chars))])
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text     string
		maxBytes int
	}{
		"repeated":       {strings.Repeat("007 large text ", 4_000_000/15), 100},
		"two characters": {strings.Repeat("aé", 1_000_000), 20},
		"letters":        {random("abcdefghijklmnopqrstuvwxyz ", 1_000_000), 4 * 27 * 27 * 27},
		"other letters":  {random("abcdéßжд水火\U0001F600", 1_000_000), 60_000},
		"invalid UTF-8":  {strings.Repeat("a\xffb\xc3", 10_000), 100},
		"with zeros":     {strings.Repeat("a\x00bc\x00d", 10_000), 60_000},
		"short":          {"the quick brown fox jumps over the lazy dog", 43},
	} {
		t.Run(name, func(t *testing.T) {
			var filter trigramFilter
			short := filter.shorten(c.text)
			if len(short) > c.maxBytes {
				t.Errorf("%d bytes were shortened to %d; want at most %d", len(c.text), len(short), c.maxBytes)
			}
			inShort := map[[3]rune]bool{}
			forEachTrigram(short, func(trigram [3]rune) { inShort[trigram] = true })
			forEachTrigram(c.text, func(trigram [3]rune) {
				if !inShort[trigram] {
					t.Fatalf("the shortened text does not have the trigram %q", trigram[:])
				}
			})
			if again := filter.shorten(c.text); again != short {
				t.Error("the filter kept something of the text before")
			}
		})
	}
}
