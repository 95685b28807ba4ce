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
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/mail/mailtest"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/wire"
)

// serveWithMail starts a server that sends mail, and the mail server it sends to.
func serveWithMail(t *testing.T, store graph.Store, rate int, change ...func(*server.Options)) (*servertest.Server, *mailtest.Server) {
	t.Helper()
	mailServer := mailtest.Start(t, "")
	sender, err := mail.DialSMTP(mailServer.URL, "", "Weft <weft@example.org>")
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
	return serveWithUploads(t, store, append(change, func(o *server.Options) { o.Mail = queue })...), mailServer
}

type sentMail struct {
	Success bool
	Message string
	Data    struct{ ID string }
}

func TestMail(t *testing.T) {
	for name, store := range map[string]graph.Store{"memory": memory.New(), "SQLite": inSQLite(t)} {
		t.Run(name, func(t *testing.T) { testMail(t, store) })
	}
}

func testMail(t *testing.T, store graph.Store) {
	s, mailServer := serveWithMail(t, store, 1000)
	ann := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, "ann@example.org"))
	file := ann.upload("/api/Image/UploadFile", "file", "Rechnung.pdf", "application/pdf", []byte("%PDF-1.4 invoice"))

	t.Run("sends JSON to one recipient", func(t *testing.T) {
		var responseBody sentMail
		before := len(mailServer.Emails())
		ann.in(t).postJSON("/api/sendmail", map[string]any{
			"toAddress": "ben@example.org", "heading": "Grüße", "body": `<p>Hi <script>x()</script><b>Ben</b></p>`, "attachments": []string{file.Data},
			"CaptchaToken": "03AG", "recaptchaAction": "send_mail",
		}, &responseBody)
		l := mailServer.Wait(t, before+1)[before]
		if l.To[0] != "ben@example.org" || l.Subject != "Grüße" || l.Text != "Hi Ben" || l.HTML != "<p>Hi <b>Ben</b></p>" || string(l.Files["Rechnung.pdf"]) != "%PDF-1.4 invoice" {
			t.Errorf("the e-mail = %+v; want the subject, text, HTML and file that were sent, to ben@example.org", l)
		}
		if !responseBody.Success || responseBody.Message == "" || !strings.Contains(l.Header.Get("Message-Id"), responseBody.Data.ID) || responseBody.Data.ID == "" {
			t.Errorf("response %+v", responseBody)
		}
	})
	t.Run("sends to several recipients, who do not see each other", func(t *testing.T) {
		before := len(mailServer.Emails())
		ann.in(t).postJSON("/api/sendmail/bulk", map[string]any{
			"ccAddresses": []string{"c@example.org", "d@example.org", "c@example.org"}, "toAddress": "e@example.org", "heading": "All", "body": "2 < 3",
		}, &sentMail{})
		var to []string
		for _, l := range mailServer.Wait(t, before+3)[before:] {
			to = append(to, l.To...)
			if len(l.To) != 1 || strings.Contains(fmt.Sprint(l.Header), "c@example.org") != (l.To[0] == "c@example.org") || l.Text != "2 < 3" {
				t.Errorf("the e-mail = %+v; want one recipient, c@example.org in the headers only of its own e-mail, and the text 2 < 3", l)
			}
		}
		slices.Sort(to)
		if strings.Join(to, " ") != "c@example.org d@example.org e@example.org" {
			t.Errorf("the e-mails went to %v", to)
		}
	})
	for name, kind := range map[string]string{
		"as a form": "", "as a form declared as JSON": asJSON, "as a form without its boundary": "text/plain",
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
				part.Write([]byte{0, 1, '\r', '\n', 255}) //nolint:errcheck // a buffer does not fail
				w.Close()
				contentType := kind
				if contentType == "" {
					contentType = w.FormDataContentType()
				}
				before, want := len(mailServer.Emails()), 1
				if strings.Contains(path, "bulk") {
					want = 2
				}
				ann.in(t).mustDo(http.MethodPost, path, contentType, &body, &sentMail{})
				for _, l := range mailServer.Wait(t, before+want)[before:] {
					if l.Subject != "Form" || l.Text != "text\n--" || !bytes.Equal(l.Files["ä.bin"], []byte{0, 1, '\r', '\n', 255}) || len(l.Files["Rechnung.pdf"]) == 0 {
						t.Errorf("the e-mail = %+v; want the subject, text and both files of the form", l)
					}
				}
			})
		}
	}
}

func TestMailIsRejected(t *testing.T) {
	s, mailServer := serveWithMail(t, memory.New(), 1000)
	guest := newCaller(t, s)
	ann := guest.withToken(servertest.SignUp(t, s.URL, "ann@example.org"))
	ben := guest.withToken(servertest.SignUp(t, s.URL, "ben@example.org"))
	file := ben.upload("/api/Image/UploadFile", "file", "his.txt", "text/plain", []byte("his"))
	large := ann.upload("/api/Image/UploadFile", "file", "large.txt", "text/plain", bytes.Repeat([]byte("a"), 6<<20))
	message := func(more object) object {
		m := object{"toAddress": "cleo@example.org", "heading": "Hi", "body": "there"}
		maps.Copy(m, more)
		return m
	}
	recipients := make([]string, 101)
	for i := range recipients {
		recipients[i] = fmt.Sprintf("a%d@example.org", i)
	}
	for name, row := range map[string]struct {
		caller caller
		path   string
		body   object
		status int
	}{
		"a guest":                                    {guest, "/api/sendmail", message(nil), 401},
		"a guest, in bulk":                           {guest, "/api/sendmail/bulk", message(nil), 401},
		"no recipient":                               {ann, "/api/sendmail", message(object{"toAddress": ""}), 400},
		"no recipient, in bulk":                      {ann, "/api/sendmail/bulk", object{"heading": "Hi"}, 400},
		"an invalid address":                         {ann, "/api/sendmail", message(object{"toAddress": "cleo"}), 400},
		"an injected header":                         {ann, "/api/sendmail", message(object{"heading": "Hi\r\nBcc: d@example.org"}), 400},
		"an injected recipient":                      {ann, "/api/sendmail", message(object{"toAddress": "c@example.org\r\nBcc: d@example.org"}), 400},
		"two recipients in one":                      {ann, "/api/sendmail", message(object{"toAddress": "c@example.org, d@example.org"}), 400},
		"101 recipients":                             {ann, "/api/sendmail/bulk", object{"ccAddresses": recipients, "heading": "Hi"}, 413},
		"a body of more than 1 MB":                   {ann, "/api/sendmail", message(object{"body": strings.Repeat("a", 1<<20+1)}), 413},
		"another user's upload":                      {ann, "/api/sendmail", message(object{"attachments": []string{file.URL}}), 404},
		"an address elsewhere":                       {ann, "/api/sendmail", message(object{"attachments": []string{"http://169.254.169.254/latest/meta-data"}}), 404},
		"a file of the server":                       {ann, "/api/sendmail", message(object{"attachments": []string{"file:///etc/passwd"}}), 404},
		"more than 10 MB of files":                   {ann, "/api/sendmail", message(object{"attachments": []string{large.URL, large.URL}}), 413},
		"attachments that are not a list of uploads": {ann, "/api/sendmail", message(object{"attachments": "x"}), 400},
	} {
		t.Run(name, func(t *testing.T) { row.caller.in(t).mustFailPost(row.status, row.path, row.body) })
	}
	var e wire.Error
	if status := ann.do(http.MethodPost, "/api/sendmail", asJSON, strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"to"), &e); status != http.StatusBadRequest {
		t.Errorf("a truncated form: status %d %+v; want 400", status, e)
	}
	ann.postJSON("/api/sendmail", message(nil), &sentMail{})
	if letters := mailServer.Wait(t, 1); len(letters) != 1 || letters[0].To[0] != "cleo@example.org" {
		t.Errorf("the e-mails = %+v; want one, to cleo@example.org", letters)
	}
	if remaining, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "mail/state/"}); err != nil || len(remaining) != 1 {
		t.Errorf("%d e-mails are stored, %v; want only the e-mail that was sent", len(remaining), err)
	}
}

func TestOnlyConfirmedUsersSendMail(t *testing.T) {
	s, mailServer := serveWithMail(t, memory.New(), 10, func(o *server.Options) { o.MailConfirmed = true })
	letter := object{"toAddress": "friend@example.org", "heading": "Hello"}
	ann := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, "ann@example.org"))
	if e := ann.mustFailPost(http.StatusForbidden, "/api/sendmail", letter); !strings.Contains(e.Message, "confirm your e-mail") {
		t.Errorf("the refusal = %q; want a message with \"confirm your e-mail\"", e.Message)
	}
	var sent sentMail
	newCaller(t, s).withToken(servertest.Admin(t, s, "admin@example.org")).postJSON("/api/sendmail", letter, &sent)
	if got := mailServer.Wait(t, 1); !sent.Success || len(got) != 1 {
		t.Errorf("the response to an admin = %+v, and %d e-mails arrived; want success and 1", sent, len(got))
	}
}

func TestMailRateIsLimited(t *testing.T) {
	s, _ := serveWithMail(t, memory.New(), 3)
	ann := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, "ann@example.org"))
	mail := object{"ccAddresses": []string{"a@example.org", "b@example.org"}, "heading": "Hi"}
	ann.postJSON("/api/sendmail/bulk", mail, &sentMail{})
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
		t.Errorf("status %s, Retry-After %q; want 429 and 1 to 3,600 seconds", response.Status, response.Header.Get("Retry-After"))
	}
	newCaller(t, s).withToken(servertest.SignUp(t, s.URL, "ben@example.org")).postJSON("/api/sendmail/bulk", mail, &sentMail{})
}

func TestOnlyTheSenderAndAdminsReadTheStateOfAnEmail(t *testing.T) {
	s, mailServer := serveWithMail(t, memory.New(), 1000)
	mailServer.Refuse(func(to string) error {
		if strings.HasPrefix(to, "nobody") {
			return &smtp.SMTPError{Code: 550, Message: "relay mx1.internal refuses"}
		}
		return nil
	})
	guest := newCaller(t, s)
	ann := guest.withToken(servertest.SignUp(t, s.URL, "ann@example.org"))
	ben := guest.withToken(servertest.SignUp(t, s.URL, "ben@example.org"))
	admin := guest.withToken(servertest.Admin(t, s, "admin@example.org"))
	var delivered, rejected sentMail
	ann.postJSON("/api/sendmail", object{"toAddress": "cleo@example.org", "heading": "Hi"}, &delivered)
	ann.postJSON("/api/sendmail", object{"toAddress": "nobody@example.org", "heading": "Hi"}, &rejected)
	if s := waitUntilProcessed(ann, delivered.Data.ID); s.State != mail.Sent {
		t.Errorf("the delivered e-mail = %+v; want the state sent", s)
	}
	if s := waitUntilProcessed(ann, rejected.Data.ID); s.State != mail.Failed || s.To[0].Error != "" {
		t.Errorf("the rejected e-mail = %+v; want the state failed, without the error of the mail server", s)
	}
	if s := waitUntilProcessed(admin, rejected.Data.ID); !strings.Contains(s.To[0].Error, "mx1.internal") {
		t.Errorf("the rejected e-mail, as an admin sees it = %+v; want the error of the mail server", s)
	}
	var failed struct {
		Mails []mail.Status
		Next  string
	}
	if admin.get("/api/mail/failed", &failed); len(failed.Mails) != 1 || failed.Mails[0].ID != rejected.Data.ID {
		t.Errorf("the failed e-mails = %+v; want only the rejected one, %s", failed, rejected.Data.ID)
	}
	for _, row := range []struct {
		who    string
		caller caller
		path   string
		want   int
	}{
		{"a guest", guest, "/api/mail/" + rejected.Data.ID, 401},
		{"another user", ben, "/api/mail/" + rejected.Data.ID, 404},
		{"the sender, an unknown e-mail", ann, "/api/mail/nothing", 404},
		{"the sender, the list of failed e-mails", ann, "/api/mail/failed", 403},
	} {
		var e wire.Error
		if status := row.caller.do(http.MethodGet, row.path, "", nil, &e); status != row.want {
			t.Errorf("%s: %d %+v; want %d", row.who, status, e, row.want)
		}
	}
}

// waitUntilProcessed waits until an e-mail has left the queue and returns its status.
func waitUntilProcessed(c caller, id string) mail.Status {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var s mail.Status
		c.get("/api/mail/"+id, &s)
		if s.State != mail.Queued {
			return s
		}
		if time.Now().After(end) {
			c.t.Fatalf("the e-mail is still %+v", s)
		}
	}
}

func TestServerWithoutMailNamesTheFlag(t *testing.T) {
	s := servertest.Start(t)
	ann := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, "ann@example.org"))
	if e := ann.mustFailPost(http.StatusServiceUnavailable, "/api/sendmail", object{"toAddress": "a@example.org"}); !strings.Contains(e.Message, "--mail") {
		t.Errorf("the message = %q; want it to name --mail", e.Message)
	}
}
