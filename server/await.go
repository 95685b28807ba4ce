package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/feed"
	"github.com/weft-graph/weft/graph"
)

// Connections may overtake the concepts at their ends, which were sent first.
const (
	longestWait = 5 * time.Second
	mostWaiting = 100 // requests at once
)

type waiting struct{ atomic.Int64 }

// await returns when all ends are there. It looks again after each change.
func (s *Server) await(q *request, e *ends) error {
	if err := e.look(q); err != nil || len(e.missing) == 0 {
		return err
	}
	if err := q.mayWrite(); err != nil {
		return err
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > mostWaiting {
		return graph.Errorf(graph.Unavailable, "too many requests wait for concepts that are on their way")
	}
	ctx, stop := context.WithTimeout(q.Context(), longestWait)
	defer stop()
	for _, err := range s.feed.Follow(ctx, q.graph, feed.Now) {
		if err == nil {
			err = e.look(q)
		}
		if err != nil || len(e.missing) == 0 {
			return err
		}
	}
	// An id that became another name of a concept changed nothing and woke nobody.
	if err := e.look(q); err != nil || len(e.missing) == 0 {
		return err
	}
	return graph.Errorf(graph.NotFound, "there is no concept %s, and none came within %s", spell(e.missing), longestWait)
}

// mayWrite refuses who may not write at all, by writing nothing.
func (q *request) mayWrite() error {
	_, err := q.graph.Write(q.Context(), graph.Batch{Sender: q.sender()})
	return err
}

// ends are the concepts that connections name.
type ends struct {
	missing []graph.ID
	others  map[graph.ID]graph.ID // ids that are another name of a concept
}

func endsOf(drafts []graph.ConnectionDraft) *ends {
	e := &ends{others: map[graph.ID]graph.ID{}}
	for _, d := range drafts {
		for _, id := range []graph.ID{d.From, d.To, d.Type} {
			if id.Real() {
				e.missing = append(e.missing, id)
			}
		}
	}
	slices.Sort(e.missing)
	e.missing = slices.Compact(e.missing)
	return e
}

// look finds what has arrived.
func (e *ends) look(q *request) error {
	if len(e.missing) == 0 {
		return nil
	}
	found, err := q.graph.Concepts(q.Context(), e.missing)
	if err != nil {
		return err
	}
	there := make(map[graph.ID]bool, len(found))
	for _, c := range found {
		there[c.ID] = true
	}
	e.missing = slices.DeleteFunc(e.missing, func(id graph.ID) bool { return there[id] })
	others, err := q.otherNames(e.missing)
	maps.Copy(e.others, others)
	e.missing = slices.DeleteFunc(e.missing, func(id graph.ID) bool { return others[id] != 0 })
	return err
}

// name calls each end by the id it has.
func (e *ends) name(drafts []graph.ConnectionDraft) {
	for i := range drafts {
		for _, id := range []*graph.ID{&drafts[i].From, &drafts[i].To, &drafts[i].Type} {
			if other, ok := e.others[*id]; ok {
				*id = other
			}
		}
	}
}

// otherNames says which concepts are meant by ids that name none themselves: a reserved id whose value was
// there before became another name for it.
func (q *request) otherNames(ids []graph.ID) (map[graph.ID]graph.ID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return q.graph.Ghosts(q.Context(), graph.Sender{User: q.caller.User}, ids)
}

// gone says of a refused batch when it goes on from a concept that is not there, or not any more.
func (q *request) gone(b graph.Batch, refused error) error {
	if graph.KindOf(refused) != graph.Invalid {
		return refused
	}
	e := endsOf(b.Connections)
	if err := e.look(q); err != nil || len(e.missing) == 0 {
		return refused
	}
	return graph.Errorf(graph.NotFound, "%s", sentence(refused))
}

// spell writes the first few ids.
func spell(ids []graph.ID) string {
	const most = 10
	var b strings.Builder
	for i, id := range ids {
		switch {
		case i == most:
			fmt.Fprintf(&b, " and %d more", len(ids)-most)
			return b.String()
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(id.String())
	}
	return b.String()
}
