package main

import "github.com/weft-graph/weft/internal/typesource"

type typesCommand struct {
	graphFlags
	TS      bool   `xor:"language" required:"" name:"ts" help:"TypeScript: a module that defines the schema, from which the client infers all types."`
	Go      bool   `xor:"language" required:"" help:"Go: structs for schema.Define."`
	Package string `default:"model" help:"Name of the Go package."`
	Out     string `short:"o" type:"path" placeholder:"FILE" help:"File to write; the default is standard output."`
}

// Help implements kong.HelpProvider.
func (typesCommand) Help() string {
	return `Generates source code from the schema of a graph, for programs that do not define it themselves.`
}

// Run writes the source code.
func (c typesCommand) Run() error {
	ctx, stop := interruptible()
	defer stop()
	s, err := c.readSchema(ctx)
	if err != nil {
		return err
	}
	if c.TS {
		return writeOutput(c.Out, typesource.TypeScript(s))
	}
	source, err := typesource.Go(s, c.Package)
	if err != nil {
		return err
	}
	return writeOutput(c.Out, source)
}
