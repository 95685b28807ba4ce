package outbox_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/client/outbox"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
)

// childVariable makes the test binary write to an outbox until it is killed. Its value holds the file, the URL of the server and
// the name of the run.
const childVariable = "WEFT_OUTBOX_CHILD"

func TestMain(m *testing.M) {
	if settings := os.Getenv(childVariable); settings != "" {
		writeUntilKilled(strings.Split(settings, "|"))
	}
	goleak.VerifyTestMain(m)
}

type Crash struct {
	ID  graph.ID
	Key string `weft:",required"`
}

// writeUntilKilled creates a record for each byte of its input, and prints the key of each record once it is stored in the outbox.
func writeUntilKilled(settings []string) {
	ctx := context.Background()
	box, err := outbox.Open(ctx, settings[0], client.New(settings[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	requests := bufio.NewReader(os.Stdin)
	for n := 0; ; n++ {
		if _, err := requests.ReadByte(); err != nil {
			os.Exit(1)
		}
		key := fmt.Sprintf("%s-%d", settings[2], n)
		if _, err := client.For[Crash](box).Create(ctx, Crash{Key: key}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(key)
	}
}

// The test repeatedly kills a program that writes to an outbox, and its server. At the end, the server must have exactly one record for
// each write that was stored in the outbox.
func TestKilledProgramsAndServersNeitherLoseNorDoubleWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("kills programs and servers")
	}
	race.Skip(t, "other processes write")
	const runs, maxWrites = 6, 60
	const ahead = 10 // writes that the program may make before the test reads that the first of these is stored
	directory := t.TempDir()
	binary, data, path := filepath.Join(directory, "weft"), filepath.Join(directory, "data"), filepath.Join(directory, "outbox.db")
	if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/weft").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	server := startServer(t, binary, data, address)
	saved, unfinished := map[string]bool{}, map[string]bool{}
	for run := range runs {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%s|http://%s|%d", childVariable, path, address, run))
		requests, err := child.StdinPipe()
		check(t, err)
		lines := start(t, child)
		_, err = requests.Write(make([]byte, ahead))
		check(t, err)
		writes := 1 + rand.IntN(maxWrites)
		killedAt := rand.IntN(writes)
		for n := range writes {
			if !lines.Scan() {
				t.Fatalf("the program ended after %d writes: %s", n, child.Stderr)
			}
			saved[lines.Text()] = true
			_, err := requests.Write([]byte{0})
			check(t, err)
			if n == killedAt {
				kill(server)
				server = startServer(t, binary, data, address)
			}
		}
		kill(child)
		for lines.Scan() { // lines that the program printed before it was killed
			saved[lines.Text()] = true
		}
		unfinished[fmt.Sprintf("%d-%d", run, countOf(saved, fmt.Sprint(run, "-")))] = true
	}
	checkCrashes(t, path, "http://"+address, saved, unfinished)
	t.Logf("%d runs stored %d writes", runs, len(saved))
}

func countOf(keys map[string]bool, prefix string) (n int) {
	for key := range keys {
		if strings.HasPrefix(key, prefix) {
			n++
		}
	}
	return n
}

// checkCrashes sends the remaining writes and compares the records of the server with the saved writes. An unfinished write, which the
// program had not reported when it was killed, may exist once.
func checkCrashes(t *testing.T, path, url string, saved, unfinished map[string]bool) {
	t.Helper()
	c := client.New(url)
	defer c.Close()
	box, err := outbox.Open(t.Context(), path, c)
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	t.Logf("%d writes are pending", len(box.Status().Writes))
	check(t, box.Flush(t.Context()))
	found := map[string]int{}
	for record, err := range client.For[Crash](c).Find().Limit(1000).All(t.Context()) {
		check(t, err)
		found[record.Key]++
	}
	for key := range saved {
		if found[key] != 1 {
			t.Errorf("the server has %s %d times; want once", key, found[key])
		}
	}
	for key, n := range found {
		if !saved[key] && (!unfinished[key] || n != 1) {
			t.Errorf("the server has %s %d times, and the outbox did not report the write as stored; want none, or one if the write was unfinished", key, n)
		}
	}
}

func startServer(t *testing.T, binary, data, address string) *exec.Cmd {
	t.Helper()
	server := exec.Command(binary, "serve", "--listen", address, "--data", data, "--anonymous-writes")
	if lines := start(t, server); !lines.Scan() {
		t.Fatalf("the server did not start: %s", server.Stderr)
	}
	return server
}

// start starts a program and returns the lines that it prints.
func start(t *testing.T, program *exec.Cmd) *bufio.Scanner {
	t.Helper()
	program.Stderr = &bytes.Buffer{}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(program) })
	return bufio.NewScanner(out)
}

// kill kills a program and waits for the process, but not for its output, which can still be read.
func kill(program *exec.Cmd) {
	if program.ProcessState == nil {
		_ = program.Process.Kill()
		program.ProcessState, _ = program.Process.Wait()
	}
}
