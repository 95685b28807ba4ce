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
	Version kong.VersionFlag `help:"Print the version."`
	Serve   serveCommand     `cmd:"" help:"Serve a graph over HTTP."`
	Import  importCommand    `cmd:"" help:"Put data from files into a graph."`
	Export  exportCommand    `cmd:"" set:"made=" help:"Write a graph to a file, as lines of JSON."`
	Query   queryCommand     `cmd:"" help:"Print the records a query finds."`
	Get     getCommand       `cmd:"" help:"Print concepts by id, or by type and value."`
	Store   storeCommand     `cmd:"" help:"Check a graph, or copy it elsewhere."`
	Backup  backupCommand    `cmd:"" set:"made=" help:"Make an archive of a graph, also of one being served."`
	Restore restoreCommand   `cmd:"" help:"Make a graph of an archive."`
	Content contentCommand   `cmd:"" help:"Edit the site as files: push, pull, list and publish pages and widgets."`
	User    userCommand      `cmd:"" help:"Make and steer accounts."`
	Key     keyCommand       `cmd:"" set:"made=" help:"Make and end API keys."`
	Bench   benchCommand     `cmd:"" help:"Make up data to measure with."`
}

func main() { os.Exit(run()) }

// run returns 0, 1 for what failed, or 2 for a command line that asks for nothing that can be done.
func run() int {
	var c commands
	var settings configured
	k := parser(&c, kong.Resolvers(&settings))
	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"--help"}
	}
	line, err := k.Parse(args)
	if settings.err != nil {
		err = settings.err
	}
	if err == nil {
		err = line.Run()
	}
	var unread *kong.ParseError
	var misused misuse
	switch {
	case err == nil:
		return 0
	case errors.As(err, &unread):
		fmt.Fprintf(os.Stderr, "weft: %v; see %s --help\n", explain(err, args), commandIn(unread))
		return 2
	case errors.As(err, &misused):
		fmt.Fprintln(os.Stderr, "weft:", err)
		return 2
	default:
		fmt.Fprintln(os.Stderr, "weft:", err)
		return 1
	}
}

// parser reads command lines into c.
func parser(c *commands, more ...kong.Option) *kong.Kong {
	return kong.Must(c, append(more,
		kong.Name("weft"),
		kong.Description("Weft keeps everything as concepts and the connections between them."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"version": version(), "made": " It is made when it is not there."},
	)...)
}

// A misuse is an error of the command line itself.
type misuse struct{ error }

func misusef(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// explain names the local id that was taken for a flag, if there is one.
func explain(err error, args []string) error {
	for _, arg := range args {
		if id, wrong := graph.ParseID(arg); wrong == nil && id.Local() {
			return notReal(id)
		}
	}
	return err
}

func notReal(id graph.ID) error {
	return misusef("%d is an id that a client made up; those in a graph are positive", id)
}

// commandIn is the command of a line that could not be read further.
func commandIn(err *kong.ParseError) string {
	if err.Context == nil || err.Context.Selected() == nil {
		return "weft"
	}
	return err.Context.Selected().FullPath()
}
