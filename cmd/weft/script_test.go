package main

import (
	"bytes"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/race"
)

var update = flag.Bool("update", false, "write the actual output of commands to the scripts")

func TestMain(m *testing.M) {
	http.DefaultClient.Timeout = 10 * time.Minute // limits the duration of a test that waits forever
	testscript.Main(pgtest.Main{M: m}, map[string]func(){"weft": func() { os.Exit(run()) }})
}

func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program many times, once with PostgreSQL")
	}
	testscript.Run(t, testscript.Params{
		Files:         scripts(t),
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			for name, path := range map[string]string{
				"SLICE":    "../../internal/dataset/wordnet/testdata/slice",
				"EXAMPLES": "../../docs/examples",
			} {
				absolute, err := filepath.Abs(path)
				if err != nil {
					return err
				}
				env.Setenv(name, absolute)
			}
			env.Setenv("WEFT_DATA", filepath.Join(env.WorkDir, "graph"))
			env.Setenv("WEFT_LISTEN", freeAddress(t))
			if filepath.Base(env.WorkDir) == "script-postgres" {
				env.Setenv("WEFT_POSTGRES", pgtest.Database(t))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ready": ready},
	})
}

// scripts returns the paths of the scripts. The race detector runs only those that start a server: other commands hardly use
// goroutines.
func scripts(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d scripts, %v", len(all), err)
	}
	return slices.DeleteFunc(all, func(path string) bool {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return race.Enabled && !bytes.Contains(text, []byte("\nready\n"))
	})
}

// ready is the script command that waits up to ten seconds until the server of the script responds.
func ready(ts *testscript.TestScript, _ bool, _ []string) {
	url := "http://" + ts.Getenv("WEFT_LISTEN") + "/api/health"
	for range 500 {
		if response, err := http.Get(url); err == nil {
			ts.Check(response.Body.Close())
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	ts.Fatalf("%s does not respond", url)
}
