package mail_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/mail/mailtest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

const ann = 100_001

// onEveryStore runs a test on every kind of store.
func onEveryStore(t *testing.T, test func(*testing.T, kv.Store)) {
	everystore.Run(t, func(t *testing.T, store graph.Store) { test(t, kv.In(store)) })
}

func newQueue(store kv.Store) *mail.Queue {
	return mail.NewQueue(store, 1000, slog.New(slog.DiscardHandler))
}

// run delivers e-mails until the returned function is called or the test ends.
func run(t *testing.T, q *mail.Queue, sender mail.Sender) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q.Run(ctx, sender)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

func dial(t *testing.T, url string) mail.Sender {
	t.Helper()
	s, err := mail.DialSMTP(url, "", "Weft <weft@example.org>")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func send(t *testing.T, q *mail.Queue, m mail.Message) string {
	t.Helper()
	id, err := q.Send(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// waitUntilSettled waits until a message has left the queue, and returns its status.
func waitUntilSettled(t *testing.T, q *mail.Queue, id string) mail.Status {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		s, err := q.Status(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if s.State != mail.Queued {
			return s
		}
		if time.Now().After(end) {
			t.Fatalf("the message is still queued after a minute: %+v", s)
		}
	}
}

func keys(t *testing.T, store kv.Store, prefix string) int {
	t.Helper()
	found, err := store.List(t.Context(), kv.Range{Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func TestMailsAreDeliveredToEachRecipient(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		server, q := mailtest.Start(t, ""), newQueue(store)
		run(t, q, dial(t, server.URL))
		large := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // longer than one entry
		id := send(t, q, mail.Message{
			Owner: ann, To: []string{"Ben <ben@example.org>", "cleo@example.org"}, Subject: "Grüße aus Wien",
			Text: "Hallo,\nschöne Grüße\n.\nnach einem Punkt", HTML: "<p>schöne Grüße</p>",
			Attachments: []mail.Attachment{
				{Name: "Bild.png", Kind: "image/png", Data: large}, {Name: "Grüße.bin", Data: []byte{0, 1, 2, 255}},
			},
		})
		emails := server.Wait(t, 2)
		ids := map[string]bool{}
		for i, to := range []string{"ben@example.org", "cleo@example.org"} {
			l := emails[i]
			if len(l.To) != 1 || l.To[0] != to || l.Header.Get("To") != "<"+to+">" || l.From != "weft@example.org" || l.Header.Get("Cc")+l.Header.Get("Bcc") != "" {
				t.Errorf("the e-mail to %s went to %v: %v", to, l.To, l.Header)
			}
			if l.Subject != "Grüße aus Wien" || l.Text != "Hallo,\nschöne Grüße\n.\nnach einem Punkt" || l.HTML != "<p>schöne Grüße</p>" {
				t.Errorf("the e-mail has subject %q, text %q, HTML %q; want those that were sent", l.Subject, l.Text, l.HTML)
			}
			if !bytes.Equal(l.Files["Bild.png"], large) || !bytes.Equal(l.Files["Grüße.bin"], []byte{0, 1, 2, 255}) || len(l.Files) != 2 {
				t.Errorf("the e-mail has %d files, and Bild.png has %d bytes; want 2 files, with %d bytes and unchanged", len(l.Files), len(l.Files["Bild.png"]), len(large))
			}
			ids[l.Header.Get("Message-Id")] = true
		}
		if !ids["<"+id+".0@example.org>"] || !ids["<"+id+".1@example.org>"] {
			t.Errorf("the ids of the e-mails = %v; want <%s.0@example.org> and <%[2]s.1@example.org>", ids, id)
		}
		if s := waitUntilSettled(t, q, id); s.State != mail.Sent || s.Attempts != 1 || s.Owner != ann {
			t.Errorf("the status = %+v; want sent at the first attempt, owned by Ann", s)
		}
		if n := keys(t, store, "mail/due/") + keys(t, store, "mail/content/"); n != 0 {
			t.Errorf("%d due and content entries of the sent message remain; want none", n)
		}
	})
}

func TestMailsAreRetriedWhileTheServerIsDown(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		address := closedPort(t)
		q := newQueue(store)
		stop := run(t, q, dial(t, "smtp://"+address+"?tls=none"))
		id := send(t, q, mail.Message{To: []string{"ann@example.org"}, Subject: "Hi", Text: "there"})
		for tried := false; !tried; time.Sleep(5 * time.Millisecond) {
			s, err := q.Status(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			tried = s.Attempts > 0
		}
		stop()
		server := mailtest.Start(t, address)
		otherQueue := newQueue(store) // like another process
		run(t, otherQueue, dial(t, server.URL))
		server.Wait(t, 1)
		if s := waitUntilSettled(t, otherQueue, id); s.State != mail.Sent || s.Attempts != 2 {
			t.Errorf("the status = %+v; want sent at the second attempt", s)
		}
	})
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestRejectedMailsAreNotRetried(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		server, q := mailtest.Start(t, ""), newQueue(store)
		var attempts atomic.Int64
		server.Refuse(func(to string) error {
			if to == "nobody@example.org" {
				attempts.Add(1)
				return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
			}
			return nil
		})
		run(t, q, dial(t, server.URL))
		id := send(t, q, mail.Message{Owner: ann, To: []string{"nobody@example.org", "ben@example.org"}, Subject: "Hi"})
		server.Wait(t, 1)
		s := waitUntilSettled(t, q, id)
		if s.State != mail.Failed || s.To[0].State != mail.Failed || s.To[1].State != mail.Sent || !strings.Contains(s.To[0].Error, "no such user") {
			t.Errorf("the status = %+v; want failed: the first recipient refused as no such user, the second sent", s)
		}
		dead, _, err := q.Dead(t.Context(), "", 10)
		if err != nil || len(dead) != 1 || dead[0].ID != id {
			t.Errorf("the failed messages = %+v, %v; want only %s", dead, err, id)
		}
		if keys(t, store, "mail/due/") != 0 || keys(t, store, "mail/content/") == 0 || attempts.Load() != 1 {
			t.Errorf("the refused e-mail was tried %d times, or the message is still due, or its content was deleted; want 1 attempt, no due entry, and the content kept", attempts.Load())
		}
		if rest, _, err := q.Dead(t.Context(), id, 10); err != nil || len(rest) != 0 {
			t.Errorf("the page after the last failed message = %+v, %v; want none", rest, err)
		}
	})
}

func TestServersOfOneDatabaseSendEachMailOnce(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		const queues, messages = 3, 20
		server := mailtest.Start(t, "")
		var all []*mail.Queue
		for range queues {
			q := newQueue(store)
			run(t, q, dial(t, server.URL))
			all = append(all, q)
		}
		var ids []string
		for i := range messages {
			ids = append(ids, send(t, all[i%queues], mail.Message{To: []string{"ann@example.org"}, Subject: fmt.Sprint(i)}))
		}
		for _, id := range ids {
			if s := waitUntilSettled(t, all[0], id); s.State != mail.Sent || s.Attempts != 1 {
				t.Errorf("the status = %+v; want sent at the first attempt", s)
			}
		}
		if got := len(server.Emails()); got != messages {
			t.Errorf("%d e-mails arrived; want %d", got, messages)
		}
	})
}

// A sender calls a function of the test for each e-mail.
type sender func(l mail.Email) error

func (f sender) Send(_ context.Context, l mail.Email) error { return f(l) }

func TestMailsAreRetriedForTwoDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &kv.Memory{}
		q := newQueue(store)
		var times []time.Time
		down := sender(func(mail.Email) error {
			times = append(times, time.Now())
			return fmt.Errorf("%w: down for maintenance", mail.ErrUnreachable)
		})
		start := time.Now()
		stop := run(t, q, down)
		id := send(t, q, mail.Message{Owner: ann, To: []string{"ann@example.org", "ben@example.org"}, Subject: "Hi"})
		time.Sleep(72 * time.Hour)
		stop()
		s, err := q.Status(t.Context(), id)
		if err != nil || s.State != mail.Failed || s.To[0].State != mail.Failed || s.To[1].State != mail.Failed {
			t.Fatalf("the status = %+v, %v; want failed for both recipients", s, err)
		}
		if s.Attempts != len(times) || len(times) < 15 || len(times) > 40 {
			t.Errorf("the message was tried %d times, and %d attempts are stored; want the same number, from 15 to 40", len(times), s.Attempts)
		}
		if first := times[1].Sub(times[0]); first < 4*time.Second || first > 11*time.Second {
			t.Errorf("the second attempt was %v after the first; want 4 to 11 seconds", first)
		}
		if last := times[len(times)-1].Sub(start); last < 40*time.Hour || last > 48*time.Hour {
			t.Errorf("the last attempt was after %v; want 40 to 48 hours", last)
		}
		if dead, _, err := q.Dead(t.Context(), "", 10); err != nil || len(dead) != 1 {
			t.Errorf("the failed messages = %v, %v; want 1", dead, err)
		}
		time.Sleep(40 * 24 * time.Hour)
		if n := keys(t, store, "mail/"); n != 0 {
			t.Errorf("%d entries remain after 43 days; want none", n)
		}
	})
}

func TestUnreadableMailsAreRetriedAndFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &kv.Memory{}
		q := newQueue(store)
		id := send(t, q, mail.Message{Owner: ann, To: []string{"ann@example.org"}, Subject: "Hi"})
		if err := store.Commit(t.Context(), kv.Put("mail/content/"+id+"/0000", []byte("{"))); err != nil {
			t.Fatal(err)
		}
		stop := run(t, q, sender(func(mail.Email) error { return nil }))
		time.Sleep(72 * time.Hour)
		stop()
		s, err := q.Status(t.Context(), id)
		if err != nil || s.State != mail.Failed || s.Attempts < 15 || s.Attempts > 40 {
			t.Errorf("the status = %+v, %v; want failed after 15 to 40 attempts", s, err)
		}
		if n := keys(t, store, "mail/due/"); n != 0 {
			t.Errorf("%d messages are still due; want none", n)
		}
	})
}

func TestDeadSkipsMessagesThatExpired(t *testing.T) {
	store := &kv.Memory{}
	q := newQueue(store)
	for id, ops := range map[string][]kv.Op{
		"a": {kv.Put("mail/state/a", []byte(`{"id":"a"}`))}, "b": nil, "c": {kv.Put("mail/state/c", []byte(`{"id":"c"}`))},
	} {
		if err := store.Commit(t.Context(), append(ops, kv.Put("mail/dead/"+id, []byte(id)))...); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for after, pages := "", 0; pages == 0 || after != ""; pages++ {
		dead, next, err := q.Dead(t.Context(), after, 2)
		if err != nil || pages > 3 {
			t.Fatalf("page %d = %+v, %v; want no error and an end after at most 4 pages", pages, dead, err)
		}
		for _, s := range dead {
			ids = append(ids, s.ID)
		}
		after = next
	}
	if fmt.Sprint(ids) != "[c a]" {
		t.Errorf("the failed messages are %v; want c and a", ids)
	}
}

func TestQueueFailuresAreLoggedOnce(t *testing.T) {
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		q := mail.NewQueue(kv.In(store), 1, slog.New(slog.NewTextHandler(&log, nil)))
		stop := run(t, q, sender(func(mail.Email) error { return nil }))
		time.Sleep(time.Hour)
		stop()
		if n := strings.Count(log.String(), "\n"); n != 1 {
			t.Errorf("the failure is logged %d times; want once: %s", n, log.String())
		}
	})
}

// A crash in the middle of sending is simulated by a sender that never returns.
func TestMailsAreSentAgainAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &kv.Memory{}
		q := newQueue(store)
		var ids []string
		neverReturns := sender(func(l mail.Email) error {
			ids = append(ids, l.ID)
			runtime.Goexit()
			return nil
		})
		stop := run(t, q, neverReturns)
		id := send(t, q, mail.Message{To: []string{"ann@example.org"}, Subject: "Hi"})
		time.Sleep(time.Second)
		stop()
		accepts := sender(func(l mail.Email) error {
			ids = append(ids, l.ID)
			return nil
		})
		stop = run(t, newQueue(store), accepts)
		time.Sleep(3 * time.Minute)
		stop()
		if s, err := q.Status(t.Context(), id); err != nil || s.State != mail.Sent {
			t.Errorf("the status = %+v, %v; want sent", s, err)
		}
		if len(ids) != 2 || ids[0] != ids[1] {
			t.Errorf("the e-mail was sent with the ids %v; want one id, twice", ids)
		}
	})
}

func TestARetriedMailDoesNotBlockOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(&kv.Memory{})
		sent := map[string]int{}
		var mu sync.Mutex
		stop := run(t, q, sender(func(l mail.Email) error {
			mu.Lock()
			defer mu.Unlock()
			if sent[l.To]++; l.To == "grey@example.org" && sent[l.To] == 1 {
				return errors.New("451 come back later")
			}
			return nil
		}))
		id := send(t, q, mail.Message{To: []string{"grey@example.org", "ann@example.org"}, Subject: "Hi"})
		time.Sleep(time.Second)
		if s, err := q.Status(t.Context(), id); err != nil || s.State != mail.Queued || s.To[1].State != mail.Sent || s.Next.IsZero() {
			t.Errorf("the status = %+v, %v; want queued, sent to the second recipient, and a time of the next attempt", s, err)
		}
		time.Sleep(time.Minute)
		stop()
		if s, err := q.Status(t.Context(), id); err != nil || s.State != mail.Sent || sent["grey@example.org"] != 2 || sent["ann@example.org"] != 1 {
			t.Errorf("the status = %+v, %v, attempts by recipient %v; want sent, after 2 attempts for grey and 1 for ann", s, err, sent)
		}
	})
}

func TestSendEnforcesTheRate(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		q := mail.NewQueue(store, 10, slog.New(slog.DiscardHandler))
		var wait sync.WaitGroup
		var accepted atomic.Int64
		for range 12 {
			wait.Go(func() {
				_, err := q.Send(t.Context(), mail.Message{Owner: ann, To: []string{"a@b.org", "c@b.org"}, Subject: "Hi"})
				switch graph.KindOf(err) {
				case "":
					accepted.Add(1)
				case graph.TooMany:
				default:
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if accepted.Load() != 5 {
			t.Errorf("%d messages to two recipients were accepted; want 5", accepted.Load())
		}
		if n := keys(t, store, "mail/due/"); n != 5 {
			t.Errorf("%d messages are queued; want 5", n)
		}
		send(t, q, mail.Message{Owner: ann + 1, To: []string{"a@b.org"}, Subject: "somebody else"})
		send(t, q, mail.Message{To: []string{"a@b.org"}, Subject: "the server itself"})
	})
}

func TestSendEnforcesLimits(t *testing.T) {
	q := newQueue(&kv.Memory{})
	addresses := make([]string, 101)
	for i := range addresses {
		addresses[i] = fmt.Sprintf("a%d@example.org", i)
	}
	to := addresses[:1]
	for name, row := range map[string]struct {
		m    mail.Message
		kind graph.ErrorKind
	}{
		"no recipient":        {mail.Message{Subject: "Hi"}, graph.Invalid},
		"101 recipients":      {mail.Message{To: addresses}, graph.TooLarge},
		"a malformed address": {mail.Message{To: []string{"ann"}}, graph.Invalid},
		"two lines":           {mail.Message{To: to, Subject: "Hi\r\nBcc: ben@example.org"}, graph.Invalid},
		"a line separator":    {mail.Message{To: to, Subject: "Hi\u2028there"}, graph.Invalid},
		"a long subject":      {mail.Message{To: to, Subject: strings.Repeat("a", 501)}, graph.Invalid},
		"a long body":         {mail.Message{To: to, Text: strings.Repeat("a", 1<<20), HTML: "a"}, graph.TooLarge},
		"not UTF-8":           {mail.Message{To: to, Text: "\xff"}, graph.Invalid},
		"11 files":            {mail.Message{To: to, Attachments: make([]mail.Attachment, 11)}, graph.TooLarge},
		"a nameless file":     {mail.Message{To: to, Attachments: []mail.Attachment{{}}}, graph.Invalid},
		"a name of two lines": {mail.Message{To: to, Attachments: []mail.Attachment{{Name: "a\r\nX: y"}}}, graph.Invalid},
		"a kind of two lines": {mail.Message{To: to, Attachments: []mail.Attachment{{Name: "a", Kind: "text/plain\r\nX: y"}}}, graph.Invalid},
		"10 MB and a byte":    {mail.Message{To: to, Attachments: []mail.Attachment{{Name: "a", Data: make([]byte, 10<<20)}, {Name: "b", Data: []byte("x")}}}, graph.TooLarge},
	} {
		if _, err := q.Send(t.Context(), row.m); graph.KindOf(err) != row.kind {
			t.Errorf("%s: %v; want %s", name, err, row.kind)
		}
	}
}
