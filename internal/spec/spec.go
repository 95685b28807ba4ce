// Package spec runs the shared test cases in spec/, which verify that Go and TypeScript implement the same rules. The
// format of the cases is described in spec/README.md.
//
//	RunCases     runs a test for each case of an area
//	Given, Want  decode the parts of a case
//	Seed         writes the graph of a case to a store; the result converts between ids of the case and of the store
package spec

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-graph/weft/graph"
)

// A Case states that, for the input Given, a rule returns Want or fails with an error of kind Invalid.
type Case struct {
	Name    string          `json:"name"`
	Given   json.RawMessage `json:"given"`
	Want    json.RawMessage `json:"want"`
	Invalid graph.ErrorKind `json:"invalid"`
}

// RunCases runs check as a subtest for every case of an area. It fails for an area without cases.
func RunCases(t *testing.T, area string, check func(t *testing.T, c Case)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "spec", area, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no cases in spec/%s", area)
	}
	for _, file := range files {
		c := read(t, file)
		t.Run(c.Name, func(t *testing.T) { check(t, c) })
	}
}

// read reads and validates a case.
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
		t.Fatalf("%s: want a name, given, and either want or invalid", file)
	}
	return c
}

// root returns the folder that contains go.mod.
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
		t.Fatal("found no go.mod above the test")
	}
}

// Given decodes the input of a case.
func Given[T any](t *testing.T, c Case) T {
	t.Helper()
	return decode[T](t, c.Given)
}

// Want decodes the expected result of a case.
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

// WantsError reports whether a case expects an error. It fails the test if err does not have the expected kind.
func (c Case) WantsError(t *testing.T, err error) bool {
	t.Helper()
	if got := graph.KindOf(err); got != c.Invalid {
		t.Fatalf("the error is %q (%v); want %q", got, err, c.Invalid)
	}
	return c.Invalid != ""
}
