package mail

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A Status says what became of a message. It outlives the message by a month.
type Status struct {
	ID       string      `json:"id"`
	Owner    graph.ID    `json:"owner,omitempty"`
	About    graph.ID    `json:"about,omitempty"`
	Subject  string      `json:"subject"`
	Created  time.Time   `json:"created"`
	State    State       `json:"state"`
	Attempts int         `json:"attempts"`
	Next     time.Time   `json:"next,omitzero"` // when it is tried again
	To       []Recipient `json:"to"`
}

// A Recipient is one of those a message goes to.
type Recipient struct {
	Address string `json:"address"`
	State   State  `json:"state"`
	Error   string `json:"error,omitempty"` // the last one; for the operator
}

// A State is what became of a message, or of one of its mails.
type State string

// The states. A message is Queued while one of its mails is, then Failed if one of them is.
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

// settle decides what the message as a whole is.
func (s *Status) settle() {
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

func (s Status) op() kv.Op {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts, numbers and times can always be written
	}
	return kv.Put(stateArea+s.ID, text).Until(s.Created.Add(giveUp + keep))
}

// Status returns what became of a message, or NotFound.
func (q *Queue) Status(ctx context.Context, id string) (Status, error) {
	if id == "" || len(id) > 64 || strings.Contains(id, "/") || graph.CheckText("id", id) != nil {
		return Status{}, graph.Errorf(graph.NotFound, "there is no mail %q", graph.Clip(id))
	}
	found, err := q.kv.Get(ctx, stateArea+id)
	if err != nil {
		return Status{}, err
	}
	if len(found) == 0 {
		return Status{}, graph.Errorf(graph.NotFound, "there is no mail %q", id)
	}
	var s Status
	err = json.Unmarshal(found[0].Value, &s)
	return s, err
}

// Dead lists messages that were given up, newest first, beyond the one with the id after, and says where the next page
// begins; "" after the last.
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
	found, err := q.kv.Get(ctx, keys...) // but those that have just expired
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

// mailID tells the mails of a message apart.
func (s Status) mailID(i int) string { return s.ID + "." + strconv.Itoa(i) }
