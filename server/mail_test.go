package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/mail"
	"github.com/weft-graph/weft/mail/mailtest"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/wire"
)

// posting starts a server that sends mail, and the mail server behind it.
func posting(t *testing.T, store graph.Store, rate int, change ...func(*server.Options)) (*servertest.Server, *mailtest.Server) {
	t.Helper()
	post := mailtest.Start(t, "")
	sender, err := mail.DialSMTP(post.URL, "", "Weft <weft@example.org>")
	if err != nil {
		t.Fatal(err)
	}
	queue := mail.NewQueue(kv.In(store), rate, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		queue.Run(ctx, sender)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return storing(t, store, append(change, func(o *server.Options) { o.Mail = queue })...), post
}

type sentMail struct {
	Success bool
	Message string
	Data    struct{ ID string }
}

func TestMail(t *testing.T) {
	for name, store := range map[string]graph.Store{"memory": memory.New(), "SQLite": inSQLite(t)} {
		t.Run(name, func(t *testing.T) { mailArrives(t, store) })
	}
}

func mailArrives(t *testing.T, store graph.Store) {
	s, post := posting(t, store, 1000)
	ann := call(t, s).signed(servertest.SignUp(t, s.URL, "ann@example.org"))
	file := ann.upload("/api/Image/UploadFile", "file", "Rechnung.pdf", "application/pdf", []byte("%PDF-1.4 invoice"))

	t.Run("one, as JSON", func(t *testing.T) {
		var answer sentMail
		before := len(post.Letters())
		ann.in(t).json("/api/sendmail", map[string]any{
			"toAddress": "ben@example.org", "heading": "Grüße", "body": `<p>Hi <script>x()</script><b>Ben</b></p>`, "attachments": []string{file.Data},
			"CaptchaToken": "03AG", "recaptchaAction": "send_mail",
		}, &answer)
		l := post.Wait(t, before+1)[before]
		if l.To[0] != "ben@example.org" || l.Subject != "Grüße" || l.Text != "Hi Ben" || l.HTML != "<p>Hi <b>Ben</b></p>" || string(l.Files["Rechnung.pdf"]) != "%PDF-1.4 invoice" {
			t.Errorf("arrived %+v", l)
		}
		if !answer.Success || answer.Message == "" || !strings.Contains(l.Header.Get("Message-Id"), answer.Data.ID) || answer.Data.ID == "" {
			t.Errorf("answered %+v", answer)
		}
	})
	t.Run("many, none of whom sees another", func(t *testing.T) {
		before := len(post.Letters())
		ann.in(t).json("/api/sendmail/bulk", map[string]any{
			"ccAddresses": []string{"c@example.org", "d@example.org", "c@example.org"}, "toAddress": "e@example.org", "heading": "All", "body": "2 < 3",
		}, &sentMail{})
		var to []string
		for _, l := range post.Wait(t, before+3)[before:] {
			to = append(to, l.To...)
			if len(l.To) != 1 || strings.Contains(fmt.Sprint(l.Header), "c@example.org") != (l.To[0] == "c@example.org") || l.Text != "2 < 3" {
				t.Errorf("arrived %+v", l)
			}
		}
		slices.Sort(to)
		if strings.Join(to, " ") != "c@example.org d@example.org e@example.org" {
			t.Errorf("arrived at %v", to)
		}
	})
	for name, kind := range map[string]string{
		"as a form": "", "as a form that says it is JSON": asJSON, "as a form that forgot its boundary": "text/plain",
	} {
		for path, fields := range map[string][][2]string{
			"/api/sendmail":               {{"toAddress", "f@example.org"}},
			"/api/sendmail/personal":      {{"toAddress", "f@example.org"}},
			"/api/sendmail/bulk":          {{"ccAddresses", "f@example.org"}, {"ccAddresses[]", "g@example.org"}},
			"/api/sendmail/bulk/personal": {{"ccAddresses", `["f@example.org","g@example.org"]`}},
		} {
			t.Run(name+" to "+path, func(t *testing.T) {
				var body bytes.Buffer
				w := multipart.NewWriter(&body)
				for _, f := range append(fields, [2]string{"heading", "Form"}, [2]string{"body", "text\n--\n"}, [2]string{"attachments", file.URL}) {
					if err := w.WriteField(f[0], f[1]); err != nil {
						t.Fatal(err)
					}
				}
				part, err := w.CreateFormFile("attachments", "ä.bin")
				if err != nil {
					t.Fatal(err)
				}
				part.Write([]byte{0, 1, '\r', '\n', 255}) //nolint:errcheck // a buffer takes everything
				w.Close()
				said := kind
				if said == "" {
					said = w.FormDataContentType()
				}
				before, want := len(post.Letters()), 1
				if strings.Contains(path, "bulk") {
					want = 2
				}
				ann.in(t).ok(http.MethodPost, path, said, &body, &sentMail{})
				for _, l := range post.Wait(t, before+want)[before:] {
					if l.Subject != "Form" || l.Text != "text\n--" || !bytes.Equal(l.Files["ä.bin"], []byte{0, 1, '\r', '\n', 255}) || len(l.Files["Rechnung.pdf"]) == 0 {
						t.Errorf("arrived %+v", l)
					}
				}
			})
		}
	}
}

func TestMailThatIsRefused(t *testing.T) {
	s, post := posting(t, memory.New(), 1000)
	guest := call(t, s)
	ann := guest.signed(servertest.SignUp(t, s.URL, "ann@example.org"))
	ben := guest.signed(servertest.SignUp(t, s.URL, "ben@example.org"))
	file := ben.upload("/api/Image/UploadFile", "file", "his.txt", "text/plain", []byte("his"))
	large := ann.upload("/api/Image/UploadFile", "file", "large.txt", "text/plain", bytes.Repeat([]byte("a"), 6<<20))
	to := func(more object) object {
		m := object{"toAddress": "cleo@example.org", "heading": "Hi", "body": "there"}
		maps.Copy(m, more)
		return m
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf("a%d@example.org", i)
	}
	for name, row := range map[string]struct {
		c      caller
		path   string
		body   object
		status int
	}{
		"a guest":                   {guest, "/api/sendmail", to(nil), 401},
		"a guest, to many":          {guest, "/api/sendmail/bulk", to(nil), 401},
		"nobody":                    {ann, "/api/sendmail", to(object{"toAddress": ""}), 400},
		"nobody, to many":           {ann, "/api/sendmail/bulk", object{"heading": "Hi"}, 400},
		"no address":                {ann, "/api/sendmail", to(object{"toAddress": "cleo"}), 400},
		"another header":            {ann, "/api/sendmail", to(object{"heading": "Hi\r\nBcc: d@example.org"}), 400},
		"another recipient":         {ann, "/api/sendmail", to(object{"toAddress": "c@example.org\r\nBcc: d@example.org"}), 400},
		"two recipients in one":     {ann, "/api/sendmail", to(object{"toAddress": "c@example.org, d@example.org"}), 400},
		"101 recipients":            {ann, "/api/sendmail/bulk", object{"ccAddresses": many, "heading": "Hi"}, 413},
		"a body of more than 1 MB":  {ann, "/api/sendmail", to(object{"body": strings.Repeat("a", 1<<20+1)}), 413},
		"somebody else's upload":    {ann, "/api/sendmail", to(object{"attachments": []string{file.URL}}), 404},
		"an address elsewhere":      {ann, "/api/sendmail", to(object{"attachments": []string{"http://169.254.169.254/latest/meta-data"}}), 404},
		"a file of the server":      {ann, "/api/sendmail", to(object{"attachments": []string{"file:///etc/passwd"}}), 404},
		"more than 10 MB of files":  {ann, "/api/sendmail", to(object{"attachments": []string{large.URL, large.URL}}), 413},
		"attachments that are none": {ann, "/api/sendmail", to(object{"attachments": "x"}), 400},
	} {
		t.Run(name, func(t *testing.T) { row.c.in(t).refused(row.status, row.path, row.body) })
	}
	var e wire.Error
	if status := ann.do(http.MethodPost, "/api/sendmail", asJSON, strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"to"), &e); status != http.StatusBadRequest {
		t.Errorf("half a form: %d %+v", status, e)
	}
	ann.json("/api/sendmail", to(nil), &sentMail{})
	if letters := post.Wait(t, 1); len(letters) != 1 || letters[0].To[0] != "cleo@example.org" {
		t.Errorf("arrived %+v", letters)
	}
	if left, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "mail/state/"}); err != nil || len(left) != 1 {
		t.Errorf("%d mails are noted, %v; want the one that was sent", len(left), err)
	}
}

func TestOnlyConfirmedPeopleSend(t *testing.T) {
	s, post := posting(t, memory.New(), 10, func(o *server.Options) { o.MailConfirmed = true })
	letter := object{"toAddress": "friend@example.org", "heading": "Hello"}
	ann := call(t, s).signed(servertest.SignUp(t, s.URL, "ann@example.org"))
	if e := ann.refused(http.StatusForbidden, "/api/sendmail", letter); !strings.Contains(e.Message, "confirmed") {
		t.Errorf("answered %q", e.Message)
	}
	var sent sentMail
	call(t, s).signed(servertest.Admin(t, s, "admin@example.org")).json("/api/sendmail", letter, &sent)
	if got := post.Wait(t, 1); !sent.Success || len(got) != 1 {
		t.Errorf("an admin is answered %+v, and %d mails arrive", sent, len(got))
	}
}

func TestMailHasARate(t *testing.T) {
	s, _ := posting(t, memory.New(), 3)
	ann := call(t, s).signed(servertest.SignUp(t, s.URL, "ann@example.org"))
	mail := object{"ccAddresses": []string{"a@example.org", "b@example.org"}, "heading": "Hi"}
	ann.json("/api/sendmail/bulk", mail, &sentMail{})
	text, err := json.Marshal(mail)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/sendmail/bulk", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", ann.headers["Authorization"])
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	wait, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if response.StatusCode != http.StatusTooManyRequests || err != nil || wait < 1 || wait > 3600 {
		t.Errorf("answered %s, Retry-After %q", response.Status, response.Header.Get("Retry-After"))
	}
	call(t, s).signed(servertest.SignUp(t, s.URL, "ben@example.org")).json("/api/sendmail/bulk", mail, &sentMail{})
}

func TestWhatBecameOfAMail(t *testing.T) {
	s, post := posting(t, memory.New(), 1000)
	post.Refuse(func(to string) error {
		if strings.HasPrefix(to, "nobody") {
			return &smtp.SMTPError{Code: 550, Message: "relay mx1.internal says no"}
		}
		return nil
	})
	guest := call(t, s)
	ann := guest.signed(servertest.SignUp(t, s.URL, "ann@example.org"))
	ben := guest.signed(servertest.SignUp(t, s.URL, "ben@example.org"))
	admin := guest.signed(servertest.Admin(t, s, "admin@example.org"))
	var good, bad sentMail
	ann.json("/api/sendmail", object{"toAddress": "cleo@example.org", "heading": "Hi"}, &good)
	ann.json("/api/sendmail", object{"toAddress": "nobody@example.org", "heading": "Hi"}, &bad)
	if s := become(ann, good.Data.ID); s.State != mail.Sent {
		t.Errorf("the good one is %+v", s)
	}
	if s := become(ann, bad.Data.ID); s.State != mail.Failed || s.To[0].Error != "" {
		t.Errorf("the bad one is %+v", s)
	}
	if s := become(admin, bad.Data.ID); !strings.Contains(s.To[0].Error, "mx1.internal") {
		t.Errorf("to an admin the bad one is %+v", s)
	}
	var failed struct {
		Mails []mail.Status
		Next  string
	}
	if admin.get("/api/mail/failed", &failed); len(failed.Mails) != 1 || failed.Mails[0].ID != bad.Data.ID {
		t.Errorf("the failed ones are %+v", failed)
	}
	for _, row := range []struct {
		who  string
		c    caller
		path string
		want int
	}{
		{"a guest", guest, "/api/mail/" + bad.Data.ID, 401},
		{"a stranger", ben, "/api/mail/" + bad.Data.ID, 404},
		{"the sender, another", ann, "/api/mail/nothing", 404},
		{"the sender, the failed", ann, "/api/mail/failed", 403},
	} {
		var e wire.Error
		if status := row.c.do(http.MethodGet, row.path, "", nil, &e); status != row.want {
			t.Errorf("%s: %d %+v; want %d", row.who, status, e, row.want)
		}
	}
}

// become waits until a mail is no longer queued.
func become(c caller, id string) mail.Status {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var s mail.Status
		c.get("/api/mail/"+id, &s)
		if s.State != mail.Queued {
			return s
		}
		if time.Now().After(end) {
			c.t.Fatalf("the mail is still %+v", s)
		}
	}
}

func TestAServerWithoutMailSaysHowToHaveIt(t *testing.T) {
	s := servertest.Start(t)
	ann := call(t, s).signed(servertest.SignUp(t, s.URL, "ann@example.org"))
	if e := ann.refused(http.StatusServiceUnavailable, "/api/sendmail", object{"toAddress": "a@example.org"}); !strings.Contains(e.Message, "--mail") {
		t.Errorf("it says %q", e.Message)
	}
}
