// Command weft is the whole of Weft in one program: the server, and the commands that put data in and
// look at it.
package main

import (
	"fmt"
	"os"

	"github.com/alecthomas/kong"
)

type commands struct {
	Serve  serveCommand  `cmd:"" help:"Serve a graph over HTTP."`
	Import importCommand `cmd:"" help:"Put data from files into a graph."`
	Query  queryCommand  `cmd:"" help:"Print the records a query finds."`
	Get    getCommand    `cmd:"" help:"Print concepts by id, or by type and value."`
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
		fmt.Fprintln(os.Stderr, "weft:", err)
		return 1
	}
	return 0
}
