package server_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/mail/mailtest"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
	"github.com/weft-graph/weft/internal/telemetry/usage"
)

func TestDeletedAccountLeavesNothing(t *testing.T) {
	store := inSQLite(t)
	disk, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	queue := mail.NewQueue(kv.In(store), 100, slog.New(slog.DiscardHandler))
	interrupted := errors.New("power failure")
	s := serveWithBlobs(t, store, disk, func(o *server.Options) {
		o.Mail = queue
		o.ClientLog = clientlog.New(kv.In(store), clientlog.Options{})
		o.Usage = usage.New(kv.In(store), nil)
		o.Accounts.AddErasers(func(context.Context, graph.ID) error {
			defer func() { interrupted = nil }()
			return interrupted
		})
	})
	guest := newCaller(t, s)
	people := map[string]caller{}
	for _, name := range []string{"ann", "bob"} {
		people[name] = guest.withToken(servertest.SignUp(t, s.URL, name+"@example.org"))
		leaveTraces(t, people[name], queue)
	}
	users, err := s.Accounts.Users(t.Context(), 0, 10)
	if err != nil || len(users) != 2 {
		t.Fatal(users, err)
	}
	ann, bob := users[0].ID, users[1].ID
	bobsCount, files := len(entriesOf(t, store, bob)), blobNames(t, disk)
	if anns := entriesOf(t, store, ann); len(anns) < 15 || len(files) != 4 {
		t.Fatalf("Ann has %d entries %q, and both users have the files %v; want at least 15 entries and 4 files", len(anns), anns, files)
	}
	people["ann"].mustPost("/api/deleteuser?conceptId="+ann.String(), nil)
	if err := s.Accounts.Erase(t.Context()); err == nil {
		t.Error("the deletion did not fail")
	}
	if err := s.Accounts.Erase(t.Context()); err != nil {
		t.Error(err)
	}
	if remaining := entriesOf(t, store, ann); len(remaining) != 0 {
		t.Errorf("Ann still has the entries %q; want none", remaining)
	}
	if remaining := blobNames(t, disk); len(remaining) != 2 {
		t.Errorf("the files = %v; want 2", remaining)
	}
	if remaining := entriesOf(t, store, bob); len(remaining) != bobsCount-1 { // two calls of the tracker became one table
		t.Errorf("Bob has %d entries %q; want %d, one less than before", len(remaining), remaining, bobsCount-1)
	}
	for _, area := range []string{"mail/due/", "mail/dead/", "log/page/"} { // the keys of these entries do not contain a user
		if remaining, err := kv.In(store).List(t.Context(), kv.Range{Prefix: area}); err != nil || len(remaining) != 1 {
			t.Errorf("in %s there are %d entries, %v; want Bob's", area, len(remaining), err)
		}
	}
}

// leaveTraces stores entries of every kind for the caller.
func leaveTraces(t *testing.T, c caller, queue *mail.Queue) {
	t.Helper()
	c.upload("/api/Image/UploadImage", "image", "holiday.jpg", "image/jpeg", picture(t, 800, 600))
	c.postJSON("/api/create_text_data", object{"data": strings.Repeat("my story ", 200_000)}, &object{})
	c.postJSON("/api/logger", object{"logType": "app", "logData": []object{{"level": "INFO", "message": "I was here"}}}, &object{})
	c.postJSON("/api/logger", object{"logType": "mftsccs", "logData": []object{{"level": "INFO", "message": "I too"}}}, &object{})
	var session struct{ ID int64 }
	c.postJSON("/api/create-session-id-remote", object{"userId": "me"}, &session)
	c.postJSON("/api/create-remote-session-visit", object{"sessionId": session.ID, "url": "http://x/y"}, &object{})
	c.postJSON("/api/v1/access-tracker/sync-access-tracker", object{"concepts": object{graph.The.String(): 3}, "connections": object{}}, &object{})
	c.get("/api/v1/access-tracker/list-concepts-file", &object{}) // makes the tracker combine its counts
	c.postJSON("/api/v1/access-tracker/sync-access-tracker", object{"concepts": object{graph.The.String(): 3}, "connections": object{}}, &object{})

	var failed, queued sentMail
	letter := object{"toAddress": "cem@example.org", "heading": "Hi", "body": "there"}
	c.postJSON("/api/sendmail", letter, &failed)
	failMail(t, queue, failed.Data.ID)
	c.postJSON("/api/sendmail", letter, &queued)
}

// failMail runs a queue with a mail server that refuses every message, until the e-mail with this id has failed.
func failMail(t *testing.T, queue *mail.Queue, id string) {
	t.Helper()
	mailServer := mailtest.Start(t, "")
	mailServer.Refuse(func(string) error { return &smtp.SMTPError{Code: 550, Message: "no such person"} })
	sender, err := mail.DialSMTP(mailServer.URL, "", "Weft <weft@example.org>")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		queue.Run(ctx, sender)
	}()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		status, err := queue.Status(t.Context(), id)
		if err == nil && status.State == mail.Failed {
			break
		}
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the status of the e-mail = %+v, %v; want failed within a minute", status, err)
		}
	}
	stop()
	<-ended
}

// entriesOf lists the keys of all entries that mention a user, except the entry that marks the user as deleted for
// a minute.
func entriesOf(t *testing.T, store graph.Store, user graph.ID) (keys []string) {
	t.Helper()
	entries, err := kv.In(store).List(t.Context(), kv.Range{})
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`(^|\D)` + user.String() + `(\D|$)`)
	for _, e := range entries {
		found := id.MatchString(e.Key) || id.Match(e.Value)
		if found && e.Key != fmt.Sprint("account/left/", user) {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

func blobNames(t *testing.T, disk *blob.Disk) (names []string) {
	t.Helper()
	found, err := disk.List(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range found {
		names = append(names, info.Name)
	}
	return names
}
