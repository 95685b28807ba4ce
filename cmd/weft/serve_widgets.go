package main

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

// widgetFlags configure whose widgets may run code, which libraries widgets may load, and which styles they keep.
type widgetFlags struct {
	TrustedOwners   []string `env:"WEFT_TRUSTED_OWNERS" placeholder:"ID" help:"Users whose public widgets may run code in pages. Widgets of admins always may."`
	SandboxOwners   []string `env:"WEFT_SANDBOX_OWNERS" placeholder:"ID" help:"Users whose widgets run code in a sandboxed frame without network access; all means every user. Widgets of other users are shown without running code."`
	WidgetLibraries []string `env:"WEFT_WIDGET_LIBRARIES" placeholder:"URL" help:"Where widgets may load scripts and styles from: sites, folders, or files with their hash, e.g. https://cdn.example.org/chart.js#sha384-… The default is none."`
	WidgetStyles    bool     `env:"WEFT_WIDGET_STYLES" help:"Keep the style attributes in the HTML of widgets."`
	WidgetHosts     []string `env:"WEFT_WIDGET_HOSTS" placeholder:"HOST" help:"Where widgets may load pictures and frames from, and trusted widgets fonts, e.g. img.example.org or *.example.org. The default is none."`
}

const allUsers = "all"

// policy parses the flags.
func (f widgetFlags) policy() (page.Policy, error) {
	p := page.Policy{Trusted: map[graph.ID]bool{}, Sandboxed: map[graph.ID]bool{}}
	for _, text := range f.TrustedOwners {
		id, err := parseOwner("--trusted-owners", text)
		if err != nil {
			return p, err
		}
		p.Trusted[id] = true
	}
	for _, text := range f.SandboxOwners {
		if text == allUsers {
			p.SandboxAll = true
			continue
		}
		id, err := parseOwner("--sandbox-owners", text)
		if err != nil {
			return p, err
		}
		p.Sandboxed[id] = true
	}
	for _, text := range f.WidgetLibraries {
		library, err := page.ParseLibrary(text)
		if err != nil {
			return p, usageErrorf("--widget-libraries: %w", err)
		}
		p.Libraries = append(p.Libraries, library)
	}
	var hosts []string
	for _, text := range f.WidgetHosts {
		host, err := page.ParseHost(text)
		if err != nil {
			return p, usageErrorf("--widget-hosts: %w", err)
		}
		hosts = append(hosts, host)
	}
	p.Looks = page.NewLooks(f.WidgetStyles, hosts)
	return p, nil
}

// parseOwner parses the id of a user. The anonymous user is refused, because any guest can act as it.
func parseOwner(flag, text string) (graph.ID, error) {
	id, err := graph.ParseID(text)
	if err != nil || !id.IsReal() || id == graph.Anonymous {
		return 0, usageErrorf("%s: %q is not the id of a user", flag, text)
	}
	return id, nil
}
