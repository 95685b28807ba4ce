package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/shares"
	"github.com/weft-graph/weft/internal/store/feed"
	"github.com/weft-graph/weft/wire"
)

const (
	// conceptWaitTimeout is how long a request with connections waits for the concepts at their ends. Clients send
	// concepts first, but in separate requests, which may arrive later.
	conceptWaitTimeout = 5 * time.Second
	// maxWaitingRequests is the maximum number of requests that wait concurrently.
	maxWaitingRequests = 100
)

// A conceptWaiter delays requests until the concepts that their connections name exist.
type conceptWaiter struct {
	feed    *feed.Feed
	waiting shares.Gate
}

func newConceptWaiter(f *feed.Feed) *conceptWaiter {
	return &conceptWaiter{feed: f, waiting: shares.Gate{What: "requests that wait for concepts", Total: maxWaitingRequests}}
}

// wait returns when the concepts at all ends exist, or after conceptWaitTimeout. It checks after each change, and
// once more after the timeout, because an id that became an alias is not part of any change.
func (c *conceptWaiter) wait(req *request, e *connectionEnds) error {
	if err := e.check(req); err != nil || len(e.missing) == 0 {
		return err
	}
	if err := req.requireGraphWrite(); err != nil {
		return err
	}
	leave, err := c.waiting.Enter(req.owner, 1)
	if err != nil {
		return err
	}
	defer leave()
	ctx, stop := context.WithTimeout(req.Context(), conceptWaitTimeout)
	defer stop()
	for _, err := range c.feed.Follow(ctx, req.graph, feed.Now) {
		if err == nil {
			err = e.check(req)
		}
		if err != nil || len(e.missing) == 0 {
			return err
		}
	}
	if err := e.check(req); err != nil || len(e.missing) == 0 {
		return err
	}
	return graph.Errorf(graph.NotFound, "found no concept %s within %s", formatIDs(e.missing), conceptWaitTimeout)
}

// connectionEnds holds the concepts that drafts of connections name.
type connectionEnds struct {
	missing []graph.ID
	aliases map[graph.ID]graph.ID // maps aliases to the ids of the concepts
}

func endsOf(drafts []graph.ConnectionDraft) *connectionEnds {
	e := &connectionEnds{aliases: map[graph.ID]graph.ID{}}
	for _, d := range drafts {
		for _, id := range []graph.ID{d.From, d.To, d.Type} {
			if id.IsReal() {
				e.missing = append(e.missing, id)
			}
		}
	}
	slices.Sort(e.missing)
	e.missing = slices.Compact(e.missing)
	return e
}

// check removes the concepts that now exist from the missing concepts.
func (e *connectionEnds) check(req *request) error {
	if len(e.missing) == 0 {
		return nil
	}
	found, err := req.graph.Concepts(req.Context(), e.missing)
	if err != nil {
		return err
	}
	exists := idSet(found)
	e.missing = slices.DeleteFunc(e.missing, func(id graph.ID) bool { return exists[id] })
	aliases, err := req.aliases(e.missing)
	maps.Copy(e.aliases, aliases)
	e.missing = slices.DeleteFunc(e.missing, func(id graph.ID) bool { return aliases[id] != 0 })
	return err
}

// withoutMissing returns the connections whose ends all exist.
func (e *connectionEnds) withoutMissing(sent []wire.NewConnection) []wire.NewConnection {
	drafts := wire.NewConnectionDrafts(sent, true)
	var complete []wire.NewConnection
	for i, c := range sent {
		d := drafts[i]
		if !slices.ContainsFunc(e.missing, func(id graph.ID) bool { return id == d.From || id == d.To || id == d.Type }) {
			complete = append(complete, c)
		}
	}
	return complete
}

// replaceAliases replaces each alias in the drafts with the id of its concept.
func (e *connectionEnds) replaceAliases(drafts []graph.ConnectionDraft) {
	for i := range drafts {
		for _, id := range []*graph.ID{&drafts[i].From, &drafts[i].To, &drafts[i].Type} {
			if real, ok := e.aliases[*id]; ok {
				*id = real
			}
		}
	}
}

// notFoundIfMissing turns the refusal of a batch into NotFound when the batch refers to a concept that does not exist,
// or no longer exists.
func (req *request) notFoundIfMissing(b graph.Batch, refusal error) error {
	if graph.KindOf(refusal) != graph.Invalid {
		return refusal
	}
	e := endsOf(b.Connections)
	if err := e.check(req); err != nil || len(e.missing) == 0 {
		return refusal
	}
	return graph.Errorf(graph.NotFound, "%s", messageOf(refusal))
}

// formatIDs lists the first few ids.
func formatIDs(ids []graph.ID) string {
	const limit = 10
	var b strings.Builder
	for i, id := range ids {
		switch {
		case i == limit:
			fmt.Fprintf(&b, " and %d more", len(ids)-limit)
			return b.String()
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(id.String())
	}
	return b.String()
}
