package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"weft": func() { os.Exit(run()) }})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			for name, path := range map[string]string{
				"SLICE":    "../../wordnet/testdata/slice",
				"EXAMPLES": "../../docs/examples",
			} {
				absolute, err := filepath.Abs(path)
				if err != nil {
					return err
				}
				env.Setenv(name, absolute)
			}
			env.Setenv("WEFT_DATA", filepath.Join(env.WorkDir, "graph"))
			return nil
		},
	})
}
