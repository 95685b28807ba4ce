package main

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/weft-graph/weft/internal/pgtest"
)

var update = flag.Bool("update", false, "write the actual output of commands to the scripts")

func TestMain(m *testing.M) {
	http.DefaultClient.Timeout = 10 * time.Minute // limits how long a test can hang
	testscript.Main(pgtest.Main{M: m}, map[string]func(){"weft": func() { os.Exit(run()) }})
}

func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program many times, once with PostgreSQL")
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
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
