package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

var ops = graph.Ops()

// checkPredicates compares the instances selected by each predicate with Predicate.Holds.
func checkPredicates(t *testing.T, s graph.Store) {
	w := writeMeadow(t, s)
	var drafts []graph.ConceptDraft
	for _, text := range someValues {
		drafts = append(drafts, value(0, "the_value", text))
	}
	written := write(t, s, graph.Batch{Sender: alice, Concepts: drafts}).Concepts
	typ := written[0].Type
	for _, text := range append(slices.Clone(someValues), somePatterns...) {
		for _, op := range ops {
			p := graph.Predicate{Op: op, Text: text}
			var expected []graph.ID
			for _, c := range written {
				if p.Holds(c) {
					expected = append(expected, c.ID)
				}
			}
			slices.Sort(expected)
			w.wantIDs(t, fmt.Sprintf("%s %.60q", op, text), graph.Instances{Type: typ, Where: &p}, expected...)
		}
	}
}

// Values that a database might compare in a different way than package graph.
var (
	someValues = []string{
		"", "Pen", "pencil", "PEN", "pen ", "Öl", "öl", "O\u0308l", "Straße", "STRASSE", "strasse", "İz", "i̇z", "iz", "ız", "ΣΊΣΥΦΟΣ", "σίσυφος",
		"\u212A", "k", "🧵 thread", "z", "a", "B", "a\tb", "a\nb", "it's", `back\slash`, "50%", "50 percent", "a_b", "axb", "*", "?", "[a]",
		"3", "3.00", "-3", "9", "10", "0", "-0", "0.5", ".5", "007", "+49", "1e3", "-", "123456789012345", "123456789012346", "1234567890123456", "0.000001",
		"2024-02-29", "2024-02-29T00:00:00Z", "2024-02-29T01:00:00+01:00", "2024-02-29 12:00", "2024-02-29T12:00:00.123Z", "2024-02-30", "0000-01-01", "9999-12-31",
		long + "a", long + "b", long + "B", longer + "a", longer + "b", longer, strings.ToUpper(longer),
	}
	somePatterns = []string{
		"%", "%%", "pen%", "%en%", "%EN", "p%n", "n%p", "pe%en", "_", "a_b", `\`, `\%`, "50%", "%'%", "*", "%strasse%", "%İ%", "%ß%", "o%l", "%" + long, "%long%tail%a%", "%\n%",
	}
	long   = strings.Repeat("long ", 100) // not shared
	longer = strings.Repeat("a longer tail ", 1_000)
)
