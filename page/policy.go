package page

import "github.com/weft-graph/weft/graph"

// Trust is how far the code of a widget may go.
type Trust string

// The levels of trust.
const (
	Static    Trust = ""        // nothing runs: sanitised HTML and scoped CSS
	Sandboxed Trust = "sandbox" // code runs in a frame without the page's origin, token or network
	Trusted   Trust = "trusted" // code runs in the page
)

// A Policy says whose widgets may do what. The zero Policy trusts the system alone.
type Policy struct {
	Admins     map[graph.ID]bool // publish pages, and are trusted
	Trusted    map[graph.ID]bool
	Sandboxed  map[graph.ID]bool
	SandboxAll bool
	Libraries  Libraries
}

// Trust is how far the code of an owner may go.
func (p Policy) Trust(owner graph.ID) Trust {
	switch {
	case owner == graph.System || p.Admins[owner] || p.Trusted[owner]:
		return Trusted
	case p.SandboxAll || p.Sandboxed[owner]:
		return Sandboxed
	default:
		return Static
	}
}

// Publishes says whether the pages of an owner are served.
func (p Policy) Publishes(owner graph.ID) bool { return owner == graph.System || p.Admins[owner] }

// adds says whether what somebody owns is part of what an owner made, when it hangs on it. A stranger's is
// not: it could replace a widget, or take its trust away.
func (p Policy) adds(by, owner graph.ID) bool { return by == owner || p.Trust(by) == Trusted }
