package page

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Library is an address that widgets may load scripts and styles from: one file, or with a slash at the
// end everything below.
type Library struct {
	Address   string
	Integrity string // of a file, as in "sha384-…"; "" when it is not checked
}

// Libraries are all that widgets may load.
type Libraries []Library

// ParseLibrary reads "https://cdn.example.org", "https://cdn.example.org/lib/" or
// "https://cdn.example.org/lib/chart.js#sha384-…".
func ParseLibrary(text string) (Library, error) {
	address, integrity, checked := strings.Cut(text, "#")
	u, err := url.Parse(address)
	switch {
	case err != nil || !webAddress(address) || u.RawQuery != "" || !plainAddress.MatchString(address):
		return Library{}, graph.Errorf(graph.Invalid, "%q is no address of libraries; want one as in https://cdn.example.org/lib/", text)
	case u.Path == "":
		address += "/"
	}
	switch {
	case checked && strings.HasSuffix(address, "/"):
		return Library{}, graph.Errorf(graph.Invalid, "%q has a hash, and is no file", text)
	case checked && !integrityHash.MatchString(integrity):
		return Library{}, graph.Errorf(graph.Invalid, "%q is no hash of a file; want one as in sha384-…", integrity)
	}
	return Library{address, integrity}, nil
}

// Both stand in a Content-Security-Policy.
var (
	plainAddress  = regexp.MustCompile(`^https?://[\w.:\[\]-]+(/[\w.~%@+/-]*)?$`)
	integrityHash = regexp.MustCompile(`^sha(256|384|512)-[A-Za-z0-9+/]{40,}={0,2}$`)
)

// find is the address of a file that widgets may load, with its integrity hash as the fragment when the
// operator named one.
func (all Libraries) find(address string) (string, bool) {
	address, _, _ = strings.Cut(address, "#")
	u, err := url.Parse(address)
	if err != nil || !webAddress(address) || path.Clean(u.Path) != u.Path || strings.Contains(address, `\`) {
		return "", false // dots in a path would lead out of what is allowed
	}
	below := false
	for _, l := range all {
		if l.Address == address && l.Integrity != "" {
			return address + "#" + l.Integrity, true
		}
		below = below || l.Address == address || strings.HasSuffix(l.Address, "/") && strings.HasPrefix(address, l.Address)
	}
	return address, below
}

// Scripts are the sources to add to a policy for scripts: a file with a hash runs only as what it was.
func (all Libraries) Scripts() string {
	var b strings.Builder
	for _, l := range all {
		if l.Integrity != "" {
			b.WriteString(" '" + l.Integrity + "'")
		} else {
			b.WriteString(" " + l.Address)
		}
	}
	return b.String()
}

// Styles are the sources to add to a policy for styles.
func (all Libraries) Styles() string {
	var b strings.Builder
	for _, l := range all {
		b.WriteString(" " + l.Address)
	}
	return b.String()
}

// webAddress says whether a text is the whole address of something on the web.
func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}
