package mail

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Status is the state of a message. It is kept for 30 days after the last possible attempt.
type Status struct {
	ID       string      `json:"id"`
	Owner    graph.ID    `json:"owner,omitempty"`
	About    graph.ID    `json:"about,omitempty"`
	Subject  string      `json:"subject"`
	Created  time.Time   `json:"created"`
	State    State       `json:"state"`
	Attempts int         `json:"attempts"`
	Next     time.Time   `json:"next,omitzero"` // time of the next attempt
	To       []Recipient `json:"to"`
}

// A Recipient is a recipient of a message.
type Recipient struct {
	Address string `json:"address"`
	State   State  `json:"state"`
	Error   string `json:"error,omitempty"` // last error, for the operator
}

// A State is the state of a message or of one of its e-mails.
type State string

// States. A message is Queued while one of its e-mails is Queued; otherwise it is Failed if one of its e-mails is
// Failed, and Sent if all are Sent.
const (
	Queued State = "queued"
	Sent   State = "sent"
	Failed State = "failed"
)

func newStatus(id string, m Message, now time.Time) Status {
	s := Status{ID: id, Owner: m.Owner, About: m.About, Subject: m.Subject, Created: now.UTC(), State: Queued}
	for _, address := range m.To {
		s.To = append(s.To, Recipient{Address: address, State: Queued})
	}
	return s
}

// updateState derives the state of the message from the states of its e-mails.
func (s *Status) updateState() {
	s.State = Sent
	for _, r := range s.To {
		if r.State == Queued {
			s.State = Queued
			return
		}
		if r.State == Failed {
			s.State = Failed
		}
	}
}

func (s Status) putOp() kv.Op {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a Status always marshals
	}
	return kv.Put(stateArea+s.ID, text).Until(s.Created.Add(giveUp + statusRetention))
}

// Status returns the status of a message, or a NotFound error.
func (q *Queue) Status(ctx context.Context, id string) (Status, error) {
	if id == "" || len(id) > 64 || strings.Contains(id, "/") || graph.CheckText("id", id) != nil {
		return Status{}, graph.Errorf(graph.NotFound, "mail %q not found", graph.Clip(id))
	}
	found, err := q.kv.Get(ctx, stateArea+id)
	if err != nil {
		return Status{}, err
	}
	if len(found) == 0 {
		return Status{}, graph.Errorf(graph.NotFound, "mail %q not found", id)
	}
	var s Status
	err = json.Unmarshal(found[0].Value, &s)
	return s, err
}

// Dead returns up to limit failed messages, newest first, after the cursor after. It also returns the cursor of the
// next page, or "" if there is none.
func (q *Queue) Dead(ctx context.Context, after string, limit int) (dead []Status, next string, err error) {
	r := kv.Range{Prefix: deadArea, Descending: true, Limit: limit}
	if after != "" {
		r.After = deadArea + after
	}
	marks, err := q.kv.List(ctx, r)
	if err != nil {
		return nil, "", err
	}
	keys := make([]string, len(marks))
	for i, mark := range marks {
		keys[i] = stateArea + string(mark.Value)
	}
	found, err := q.kv.Get(ctx, keys...) // Get omits statuses that have just expired
	if err != nil {
		return nil, "", err
	}
	dead = make([]Status, len(found))
	for i, e := range found {
		if err := json.Unmarshal(e.Value, &dead[i]); err != nil {
			return nil, "", err
		}
	}
	if len(marks) > 0 && len(marks) == limit {
		next = string(marks[limit-1].Value)
	}
	return dead, next, nil
}

// mailID returns the id of one e-mail of the message.
func (s Status) mailID(i int) string { return s.ID + "." + strconv.Itoa(i) }
