// Command weft is Weft in one binary: the server, and the commands that import, query, copy and back up a graph.
//
// Each command is a struct: its fields are the flags, its Run method does the work (see commands). The files:
//
//	main.go               parses the command line; exit codes
//	serve.go              starts the parts of the server and stops them in reverse order
//	serve_*.go            each a group of flags of serve, and the part of the server that they configure
//	config.go             the file of --config, and --print-config
//	import*.go            imports; records.go writes JSON records, progress.go shows the progress
//	export.go             writes graph files; graphfile*.go define their format, read and survey them
//	get.go, query*.go     read a graph, in a store or over HTTP
//	store.go, copy.go     open, check and copy stores
//	backup.go             archives
//	content.go            the site as files
//	schema.go, types*.go  the types of records, and source code for them
//	user.go, key.go       accounts and API keys
//
// The value of a flag comes from the first of these sources that sets it: the command line, the environment variable of
// the flag, the file of --config (serve only), the default. Commands that only read can open the store while a server is
// running. Commands that write open it exclusively if it is SQLite.
//
// Exit codes: 0 success, 1 failure, 2 mistake in the command line. Results go to standard output; progress, logs and
// errors to standard error.
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
	Import  importCommand    `cmd:"" help:"Import data from files into a graph."`
	Export  exportCommand    `cmd:"" set:"made=" help:"Write a graph to a file, one JSON object per line."`
	Query   queryCommand     `cmd:"" help:"Print the records that a query finds."`
	Get     getCommand       `cmd:"" help:"Print concepts by id, or by type and value."`
	Store   storeCommand     `cmd:"" help:"Check a graph, or copy it elsewhere."`
	Backup  backupCommand    `cmd:"" set:"made=" help:"Write an archive of a graph, even while it is being served."`
	Restore restoreCommand   `cmd:"" help:"Restore a graph from an archive."`
	Content contentCommand   `cmd:"" help:"Edit the site as files: push, pull, list and publish pages and widgets."`
	Schema  schemaCommand    `cmd:"" help:"Define the types of records: push, pull, compare and check."`
	Types   typesCommand     `cmd:"" help:"Generate TypeScript or Go source code from the schema of a graph."`
	User    userCommand      `cmd:"" help:"Create and manage accounts."`
	Key     keyCommand       `cmd:"" set:"made=" help:"Create and revoke API keys."`
	Bench   benchCommand     `cmd:"" help:"Generate data for benchmarks."`
}

func main() { os.Exit(run()) }

// run executes the command line and returns the exit code: 0 for success, 1 for a failure, 2 for a usage error.
func run() int {
	var c commands
	var settings configFile
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
	var parseError *kong.ParseError
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &parseError):
		fmt.Fprintf(os.Stderr, "weft: %v; see %s --help\n", explainParseError(err, args), commandIn(parseError))
		return 2
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "weft:", err)
		return 2
	default:
		fmt.Fprintln(os.Stderr, "weft:", err)
		return 1
	}
}

// parser returns the parser of the command line, which fills c.
func parser(c *commands, more ...kong.Option) *kong.Kong {
	return kong.Must(c, append(more,
		kong.Name("weft"),
		kong.Description("Weft stores data as a graph of concepts and connections."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"version": version(), "made": " It is created if it does not exist."},
		limitDefaults,
		clientDefaults,
	)...)
}

// A usageError is a mistake in the command line or in the configuration; the exit code is 2.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// explainParseError replaces a parse error if an argument is a local id, because the parser mistakes such a negative
// number for a flag.
func explainParseError(err error, args []string) error {
	for _, arg := range args {
		if id, idErr := graph.ParseID(arg); idErr == nil && id.IsLocal() {
			return localIDError(id)
		}
	}
	return err
}

func localIDError(id graph.ID) error {
	return usageErrorf("%d is a local id of a client; ids of stored records are positive", id)
}

// commandIn returns the name of the command in whose arguments the error is, for the hint about --help.
func commandIn(err *kong.ParseError) string {
	if err.Context == nil || err.Context.Selected() == nil {
		return "weft"
	}
	return err.Context.Selected().FullPath()
}
