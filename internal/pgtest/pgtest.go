//go:build unix

// Package pgtest starts a PostgreSQL server for the tests of a package.
//
//	Database   an empty database on a server shared by the tests of the process; its files are in memory and not synced
//	New        a separate server whose commits wait for the disk, for tests that stop or kill it
//	Open       a server on a directory that is kept, for programs
//
// With -short, Database and New skip the test, because `make quick` does not install PostgreSQL.
//
// Servers listen on a Unix socket in their directory only. Servers end with the process that started them, even if the process is
// killed. The next process removes their directories.
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

// A Main runs tests and then stops the shared server: goleak.VerifyTestMain(pgtest.Main{M: m}).
type Main struct{ M interface{ Run() int } }

// Run implements goleak.TestingM.
func (m Main) Run() int {
	code := m.M.Run()
	if shared.Server != nil {
		shared.end()
	}
	return code
}

// shared is the server of all calls of Database.
var shared struct {
	sync.Mutex
	*Server
}

// Database creates an empty database on the shared server and returns its URL. The database is dropped when the test ends. The
// TestMain of the package must run a Main.
func Database(t testing.TB) (url string) {
	t.Helper()
	skipIfShort(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.Server == nil {
		s, err := create(memoryDir(), "-c", "fsync=off", "-c", "full_page_writes=off")
		if err != nil {
			t.Fatal(err)
		}
		shared.Server = s
	}
	return shared.Database(t)
}

func skipIfShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs PostgreSQL; run without -short")
	}
}

// memoryDir returns a directory in memory, or "" if the system has none.
func memoryDir() string {
	const shm = "/dev/shm"
	if _, err := os.Stat(shm); err != nil {
		return ""
	}
	return shm
}

// A Server is a PostgreSQL server that listens on a Unix socket in its own directory only.
type Server struct {
	dir       string
	options   []string
	databases atomic.Int64 // number of databases created by Database

	process *os.Process
	ended   chan struct{}
}

// New starts a server whose commits wait for the disk, for a test that stops or kills it.
func New(t testing.TB) *Server {
	t.Helper()
	skipIfShort(t)
	s, err := create("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	return s
}

// Open starts a server for a program on the files in a directory. The files are created if they do not exist, and kept when the
// server stops.
func Open(dir string, options ...string) (*Server, error) {
	s := &Server{dir: dir, options: options}
	if _, err := os.Stat(s.data()); err == nil {
		return s, s.start()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := s.initFiles(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.data()))
	}
	return s, s.start()
}

// EnsureDatabase creates a database unless it exists, and returns its URL.
func (s *Server) EnsureDatabase(name string) (url string, err error) {
	var pgError *pgconn.PgError
	if err := s.do("create database " + name); err != nil && (!errors.As(err, &pgError) || pgError.Code != "42P04") {
		return "", err
	}
	return s.url(name), nil
}

// Database creates an empty database and returns its URL. The database is dropped when the test ends.
func (s *Server) Database(t testing.TB) (url string) {
	t.Helper()
	name := fmt.Sprint("test_", s.databases.Add(1))
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

// create starts a server on new files in a new subdirectory of parent.
func create(parent string, options ...string) (*Server, error) {
	removeAbandoned(parent)
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, options: options}
	if err = s.initFiles(); err == nil {
		err = s.start()
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

// prefix starts the names of the directories of servers; the id of the process that created the directory follows.
const prefix = "weft-postgres-"

// removeAbandoned removes the directories of processes that have ended.
func removeAbandoned(parent string) {
	if parent == "" {
		parent = os.TempDir()
	}
	dirs, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, dir := range dirs {
		creator, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		if pid, err := strconv.Atoi(creator); err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}

func (s *Server) initFiles() error {
	if credential := owner(); credential != nil {
		if err := os.Chown(s.dir, int(credential.Uid), int(credential.Gid)); err != nil {
			return err
		}
	}
	initdb, err := s.command("initdb", "--pgdata", s.data(), "--username", "weft", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	if err != nil {
		return err
	}
	if output, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Start starts a server that was stopped or killed, and returns when it accepts connections. It tries for a minute, because
// PostgreSQL refuses to start while children of a killed server are still running.
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
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The server ends with the thread that started it; see dieWithParent.
		runtime.LockOSThread()
		started <- postgres.Start()
		_ = postgres.Wait()
		close(ended)
	}()
	if err := <-started; err != nil {
		return err
	}
	s.process, s.ended = postgres.Process, ended
	return s.waitUntilReady()
}

// waitUntilReady waits until the server executes a statement.
func (s *Server) waitUntilReady() error {
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
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("PostgreSQL does not start: %w\n%s", err, log)
	}
}

// Stop shuts the server down (fast shutdown).
func (s *Server) Stop() { s.signal(syscall.SIGINT) }

// Kill kills the server. Unlike a power failure, this keeps data that the operating system has not written to disk yet.
func (s *Server) Kill() { s.signal(syscall.SIGKILL) }

func (s *Server) signal(how syscall.Signal) {
	_ = s.process.Signal(how)
	<-s.ended
}

func (s *Server) end() {
	s.signal(syscall.SIGQUIT)
	_ = os.RemoveAll(s.dir)
}

// command returns a command of the newest installed PostgreSQL. PostgreSQL refuses to run as root, so root runs the command as
// the user postgres.
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

// version returns the version in a path: 15 for /usr/lib/postgresql/15/bin/initdb.
func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// owner returns the user that runs the server, or nil for the current user.
func owner() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	credential, err := user.Lookup("postgres")
	if err != nil {
		return nil
	}
	uid, _ := strconv.ParseUint(credential.Uid, 10, 32)
	gid, _ := strconv.ParseUint(credential.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
