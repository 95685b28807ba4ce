package main

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

func TestWhoseWidgetsRun(t *testing.T) {
	for name, c := range map[string]struct {
		flags widgetFlags
		trust map[graph.ID]page.Trust
		wrong string
	}{
		"nobody's":         {widgetFlags{}, map[graph.ID]page.Trust{7: page.Static, graph.System: page.Trusted, graph.Anonymous: page.Static}, ""},
		"those of some":    {widgetFlags{TrustedOwners: []string{"7"}, SandboxOwners: []string{"8", "9"}}, map[graph.ID]page.Trust{7: page.Trusted, 8: page.Sandboxed, 10: page.Static}, ""},
		"everybody's":      {widgetFlags{TrustedOwners: []string{"7"}, SandboxOwners: []string{"all"}}, map[graph.ID]page.Trust{7: page.Trusted, 8: page.Sandboxed, graph.Anonymous: page.Sandboxed}, ""},
		"all as trusted":   {widgetFlags{TrustedOwners: []string{"all"}}, nil, `--trusted-owners: "all" is no id of a user`},
		"those of nobody":  {widgetFlags{TrustedOwners: []string{"999"}}, nil, `--trusted-owners: "999" is no id of a user`},
		"those of a name":  {widgetFlags{SandboxOwners: []string{"ann"}}, nil, `--sandbox-owners: "ann" is no id of a user`},
		"a library nobody": {widgetFlags{WidgetLibraries: []string{"*"}}, nil, `--widget-libraries: "*" is no address of libraries`},
	} {
		t.Run(name, func(t *testing.T) {
			policy, err := c.flags.policy()
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("the error is %v; want %q", err, c.wrong)
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
