// Command fuzz runs every fuzz test of the module in turn and prints the number of executions of each:
//
//	go run ./bench/fuzz -time 1h
//	go run ./bench/fuzz -time 30s -only 'upload|wire'
//
// The go command keeps failing inputs in the folder testdata/fuzz of the package, and they become part of its tests. The
// program exits with status 1 if a fuzz test failed.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	duration := flag.String("time", "1m", "how long each fuzz test runs, or how often, e.g. 1000x")
	only := flag.String("only", "", "regular expression of the tests to run, e.g. wire.FuzzSync")
	flag.Parse()
	if err := runAll(*duration, *only); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// A fuzzTest is one fuzz test of a package.
type fuzzTest struct{ folder, name string }

func (f fuzzTest) String() string { return f.folder + "." + f.name }

func runAll(duration, only string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	selected, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	tests, err := findTests()
	if err != nil {
		return err
	}
	fmt.Printf("| fuzz test | executions | new inputs | result |\n|---|--:|--:|---|\n")
	failed := 0
	for _, test := range tests {
		if !selected.MatchString(test.String()) {
			continue
		}
		if !test.run(ctx, duration) {
			failed++
		}
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d fuzz tests failed", failed)
	}
	return nil
}

var fuzzFunction = regexp.MustCompile(`(?m)^func (Fuzz[A-Za-z0-9]+)\([a-z]+ \*testing\.F\)`)

// findTests returns the fuzz tests of the module in the order of their folders. The folder is relative to the current
// folder.
func findTests() (tests []fuzzTest, err error) {
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		for _, found := range fuzzFunction.FindAllSubmatch(source, -1) {
			tests = append(tests, fuzzTest{filepath.Dir(path), string(found[1])})
		}
		return err
	})
	return tests, err
}

var progress = regexp.MustCompile(`execs: ([0-9]+) .*?(?:new interesting: ([0-9]+)|$)`)

// run runs the test and prints its row. It returns false if an input failed.
func (f fuzzTest) run(ctx context.Context, duration string) bool {
	command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+f.name+"$", "-fuzztime", duration, "./"+f.folder)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	executions, inputs, failure := "0", "0", strings.Builder{}
	for lines := bufio.NewScanner(output); err == nil && lines.Scan(); {
		if found := progress.FindStringSubmatch(lines.Text()); found != nil {
			executions, inputs = found[1], found[2]
			continue
		}
		fmt.Fprintln(&failure, lines.Text())
	}
	if err == nil {
		err = command.Wait()
	}
	result := "ok"
	if err != nil {
		result = "FAILED"
	}
	fmt.Printf("| %s | %s | %s | %s |\n", f, executions, inputs, result)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n%s", f, err, failure.String())
	}
	return err == nil
}
