package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/weft-graph/weft/internal/pgtest"
)

// A server is the server under attack.
type server struct {
	url   string
	data  string // data directory of the server
	limit int64  // --memory-limit in bytes
	store []string
	// postgres is the database server that was started for this run, or nil.
	postgres *pgtest.Server
	weft     string
	cmd      *exec.Cmd
	ended    chan struct{}
	mu       sync.Mutex
	sample   int64 // the largest resident memory seen since resetPeak, in bytes
	log      *tail
}

// ownPostgres is the value of -store for a PostgreSQL server that runs as long as the attacks.
const ownPostgres = "postgres"

// startServer starts the server with an empty store and waits until it is ready.
func startServer(ctx context.Context, o options, limit int64) (*server, error) {
	data, err := os.MkdirTemp("", "weft-abuse-")
	if err != nil {
		return nil, err
	}
	s := &server{data: data, limit: limit, weft: o.weft, ended: make(chan struct{}), log: &tail{}}
	s.store = []string{"--data", data}
	url := o.store
	if url == ownPostgres {
		if url, err = s.startPostgres(o.priority); err != nil { //nolint:contextcheck // close stops it
			return nil, err
		}
	}
	if url != "" {
		s.store = append(s.store, "--store", url)
	}
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--memory-limit", o.memory}, s.store...)
	s.cmd = exec.CommandContext(ctx, o.weft, args...)
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.Stderr = s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		return nil, fmt.Errorf("the server did not start: %s", s.log)
	}
	s.url = lines.Text()
	go func() {
		_ = s.cmd.Wait() // the exit status is the signal that ended the process
		close(s.ended)
	}()
	return s, nil
}

// startPostgres starts a PostgreSQL server and returns the URL of an empty database.
func (s *server) startPostgres(nice int) (url string, err error) {
	if s.postgres, err = pgtest.Open(s.data + "-postgres"); err != nil {
		return "", err
	}
	if nice != 0 {
		go s.raisePostgres(nice)
	}
	return s.postgres.EnsureDatabase("abuse")
}

// raisePostgres sets each process of the PostgreSQL server, each of which has its own session, to the priority of the run, until the
// server under attack has ended.
func (s *server) raisePostgres(nice int) {
	for tick := time.Tick(time.Second); ; {
		first, _ := os.ReadFile(s.data + "-postgres/data/postmaster.pid")
		pid, _, _ := strings.Cut(string(first), "\n")
		children, _ := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
		for _, process := range append(strings.Fields(string(children)), pid) {
			if id, err := strconv.Atoi(process); err == nil {
				_ = setSessionPriority(id, nice) // the process may have ended
			}
		}
		select {
		case <-tick:
		case <-s.ended:
			return
		}
	}
}

// resetPeak resets the peak memory of the server in the kernel.
func (s *server) resetPeak() error {
	s.mu.Lock()
	s.sample = 0
	s.mu.Unlock()
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0o600)
}

// killAt is the multiple of the memory limit at which the server is killed, so that a defect does not exhaust the memory of the
// machine.
const killAt = 3

// watchMemory samples the memory of the server for a while, and kills the server at killAt.
func (s *server) watchMemory(ctx context.Context, duration time.Duration) {
	end, tick := time.After(duration), time.NewTicker(100*time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			s.sample = max(s.sample, s.memory("VmRSS:"))
			tooLarge := s.sample > killAt*s.limit
			s.mu.Unlock()
			if tooLarge {
				_ = s.cmd.Process.Kill() // the phase ends when the server has ended
			}
		case <-end:
			return
		case <-s.ended:
			return
		case <-ctx.Done():
			return
		}
	}
}

// peak returns the largest resident memory since resetPeak, in bytes.
func (s *server) peak() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.sample, s.memory("VmHWM:"))
}

// memory returns a value from the kernel's status of the server, in bytes, or 0 if the server has ended.
func (s *server) memory(name string) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	_, rest, _ := bytes.Cut(status, []byte(name))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(string(line)), " kB"), 10, 64)
	return kilobytes << 10
}

// maxSettleTime is the maximum time that settle waits. Work that continues for longer counts in the next phase.
const maxSettleTime = 30 * time.Second

// settle waits until the server uses less than half a processor, so that the effects of an ended attack do not count in the
// next phase.
func (s *server) settle(ctx context.Context) {
	const interval = 500 * time.Millisecond
	last := s.processorTime()
	for end := time.Now().Add(maxSettleTime); time.Now().Before(end) && ctx.Err() == nil; {
		pause(ctx, interval)
		used := s.processorTime()
		if used-last < interval/2 {
			return
		}
		last = used
	}
}

// processorTime returns the processor time that the server has used, or 0 if the server has ended.
func (s *server) processorTime() time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(stat), ") ") // the name of the program may contain spaces
	fields := strings.Fields(rest)
	const user, system, ticks = 11, 12, 100 // positions after the name, and the ticks of a second
	if len(fields) <= system {
		return 0
	}
	var total time.Duration
	for _, field := range []string{fields[user], fields[system]} {
		n, _ := strconv.ParseInt(field, 10, 64)
		total += time.Duration(n) * time.Second / ticks
	}
	return total
}

// isAlive reports whether the server responds within ten seconds.
func (s *server) isAlive() bool {
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Get(s.url + "/api/health")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// stopAndCheck stops the server and checks its store.
func (s *server) stopAndCheck(ctx context.Context) error {
	select {
	case <-s.ended:
		return fmt.Errorf("the server ended: %s", s.log)
	default:
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		return errors.New("the server did not stop within a minute")
	}
	output, err := exec.CommandContext(ctx, s.weft, append([]string{"store", "check"}, s.store...)...).CombinedOutput() //nolint:gosec // our own program
	if err != nil {
		return fmt.Errorf("weft store check: %w: %s", err, output)
	}
	return nil
}

// close ends the server if it runs, and removes its data.
func (s *server) close() {
	_ = s.cmd.Process.Kill() // the process may have ended
	<-s.ended
	if s.postgres != nil {
		s.postgres.Stop()
	}
	_ = errors.Join(os.RemoveAll(s.data), os.RemoveAll(s.data+"-postgres")) // a leftover in the temporary directory is harmless
}

// A tail keeps the last lines of a log.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTailBytes is the number of bytes of a log that a tail keeps.
const maxTailBytes = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if extra := len(t.text) - maxTailBytes; extra > 0 {
		t.text = t.text[extra:]
	}
	return len(b), nil
}

// String returns the last lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
