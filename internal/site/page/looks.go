package page

import (
	"regexp"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Looks lists what the operator allows for the appearance of stored widgets, in addition to what every site allows. The
// zero Looks adds nothing. The browser renders by the same rules (web/react/src/stored/looks.ts).
type Looks struct {
	// Styles means that style attributes are kept, without the declarations that CheckCSS rejects.
	Styles bool `json:"styles"`
	// Hosts lists the origins from which pictures and frames of all widgets may be loaded, and from which fonts of
	// trusted widgets may be loaded, such as "https://img.example.org" or "https://*.example.org".
	Hosts []string `json:"hosts"`

	addresses *regexp.Regexp // the URLs of the hosts; nil for none
}

// NewLooks returns the looks with the given hosts, which are results of ParseHost.
func NewLooks(styles bool, hosts []string) Looks {
	l := Looks{Styles: styles, Hosts: hosts}
	if len(hosts) > 0 {
		l.addresses = addressesOf(hosts)
	}
	return l
}

func (l Looks) isZero() bool { return !l.Styles && l.addresses == nil }

// ParseHost returns the origin for a host such as "img.example.org", "*.example.org" or "http://127.0.0.1:8081". The
// default scheme is https. The error for any other text is Invalid.
func ParseHost(text string) (string, error) {
	host := text
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	if !hostSource.MatchString(host) {
		return "", graph.Errorf(graph.Invalid, "%q is not a host, such as img.example.org or *.example.org", text)
	}
	return host, nil
}

// hostSource allows only characters that are safe in a Content-Security-Policy. A star must be followed by two labels, so that it
// does not match a whole top-level domain.
var hostSource = regexp.MustCompile(`^https?://([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\*\.[a-z0-9-]+(\.[a-z0-9-]+)+)(:[0-9]{1,5})?$`)

// remotePath matches the end of the URLs that widgets may load from other sites. The characters have the same meaning in HTML,
// in CSS and in every browser. Userinfo, as in https://a@b, does not match.
const remotePath = `(?:/[\w./~%?=&+,;:@!*$#-]*)?`

// allows reports whether a URL is on one of the hosts.
func (l Looks) allows(address string) bool {
	return l.addresses != nil && l.addresses.MatchString(address)
}

// addressesOf returns a pattern of the URLs of hosts.
func addressesOf(hosts []string) *regexp.Regexp {
	var origins []string
	for _, host := range hosts {
		origins = append(origins, strings.ReplaceAll(regexp.QuoteMeta(host), `\*`, `[a-z0-9.-]+`))
	}
	return regexp.MustCompile(`^(?:` + strings.Join(origins, "|") + `)` + remotePath + `$`)
}

// sources returns the hosts for a directive of a Content-Security-Policy, with a space before each.
func (l Looks) sources() string {
	var b strings.Builder
	for _, host := range l.Hosts {
		b.WriteString(" " + host)
	}
	return b.String()
}

// frameSandbox is the attribute sandbox of stored frames: the pages in the frames work, but cannot navigate the page
// around them.
const frameSandbox = "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-presentation"
