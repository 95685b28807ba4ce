package sqlite_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
)

// TestSelectByTwoPredicates compares selections by two predicates with Predicate.Holds: before the values are indexed, when half
// of the values are indexed, and after all are indexed.
func TestSelectByTwoPredicates(t *testing.T) {
	s := open(t, t.TempDir())
	const seed = 17
	random := rand.New(rand.NewPCG(seed, seed))
	long := strings.Repeat("Long ", 19) // 95 letters: the key is as long as the keys in the index can be
	texts := []string{
		"", "a", "A", "ab", "Abc", "b", "-1", "3", "3.00", "3.5", "12", "007", "2024-01-02", "2024-01-02T03:04:05Z", "2024-01-01 23:00", "%", "\"", "ÄÖÜ", "äöü", "日本語", "\uFFFF\uFFFE\uFFFD!",
		long, long + "a", long + "b", long + "ab", long[:94], strings.ToUpper(long), strings.Repeat(long, 5) + "x", strings.Repeat(long, 5) + "y", strings.Repeat("x", 1000) + "abc",
	}
	var written []graph.Concept
	write := func(texts []string, randomizer int64) {
		t.Helper()
		batch := graph.Batch{Sender: graph.Sender{User: 1001, Randomizer: randomizer}}
		for _, text := range texts {
			batch.Concepts = append(batch.Concepts, graph.ConceptDraft{TypeName: "the_text", Value: text})
		}
		receipt, err := s.Write(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		written = append(written, receipt.Concepts...)
	}
	predicate := func() graph.Predicate {
		ops := graph.Ops()
		p := graph.Predicate{Op: ops[random.IntN(len(ops))], Text: texts[random.IntN(len(texts))]}
		if letters := []rune(p.Text); p.Op == graph.Like && len(letters) > 0 {
			from := random.IntN(len(letters))
			p.Text = "%" + string(letters[from:min(len(letters), from+1+random.IntN(8))]) + "%" + texts[random.IntN(7)]
		}
		return p
	}
	compare := func(when string) {
		t.Helper()
		for range 1_000 {
			p, q := predicate(), predicate()
			typ := written[0].Type * graph.ID(random.IntN(2))
			set := graph.Intersection{graph.Instances{Type: typ, Where: &p}, graph.Instances{Type: written[0].Type, Where: &q}}
			want := []graph.ID{}
			for _, c := range written {
				if p.Holds(c) && q.Holds(c) {
					want = append(want, c.ID)
				}
			}
			got, err := s.Select(t.Context(), graph.Selection{Set: set})
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Fatalf("seed %d, %s: of type %d, %q %.99q and %q %.99q: %v\n%s", seed, when, typ, p.Op, p.Text, q.Op, q.Text, err, diff)
			}
		}
	}
	write(texts[:len(texts)/2], 1)
	compare("not indexed")
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(texts[len(texts)/2:], 2)
	compare("half indexed")
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare("indexed")
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
