// Package child runs servers as processes of their own, so that their memory can be told from ours. None outlives the
// program that began it, however that ends.
package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// A Process is a server.
type Process struct {
	URL   string
	cmd   *exec.Cmd
	ended chan struct{}
}

// Start runs a program that prints its URL when it is ready. What it says on standard error is heard if VERSUS_LOG is set.
func Start(ctx context.Context, name string, args ...string) (*Process, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = dieWithParent()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if os.Getenv("VERSUS_LOG") != "" {
		cmd.Stderr = os.Stderr
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	begun, said := make(chan error), make(chan string, 1)
	go func() {
		runtime.LockOSThread() // the child ends with the thread that began it
		err := cmd.Start()
		begun <- err
		if err == nil {
			listen(bufio.NewScanner(out), said)
			_ = cmd.Wait() // what it says on being told to stop differs
		}
		close(p.ended)
	}()
	if err := <-begun; err != nil {
		return nil, err
	}
	if p.URL = <-said; p.URL == "" {
		return nil, errors.Join(fmt.Errorf("%s ended before it was ready", name), p.Stop())
	}
	return p, nil
}

// listen tells the first URL, or "" when there is none, and hears the rest, so that the child never waits for somebody to read.
func listen(lines *bufio.Scanner, said chan<- string) {
	defer close(said)
	for lines.Scan() {
		url := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(url, "http://") && !strings.Contains(url, "?") {
			select {
			case said <- url:
			default:
			}
		}
	}
}

// Stop tells the process to end, and returns when it has.
func (p *Process) Stop() error {
	err := p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.ended
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Memory is the most the process has held at once, in megabytes.
func (p *Process) Memory() float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kb) / 1024
		}
	}
	return 0
}
