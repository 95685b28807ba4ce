package mail

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Queue stores messages until they are sent. Several servers may share a queue through their database: a server
// claims a due message by moving its due entry into the future, in which only one server can succeed.
//
// Keys:
//
//	mail/due/<when>/<id>       a message and the time of its next attempt
//	mail/state/<id>            a Status
//	mail/content/<id>/<n>      the message, in pieces of at most kv.MaxValue bytes
//	mail/dead/<id>             marks failed messages
//	mail/rate/<user>/<hour>    number of e-mails that a user has sent
type Queue struct {
	kv   kv.Store
	rate int
	log  *slog.Logger
	wake chan struct{}
}

// NewQueue returns the queue of a store. A user may send to at most rate recipients per hour.
func NewQueue(store kv.Store, rate int, log *slog.Logger) *Queue {
	return &Queue{kv: store, rate: rate, log: log, wake: make(chan struct{}, 1)}
}

// giveUp is how long delivery is attempted; statusRetention is how long the status is kept afterwards.
const (
	giveUp          = 48 * time.Hour
	statusRetention = 30 * 24 * time.Hour
)

const (
	dueArea     = "mail/due/"
	stateArea   = "mail/state/"
	contentArea = "mail/content/"
	deadArea    = "mail/dead/"
	rateArea    = "mail/rate/"
)

// Send queues a message and returns its id. When it returns nil, the message is durable. Errors: Invalid or TooLarge
// for a message that cannot be sent, TooMany beyond the rate of the owner.
func (q *Queue) Send(ctx context.Context, m Message) (string, error) {
	if err := m.check(); err != nil {
		return "", err
	}
	now := time.Now()
	id := fmt.Sprintf("%012x%s", now.UnixMilli(), strings.ToLower(rand.Text()[:20]))
	ops, err := contentOps(id, m, now)
	if err != nil {
		return "", err
	}
	ops = append(ops, newStatus(id, m, now).putOp(), kv.Put(dueKey(now, id), []byte(id)))
	if err := q.commitWithinRate(ctx, m.Owner, len(m.To), now, ops); err != nil {
		return "", err
	}
	select {
	case q.wake <- struct{}{}:
	default: // Run is about to read the queue anyway
	}
	return id, nil
}

// commitWithinRate queues a message and counts its e-mails in one commit.
func (q *Queue) commitWithinRate(ctx context.Context, owner graph.ID, n int, now time.Time, ops []kv.Op) error {
	if owner == 0 {
		return q.kv.Commit(ctx, ops...)
	}
	hour := now.UTC().Truncate(time.Hour)
	key := rateArea + owner.String() + "/" + hour.Format("2006-01-02T15")
	for {
		sent, version, err := q.readCounter(ctx, key)
		if err != nil {
			return err
		}
		if sent+n > q.rate {
			return graph.Errorf(graph.TooMany, "%d e-mails sent in this hour and %d more; the maximum is %d: try again later", sent, n, q.rate)
		}
		count := kv.Put(key, []byte(strconv.Itoa(sent+n))).If(version).Until(hour.Add(2 * time.Hour))
		if err := q.kv.Commit(ctx, append(ops, count)...); graph.KindOf(err) != graph.Conflict {
			return err
		}
	}
}

// readCounter returns a counter and its version, or 0 and kv.Absent if it does not exist.
func (q *Queue) readCounter(ctx context.Context, key string) (n int, version int64, err error) {
	found, err := q.kv.Get(ctx, key)
	if err != nil || len(found) == 0 {
		return 0, kv.Absent, err
	}
	n, err = strconv.Atoi(string(found[0].Value))
	return n, found[0].Version, err
}

// contentOps splits a message into entries.
func contentOps(id string, m Message, now time.Time) ([]kv.Op, error) {
	content, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var ops []kv.Op
	for len(content) > 0 {
		n := min(len(content), kv.MaxValue)
		key := fmt.Sprintf("%s%s/%04d", contentArea, id, len(ops))
		ops = append(ops, kv.Put(key, content[:n]).Until(now.Add(giveUp+statusRetention)))
		content = content[n:]
	}
	return ops, nil
}

// readContent returns a message, and the entries that contain it.
func (q *Queue) readContent(ctx context.Context, id string) (Message, []kv.Entry, error) {
	pieces, err := q.kv.List(ctx, kv.Range{Prefix: contentArea + id + "/"})
	if err != nil {
		return Message{}, nil, err
	}
	var content []byte
	for _, piece := range pieces {
		content = append(content, piece.Value...)
	}
	var m Message
	if err := json.Unmarshal(content, &m); err != nil {
		return Message{}, nil, fmt.Errorf("cannot decode the mail %s: %w", id, err)
	}
	return m, pieces, nil
}

// dueKey returns the key of a due entry. Milliseconds have 13 digits until the year 2286, so keys sort by time.
func dueKey(at time.Time, id string) string {
	return fmt.Sprintf("%s%013d/%s", dueArea, at.UnixMilli(), id)
}

// readDueKey returns the time and the id in a due key.
func readDueKey(key string) (at time.Time, id string, err error) {
	text, id, _ := strings.Cut(strings.TrimPrefix(key, dueArea), "/")
	milliseconds, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMilli(milliseconds), id, err
}
