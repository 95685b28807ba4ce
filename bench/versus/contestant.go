package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A contestant is a server that holds the dataset.
type contestant struct {
	name string
	// asks holds a question by the name of what it measures. What a contestant cannot do is not in it.
	asks map[string]question
	// rows is how many records one request of a batch writes.
	rows    map[string]int
	process *process
}

// What is measured, in the order of the table.
const (
	getByID   = "get by id"
	getByPair = "get by (type, value)"
	adjacency = "connections of a source with their targets"
	nested    = "two levels of nesting"
	bulk      = "1,000 by id"
	batch1k   = "write 1,000 records, durable"
	batch2k   = "write 2,000 records, durable"
)

// A process is a server of its own, so that its memory can be told from ours.
type process struct {
	cmd *exec.Cmd
	url string
}

// start runs a program that prints its URL when it is ready.
func start(ctx context.Context, name string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	cmd.Stderr = os.Stderr
	if os.Getenv("VERSUS_LOG") == "" {
		cmd.Stderr = nil
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url := strings.TrimSpace(lines.Text()); strings.HasPrefix(url, "http://") && !strings.Contains(url, "?") {
			go func() { // so that it never waits for somebody to read
				for lines.Scan() {
				}
			}()
			return &process{cmd, url}, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s ended before it was ready", name), cmd.Wait())
}

func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	_ = p.cmd.Wait() // what it says on being told to stop differs
	return nil
}

// memory is the most the process has held at once, in megabytes.
func (p *process) memory() float64 {
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
