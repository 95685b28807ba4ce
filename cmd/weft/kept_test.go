package main

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"testing"

	"github.com/weft-graph/weft/mail/mailtest"
	"github.com/weft-graph/weft/server/servertest"
)

// What was acknowledged is kept: a file that was uploaded, and a mail that could not be sent because the mail
// server was down. The server is killed; another one serves the file and sends the mail, once.
func TestAKilledServerKeepsUploadsAndMails(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and kills a server")
	}
	t.Parallel() // it mostly waits
	binary, data, post := build(t), t.TempDir(), freeAddress(t)
	command := []string{"serve", "--listen", "127.0.0.1:0", "--data", data, "--mail", "smtp://" + post + "?tls=none", "--mail-from", "weft@example.org", "--mail-unconfirmed"}

	first, url := launch(t, binary, command...)
	token := servertest.SignUp(t, url, "ann@example.org")
	content := bytes.Repeat([]byte("what was uploaded\n"), 100_000)
	var file struct{ Data, Name string }
	kind, body := attachment(t, "notes.txt", content)
	askAs(t, token, http.MethodPost, url+"/api/Image/UploadFile", kind, body, &file)
	letter, err := json.Marshal(map[string]any{
		"toAddress": "ben@example.org", "heading": "Kept", "body": "through everything", "attachments": []string{file.Data},
	})
	if err != nil {
		t.Fatal(err)
	}
	var sent struct{ Data struct{ ID string } }
	askAs(t, token, http.MethodPost, url+"/api/sendmail", "application/json", bytes.NewReader(letter), &sent)
	mail := func() (s mailStatus) {
		askAs(t, token, http.MethodGet, url+"/api/mail/"+sent.Data.ID, "", nil, &s)
		return s
	}
	until(t, "the mail is tried", func() bool { return mail().Attempts > 0 })
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // says that it was killed

	letters := mailtest.Start(t, post)
	_, url = launch(t, binary, command...)
	response, err := http.Get(url + "/uploads/" + file.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the upload is %s, %d bytes, %v", response.Status, len(got), err)
	}
	until(t, "the mail is sent", func() bool { return mail().State == "sent" })
	arrived := slices.DeleteFunc(letters.Letters(), func(l mailtest.Letter) bool { return l.Subject != "Kept" }) // a new account gets mail too
	if len(arrived) != 1 {
		t.Fatalf("%d mails have arrived; want 1", len(arrived))
	}
	if l := arrived[0]; l.To[0] != "ben@example.org" || l.Text != "through everything" || !bytes.Equal(l.Files["notes.txt"], content) {
		t.Errorf("it is to %v and says %q, with %d bytes attached", l.To, l.Text, len(l.Files["notes.txt"]))
	}
}

type mailStatus struct {
	State    string
	Attempts int
}

func attachment(t *testing.T, name string, content []byte) (kind string, body io.Reader) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	return w.FormDataContentType(), &b
}

func askAs(t *testing.T, token, method, url, kind string, body io.Reader, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s, %v", url, response.Status, answer, err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatal(err)
	}
}
