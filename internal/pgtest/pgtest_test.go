package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main{M: m}.Run()) }

// hangVariable is the environment variable that makes TestHang run.
const hangVariable = "PGTEST_HANG"

// TestHang starts a server, prints the URL of a database and waits until TestServerEndsWithAKilledTest kills the process.
func TestHang(t *testing.T) {
	if os.Getenv(hangVariable) == "" {
		t.Skip("runs only in the process that TestServerEndsWithAKilledTest starts")
	}
	fmt.Println(pgtest.Database(t))
	select {}
}

func TestServerEndsWithAKilledTest(t *testing.T) {
	if testing.Short() {
		t.Skip("needs PostgreSQL; run without -short")
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can end a child process together with its parent")
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestHang$", "-test.v")
	child.Env = append(os.Environ(), hangVariable+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // === RUN
	lines.Scan()
	url := lines.Text()
	if err := ping(t.Context(), url); err != nil {
		t.Errorf("while the test runs: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // returns an error because the child was killed
	for deadline := time.Now().Add(30 * time.Second); ping(t.Context(), url) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server is still running")
		}
	}
}

func TestOpenKeepsFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("needs PostgreSQL; run without -short")
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, statement := range []string{"create table kept (x int)", "drop table kept"} {
		server, err := pgtest.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		url, err := server.EnsureDatabase("things")
		if err != nil {
			t.Fatal(err)
		}
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
		server.Stop()
	}
}

func ping(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}
