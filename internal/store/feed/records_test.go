package feed_test

import (
	"context"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/store/feed"
	"github.com/weft-graph/weft/internal/store/memory"
)

const (
	author   = graph.ID(70_001)
	stranger = graph.ID(70_002)
)

// follower subscribes to a feed as a user, with the access rules of the server.
func follower(ctx context.Context, t *testing.T, f *feed.Feed, user graph.ID) subscriber {
	t.Helper()
	reader := access.New(f, access.Rules{}).As(access.Caller{User: user})
	next, stop := iter.Pull2(f.Follow(ctx, reader, feed.Now))
	t.Cleanup(stop)
	s := subscriber{t, next, stop}
	e, err, ok := next()
	if err != nil || !ok || e.Kind != feed.Ready {
		t.Fatalf("received %+v, %v, %v", e, err, ok)
	}
	return s
}

// Change streams once read the records of each write with their values, all at the same time, and the reads of
// other requests waited behind these reads.
func TestStreamsReadTheRecordsOfAChangeOnce(t *testing.T) {
	behind := &recordCounter{Store: memory.New()}
	f := feed.New(behind)
	defer f.Close()
	const streams = 50
	followers := make([]subscriber, streams)
	for i := range followers {
		followers[i] = follower(t.Context(), t, f, stranger)
	}
	const texts = 20
	batch := graph.Batch{Sender: graph.Sender{User: author}, Concepts: []graph.ConceptDraft{{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_note", Access: graph.Public}}}
	for i := range graph.ID(texts) {
		batch.Concepts = append(batch.Concepts, graph.ConceptDraft{LocalID: -10 - i, TypeName: "the_text", Value: strings.Repeat("long ", 100_000+int(i)), Access: graph.Public})
		batch.Connections = append(batch.Connections, graph.ConnectionDraft{From: -1, To: -10 - i, TypeName: "the_note_s_text", Access: graph.Public})
	}
	if _, err := f.Write(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	behind.reset()
	var done sync.WaitGroup
	for _, s := range followers {
		done.Go(func() {
			if e, err, ok := s.next(); err != nil || !ok || len(e.Change.Concepts) < texts+1 || len(e.Change.Connections) != texts {
				t.Errorf("received %d concepts and %d connections, %v, %t", len(e.Change.Concepts), len(e.Change.Connections), err, ok)
			}
		})
	}
	done.Wait()
	if behind.concepts > 2*len(batch.Concepts) || behind.connections > len(batch.Connections) {
		t.Errorf("%d streams read %d concepts and %d connections of a change of %d and %d", streams, behind.concepts, behind.connections, len(batch.Concepts), len(batch.Connections))
	}
}

// A subscriber that could read a record of a change must notice a later removal of the record, although the
// records of the change are kept.
func TestSharedRecordsOfAChangeDoNotHideARemoval(t *testing.T) {
	f := feed.New(memory.New())
	defer f.Close()
	reader, other := follower(t.Context(), t, f, author), follower(t.Context(), t, f, stranger)
	write := func(b graph.Batch) graph.Receipt {
		t.Helper()
		b.Sender = graph.Sender{User: author}
		r, err := f.Write(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := write(graph.Batch{
		Concepts: []graph.ConceptDraft{
			{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_note", Access: graph.Public},
			{LocalID: -2, TypeName: "the_text", Value: "a text", Access: graph.Public},
		},
		Connections: []graph.ConnectionDraft{{From: -1, To: -2, TypeName: "the_note_s_text", Access: graph.Public}},
	})
	link := r.Connections[0].ID
	for _, s := range []subscriber{reader, other} {
		if e := s.want(feed.Change, r.Seq); len(e.Change.Connections) != 1 {
			t.Errorf("the change = %+v; want one connection", e.Change)
		}
	}
	removal := write(graph.Batch{RemoveConcepts: []graph.ID{r.Concepts[0].ID}})
	for _, s := range []subscriber{reader, other} {
		if e := s.want(feed.Change, removal.Seq); len(e.Change.Connections) != 1 || e.Change.Connections[0] != link {
			t.Errorf("the change of the removal = %+v; want only connection %d", e.Change, link)
		}
	}
}

// A recordCounter counts the records that are read by id.
type recordCounter struct {
	graph.Store
	mu                    sync.Mutex
	concepts, connections int
}

func (c *recordCounter) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	found, err := c.Store.Concepts(ctx, ids)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.concepts += len(found)
	return found, err
}

func (c *recordCounter) Connections(ctx context.Context, ids []graph.ID) ([]graph.Connection, error) {
	found, err := c.Store.Connections(ctx, ids)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connections += len(found)
	return found, err
}

func (c *recordCounter) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.concepts, c.connections = 0, 0
}
