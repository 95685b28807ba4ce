package client

import (
	"context"
	"iter"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// maxWatchedTypes is the maximum number of types by which the server filters a stream. If there are more types, Live
// follows all changes.
const maxWatchedTypes = 100

// Live returns the page of the query, and then the new page after each change to it, until ctx ends. Changes in quick succession may be
// combined. While the server cannot be reached, Live returns nothing; when it can be reached again, Live reads the page again. Live ends
// after the first error that a retry cannot resolve, such as Unauthorized.
//
//	for page, err := range contacts.Find(client.Eq("vip", true)).Live(ctx) {
//		…
//	}
func (f Find[T]) Live(ctx context.Context) iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		changed, failed := make(chan struct{}, 1), make(chan error, 1)
		ended := make(chan struct{})
		defer func() {
			cancel()
			<-ended
		}()
		after, err := f.lastSeq(ctx)
		if err != nil {
			close(ended)
			if ctx.Err() == nil {
				yield(Page[T]{}, err)
			}
			return
		}
		go func() {
			defer close(ended)
			f.watch(ctx, after, changed, failed)
		}()
		shown := ""
		for ctx.Err() == nil {
			page, text, err := f.settledPage(ctx)
			if ctx.Err() != nil {
				return
			}
			if err != nil || text != shown {
				if !yield(page, err) || err != nil {
					return
				}
				shown = text
			}
			select {
			case <-changed:
			case err := <-failed:
				yield(Page[T]{}, err)
				return
			case <-ctx.Done():
			}
		}
	}
}

// follower is implemented by sources with a stream of changes.
type follower interface {
	Follow(ctx context.Context, after graph.Seq, types ...string) iter.Seq2[Event, error]
}

// lastSeq returns the number of the newest change; only later changes can change a page that is read after this
// call.
func (f Find[T]) lastSeq(ctx context.Context) (seq graph.Seq, err error) {
	if _, ok := f.records.source.(follower); !ok {
		return 0, graph.Errorf(graph.Unavailable, "%T has no changes to follow", f.records.source)
	}
	err = retryWhileUnavailable(ctx, func() error {
		seq, err = f.records.source.LastSeq(ctx)
		return err
	})
	return seq, err
}

// watch sends to changed after each change of records of the schema. If it can no longer follow the changes, it
// sends the error to failed and returns. It also returns when ctx ends.
func (f Find[T]) watch(ctx context.Context, after graph.Seq, changed chan<- struct{}, failed chan<- error) {
	m := f.records.model
	var types []string
	if m.err == nil {
		for _, name := range m.schema.Names() {
			types = append(types, m.schema.Types[name].TypeName())
			types = append(types, nestedTypes(m.schema.Types[name].Fields)...)
		}
	}
	if len(types) > maxWatchedTypes {
		types = nil
	}
	for _, err := range f.records.source.(follower).Follow(ctx, after, types...) {
		if err != nil {
			failed <- err
			return
		}
		select {
		case changed <- struct{}{}:
		default: // a signal is pending
		}
	}
}

// nestedTypes returns the types of the records and lists nested in a record. A change inside them does not touch the record
// itself.
func nestedTypes(fields map[string]*schema.Field) (types []string) {
	for name, f := range fields {
		for nested := f; nested != nil; nested = nested.Of {
			if nested.Kind == schema.KindList || nested.Kind == schema.KindRecord {
				types = append(types, append([]string{name}, f.Was...)...)
				types = append(types, nestedTypes(nested.Fields)...)
			}
		}
	}
	return types
}

// settledPage reads the page, and tries again while the server cannot be reached. Equal pages have equal
// text.
func (f Find[T]) settledPage(ctx context.Context) (page Page[T], text string, err error) {
	err = retryWhileUnavailable(ctx, func() error {
		typed, next, err := f.page(ctx)
		if err != nil {
			return err
		}
		text = "page " + next
		for _, v := range typed {
			text += "\n" + v.String()
		}
		page, err = newPage[T](typed, next)
		return err
	})
	return page, text, err
}

// retryWhileUnavailable calls do, with increasing delays, until do returns something other than an Unavailable error, or ctx ends.
func retryWhileUnavailable(ctx context.Context, do func() error) error {
	for delay := reconnectDelay; ; delay = min(2*delay, maxReconnectDelay) {
		err := do()
		if graph.KindOf(err) != graph.Unavailable || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(delay):
		}
	}
}
