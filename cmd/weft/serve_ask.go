package main

import "github.com/weft-graph/weft/internal/server"

// askFlags configure the service that turns questions in plain English into queries.
type askFlags struct {
	AskURL    string `env:"WEFT_ASK_URL" placeholder:"URL" help:"Your language model service that turns questions into queries. The server posts {\"question\": …} and expects {\"query\": …}. Visitors see a query before they run it. The default is none."`
	AskHeader string `secret:"" env:"WEFT_ASK_HEADER" placeholder:"HEADER" help:"Header that authenticates this server to the service of --ask-url, e.g. \"Authorization: Bearer …\"."`
}

// asker returns the client of the service, or nil if none is configured.
func (f askFlags) asker() (*server.Asker, error) {
	if f.AskURL == "" {
		return nil, nil
	}
	asker, err := server.NewAsker(f.AskURL, f.AskHeader)
	if err != nil {
		return nil, usageErrorf("--ask-url: %w", err)
	}
	return asker, nil
}
