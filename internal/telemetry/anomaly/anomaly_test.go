package anomaly_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/clock"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/telemetry/anomaly"
	"github.com/weft-graph/weft/validate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fixture is the statistics of a store, with a clock that the test advances.
type fixture struct {
	*anomaly.Statistics
	*clock.Clock
	*memory.Store
	t *testing.T
}

// asGuest returns a store as a guest sees it.
func asGuest(s graph.Store) graph.Store {
	return access.New(s, access.Rules{}).As(access.Caller{User: graph.Anonymous})
}

func newFixture(t *testing.T, s *memory.Store, store kv.Store) fixture {
	c := clock.At(time.Now())
	n := anomaly.New(asGuest(s), store, slog.New(slog.DiscardHandler), c.Now)
	t.Cleanup(n.Close)
	return fixture{n, c, s, t}
}

func (f fixture) write(typ string, access graph.Access, values ...string) {
	f.t.Helper()
	b := graph.Batch{Sender: graph.Sender{User: 7}}
	for _, v := range values {
		b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: typ, Value: v, Access: access})
	}
	if _, err := f.Write(f.t.Context(), b); err != nil {
		f.t.Fatal(err)
	}
}

func (f fixture) get() map[string]validate.TypeNorms {
	f.t.Helper()
	found, err := f.Get(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return found
}

// waitFor calls Get until it returns the expected result.
func (f fixture) waitFor(want map[string]validate.TypeNorms) {
	f.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		got := f.get()
		diff := cmp.Diff(want, got)
		if diff == "" {
			return
		}
		if time.Now().After(deadline) {
			f.t.Fatal(diff)
		}
	}
}

func norms(minLength, maxLength int, types ...validate.DataType) validate.TypeNorms {
	return validate.TypeNorms{MinLength: minLength, MaxLength: maxLength, DataTypes: types}
}

func TestStatisticsAreComputedOncePerInterval(t *testing.T) {
	f := newFixture(t, memory.New(), &kv.Memory{})
	f.write("the_name", graph.Public, "Ann", "Bob", "Ronald")
	f.write("the_name", graph.Private, "a secret much longer than any name", "42")
	f.write("the_secret", graph.Private, "hidden")
	f.write("the_shop_email", graph.Public, "a@b.co", "shop@example.org")
	f.write("the_empty", graph.Public)
	f.write("the_year", graph.Public, "1990", "2010")
	want := map[string]validate.TypeNorms{
		"the_name":       norms(2, 7, validate.TextOnly),
		"the_shop_email": norms(3, 19, validate.Email),
		"the_year":       norms(3, 5, validate.Number),
	}
	if diff := cmp.Diff(want, f.get()); diff != "" {
		t.Fatal(diff)
	}
	f.write("the_year", graph.Public, "soon")
	if diff := cmp.Diff(want, f.get()); diff != "" {
		t.Errorf("the statistics changed before the interval was over:\n%s", diff)
	}
	f.Move(anomaly.Interval)
	want["the_year"] = norms(3, 5, validate.Number, validate.TextOnly)
	f.waitFor(want)
}

// Known types survive a restart and the deletion of old changes.
func TestKnownTypesAreStored(t *testing.T) {
	s, store := memory.New(), &kv.Memory{}
	first := newFixture(t, s, store)
	first.write("the_name", graph.Public, "Ann")
	want := first.get()
	restarted := anomaly.New(prunedReader{asGuest(s)}, store, slog.New(slog.DiscardHandler), nil)
	defer restarted.Close()
	got, err := restarted.Get(t.Context())
	if diff := cmp.Diff(want, got); err != nil || diff != "" || len(got) != 1 {
		t.Errorf("after a restart: %v, %v; want one type with the statistics of before\n%s", got, err, diff)
	}
}

// A prunedReader reads a store that has deleted all changes but the last.
type prunedReader struct{ graph.Reader }

func (r prunedReader) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	if last, err := r.LastSeq(ctx); err != nil || after < last-1 {
		return nil, graph.Errorf(graph.NotFound, "the changes after %d are deleted", after)
	}
	return r.Reader.Changes(ctx, after, limit)
}

func TestDeletedChangesAreSkipped(t *testing.T) {
	s := memory.New()
	f := newFixture(t, s, nil)
	for i := range 20 {
		f.write(fmt.Sprintf("the_type%c", 'a'+i), graph.Public, "1")
	}
	n := anomaly.New(prunedReader{asGuest(s)}, nil, slog.New(slog.DiscardHandler), nil)
	defer n.Close()
	got, err := n.Get(t.Context())
	if _, ok := got["the_typet"]; err != nil || len(got) != 1 || !ok {
		t.Errorf("%v, %v; want the type of the last change", got, err)
	}
}

// A scan reads a bounded part of the store, however large the store is.
func TestScansAreBounded(t *testing.T) {
	s := memory.New()
	f := newFixture(t, s, nil)
	for i := range anomaly.MaxTypes + 20 {
		f.write(fmt.Sprintf("the_t%d", i), graph.Public, "1")
	}
	var numbers []string
	for i := range 3_000 {
		numbers = append(numbers, fmt.Sprint(i))
	}
	f.write("the_many", graph.Public, numbers...)
	for range 30 {
		f.write("the_text", graph.Public, strings.Repeat("x", 1<<20))
	}
	counted := &readCounter{Reader: asGuest(s)}
	n := anomaly.New(counted, nil, slog.New(slog.DiscardHandler), nil)
	defer n.Close()
	got, err := n.Get(t.Context())
	for deadline := time.Now().Add(time.Minute); graph.KindOf(err) == graph.Unavailable && time.Now().Before(deadline); {
		got, err = n.Get(t.Context())
	}
	if err != nil || len(got) != anomaly.MaxTypes || got["the_many"].MinLength != 3 {
		t.Errorf("%d types, the_many = %+v, %v; want %d types and the minimum length 3", len(got), got["the_many"], err, anomaly.MaxTypes)
	}
	if n := counted.maxBytes.Load(); n > 12<<20 {
		t.Errorf("%d bytes were read in one request; want at most 12 MiB", n)
	}
	if n := counted.values.Load(); n > anomaly.MaxValues+anomaly.MaxTypes+20 {
		t.Errorf("%d values were read; want at most %d", n, anomaly.MaxValues+anomaly.MaxTypes+20)
	}
}

// A readCounter counts the values that are read, and the bytes of the largest read.
type readCounter struct {
	graph.Reader
	maxBytes, values atomic.Int64 // maxBytes: largest size of one read
}

func (c *readCounter) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	found, err := c.Reader.ConceptsByType(ctx, typ, page)
	var bytes int64
	for _, concept := range found {
		bytes += int64(len(concept.Value))
	}
	c.values.Add(int64(len(found)))
	c.maxBytes.Store(max(c.maxBytes.Load(), bytes))
	return found, err
}

// A scan that does not end must block callers for a bounded time only, and Close must cancel it.
func TestGetWaitsForABoundedTime(t *testing.T) {
	s := memory.New()
	f := newFixture(t, s, nil)
	f.write("the_name", graph.Public, "Ann")
	n := anomaly.New(stuckReader{asGuest(s)}, nil, slog.New(slog.DiscardHandler), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the caller does not wait at all
	if _, err := n.Get(ctx); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("Get returned %v; want unavailable", err)
	}
	n.Close()
	if _, err := n.Get(t.Context()); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("after Close: %v; want unavailable", err)
	}
}

// A stuckReader blocks until its context ends.
type stuckReader struct{ graph.Reader }

func (stuckReader) LastSeq(ctx context.Context) (graph.Seq, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}
