package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/postgres"
)

// Eight writers on two servers send the same jobs concurrently, in random order and more than once. The jobs create equal values
// and types, under local or reserved ids, and some jobs remove values that all jobs share. Each job must take effect once.
func TestTwoServersWriteEachJobOnce(t *testing.T) {
	t.Parallel()
	const writers, batches = 8, 2_000
	url := pgtest.Database(t)
	stores := []*postgres.Store{open(t, url), open(t, url)}
	w := &work{reserved: map[int][]graph.ID{}, became: map[int][]graph.ID{}}
	for j := range batches {
		if user := w.sender(j).User; w.kind(j) == "reserved" {
			ids, err := stores[0].Reserve(t.Context(), user, 4)
			if err != nil {
				t.Fatal(err)
			}
			w.reserved[j] = ids
		}
	}
	var sent atomic.Int64
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			for n := sent.Add(1); n <= batches; n = sent.Add(1) {
				w.send(t, stores[i%2], random, max(0, int(n)/2-random.IntN(12)))
			}
		})
	}
	wait.Wait()
	for _, s := range stores {
		if err := s.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
	seq, err := stores[0].LastSeq(t.Context())
	if err != nil || seq < batches/4 {
		t.Errorf("%d changes (%v); want at least %d", seq, err, batches/4)
	}
	t.Logf("%d jobs, %d repeats, %d changes", len(w.became), w.repeats, seq)
	for _, s := range stores {
		for j, ids := range w.became {
			receipt, err := s.Write(t.Context(), w.batch(j))
			if diff := cmp.Diff(ids, recordIDs(receipt)); err != nil || receipt.Seq != 0 || diff != "" {
				t.Fatalf("job %d sent again (%v, change %d, -first +again):\n%s", j, err, receipt.Seq, diff)
			}
		}
	}
}

// work holds the state of the test: the ids reserved for each job, and the records that the drafts of the jobs
// became.
type work struct {
	reserved map[int][]graph.ID

	mu      sync.Mutex
	became  map[int][]graph.ID
	shared  []graph.ID // values that all jobs find
	repeats int
}

func (w *work) kind(j int) string {
	return []string{"localIDs", "reserved", "localIDs", "many"}[j%4]
}

func (w *work) sender(j int) graph.Sender {
	return graph.Sender{User: graph.ID(3000 + j%3), Randomizer: int64(j % 40)}
}

// batch returns a job: a record with shared values and types, of which some already exist.
func (w *work) batch(j int) graph.Batch {
	random := rand.New(rand.NewPCG(uint64(j), 2))
	localID := -1 - 100*graph.ID(j)
	b := graph.Batch{Sender: w.sender(j)}
	head := graph.ConceptDraft{LocalID: localID, Kind: graph.DraftComposition, TypeName: fmt.Sprintf("the_thing_%d", j/50)}
	values := 3
	if w.kind(j) == "many" {
		values = 12
	}
	drafts := make([]graph.ConceptDraft, 0, values+1)
	for i := range values {
		drafts = append(drafts, graph.ConceptDraft{
			LocalID: localID - 1 - graph.ID(i), TypeName: fmt.Sprintf("the_word_%d", j/80+random.IntN(2)),
			Value: fmt.Sprint("value ", j/4+random.IntN(6)), Access: graph.Public,
		})
	}
	if ids := w.reserved[j]; ids != nil {
		head.LocalID, head.ID = 0, ids[0]
		for i := range drafts {
			drafts[i].LocalID, drafts[i].ID = 0, ids[1+i]
		}
	}
	b.Concepts = slices.Concat(drafts, []graph.ConceptDraft{head})
	for i, d := range drafts {
		b.Connections = append(b.Connections, graph.ConnectionDraft{LocalID: localID - graph.ID(i), From: head.SentID(), To: d.SentID(), TypeName: fmt.Sprintf("the_thing_s_word_%d", j/60)})
	}
	return b
}

// send writes a job, and sometimes removes a value that other jobs use.
func (w *work) send(t *testing.T, s graph.Store, random *rand.Rand, j int) {
	receipt, err := s.Write(t.Context(), w.batch(j))
	if err != nil {
		t.Errorf("job %d: %v", j, err)
		return
	}
	ids := recordIDs(receipt)
	w.mu.Lock()
	first, isRepeat := w.became[j]
	w.became[j] = ids
	if isRepeat {
		w.repeats++
	}
	w.shared = append(w.shared, ids[0])
	removed := w.shared[random.IntN(len(w.shared))]
	w.mu.Unlock()
	if isRepeat && !slices.Equal(first, ids) {
		t.Errorf("job %d became %v, and sent again %v; want the same ids", j, first, ids)
	}
	if random.IntN(20) > 0 {
		return
	}
	if _, err := s.Write(t.Context(), graph.Batch{Sender: w.sender(j), RemoveConcepts: []graph.ID{removed}}); err != nil {
		t.Errorf("removing %d: %v", removed, err)
	}
}

// recordIDs returns the ids of the records in a receipt.
func recordIDs(r graph.Receipt) (ids []graph.ID) {
	for _, c := range r.Concepts {
		ids = append(ids, c.ID)
	}
	for _, c := range r.Connections {
		ids = append(ids, c.ID)
	}
	return ids
}
