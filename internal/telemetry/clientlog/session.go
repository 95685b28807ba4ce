package clientlog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Session is a visitor's session on another site, as the server or a page of that site reports it. Values from the
// request body are not verified, but redacted and cut. Address, User and Created come from the request itself.
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
	Pages          int       `json:"pages"` // number of visited pages
}

// A PageVisit is a URL that was visited in a session.
type PageVisit struct {
	ID      int64     `json:"id"`
	Session int64     `json:"sessionId"`
	URL     string    `json:"url"`
	At      time.Time `json:"at"`
}

// MaxPages is the maximum number of page visits in a session.
const MaxPages = 10_000

const sessionPrefix = "log/session/"

func sessionKey(id int64) string { return fmt.Sprintf("%s%016d", sessionPrefix, id) }

func pagePrefix(session int64) string { return fmt.Sprintf("log/page/%016d/", session) }

// AddSession stores a session and assigns an id. The id is greater than the ids that clients use before they receive an
// id.
func (l *Log) AddSession(ctx context.Context, s Session) (Session, error) {
	for _, text := range []*string{
		&s.RemoteAddress, &s.ServerPort, &s.ServerAddress, &s.ServerName, &s.ServerSoftware,
		&s.UserAgent, &s.Self, &s.Port, &s.UserID, &s.Email,
	} {
		*text = clip(Redact(*text), 500)
	}
	s.Created, s.Pages = l.options.Now().UTC().Truncate(time.Millisecond), 0
	for attempt := 0; ; attempt++ {
		s.ID = s.Created.UnixMilli()*1000 + rand.Int64N(1000)
		err := l.kv.Commit(ctx, kv.Put(sessionKey(s.ID), encode(s)).Until(s.Created.Add(l.options.Keep)).If(kv.Absent))
		if graph.KindOf(err) != graph.Conflict || attempt == maxAttempts {
			return s, err
		}
	}
}

// AddPageVisit stores a page visit in a session. The error is NotFound for a session that does not exist or belongs to
// another user, and TooLarge beyond MaxPages.
func (l *Log) AddPageVisit(ctx context.Context, user graph.ID, session int64, address string) (PageVisit, error) {
	for attempt := 0; ; attempt++ {
		v, err := l.tryAddPageVisit(ctx, user, session, address)
		if graph.KindOf(err) != graph.Conflict || attempt == maxAttempts {
			return v, err
		}
	}
}

// tryAddPageVisit is AddPageVisit without retries. It returns a Conflict error if the session changed in the meantime.
func (l *Log) tryAddPageVisit(ctx context.Context, user graph.ID, session int64, address string) (PageVisit, error) {
	found, err := l.kv.Get(ctx, sessionKey(session))
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
		return PageVisit{}, graph.Errorf(graph.TooLarge, "session %d has %d pages, which is the limit", session, MaxPages)
	}
	s.Pages++
	v := PageVisit{int64(s.Pages), session, clip(Redact(address), 1_000), l.options.Now().UTC().Truncate(time.Millisecond)}
	until := v.At.Add(l.options.Keep)
	return v, l.kv.Commit(
		ctx,
		kv.Put(found[0].Key, encode(s)).Until(until).If(found[0].Version),
		kv.Put(fmt.Sprintf("%s%08d", pagePrefix(session), v.ID), encode(v)).Until(until),
	)
}

// Sessions lists sessions before an id, newest first; 0 starts at the newest.
func (l *Log) Sessions(ctx context.Context, before int64, limit int) ([]Session, error) {
	r := kv.Range{Prefix: sessionPrefix, Descending: true, Limit: limit}
	if before > 0 {
		r.After = sessionKey(before)
	}
	return listEntries[Session](ctx, l.kv, r)
}

// PageVisits lists the page visits in a session after an id, oldest first.
func (l *Log) PageVisits(ctx context.Context, session, after int64, limit int) ([]PageVisit, error) {
	r := kv.Range{Prefix: pagePrefix(session), Limit: limit}
	if after > 0 {
		r.After = fmt.Sprintf("%s%08d", r.Prefix, after)
	}
	return listEntries[PageVisit](ctx, l.kv, r)
}

func listEntries[T any](ctx context.Context, store kv.Store, r kv.Range) ([]T, error) {
	found, err := store.List(ctx, r)
	all := make([]T, len(found))
	for i, e := range found {
		if err := decode(e, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, err
}
