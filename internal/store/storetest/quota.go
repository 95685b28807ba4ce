package storetest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

// quotas are tests of graph.UsageKeeper, which every store in this repository implements; the client does not.
var quotas = []behaviour{
	{"the usage of a user is counted in the transaction of a batch", func(t *testing.T, s graph.Store) {
		k := keeper(t, s)
		long := strings.Repeat("long ", 1_000)
		receipt := write(t, s, linkedNotes(alice.User, 3, long))
		full := k.of(alice.User)
		if full.Records < 5 || full.Bytes < 3*int64(len(long)+1) {
			t.Errorf("three notes and two connections count as %+v", full)
		}
		write(t, s, linkedNotes(alice.User, 3, long))
		want(t, "after the same batch again", k.of(alice.User), full)
		if n := k.of(bob.User); n != (graph.Usage{}) {
			t.Errorf("another user owns %+v", n)
		}
		write(t, s, graph.Batch{Sender: graph.Sender{User: alice.User}, RemoveConcepts: []graph.ID{receipt.Concepts[0].ID, receipt.Concepts[1].ID}})
		after := k.of(alice.User)
		if after.Records != full.Records-4 || after.Bytes != full.Bytes-2*int64(len(long)+1) {
			t.Errorf("after two of three notes and their connections were removed: %+v, before %+v", after, full)
		}
	}},
	{"a batch beyond a quota is refused as a whole", func(t *testing.T, s graph.Store) {
		k := keeper(t, s)
		write(t, s, linkedNotes(alice.User, 3, "first"))
		full := k.of(alice.User)
		for name, limit := range map[string]graph.Usage{"records": {Records: full.Records + 1}, "bytes": {Bytes: full.Bytes + 1}} {
			k.SetQuotas(graph.Quotas{Users: limit})
			if _, err := s.Write(t.Context(), linkedNotes(alice.User, 3, "second")); graph.KindOf(err) != graph.TooLarge {
				t.Errorf("a batch beyond the quota of %s: %v; want the kind tooLarge", name, err)
			}
			want(t, "after a batch beyond the quota of "+name, k.of(alice.User), full)
		}
		write(t, s, linkedNotes(bob.User, 1, "x"))
		write(t, s, linkedNotes(alice.User, 3, "first")) // sent before: adds nothing
		k.SetQuotas(graph.Quotas{Guests: graph.Usage{Records: 1}})
		if _, err := s.Write(t.Context(), linkedNotes(graph.Anonymous, 3, "guest")); graph.KindOf(err) != graph.TooLarge {
			t.Errorf("a batch beyond the quota of guests: %v; want the kind tooLarge", err)
		}
		write(t, s, linkedNotes(alice.User, 3, "second"))
	}},
	{"a batch that removes as much as it adds never exceeds a quota", func(t *testing.T, s graph.Store) {
		k := keeper(t, s)
		receipt := write(t, s, linkedNotes(alice.User, 3, "first"))
		full := k.of(alice.User)
		k.SetQuotas(graph.Quotas{Users: graph.Usage{Records: full.Records - 2, Bytes: 1}})
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{receipt.Concepts[0].ID}})
		k.SetQuotas(graph.Quotas{Users: full})
		exchange := linkedNotes(alice.User, 2, "third")
		if _, err := s.Write(t.Context(), exchange); graph.KindOf(err) != graph.TooLarge {
			t.Errorf("a batch of three records where two fit: %v; want the kind tooLarge", err)
		}
		exchange.RemoveConcepts = []graph.ID{receipt.Concepts[2].ID}
		write(t, s, exchange)
		if n := k.of(alice.User); n.Records > full.Records || n.Bytes > full.Bytes {
			t.Errorf("the user owns %+v; want at most the quota, %+v", n, full)
		}
	}},
	{"concurrent batches of one user do not exceed the quota", func(t *testing.T, s graph.Store) {
		k := keeper(t, s)
		write(t, s, linkedNotes(alice.User, 1, "first"))
		limit := graph.Usage{Records: k.of(alice.User).Records + 5}
		k.SetQuotas(graph.Quotas{Users: limit})
		done := make(chan error)
		for i := range 20 {
			go func() {
				_, err := s.Write(t.Context(), graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{{TypeName: "the_note", Value: strconv.Itoa(i)}}})
				done <- err
			}()
		}
		accepted := 0
		for range 20 {
			if err := <-done; err == nil {
				accepted++
			} else if graph.KindOf(err) != graph.TooLarge {
				t.Error(err)
			}
		}
		want(t, "accepted batches", accepted, 5)
		want(t, "records", k.of(alice.User), graph.Usage{Records: limit.Records, Bytes: k.of(alice.User).Bytes})
	}},
}

// A usageKeeper is the graph.UsageKeeper of a store.
type usageKeeper struct {
	graph.UsageKeeper
	t *testing.T
}

func keeper(t *testing.T, s graph.Store) usageKeeper {
	t.Helper()
	k, ok := graph.As[graph.UsageKeeper](s)
	if !ok {
		t.Skip("the store does not count the records of users")
	}
	return usageKeeper{k, t}
}

func (k usageKeeper) of(owner graph.ID) graph.Usage {
	k.t.Helper()
	return read[graph.Usage](k.t)(k.Usage(k.t.Context(), owner))
}

// linkedNotes returns a batch of n notes with the same text, each connected to the next.
func linkedNotes(user graph.ID, n int, text string) graph.Batch {
	b := graph.Batch{Sender: graph.Sender{User: user, Randomizer: int64(text[0])}}
	for i := range n {
		id := graph.ID(-i - 1)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, TypeName: "the_note", Value: text + strconv.Itoa(i)})
		if i > 0 {
			b.Connections = append(b.Connections, graph.ConnectionDraft{LocalID: id, From: id, To: id + 1, TypeName: "the_next"})
		}
	}
	return b
}
