//go:build unix

// Package pgtest starts a PostgreSQL of its own for the tests of a package.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A Main runs tests and then stops the server they shared: goleak.VerifyTestMain(pgtest.Main{M: m}).
type Main struct{ M interface{ Run() int } }

// Run implements goleak.TestingM.
func (m Main) Run() int {
	code := m.M.Run()
	if shared.Server != nil {
		shared.end()
	}
	return code
}

// shared is for all tests of the process that do not care about its disk or its end.
var shared struct {
	sync.Mutex
	*Server
}

// Database makes an empty database on a server that the tests of the process share, and returns its URL.
// It is dropped when the test ends. The package's TestMain must run a Main.
func Database(t testing.TB) (url string) {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.Server == nil {
		s, err := create(memory(), "-c", "fsync=off", "-c", "full_page_writes=off")
		if err != nil {
			t.Fatal(err)
		}
		shared.Server = s
	}
	return shared.Database(t)
}

// memory is a directory for files that need not outlive the machine, or "" where there is none but the usual.
func memory() string {
	const shm = "/dev/shm"
	if _, err := os.Stat(shm); err != nil {
		return ""
	}
	return shm
}

// A Server is a PostgreSQL that listens on a socket in its own directory only.
type Server struct {
	dir     string
	options []string
	made    atomic.Int64

	process *os.Process
	ended   chan struct{}
}

// New starts a server whose commits wait for the disk, for a test that stops or kills it.
func New(t testing.TB) *Server {
	t.Helper()
	s, err := create("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	return s
}

// Open starts a server for a program, on the files in a directory: they are made if they are not there, and stay when the
// server is stopped.
func Open(dir string, options ...string) (*Server, error) {
	s := &Server{dir: dir, options: options}
	if _, err := os.Stat(s.data()); err == nil {
		return s, s.start()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := s.fill(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.data()))
	}
	return s, s.start()
}

// Named returns the URL of a database with a name, which is made if it is not there, and stays.
func (s *Server) Named(name string) (url string, err error) {
	var exists *pgconn.PgError
	if err := s.do("create database " + name); err != nil && (!errors.As(err, &exists) || exists.Code != "42P04") {
		return "", err
	}
	return s.url(name), nil
}

// Database makes an empty database and returns its URL. It is dropped when the test ends.
func (s *Server) Database(t testing.TB) (url string) {
	t.Helper()
	name := fmt.Sprint("test_", s.made.Add(1))
	if err := s.do("create database " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.do("drop database " + name + " with (force)"); err != nil {
			t.Error(err)
		}
	})
	return s.url(name)
}

func (s *Server) url(database string) string {
	return "postgres://weft@/" + database + "?host=" + s.dir
}

func (s *Server) do(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// create makes the files of a server in a directory of its own in another, and starts it.
func create(in string, options ...string) (*Server, error) {
	sweep(in)
	dir, err := os.MkdirTemp(in, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, options: options}
	if err = s.fill(); err == nil {
		err = s.start()
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

// prefix is how the directories of servers begin. The process that made one follows.
const prefix = "weft-postgres-"

// sweep removes what killed tests left behind.
func sweep(in string) {
	if in == "" {
		in = os.TempDir()
	}
	left, _ := filepath.Glob(filepath.Join(in, prefix+"*"))
	for _, dir := range left {
		maker, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		if pid, err := strconv.Atoi(maker); err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}

func (s *Server) fill() error {
	if who := owner(); who != nil {
		if err := os.Chown(s.dir, int(who.Uid), int(who.Gid)); err != nil {
			return err
		}
	}
	initdb, err := s.command("initdb", "--pgdata", s.data(), "--username", "weft", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	if err != nil {
		return err
	}
	if said, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, said)
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Start starts a server that was stopped or killed, and returns when it answers. The children of one that was
// killed live a little longer, and it refuses to start beside them.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = s.start(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

func (s *Server) start() error {
	args := append([]string{"-D", s.data(), "-c", "listen_addresses=", "-c", "unix_socket_directories=" + s.dir, "-c", "max_connections=300"}, s.options...)
	postgres, err := s.command("postgres", args...)
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	postgres.Stdout, postgres.Stderr = log, log
	begun, ended := make(chan error), make(chan struct{})
	go func() {
		// The server ends with the thread that began it; see dieWithParent.
		runtime.LockOSThread()
		begun <- postgres.Start()
		_ = postgres.Wait()
		close(ended)
	}()
	if err := <-begun; err != nil {
		return err
	}
	s.process, s.ended = postgres.Process, ended
	return s.answer()
}

// answer waits until the server does.
func (s *Server) answer() error {
	deadline := time.Now().Add(time.Minute)
	for {
		err := s.do("select 1")
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
		case <-time.After(10 * time.Millisecond):
			if time.Now().Before(deadline) {
				continue
			}
		}
		said, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("the PostgreSQL of this test does not start: %w\n%s", err, said)
	}
}

// Stop ends the server as an operator does.
func (s *Server) Stop() { s.signal(syscall.SIGINT) }

// Kill ends the server as a power cut does, but for what the system has not written yet.
func (s *Server) Kill() { s.signal(syscall.SIGKILL) }

func (s *Server) signal(how syscall.Signal) {
	_ = s.process.Signal(how)
	<-s.ended
}

func (s *Server) end() {
	s.signal(syscall.SIGQUIT)
	_ = os.RemoveAll(s.dir)
}

// command is a program of PostgreSQL, run as the user postgres by root, whom it refuses.
func (s *Server) command(name string, args ...string) (*exec.Cmd, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	path := name
	if len(found) > 0 {
		path = slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL is not installed; `make test` installs it: %w", err)
	}
	c := exec.Command(path, args...)
	c.Dir = s.dir
	c.SysProcAttr = dieWithParent()
	c.SysProcAttr.Credential = owner()
	return c, nil
}

// version is 15 for /usr/lib/postgresql/15/bin/initdb.
func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// owner is whom the server runs as, or nil for ourselves.
func owner() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		return nil
	}
	uid, _ := strconv.ParseUint(who.Uid, 10, 32)
	gid, _ := strconv.ParseUint(who.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
