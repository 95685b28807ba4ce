package mail_test

import (
	"sync/atomic"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/mail/mailtest"
	"github.com/weft-graph/weft/internal/store/kv"
)

func TestARetryDeliversAnEmailToFailedRecipientsOnly(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		server, q := mailtest.Start(t, ""), newQueue(store)
		var isOpen atomic.Bool
		server.Refuse(func(to string) error {
			if to == "ann@example.org" && !isOpen.Load() {
				return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
			}
			return nil
		})
		run(t, q, dial(t, server.URL))
		id := send(t, q, mail.Message{Owner: ann, To: []string{"ann@example.org", "ben@example.org"}, Subject: "Hi"})
		if s := waitUntilSettled(t, q, id); s.State != mail.Failed {
			t.Fatalf("the status = %+v; want failed", s)
		}
		isOpen.Store(true)
		if s, err := q.Retry(t.Context(), id); err != nil || s.State != mail.Queued {
			t.Fatalf("the status after a retry = %+v, %v; want queued", s, err)
		}
		if s := waitUntilSettled(t, q, id); s.State != mail.Sent {
			t.Errorf("the status at the end = %+v; want sent", s)
		}
		if n := len(server.Wait(t, 2)); n != 2 {
			t.Errorf("%d e-mails arrived; want one for each recipient", n)
		}
		if dead, _, err := q.Dead(t.Context(), "", 10); err != nil || len(dead) != 0 {
			t.Errorf("the failed messages = %v, %v; want none", dead, err)
		}
		if _, err := q.Retry(t.Context(), id); graph.KindOf(err) != graph.Conflict {
			t.Errorf("retrying a delivered e-mail: %v", err)
		}
	})
}

func TestEmailsAreListedByStateInPagesAndRemoved(t *testing.T) {
	q := newQueue(&kv.Memory{})
	var ids []string
	for range 3 {
		ids = append(ids, send(t, q, mail.Message{Owner: ann, To: []string{"ann@example.org"}, Subject: "Hi"}))
	}
	first, next, err := q.List(t.Context(), mail.Queued, "", 2)
	if err != nil || len(first) != 2 || next == "" {
		t.Errorf("the first page = %v, cursor %q, %v; want 2 messages and a cursor", first, next, err)
	}
	rest, next, err := q.List(t.Context(), "", next, 2)
	if err != nil || len(rest) != 1 || next != "" {
		t.Errorf("the rest = %v, cursor %q, %v; want 1 message and no cursor", rest, next, err)
	}
	if failed, _, err := q.List(t.Context(), mail.Failed, "", 2); err != nil || len(failed) != 0 {
		t.Errorf("the failed messages = %v, %v; want none", failed, err)
	}
	if _, err := q.Remove(t.Context(), ids[0]); err != nil {
		t.Error(err)
	}
	if _, err := q.Remove(t.Context(), ids[0]); graph.KindOf(err) != graph.NotFound {
		t.Errorf("removing the e-mail again: %v", err)
	}
	if all, _, err := q.List(t.Context(), "", "", 10); err != nil || len(all) != 2 {
		t.Errorf("the messages = %v, %v; want 2", all, err)
	}
}
