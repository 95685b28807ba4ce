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

	"github.com/weft-graph/weft/anomaly"
	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/clock"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/validate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type world struct {
	*anomaly.Normals
	*clock.Clock
	*memory.Store
	t *testing.T
}

// public is a store as a guest sees it.
func public(s graph.Store) graph.Store {
	return auth.New(s, auth.Rules{}).As(auth.Caller{User: graph.Anonymous})
}

func newWorld(t *testing.T, s *memory.Store, store kv.Store) world {
	c := clock.At(time.Now())
	n := anomaly.New(public(s), store, slog.New(slog.DiscardHandler), c.Now)
	t.Cleanup(n.Close)
	return world{n, c, s, t}
}

func (w world) write(typ string, access graph.Access, values ...string) {
	w.t.Helper()
	b := graph.Batch{Sender: graph.Sender{User: 7}}
	for _, v := range values {
		b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: typ, Value: v, Access: access})
	}
	if _, err := w.Write(w.t.Context(), b); err != nil {
		w.t.Fatal(err)
	}
}

func (w world) get() map[string]validate.Normal {
	w.t.Helper()
	found, err := w.Get(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// eventually asks until the answer is what is wanted.
func (w world) eventually(want map[string]validate.Normal) {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		got := w.get()
		diff := cmp.Diff(want, got)
		if diff == "" {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatal(diff)
		}
	}
}

func normal(least, most int, types ...validate.DataType) validate.Normal {
	return validate.Normal{MinLength: least, MaxLength: most, DataTypes: types}
}

func TestWhatIsNormal(t *testing.T) {
	w := newWorld(t, memory.New(), &kv.Memory{})
	w.write("the_name", graph.Public, "Ann", "Bob", "Ronald")
	w.write("the_name", graph.Private, "a secret much longer than any name", "42")
	w.write("the_secret", graph.Private, "hidden")
	w.write("the_shop_email", graph.Public, "a@b.co", "shop@example.org")
	w.write("the_empty", graph.Public)
	w.write("the_year", graph.Public, "1990", "2010")
	want := map[string]validate.Normal{
		"the_name":       normal(2, 7, validate.TextOnly),
		"the_shop_email": normal(3, 19, validate.Email),
		"the_year":       normal(3, 5, validate.Number),
	}
	if diff := cmp.Diff(want, w.get()); diff != "" {
		t.Fatal(diff)
	}
	w.write("the_year", graph.Public, "soon")
	if diff := cmp.Diff(want, w.get()); diff != "" {
		t.Errorf("looks again before it is time:\n%s", diff)
	}
	w.Move(anomaly.Interval)
	want["the_year"] = normal(3, 5, validate.Number, validate.TextOnly)
	w.eventually(want)
}

// What was learned stays known when the process and the changes are gone.
func TestTypesAreRemembered(t *testing.T) {
	s, store := memory.New(), &kv.Memory{}
	first := newWorld(t, s, store)
	first.write("the_name", graph.Public, "Ann")
	want := first.get()
	later := anomaly.New(forgetful{public(s)}, store, slog.New(slog.DiscardHandler), nil)
	defer later.Close()
	got, err := later.Get(t.Context())
	if diff := cmp.Diff(want, got); err != nil || diff != "" || len(got) != 1 {
		t.Errorf("%v, %v\n%s", got, err, diff)
	}
}

// A forgetful store has forgotten all but its last change.
type forgetful struct{ graph.Reader }

func (f forgetful) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	if last, err := f.LastSeq(ctx); err != nil || after < last-1 {
		return nil, graph.Errorf(graph.NotFound, "the changes after %d are forgotten", after)
	}
	return f.Reader.Changes(ctx, after, limit)
}

func TestForgottenChangesAreSkipped(t *testing.T) {
	s := memory.New()
	w := newWorld(t, s, nil)
	for i := range 20 {
		w.write(fmt.Sprintf("the_type%c", 'a'+i), graph.Public, "1")
	}
	n := anomaly.New(forgetful{public(s)}, nil, slog.New(slog.DiscardHandler), nil)
	defer n.Close()
	got, err := n.Get(t.Context())
	if _, ok := got["the_typet"]; err != nil || len(got) != 1 || !ok {
		t.Errorf("%v, %v; want the type of the last change", got, err)
	}
}

// However much there is, a bounded part of it is looked at.
func TestALookIsBounded(t *testing.T) {
	s := memory.New()
	w := newWorld(t, s, nil)
	for i := range anomaly.MaxTypes + 20 {
		w.write(fmt.Sprintf("the_t%d", i), graph.Public, "1")
	}
	var many []string
	for i := range 3_000 {
		many = append(many, fmt.Sprint(i))
	}
	w.write("the_many", graph.Public, many...)
	for range 30 {
		w.write("the_text", graph.Public, strings.Repeat("x", 1<<20))
	}
	counted := &counting{Reader: public(s)}
	n := anomaly.New(counted, nil, slog.New(slog.DiscardHandler), nil)
	defer n.Close()
	got, err := n.Get(t.Context())
	for deadline := time.Now().Add(time.Minute); graph.KindOf(err) == graph.Unavailable && time.Now().Before(deadline); {
		got, err = n.Get(t.Context())
	}
	if err != nil || len(got) != anomaly.MaxTypes || got["the_many"].MinLength != 3 {
		t.Errorf("%d types, many %+v, %v", len(got), got["the_many"], err)
	}
	if most := counted.most.Load(); most > 12<<20 {
		t.Errorf("%d bytes were read at once", most)
	}
	if n := counted.values.Load(); n > anomaly.MaxValues+anomaly.MaxTypes+20 {
		t.Errorf("%d values were read", n)
	}
}

// counting remembers how much was read.
type counting struct {
	graph.Reader
	most, values atomic.Int64
}

func (c *counting) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	found, err := c.Reader.ConceptsByType(ctx, typ, page)
	var bytes int64
	for _, one := range found {
		bytes += int64(len(one.Value))
	}
	c.values.Add(int64(len(found)))
	c.most.Store(max(c.most.Load(), bytes))
	return found, err
}

// A look that does not end keeps nobody waiting for ever, and ends with Close.
func TestNobodyWaitsForLong(t *testing.T) {
	s := memory.New()
	w := newWorld(t, s, nil)
	w.write("the_name", graph.Public, "Ann")
	n := anomaly.New(stuck{public(s)}, nil, slog.New(slog.DiscardHandler), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // who asks has no patience at all
	if _, err := n.Get(ctx); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("answered with %v; want unavailable", err)
	}
	n.Close()
	if _, err := n.Get(t.Context()); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("after the end: %v; want unavailable", err)
	}
}

// stuck waits until it is told to end.
type stuck struct{ graph.Reader }

func (stuck) LastSeq(ctx context.Context) (graph.Seq, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}
