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

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/journal"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/mail"
	"github.com/weft-graph/weft/mail/mailtest"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/track"
)

func TestNothingIsLeftOfAnAccountThatEnded(t *testing.T) {
	store := inSQLite(t)
	disk, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	queue := mail.NewQueue(kv.In(store), 100, slog.New(slog.DiscardHandler))
	interrupted := errors.New("the power went")
	s := storingIn(t, store, disk, func(o *server.Options) {
		o.Mail = queue
		o.Journal = journal.New(kv.In(store), journal.Options{})
		o.Tracker = track.New(kv.In(store), nil)
		o.Accounts.Erasing(func(context.Context, graph.ID) error {
			defer func() { interrupted = nil }()
			return interrupted
		})
	})
	guest := call(t, s)
	people := map[string]caller{}
	for _, name := range []string{"ann", "bob"} {
		people[name] = guest.signed(servertest.SignUp(t, s.URL, name+"@example.org"))
		leaveTraces(t, people[name], queue)
	}
	users, err := s.Accounts.Users(t.Context(), 0, 10)
	if err != nil || len(users) != 2 {
		t.Fatal(users, err)
	}
	ann, bob := users[0].ID, users[1].ID
	bobs, files := len(about(t, store, bob)), blobs(t, disk)
	if anns := about(t, store, ann); len(anns) < 15 || len(files) != 4 {
		t.Fatalf("of Ann there are %d entries %q, and of both the files %v", len(anns), anns, files)
	}
	people["ann"].posted("/api/deleteuser?conceptId="+ann.String(), nil)
	if err := s.Accounts.Erase(t.Context()); err == nil {
		t.Error("nothing went wrong")
	}
	if err := s.Accounts.Erase(t.Context()); err != nil {
		t.Error(err)
	}
	if left := about(t, store, ann); len(left) != 0 {
		t.Errorf("of Ann there are %q", left)
	}
	if left := blobs(t, disk); len(left) != 2 {
		t.Errorf("the files are %v", left)
	}
	if left := about(t, store, bob); len(left) != bobs-1 { // two calls of the tracker became a table
		t.Errorf("of Bob there are %d entries %q; were %d", len(left), left, bobs)
	}
	for _, area := range []string{"mail/due/", "mail/dead/", "log/page/"} { // which do not say whose they are
		if left, err := kv.In(store).List(t.Context(), kv.Range{Prefix: area}); err != nil || len(left) != 1 {
			t.Errorf("in %s there are %d entries, %v; want Bob's", area, len(left), err)
		}
	}
}

// leaveTraces makes the caller leave one of everything that is kept.
func leaveTraces(t *testing.T, c caller, queue *mail.Queue) {
	t.Helper()
	c.upload("/api/Image/UploadImage", "image", "holiday.jpg", "image/jpeg", picture(t, 800, 600))
	c.json("/api/create_text_data", object{"data": strings.Repeat("my story ", 200_000)}, &object{})
	c.json("/api/logger", object{"logType": "app", "logData": []object{{"level": "INFO", "message": "I was here"}}}, &object{})
	c.json("/api/logger", object{"logType": "mftsccs", "logData": []object{{"level": "INFO", "message": "I too"}}}, &object{})
	var session struct{ ID int64 }
	c.json("/api/create-session-id-remote", object{"userId": "me"}, &session)
	c.json("/api/create-remote-session-visit", object{"sessionId": session.ID, "url": "http://x/y"}, &object{})
	c.json("/api/v1/access-tracker/sync-access-tracker", object{"concepts": object{graph.The.String(): 3}, "connections": object{}}, &object{})
	c.get("/api/v1/access-tracker/list-concepts-file", &object{}) // folds
	c.json("/api/v1/access-tracker/sync-access-tracker", object{"concepts": object{graph.The.String(): 3}, "connections": object{}}, &object{})

	var failed, queued sentMail
	letter := object{"toAddress": "cem@example.org", "heading": "Hi", "body": "there"}
	c.json("/api/sendmail", letter, &failed)
	failAll(t, queue, failed.Data.ID)
	c.json("/api/sendmail", letter, &queued)
}

// failAll runs a queue at a mail server that takes nothing, until a mail is given up.
func failAll(t *testing.T, queue *mail.Queue, id string) {
	t.Helper()
	post := mailtest.Start(t, "")
	post.Refuse(func(string) error { return &smtp.SMTPError{Code: 550, Message: "no such person"} })
	sender, err := mail.DialSMTP(post.URL, "", "Weft <weft@example.org>")
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
			t.Fatalf("the mail is %+v, %v", status, err)
		}
	}
	stop()
	<-ended
}

// about lists the entries that have to do with a user, but for the one that says for a minute that they left.
func about(t *testing.T, store graph.Store, user graph.ID) (keys []string) {
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

func blobs(t *testing.T, disk *blob.Disk) (names []string) {
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
