package plan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

// emptyDatabase is a plan.Database with an empty directory. It never finds a record that the plan has not learned.
type emptyDatabase struct{ next graph.ID }

func (e *emptyDatabase) NextID() (graph.ID, error) {
	e.next++
	return e.next, nil
}

func (e *emptyDatabase) Find(plan.DirectoryKey) (graph.Concept, bool, error) {
	return graph.Concept{}, false, nil
}

func (e *emptyDatabase) FindOrEnter(_ plan.DirectoryKey, c graph.Concept) (graph.Concept, bool, error) {
	if c.ID == 0 {
		c.ID, _ = e.NextID()
	}
	return c, true, nil
}

func newPlan() *plan.Plan {
	return plan.New(&emptyDatabase{next: graph.FirstFree}, time.UnixMilli(0), map[string]graph.Concept{})
}

var (
	ann = graph.Sender{User: 1001}
	ben = graph.Sender{User: 1002}
)

// person returns a batch that creates a person with a name, both under local ids.
func person(sender graph.Sender, name string) *graph.Batch {
	return &graph.Batch{
		Sender: sender,
		Concepts: []graph.ConceptDraft{
			{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_person"},
			{LocalID: -2, TypeName: "the_name", Value: name, Access: graph.Public},
		},
		Connections: []graph.ConnectionDraft{{LocalID: -1, From: -1, To: -2, Type: -1}},
	}
}

func mustWrite(t *testing.T, p *plan.Plan, b *graph.Batch) *plan.Outcome {
	t.Helper()
	outcome, err := p.Write(b)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestBatchesOfAGroupShareTypesAndValues(t *testing.T) {
	p := newPlan()
	first, second := mustWrite(t, p, person(ann, "Ann")), mustWrite(t, p, person(ben, "Ann"))
	if a, b := first.Receipt.Concepts, second.Receipt.Concepts; a[1] != b[1] || a[0].Type != b[0].Type || a[0].ID == b[0].ID {
		t.Errorf("the second batch became %+v after %+v; want another person with the same type and name", b, a)
	}
	repeated := mustWrite(t, p, person(ann, "Ann"))
	if diff := cmp.Diff(first.Receipt, repeated.Receipt); diff != "" || !repeated.Touched.IsEmpty() {
		t.Errorf("the receipt of the repeated batch differs (-first +repeated), or it changed records:\n%s", diff)
	}
}

func TestRejectedBatchLeavesThePlanUnchanged(t *testing.T) {
	p := newPlan()
	first := mustWrite(t, p, person(ann, "Ann"))
	before := *p.Added()
	p.LearnReserved(500_000, ben.User)

	rejected := person(ben, "Ben")
	rejected.Concepts = append(rejected.Concepts, graph.ConceptDraft{ID: 500_000, Kind: graph.DraftType, TypeName: "the_new_type"})
	rejected.Connections = append(rejected.Connections, graph.ConnectionDraft{From: -1, To: -777, TypeName: "the_other_type"})
	// Nothing was sent under the local id -777.
	if _, err := p.Write(rejected); graph.KindOf(err) != graph.Invalid {
		t.Fatalf("writing: %v; want %s", err, graph.Invalid)
	}
	if diff := cmp.Diff(before, *p.Added()); diff != "" {
		t.Errorf("additions (-before +after):\n%s", diff)
	}
	for _, id := range []graph.ID{-1, -2, 500_000} {
		if became, sent := p.Sent(plan.RefOf(ben, id, false)); sent {
			t.Errorf("id %d of the rejected batch became %d; want no record", id, became)
		}
	}

	rejected.Connections = rejected.Connections[:1]
	created := mustWrite(t, p, rejected).Receipt.Concepts
	if created[2].ID != 500_000 || created[0].Type != first.Receipt.Concepts[0].Type {
		t.Errorf("without the invalid connection the batch became %+v; want the reserved id 500000, and the type of the first batch", created)
	}
	added := p.Added().Concepts
	for _, c := range created {
		n := 0
		for _, other := range added {
			if other.ID == c.ID {
				n++
			}
		}
		if n != 1 {
			t.Errorf("concept %d is added %d times; want once", c.ID, n)
		}
	}
}

func TestMissingEndsOmitsDraftsAndLearnedConcepts(t *testing.T) {
	p := newPlan()
	p.LearnEnd(200_001, plan.End{})
	p.LearnSent(plan.RefOf(ann, -9, false), 200_002)
	b := &graph.Batch{
		Sender:   ann,
		Concepts: []graph.ConceptDraft{{ID: 200_003, Kind: graph.DraftComposition, TypeName: "the_person"}},
		Connections: []graph.ConnectionDraft{
			{From: 200_001, To: 200_003, Type: graph.The}, {From: -9, To: 200_004, TypeName: "the_link"}, {From: -8, To: 200_004, TypeName: "the_link"},
		},
		RemoveConcepts: []graph.ID{200_005, -7},
	}
	if diff := cmp.Diff([]graph.ID{200_002, 200_004, 200_005}, p.MissingEnds(b)); diff != "" {
		t.Errorf("missing ends (-want +got):\n%s", diff)
	}
}
