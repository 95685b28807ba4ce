// Package child runs servers as child processes, so that their memory can be measured separately. Children end with the
// program that started them, even if it is killed.
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

// A Process is a running server.
type Process struct {
	URL   string
	cmd   *exec.Cmd
	ended chan struct{}
}

// Start runs a program that prints its URL when it is ready. Its standard error is shown if VERSUS_LOG is set.
func Start(ctx context.Context, name string, args ...string) (*Process, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if os.Getenv("VERSUS_LOG") != "" {
		cmd.Stderr = os.Stderr
	}
	p, out, err := start(cmd)
	if err != nil {
		return nil, err
	}
	found := make(chan string, 1)
	go readURL(out, found)
	if p.URL = <-found; p.URL == "" {
		return nil, errors.Join(fmt.Errorf("%s ended before it was ready", name), p.Stop())
	}
	return p, nil
}

// StartPiped runs a program in a directory. The program must end when its input ends.
func StartPiped(ctx context.Context, dir, name string, args ...string) (p *Process, in io.WriteCloser, out io.ReadCloser, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if in, err = cmd.StdinPipe(); err != nil {
		return nil, nil, nil, err
	}
	p, out, err = start(cmd)
	return p, in, out, err
}

// start starts the command with a pipe for its output.
func start(cmd *exec.Cmd) (*Process, io.ReadCloser, error) {
	out, writer, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout, cmd.SysProcAttr = writer, dieWithParent()
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the child ends with the thread that started it
		started <- cmd.Start()
		_ = cmd.Wait() // the exit status after a signal differs between programs
		close(p.ended)
	}()
	if err := errors.Join(<-started, writer.Close()); err != nil {
		return nil, nil, errors.Join(err, out.Close())
	}
	return p, out, nil
}

// readURL sends the first URL in the output to found, or "" if the output has no URL. It then discards the rest
// of the output, so that the child never blocks.
func readURL(out io.ReadCloser, found chan<- string) {
	defer out.Close()
	defer close(found)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		url := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(url, "http://") && !strings.Contains(url, "?") {
			select {
			case found <- url:
			default:
			}
		}
	}
}

// Wait waits until the process has ended.
func (p *Process) Wait() { <-p.ended }

// Stop interrupts the process and waits until it has ended.
func (p *Process) Stop() error {
	err := p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.ended
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// PeakMemory returns the peak memory of the process in megabytes.
func (p *Process) PeakMemory() float64 {
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
