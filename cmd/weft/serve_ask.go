package main

import "github.com/weft-graph/weft/server"

// askFlags say whom questions in plain English go to.
type askFlags struct {
	AskURL    string `env:"WEFT_ASK_URL" placeholder:"URL" help:"A language model of yours that turns questions into queries: it is posted {\"question\": …} and answers {\"query\": …}. Visitors see a query before they run it. Left out, none is asked."`
	AskHeader string `secret:"" env:"WEFT_ASK_HEADER" placeholder:"HEADER" help:"A header for it that proves who asks, as in \"Authorization: Bearer …\"."`
}

// asker is whom to ask; nil for nobody.
func (f askFlags) asker() (*server.Asker, error) {
	if f.AskURL == "" {
		return nil, nil
	}
	asker, err := server.NewAsker(f.AskURL, f.AskHeader)
	if err != nil {
		return nil, misusef("--ask-url: %w", err)
	}
	return asker, nil
}
