package page

import "github.com/weft-graph/weft/graph"

// Trust is the level of trust in the code of a widget.
type Trust string

// The levels of trust.
const (
	Static    Trust = ""        // nothing runs: sanitised HTML and scoped CSS
	Sandboxed Trust = "sandbox" // code runs in a frame without the page's origin, token or network
	Trusted   Trust = "trusted" // code runs in the page
)

// A Policy assigns rights to the owners of pages and widgets. The zero Policy trusts only the system.
type Policy struct {
	Admins     map[graph.ID]bool // may publish pages, and are trusted
	Trusted    map[graph.ID]bool // owners whose code runs in the page
	Sandboxed  map[graph.ID]bool // owners whose code runs in a frame
	SandboxAll bool              // the code of all other owners runs in a frame
	Libraries  Libraries         // libraries that code may load
	Looks      Looks             // what widgets may use in addition to what every site allows; the Cleaner must have the same Looks
	Cleaner    *Cleaner          // cleans and caches HTML; nil for no cache and the zero Looks
}

// Trust returns the level of trust in the code of an owner.
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

// Publishes reports whether the pages of an owner are served.
func (p Policy) Publishes(owner graph.ID) bool { return owner == graph.System || p.Admins[owner] }

// mayExtend reports whether a link or part of one owner counts as part of another owner's record. Links and parts of untrusted
// users do not count, because they could replace a widget, or lower its level of trust.
func (p Policy) mayExtend(partOwner, recordOwner graph.ID) bool {
	return partOwner == recordOwner || p.Trust(partOwner) == Trusted
}
