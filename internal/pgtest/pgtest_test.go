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

const hang = "PGTEST_HANG"

// TestHang is what the other test kills.
func TestHang(t *testing.T) {
	if os.Getenv(hang) == "" {
		t.Skip("runs in a process of its own")
	}
	fmt.Println(pgtest.Database(t))
	select {}
}

func TestAKilledTestLeavesNoServerBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a child with its parent")
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestHang$", "-test.v")
	child.Env = append(os.Environ(), hang+"=1")
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
	_ = child.Wait() // says that it was killed
	for deadline := time.Now().Add(30 * time.Second); ping(t.Context(), url) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server is still there")
		}
	}
}

func TestTheFilesOfAProgramStay(t *testing.T) {
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
		url, err := server.Named("things")
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
