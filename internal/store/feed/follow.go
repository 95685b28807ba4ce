package feed

import (
	"context"
	"iter"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Kind is the kind of an Event.
type Kind int

// The kinds of event.
const (
	Ready     Kind = iota // the first event: changes after Seq follow
	Change                // Change was committed
	Reset                 // changes up to Seq were missed: reload everything
	Heartbeat             // sent every HeartbeatInterval; all changes up to Seq were sent
	Dropped               // the last event: the subscriber is too slow; changes up to Seq were sent
)

// An Event is sent to a subscriber.
type Event struct {
	Kind   Kind
	Seq    graph.Seq
	Change graph.Change // for Kind Change
}

// HeartbeatInterval is the maximum time between two events of a subscription.
const HeartbeatInterval = 15 * time.Second

const (
	maxLag   = 1_000 // maximum number of changes; if a subscriber is further behind, reloading is faster than catching up
	pageSize = 100   // maximum number of changes in one read
)

// Now is the position after the newest change.
const Now graph.Seq = -1

// Follow yields the changes after a number as a reader sees them, until the context or the feed ends, or the
// subscriber lags by more than maxLag changes. It leaves out changes in which the reader may see nothing. An error of
// the store is yielded once, as the last element.
func (f *Feed) Follow(ctx context.Context, r graph.Reader, after graph.Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s := subscription{feed: f, reader: r, after: after, yield: yield}
		if err := s.run(ctx); err != nil && ctx.Err() == nil {
			yield(Event{}, err)
		}
	}
}

// A subscription is one call of Follow.
type subscription struct {
	feed   *Feed
	reader graph.Reader
	after  graph.Seq // all changes up to this number were sent
	yield  func(Event, error) bool
}

func (s *subscription) run(ctx context.Context) error {
	last, err := s.reader.LastSeq(ctx)
	if err != nil {
		return err
	}
	s.feed.invalidateTail()
	if s.after == Now {
		s.after = last
	}
	if !s.yield(Event{Kind: Ready, Seq: s.after}, nil) {
		return nil
	}
	if last-s.after > maxLag && !s.reset(last) {
		return nil
	}
	heartbeat := time.NewTicker(HeartbeatInterval)
	defer heartbeat.Stop()
	for {
		wake, version := s.feed.nextWake()
		active, err := s.catchUp(ctx, version)
		if err != nil || !active {
			return err
		}
		select {
		case <-wake:
		case <-heartbeat.C:
			s.feed.invalidateTail()
			active = s.yield(Event{Kind: Heartbeat, Seq: s.after}, nil)
		case <-ctx.Done():
			active = false
		case <-s.feed.closed:
			active = false
		}
		if !active {
			return nil
		}
	}
}

// catchUp sends all available changes, and reports whether the subscription continues.
func (s *subscription) catchUp(ctx context.Context, version int64) (bool, error) {
	for {
		changes, err := s.nextChanges(ctx, version)
		if graph.KindOf(err) == graph.NotFound {
			last, err := s.reader.LastSeq(ctx)
			if err != nil || !s.reset(last) {
				return false, err
			}
			continue
		}
		if err != nil || len(changes) == 0 {
			return true, err
		}
		for _, c := range changes {
			s.after = c.Seq
			if !isEmpty(c) && !s.yield(Event{Kind: Change, Seq: c.Seq, Change: c}, nil) {
				return false, nil
			}
		}
		if dropped, err := s.dropIfSlow(ctx, len(changes)); err != nil || dropped {
			return false, err
		}
	}
}

// dropIfSlow ends the subscription if it still lags too far after a full page of changes, and reports whether it did.
func (s *subscription) dropIfSlow(ctx context.Context, sent int) (bool, error) {
	if sent < pageSize {
		return false, nil
	}
	last, err := s.reader.LastSeq(ctx)
	if err != nil || last-s.after <= maxLag {
		return false, err
	}
	s.yield(Event{Kind: Dropped, Seq: s.after}, nil)
	return true, nil
}

// reset sends Reset, and reports whether the subscription continues.
func (s *subscription) reset(last graph.Seq) bool {
	s.after = last
	return s.yield(Event{Kind: Reset, Seq: last}, nil)
}

// isEmpty reports whether a reader sees nothing in a change.
func isEmpty(c graph.Change) bool {
	return !c.Wide && len(c.Concepts) == 0 && len(c.Connections) == 0
}
