// Command weft is the whole of Weft in one program: the server, and the commands that put data in and
// look at it.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/weft-graph/weft/graph"
)

type commands struct {
	Serve  serveCommand  `cmd:"" help:"Serve a graph over HTTP."`
	Import importCommand `cmd:"" help:"Put data from files into a graph."`
}

func main() { os.Exit(run()) }

func run() int {
	var c commands
	k := kong.Parse(&c,
		kong.Name("weft"),
		kong.Description("Weft keeps everything as concepts and the connections between them."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "weft:", explain(err))
		return 1
	}
	return 0
}

// explain tells the whole story of an error: whoever runs a command may see causes.
func explain(err error) string {
	var e *graph.Error
	if errors.As(err, &e) {
		return e.Error()
	}
	return err.Error()
}
