package outbox

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// The first and the longest delay between attempts to send. Each delay is twice as long as the previous one.
const (
	firstSendDelay = 250 * time.Millisecond
	maxSendDelay   = time.Minute
)

// send sends pending writes whenever there are some, until ctx ends.
func (o *Outbox) send(ctx context.Context) {
	defer close(o.stopped)
	delay := firstSendDelay
	for ctx.Err() == nil {
		err := o.sendAll(ctx)
		if ctx.Err() != nil {
			return
		}
		o.setSendErr(err)
		if err == nil {
			delay = firstSendDelay
			select {
			case <-o.wake:
			case <-ctx.Done():
			}
			continue
		}
		select {
		case <-o.wake:
			delay = firstSendDelay
		case <-time.After(delay/2 + rand.N(delay/2)):
			delay = min(2*delay, maxSendDelay)
		case <-ctx.Done():
		}
	}
}

// setSendErr sets the reason why no write is being sent; nil means that writes can be sent.
func (o *Outbox) setSendErr(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil || o.sendErr != nil {
		o.sendErr = err
		o.notify()
	}
}

// sendAll sends the pending writes in order. It returns an error if no write can be sent now but a later attempt may succeed, for
// example because the server cannot be reached.
func (o *Outbox) sendAll(ctx context.Context) error {
	if o.next() == nil {
		return nil
	}
	if err := o.checkUserAndStore(ctx); err != nil {
		return err
	}
	for w := o.next(); w != nil; w = o.next() {
		request := o.resolved(w)
		sent, err := o.SendSync(ctx, o.file.sender, request)
		switch kind := graph.KindOf(err); {
		case err == nil:
			err = o.acknowledge(ctx, w, receiptOf(request, sent))
		case slices.Contains([]graph.ErrorKind{graph.Unavailable, graph.TooMany, graph.Internal, graph.Unauthorized}, kind):
			// The write stays pending, and err is returned.
		default:
			err = o.fail(ctx, w, newFailure(err))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resolved returns the request of a write, with real ids in place of the local ids of records that were sent before. The server also
// resolves local ids, but not those that the user sent as a guest before signing in.
func (o *Outbox) resolved(w *write) wire.Sync {
	o.mu.Lock()
	defer o.mu.Unlock()
	real := func(id wire.Int) wire.Int {
		if known, ok := o.realIDs[graph.ID(id)]; ok {
			return wire.Int(known)
		}
		return id
	}
	r := w.request
	r.Connections = slices.Clone(r.Connections)
	for i, c := range r.Connections {
		r.Connections[i].OfTheConceptID, r.Connections[i].ToTheConceptID, r.Connections[i].TypeID = real(c.OfTheConceptID), real(c.ToTheConceptID), real(c.TypeID)
	}
	for _, list := range []*[]wire.Int{&r.RemoveConcepts, &r.RemoveConnections} {
		*list = slices.Clone(*list)
		for i, id := range *list {
			(*list)[i] = real(id)
		}
	}
	return r
}

// next returns the first pending write that does not refer to records of an earlier write that has failed or must wait.
func (o *Outbox) next() *write {
	o.mu.Lock()
	defer o.mu.Unlock()
	blocked := map[graph.ID]bool{}
	for _, w := range o.pending {
		if w.failure == nil && !w.refersTo(blocked) {
			return w
		}
		w.addDrafts(blocked)
	}
	return nil
}

// checkUserAndStore checks that the writes belong to the current user and the current store of the server. The first check of a new
// file sets both; a guest is not recorded, so that the first user who signs in becomes the owner.
func (o *Outbox) checkUserAndStore(ctx context.Context) error {
	store, err := o.Identity(ctx)
	if err != nil {
		return err
	}
	user, err := o.User(ctx)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	known := o.file.owner
	switch {
	case known.store != "" && known.store != store:
		return graph.Errorf(graph.Conflict, "the writes of the outbox refer to the store %s, but the server has the store %s", known.store, store)
	case known.user != 0 && known.user != user.ID:
		return graph.Errorf(graph.Forbidden, "the outbox belongs to the user %d, but the client is signed in as %d", known.user, user.ID)
	}
	present := owner{store: store, user: user.ID}
	if user.ID == graph.Anonymous {
		present.user = 0 // a guest may sign in later
	}
	if present == known {
		return nil
	}
	return o.file.setOwner(ctx, present)
}

// acknowledge stores the receipt of a write that the server has committed, and removes the write.
func (o *Outbox) acknowledge(ctx context.Context, w *write, r receipt) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.file.acknowledge(ctx, w.key, r); err != nil {
		return err
	}
	maps.Copy(o.realIDs, r.realIDs)
	o.pending = slices.DeleteFunc(o.pending, func(p *write) bool { return p == w })
	o.graph = nil
	o.settled++
	o.notify()
	return nil
}

// fail stores why the server refused a write.
func (o *Outbox) fail(ctx context.Context, w *write, f *failure) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.file.setFailure(ctx, w.key, f); err != nil {
		return err
	}
	w.failure = f
	o.notify()
	return nil
}
