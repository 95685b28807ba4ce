package main

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

func TestWidgetFlags(t *testing.T) {
	for name, c := range map[string]struct {
		flags     widgetFlags
		trust     map[graph.ID]page.Trust
		wantError string // part of the message; "" if no error is expected
	}{
		"no flags":                {widgetFlags{}, map[graph.ID]page.Trust{7: page.Static, graph.System: page.Trusted, graph.Anonymous: page.Static}, ""},
		"some owners":             {widgetFlags{TrustedOwners: []string{"7"}, SandboxOwners: []string{"8", "9"}}, map[graph.ID]page.Trust{7: page.Trusted, 8: page.Sandboxed, 10: page.Static}, ""},
		"all sandboxed":           {widgetFlags{TrustedOwners: []string{"7"}, SandboxOwners: []string{"all"}}, map[graph.ID]page.Trust{7: page.Trusted, 8: page.Sandboxed, graph.Anonymous: page.Sandboxed}, ""},
		"all as trusted":          {widgetFlags{TrustedOwners: []string{"all"}}, nil, `--trusted-owners: "all" is not the id of a user`},
		"the anonymous user":      {widgetFlags{TrustedOwners: []string{"999"}}, nil, `--trusted-owners: "999" is not the id of a user`},
		"a name instead of an id": {widgetFlags{SandboxOwners: []string{"ann"}}, nil, `--sandbox-owners: "ann" is not the id of a user`},
		"a malformed library":     {widgetFlags{WidgetLibraries: []string{"*"}}, nil, `--widget-libraries: "*" is not the URL of a library`},
		"a malformed host":        {widgetFlags{WidgetHosts: []string{"img.test", "*"}}, nil, `--widget-hosts: "*" is not a host, such as img.example.org`},
	} {
		t.Run(name, func(t *testing.T) {
			policy, err := c.flags.policy()
			if c.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantError) {
					t.Errorf("the error is %v; want %q", err, c.wantError)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for owner, want := range c.trust {
				if got := policy.Trust(owner); got != want {
					t.Errorf("%d is trusted as %q; want %q", owner, got, want)
				}
			}
		})
	}
}
