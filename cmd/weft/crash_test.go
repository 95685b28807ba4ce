package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlite"
)

// The server is killed while clients sync. Afterwards every batch that was answered is there, and none is
// there twice, though clients sent again whatever was not answered.
func TestKilledServersLoseAndDoubleNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a server fifty times")
	}
	t.Parallel() // it mostly waits
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
		server := start(t, binary, data, address)
		time.Sleep(time.Duration(rand.Int64N(int64(250 * time.Millisecond))))
		if err := server.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = server.Wait() // says that it was killed
	}
	server := start(t, binary, data, address)
	stop()
	wait.Wait()
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the last server did not stop cleanly: %v", err)
	}
	t.Logf("%d kills, batches per writer: %v", kills, written)
	verify(t, data, written)
}

// syncUntil writes batch after batch, each until it is answered, and returns how many there were. After
// the context has ended it finishes the batch it is at.
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

// send says whether the batch was answered with 200.
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
	answer, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", response.Status, answer)
		return true
	}
	return err == nil && bytes.HasSuffix(answer, []byte("}"))
}

func key(writer, n int) string { return fmt.Sprintf("%d-%d", writer, n) }

func verify(t *testing.T, data string, written []int) {
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
		t.Error("nothing was written; the test proves nothing")
	}
	for _, name := range []string{"the_crash", "the_crash_key"} {
		if n, err := store.CountByType(t.Context(), types[name].ID, 0); err != nil || n != total {
			t.Errorf("%d instances of %s, %v; %d were written", n, name, err, total)
		}
	}
}

func build(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// built is the program, built once for all tests. It stands beside the one that scripts run, in a directory that
// goes when the tests are over.
var built = sync.OnceValues(func() (string, error) {
	beside, err := exec.LookPath("weft")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(filepath.Dir(beside), "built")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
})

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start returns once the server says that it is ready.
func start(t *testing.T, binary, data, address string) *exec.Cmd {
	t.Helper()
	server, _ := launch(t, binary, "serve", "--listen", address, "--data", data, "--anonymous-writes")
	return server
}

// launch runs the program and returns the first line that it prints.
func launch(t *testing.T, binary string, args ...string) (*exec.Cmd, string) {
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
		_ = server.Wait() // its directory goes next
	})
	late := time.AfterFunc(time.Minute, func() { _ = server.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	late.Stop()
	if err != nil {
		_ = server.Wait()
		t.Fatalf("the server did not start: %v\n%s", err, log.Bytes())
	}
	return server, strings.TrimSpace(line)
}
