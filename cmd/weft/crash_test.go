package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/mail/mailtest"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// The server is killed repeatedly while clients send batches, and send unacknowledged batches again. At the end,
// the store must hold every acknowledged batch exactly once.
func TestKilledServersNeitherLoseNorDuplicateBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a server fifty times")
	}
	t.Parallel() // this test mostly waits
	const kills, writers = 50, 4
	binary, data, address := build(t), t.TempDir(), freeAddress(t)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wait sync.WaitGroup
	written := make([]int, writers)
	for w := range writers {
		wait.Go(func() { written[w] = syncUntil(ctx, t, "http://"+address, w) })
	}
	for range kills {
		server := startServer(t, binary, data, address)
		time.Sleep(time.Duration(rand.Int64N(int64(250 * time.Millisecond))))
		if err := server.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = server.Wait() // returns an error, because the process was killed
	}
	server := startServer(t, binary, data, address)
	stop()
	wait.Wait()
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the last server did not stop cleanly: %v", err)
	}
	t.Logf("%d kills, batches per writer: %v", kills, written)
	checkBatches(t, data, written)
}

// syncUntil sends batches, each until it is acknowledged, and returns their number. When ctx is cancelled it finishes
// the current batch.
func syncUntil(ctx context.Context, t *testing.T, url string, writer int) (batches int) {
	client := &http.Client{Timeout: 5 * time.Second}
	for ctx.Err() == nil {
		for !send(t, client, url, writer, batches) {
			time.Sleep(5 * time.Millisecond)
		}
		batches++
	}
	return batches
}

// send sends batch n of a writer and reports whether the server acknowledged it. The batch has the same ids each time,
// so it can be sent again. If the server refuses it, the test fails and send returns true.
func send(t *testing.T, client *http.Client, url string, writer, n int) bool {
	head := -100 - 2*n
	body := fmt.Sprintf(`{"concepts":[
		{"id":%[1]d,"categoryId":4,"typeCharacter":"the_crash","isComposition":true,"characterValue":""},
		{"id":%[2]d,"categoryId":4,"typeCharacter":"the_crash_key","characterValue":%[3]q}],
		"connections":[{"id":%[1]d,"ofTheConceptId":%[1]d,"toTheConceptId":%[2]d,"typeId":%[1]d,"orderId":1}]}`,
		head, head-1, key(writer, n))
	r, err := http.NewRequest(http.MethodPost, url+"/api/v1/local-concepts", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return true
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Randomizer", strconv.Itoa(writer))
	response, err := client.Do(r)
	if err != nil {
		return false // the server is down
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		t.Errorf("status %s: %s; want 200", response.Status, text)
		return true
	}
	return err == nil && bytes.HasSuffix(text, []byte("}"))
}

// key returns the value that identifies batch n of a writer.
func key(writer, n int) string { return fmt.Sprintf("%d-%d", writer, n) }

// checkBatches checks that the store holds each batch of each writer exactly once, and nothing else.
func checkBatches(t *testing.T, data string, written []int) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	types, err := graph.TypesNamed(t.Context(), store, "the_crash", "the_crash_key")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for writer, batches := range written {
		total += batches
		for n := range batches {
			keys, err := store.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: key(writer, n), Type: types["the_crash_key"].ID}})
			if err != nil || len(keys) != 1 {
				t.Errorf("batch %s: %d keys, %v; want 1", key(writer, n), len(keys), err)
				continue
			}
			links, err := store.Links(t.Context(), graph.Links{Of: []graph.ID{keys[0].ID}, Direction: graph.In})
			if err != nil || len(links) != 1 {
				t.Errorf("batch %s: %d connections, %v; want 1", key(writer, n), len(links), err)
			}
		}
	}
	if total == 0 {
		t.Error("nothing was written, so the test proves nothing")
	}
	for _, name := range []string{"the_crash", "the_crash_key"} {
		if n, err := store.CountByType(t.Context(), types[name].ID, 0); err != nil || n != total {
			t.Errorf("%d instances of %s, %v; want %d", n, name, err, total)
		}
	}
}

// build builds the program, once for all tests, and returns its path. It skips the test under the race detector, because the
// program would run without the detector.
func build(t *testing.T) string {
	t.Helper()
	race.Skip(t, "another process does the work")
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// buildOnce builds the program into the directory of the test binary that scripts run as weft. testscript removes this
// directory after the tests.
var buildOnce = sync.OnceValues(func() (string, error) {
	scriptBinary, err := exec.LookPath("weft")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(filepath.Dir(scriptBinary), "built")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
})

// freeAddress returns a local address whose port is not in use.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startServer starts a server and returns when it is ready.
func startServer(t *testing.T, binary, data, address string) *exec.Cmd {
	t.Helper()
	server, _ := startProgram(t, binary, "serve", "--listen", address, "--data", data, "--anonymous-writes")
	return server
}

// startProgram starts the program, waits up to a minute for its first line of output, and returns that line.
func startProgram(t *testing.T, binary string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	server := exec.Command(binary, args...)
	var log bytes.Buffer
	server.Stderr = &log
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // wait before its directory is removed
	})
	timeout := time.AfterFunc(time.Minute, func() { _ = server.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	timeout.Stop()
	if err != nil {
		_ = server.Wait()
		t.Fatalf("the server did not start: %v\n%s", err, log.Bytes())
	}
	return server, strings.TrimSpace(line)
}

// Acknowledged data survives a kill: an uploaded file, and an e-mail that could not be sent because the mail server
// was down. After the restart, the server must serve the file and send the e-mail exactly once.
func TestAKilledServerKeepsUploadsAndEmails(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and kills a server")
	}
	t.Parallel() // this test mostly waits
	binary, data, mailAddress := build(t), t.TempDir(), freeAddress(t)
	command := []string{"serve", "--listen", "127.0.0.1:0", "--data", data, "--mail", "smtp://" + mailAddress + "?tls=none", "--mail-from", "weft@example.org", "--mail-unconfirmed"}

	first, url := startProgram(t, binary, command...)
	token := servertest.SignUp(t, url, "ann@example.org")
	content := bytes.Repeat([]byte("what was uploaded\n"), 100_000)
	var file struct{ Data, Name string }
	contentType, body := multipartFile(t, "notes.txt", content)
	requestAs(t, token, http.MethodPost, url+"/api/Image/UploadFile", contentType, body, &file)
	message, err := json.Marshal(map[string]any{
		"toAddress": "ben@example.org", "heading": "Kept", "body": "through everything", "attachments": []string{file.Data},
	})
	if err != nil {
		t.Fatal(err)
	}
	var queued struct{ Data struct{ ID string } }
	requestAs(t, token, http.MethodPost, url+"/api/sendmail", "application/json", bytes.NewReader(message), &queued)
	status := func() (s mailStatus) {
		requestAs(t, token, http.MethodGet, url+"/api/mail/"+queued.Data.ID, "", nil, &s)
		return s
	}
	waitFor(t, "the server has tried to send the e-mail", func() bool { return status().Attempts > 0 })
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // returns an error, because the process was killed

	mailServer := mailtest.Start(t, mailAddress)
	_, url = startProgram(t, binary, command...)
	response, err := http.Get(url + "/uploads/" + file.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the upload: %s, %d bytes, %v; want the %d bytes that were sent", response.Status, len(got), err, len(content))
	}
	waitFor(t, "the e-mail is sent", func() bool { return status().State == "sent" })
	received := slices.DeleteFunc(mailServer.Emails(), func(l mailtest.Email) bool { return l.Subject != "Kept" }) // a new account also receives an e-mail
	if len(received) != 1 {
		t.Fatalf("%d e-mails arrived; want 1", len(received))
	}
	if l := received[0]; l.To[0] != "ben@example.org" || l.Text != "through everything" || !bytes.Equal(l.Files["notes.txt"], content) {
		t.Errorf("the e-mail is to %v with text %q and an attachment of %d bytes; want ben@example.org, \"through everything\", and the %d bytes that were sent", l.To, l.Text, len(l.Files["notes.txt"]), len(content))
	}
}

type mailStatus struct {
	State    string
	Attempts int
}

// multipartFile returns a multipart form with one file, and its content type.
func multipartFile(t *testing.T, name string, content []byte) (contentType string, body io.Reader) {
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

// requestAs sends a request with a token and decodes the JSON response into result.
func requestAs(t *testing.T, token, method, url, contentType string, body io.Reader, result any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s, %v", url, response.Status, text, err)
	}
	if err := json.Unmarshal(text, result); err != nil {
		t.Fatal(err)
	}
}
