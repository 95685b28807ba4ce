package journal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A Session is somebody's visit to a site, as the site's own server or page tells it. What the body of a
// request says is kept as it was said; Address, User and Created are what we saw ourselves.
type Session struct {
	ID             int64     `json:"id"`
	RemoteAddress  string    `json:"remote_address"`
	ServerPort     string    `json:"server_port"`
	ServerAddress  string    `json:"server_address"`
	ServerName     string    `json:"server_name"`
	ServerSoftware string    `json:"server_software"`
	UserAgent      string    `json:"http_user_agent"`
	Self           string    `json:"self"`
	Port           string    `json:"port"`
	UserID         string    `json:"userId"`
	Email          string    `json:"email"`
	Address        string    `json:"address"`
	User           graph.ID  `json:"user"`
	Created        time.Time `json:"created"`
	Pages          int       `json:"pages"` // how many were visited
}

// A PageVisit is an address that was visited in a session.
type PageVisit struct {
	ID      int64     `json:"id"`
	Session int64     `json:"sessionId"`
	URL     string    `json:"url"`
	At      time.Time `json:"at"`
}

// MaxPages is how many visits a session may have.
const MaxPages = 10_000

const sessionPrefix = "log/session/"

func sessionKey(id int64) string { return fmt.Sprintf("%s%016d", sessionPrefix, id) }

func pagePrefix(session int64) string { return fmt.Sprintf("log/page/%016d/", session) }

// Begin keeps a session and gives it an id, which is beyond those that clients use before they have one.
func (j *Journal) Begin(ctx context.Context, s Session) (Session, error) {
	for _, text := range []*string{
		&s.RemoteAddress, &s.ServerPort, &s.ServerAddress, &s.ServerName, &s.ServerSoftware,
		&s.UserAgent, &s.Self, &s.Port, &s.UserID, &s.Email,
	} {
		*text = clip(Redact(*text), 500)
	}
	s.Created, s.Pages = j.options.Now().UTC().Truncate(time.Millisecond), 0
	for attempt := 0; ; attempt++ {
		s.ID = s.Created.UnixMilli()*1000 + rand.Int64N(1000)
		err := j.kv.Commit(ctx, kv.Put(sessionKey(s.ID), encode(s)).Until(s.Created.Add(j.options.Keep)).If(kv.Absent))
		if graph.KindOf(err) != graph.Conflict || attempt == attempts {
			return s, err
		}
	}
}

// Visit keeps that a page was visited in a session. It returns a NotFound error for a session that there is
// not, or that belongs to somebody else, and TooLarge beyond MaxPages.
func (j *Journal) Visit(ctx context.Context, user graph.ID, session int64, address string) (PageVisit, error) {
	for attempt := 0; ; attempt++ {
		v, err := j.visitOnce(ctx, user, session, address)
		if graph.KindOf(err) != graph.Conflict || attempt == attempts {
			return v, err
		}
	}
}

func (j *Journal) visitOnce(ctx context.Context, user graph.ID, session int64, address string) (PageVisit, error) {
	found, err := j.kv.Get(ctx, sessionKey(session))
	if err != nil {
		return PageVisit{}, err
	}
	var s Session
	if len(found) == 1 {
		if err := decode(found[0], &s); err != nil {
			return PageVisit{}, err
		}
	}
	if s.ID == 0 || s.User != graph.Anonymous && s.User != user {
		return PageVisit{}, graph.Errorf(graph.NotFound, "there is no session %d", session)
	}
	if s.Pages == MaxPages {
		return PageVisit{}, graph.Errorf(graph.TooLarge, "the session %d has %d pages, which is the most", session, MaxPages)
	}
	s.Pages++
	v := PageVisit{int64(s.Pages), session, clip(Redact(address), 1_000), j.options.Now().UTC().Truncate(time.Millisecond)}
	until := v.At.Add(j.options.Keep)
	return v, j.kv.Commit(
		ctx,
		kv.Put(found[0].Key, encode(s)).Until(until).If(found[0].Version),
		kv.Put(fmt.Sprintf("%s%08d", pagePrefix(session), v.ID), encode(v)).Until(until),
	)
}

// Sessions lists sessions, the newest first, from before an id; 0 means from the newest.
func (j *Journal) Sessions(ctx context.Context, before int64, limit int) ([]Session, error) {
	r := kv.Range{Prefix: sessionPrefix, Descending: true, Limit: limit}
	if before > 0 {
		r.After = sessionKey(before)
	}
	return listed[Session](ctx, j.kv, r)
}

// Pages lists the pages visited in a session, the oldest first, from after an id.
func (j *Journal) Pages(ctx context.Context, session, after int64, limit int) ([]PageVisit, error) {
	r := kv.Range{Prefix: pagePrefix(session), Limit: limit}
	if after > 0 {
		r.After = fmt.Sprintf("%s%08d", r.Prefix, after)
	}
	return listed[PageVisit](ctx, j.kv, r)
}

func listed[T any](ctx context.Context, store kv.Store, r kv.Range) ([]T, error) {
	found, err := store.List(ctx, r)
	all := make([]T, len(found))
	for i, e := range found {
		if err := decode(e, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, err
}
