// Package vectors reads the cases under vectors/, which hold the rules in Go and their twins in
// TypeScript to the same answers.
package vectors

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-graph/weft/graph"
)

// A Case says what is true: Given this, the rule answers Want, or refuses with an error of kind Invalid.
type Case struct {
	Name    string          `json:"name"`
	Given   json.RawMessage `json:"given"`
	Want    json.RawMessage `json:"want"`
	Invalid graph.ErrorKind `json:"invalid"`
}

// Each runs check as a subtest for every case of an area. An area without cases fails: a test that reads
// nothing proves nothing.
func Each(t *testing.T, area string, check func(t *testing.T, c Case)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "vectors", area, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no cases in vectors/%s", area)
	}
	for _, file := range files {
		c := read(t, file)
		t.Run(c.Name, func(t *testing.T) { check(t, c) })
	}
}

func read(t *testing.T, file string) Case {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c Case
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if c.Name == "" || c.Given == nil || (c.Want == nil) == (c.Invalid == "") {
		t.Fatalf("%s: a case has a name, given, and either want or invalid", file)
	}
	return c
}

// root is the folder that holds go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		t.Fatal("no go.mod above the test")
	}
}

// Given decodes what a case gives.
func Given[T any](t *testing.T, c Case) T {
	t.Helper()
	return decode[T](t, c.Given)
}

// Want decodes what a case wants.
func Want[T any](t *testing.T, c Case) T {
	t.Helper()
	return decode[T](t, c.Want)
}

func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

// Refused says whether a case wants an error, and fails the test when err is not what it wants.
func (c Case) Refused(t *testing.T, err error) bool {
	t.Helper()
	if got := graph.KindOf(err); got != c.Invalid {
		t.Fatalf("the error is %q (%v); want %q", got, err, c.Invalid)
	}
	return c.Invalid != ""
}
