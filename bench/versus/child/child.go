// Package child runs servers as processes of their own, so that their memory can be told from ours. None outlives the
// program that began it, however that ends.
package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if os.Getenv("VERSUS_LOG") != "" {
		cmd.Stderr = os.Stderr
	}
	p, out, err := begin(cmd)
	if err != nil {
		return nil, err
	}
	said := make(chan string, 1)
	go listen(out, said)
	if p.URL = <-said; p.URL == "" {
		return nil, errors.Join(fmt.Errorf("%s ended before it was ready", name), p.Stop())
	}
	return p, nil
}

// Talk runs a program in a directory that ends when its input does.
func Talk(ctx context.Context, dir, name string, args ...string) (p *Process, in io.WriteCloser, out io.ReadCloser, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if in, err = cmd.StdinPipe(); err != nil {
		return nil, nil, nil, err
	}
	p, out, err = begin(cmd)
	return p, in, out, err
}

func begin(cmd *exec.Cmd) (*Process, io.ReadCloser, error) {
	out, its, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout, cmd.SysProcAttr = its, dieWithParent()
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	begun := make(chan error)
	go func() {
		runtime.LockOSThread() // the child ends with the thread that began it
		begun <- cmd.Start()
		_ = cmd.Wait() // what it says on being told to stop differs
		close(p.ended)
	}()
	if err := errors.Join(<-begun, its.Close()); err != nil {
		return nil, nil, errors.Join(err, out.Close())
	}
	return p, out, nil
}

// listen tells the first URL, or "" when there is none, and hears the rest, so that the child never waits for somebody to read.
func listen(out io.ReadCloser, said chan<- string) {
	defer out.Close()
	defer close(said)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		url := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(url, "http://") && !strings.Contains(url, "?") {
			select {
			case said <- url:
			default:
			}
		}
	}
}

// Wait returns when the process has ended.
func (p *Process) Wait() { <-p.ended }

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
