// Package outbox accepts writes from Go programs even while the server cannot be reached. Writes are first stored in a file
// and then sent in order, each once.
//
//	c := client.New("https://weft.example.com")
//	box, err := outbox.Open(ctx, "outbox.db", c)
//	defer box.Close()
//	id, err := client.For[Contact](box).Create(ctx, Contact{Name: "Ann"}) // stored; id is a local id
//
// An Outbox is a client.Source, so typed records, transactions and live queries work with it as with a client.
//
// # States of a write
//
//	Submit ──▶ pending ──▶ removed: the server has it; its local ids are mapped to real ids
//	              │  ▲
//	      refused │  │ Retry
//	              ▼  │
//	            failed ──Discard──▶ removed
//
// Submit returns when the write is durable. Writes are sent one at a time. If the server cannot be reached, is busy or fails, the outbox
// tries again with increasing delays. If the server refuses a write, the write is kept as failed, with the reason, and the outbox continues
// with the following writes. A write that refers to records of a failed write stays pending. A request whose response is lost is sent again
// under the same local ids, so the server recognises it, even after a crash of either side.
//
// # Reads
//
// Records that were written here can be read by their ids immediately, with all pending changes, even while the server cannot be
// reached. Other records can be read offline if they were read here before. Queries are always run by the server, and their results
// do not contain pending writes.
//
// # Users
//
// An outbox belongs to one user. If the client is signed in as another user, writes wait until the first user is signed in
// again; see Status. Without a token the writes belong to a guest. If a user signs in before the writes are sent, they belong to
// that user.
//
// Costs: a write takes one SQLite transaction, and a second transaction after the server has accepted the write. Pending writes
// are also kept in memory. A read takes as many requests as without an outbox.
//
// The browser library has a twin of this package, web/client/src/sync. Reasons for the design: docs/decisions/0043.
package outbox

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// An Outbox stores writes and sends them. It is safe for concurrent use. Only one process can open a file at a time.
type Outbox struct {
	*client.Client
	file *file

	mu      sync.Mutex
	pending []*write      // in the order of their keys; includes failed writes
	graph   *pendingGraph // graph of the pending writes; nil if it must be rebuilt
	types   *typeTable
	realIDs map[graph.ID]graph.ID
	settled int           // see Settled
	sendErr error         // why no write is being sent; see Status.Err
	changed chan struct{} // closed at the next change of Status

	wake    chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

// A write is a submission with its state.
type write struct {
	key     int64
	created time.Time
	request wire.Sync
	failure *failure // nil while it is pending
}

// Open opens the outbox in a file and starts to send the writes in it. It creates the file if it does not exist. It sends the
// writes with c; Close does not close c.
func Open(ctx context.Context, path string, c *client.Client) (*Outbox, error) {
	f, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	o := &Outbox{
		Client: c, file: f, types: &typeTable{ids: map[string]graph.ID{}, names: map[graph.ID]string{}},
		changed: make(chan struct{}), wake: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	if err := o.load(ctx); err != nil {
		_ = f.close()
		return nil, err
	}
	sendCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	o.stop = stop
	go o.send(sendCtx)
	o.Wake()
	return o, nil
}

// load reads the stored writes.
func (o *Outbox) load(ctx context.Context) (err error) {
	if o.pending, err = o.file.writes(ctx); err != nil {
		return err
	}
	if o.realIDs, err = o.file.realIDs(ctx); err != nil {
		return err
	}
	return nil
}

// Close stops sending and closes the file. Pending writes are sent after the next Open.
func (o *Outbox) Close() error {
	o.stop()
	<-o.stopped
	return o.file.close()
}

// Wake sends pending writes now, for example because the network has returned or the user has signed in.
func (o *Outbox) Wake() {
	select {
	case o.wake <- struct{}{}:
	default: // a signal is pending
	}
}

// Submit implements client.Source: it stores the submission and returns. The ids of its records stay local until the submission
// is sent; see RealID.
func (o *Outbox) Submit(ctx context.Context, s client.Submission) (map[graph.ID]graph.ID, error) {
	s.Batch.Sender = o.file.sender
	if err := s.Batch.Check(); err != nil {
		return nil, err
	}
	w := &write{created: time.Now(), request: o.Encode(s)}
	text, err := json.Marshal(w.request)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if w.key, err = o.file.add(ctx, w.created, text); err != nil {
		return nil, err
	}
	o.pending = append(o.pending, w)
	if o.graph != nil {
		o.graph.add(w)
	}
	o.notify()
	o.Wake()
	return nil, nil
}

// Settled returns how many writes have been sent or discarded since the outbox was opened. A reader that compares the numbers before and
// after several reads knows whether all of them saw the same pending writes.
func (o *Outbox) Settled() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.settled
}

// RealID implements client.Source.
func (o *Outbox) RealID(id graph.ID) graph.ID {
	o.mu.Lock()
	defer o.mu.Unlock()
	if real, known := o.realIDs[id]; known {
		return real
	}
	return id
}

// notify closes the channel that Changed returned. o.mu is held.
func (o *Outbox) notify() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// A PendingWrite is a write that the server does not have yet, because it is pending or has failed.
type PendingWrite struct {
	Key     int64 // identifies the write, for Retry and Discard
	Created time.Time
	// Err is nil for a pending write. For a failed write, Err is the error of the server: a client.RefusedError if the write
	// violates the schema.
	Err error
}

// Status is the state of an outbox.
type Status struct {
	Writes []PendingWrite // in the order in which they are sent
	// Err is the reason why no write is being sent, by its kind: Unavailable if the server cannot be reached, TooMany if it limits the
	// rate of requests, Internal if it fails, Unauthorized if it requires a token, Forbidden if the client is signed in as another
	// user, Conflict if the server has another store. Err is nil while writes can be sent.
	Err error
}

// Status returns the current state.
func (o *Outbox) Status() Status {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.status()
}

func (o *Outbox) status() Status {
	s := Status{Err: o.sendErr}
	for _, w := range o.pending {
		p := PendingWrite{Key: w.key, Created: w.created}
		if w.failure != nil {
			p.Err = w.failure.err()
		}
		s.Writes = append(s.Writes, p)
	}
	return s
}

// Changed returns a channel that is closed at the next change of Status.
func (o *Outbox) Changed() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.changed
}

// Flush waits until the server has all writes. It returns the error of the first failed write, or the error of
// ctx.
func (o *Outbox) Flush(ctx context.Context) error {
	o.Wake()
	for {
		o.mu.Lock()
		status, changed := o.status(), o.changed
		o.mu.Unlock()
		for _, w := range status.Writes {
			if w.Err != nil {
				return w.Err
			}
		}
		if len(status.Writes) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Retry makes a failed write pending again. The error is NotFound for an unknown key.
func (o *Outbox) Retry(ctx context.Context, key int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := o.find(key)
	if i < 0 {
		return graph.Errorf(graph.NotFound, "the outbox has no write %d", key)
	}
	if err := o.file.setFailure(ctx, key, nil); err != nil {
		return err
	}
	o.pending[i].failure = nil
	o.notify()
	o.Wake()
	return nil
}

// Discard removes a failed write and the pending writes that refer to its records. The error is NotFound for an unknown key,
// and Conflict if the write has not failed, because it may be on its way to the server.
func (o *Outbox) Discard(ctx context.Context, key int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := o.find(key)
	switch {
	case i < 0:
		return graph.Errorf(graph.NotFound, "the outbox has no write %d", key)
	case o.pending[i].failure == nil:
		return graph.Errorf(graph.Conflict, "the write %d has not failed", key)
	}
	lost := map[graph.ID]bool{}
	var keys []int64
	for _, w := range o.pending[i:] {
		if w.key == key || w.refersTo(lost) {
			keys = append(keys, w.key)
			w.addDrafts(lost)
		}
	}
	if err := o.file.remove(ctx, keys); err != nil {
		return err
	}
	o.pending = slices.DeleteFunc(o.pending, func(w *write) bool { return slices.Contains(keys, w.key) })
	o.graph = nil
	o.settled += len(keys)
	o.notify()
	return nil
}

// find returns the index of a write, or -1.
func (o *Outbox) find(key int64) int {
	return slices.IndexFunc(o.pending, func(w *write) bool { return w.key == key })
}

// addDrafts adds the local ids of the records of a write to a set.
func (w *write) addDrafts(ids map[graph.ID]bool) {
	for _, c := range w.request.Concepts {
		ids[graph.ID(c.ID)] = true
	}
	for _, c := range w.request.Connections {
		ids[graph.ID(c.ID)] = true
	}
}

// refersTo reports whether the write removes one of the given records, or adds a connection that has one of them as its start,
// end or type.
func (w *write) refersTo(ids map[graph.ID]bool) bool {
	for _, c := range w.request.Connections {
		if ids[graph.ID(c.OfTheConceptID)] || ids[graph.ID(c.ToTheConceptID)] || ids[graph.ID(c.TypeID)] {
			return true
		}
	}
	isGiven := func(id wire.Int) bool { return ids[graph.ID(id)] }
	return slices.ContainsFunc(w.request.RemoveConcepts, isGiven) || slices.ContainsFunc(w.request.RemoveConnections, isGiven)
}
