package page

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Library is a URL from which widgets may load scripts and styles: a file or, if the URL ends in a slash, all files
// below it.
type Library struct {
	Address   string
	Integrity string // hash of a file, as in "sha384-…"; "" if the file is not checked
}

// Libraries lists the URLs from which widgets may load.
type Libraries []Library

// ParseLibrary parses "https://cdn.example.org", "https://cdn.example.org/lib/" or
// "https://cdn.example.org/lib/chart.js#sha384-…". The error for any other text is Invalid.
func ParseLibrary(text string) (Library, error) {
	address, integrity, checked := strings.Cut(text, "#")
	u, err := url.Parse(address)
	switch {
	case err != nil || !isWebURL(address) || u.RawQuery != "" || !plainURL.MatchString(address):
		return Library{}, graph.Errorf(graph.Invalid, "%q is not the URL of a library, such as https://cdn.example.org/lib/", text)
	case u.Path == "":
		address += "/"
	}
	switch {
	case checked && strings.HasSuffix(address, "/"):
		return Library{}, graph.Errorf(graph.Invalid, "%q has a hash but does not name a file", text)
	case checked && !integrityHash.MatchString(integrity):
		return Library{}, graph.Errorf(graph.Invalid, "%q is not the hash of a file, such as sha384-…", integrity)
	}
	return Library{address, integrity}, nil
}

// These patterns allow only characters that are safe in a Content-Security-Policy.
var (
	plainURL      = regexp.MustCompile(`^https?://[\w.:\[\]-]+(/[\w.~%@+/-]*)?$`)
	integrityHash = regexp.MustCompile(`^sha(256|384|512)-[A-Za-z0-9+/]{40,}={0,2}$`)
)

// find returns the URL of a file if widgets may load it, with its integrity hash as the fragment if the operator has
// set a hash.
func (all Libraries) find(address string) (string, bool) {
	address, _, _ = strings.Cut(address, "#")
	u, err := url.Parse(address)
	if err != nil || !isWebURL(address) || path.Clean(u.Path) != u.Path || strings.Contains(address, `\`) {
		return "", false // dots in a path would lead out of the allowed folder
	}
	isAllowed := false
	for _, l := range all {
		if l.Address == address && l.Integrity != "" {
			return address + "#" + l.Integrity, true
		}
		isAllowed = isAllowed || l.Address == address || strings.HasSuffix(l.Address, "/") && strings.HasPrefix(address, l.Address)
	}
	return address, isAllowed
}

// Scripts returns the sources for script-src. A file with a hash runs only while its content has that hash.
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

// Styles returns the sources for style-src.
func (all Libraries) Styles() string {
	var b strings.Builder
	for _, l := range all {
		b.WriteString(" " + l.Address)
	}
	return b.String()
}

// Origins returns the origins of the libraries, such as "https://cdn.example.org", each once.
func (all Libraries) Origins() []string {
	var origins []string
	for _, l := range all {
		u, err := url.Parse(l.Address)
		if origin := u.Scheme + "://" + u.Host; err == nil && !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	return origins
}

// isWebURL reports whether text is an absolute http or https URL without credentials.
func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}
