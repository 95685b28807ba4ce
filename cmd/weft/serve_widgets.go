package main

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// widgetFlags say whose widgets may run code, and what they may load.
type widgetFlags struct {
	TrustedOwners   []string `env:"WEFT_TRUSTED_OWNERS" placeholder:"ID" help:"Users whose public widgets run their code in pages, as those of admins do."`
	SandboxOwners   []string `env:"WEFT_SANDBOX_OWNERS" placeholder:"ID" help:"Users whose widgets run their code in a frame without network or rights; all means everybody. Widgets of others are shown and do not run."`
	WidgetLibraries []string `env:"WEFT_WIDGET_LIBRARIES" placeholder:"URL" help:"Where widgets may load scripts and styles from: sites, folders, or files with their hash, as in https://cdn.example.org/chart.js#sha384-… Left out, they load none."`
}

const everybody = "all"

// policy reads the flags.
func (f widgetFlags) policy() (page.Policy, error) {
	p := page.Policy{Trusted: map[graph.ID]bool{}, Sandboxed: map[graph.ID]bool{}}
	for _, text := range f.TrustedOwners {
		id, err := owner("--trusted-owners", text)
		if err != nil {
			return p, err
		}
		p.Trusted[id] = true
	}
	for _, text := range f.SandboxOwners {
		if text == everybody {
			p.SandboxAll = true
			continue
		}
		id, err := owner("--sandbox-owners", text)
		if err != nil {
			return p, err
		}
		p.Sandboxed[id] = true
	}
	for _, text := range f.WidgetLibraries {
		library, err := page.ParseLibrary(text)
		if err != nil {
			return p, misusef("--widget-libraries: %w", err)
		}
		p.Libraries = append(p.Libraries, library)
	}
	return p, nil
}

// owner reads the id of a user. What everybody shares can be trusted with nothing.
func owner(flag, text string) (graph.ID, error) {
	id, err := graph.ParseID(text)
	if err != nil || !id.Real() || id == graph.Anonymous {
		return 0, misusef("%s: %q is no id of a user", flag, text)
	}
	return id, nil
}
