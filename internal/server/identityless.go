package server

import (
	"crypto/sha256"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
)

// Clients of the contract send three reads without any header that identifies their user. This file finds the user, so
// that these reads see the user's private records:
//
//	a reader cookie of an active session           that user, for all three reads
//	a recent signed request from the same place    the only user of that place, for the two reads that return
//	                                               connections, which contain ids and no values
//	otherwise                                      a guest
//
// A place is an address, a user agent and an origin. The threat model is in docs/decisions/0028.

// IdentityLessReads selects how the server finds the user of a read without identity.
type IdentityLessReads string

// The values of IdentityLessReads. For any other value, a read without identity is a read of a guest.
const (
	ReadsByCookie   IdentityLessReads = "cookie"
	ReadsByActivity IdentityLessReads = "recent" // by the cookie or, without one, by recent signed requests
)

const (
	// readerCookie is the name of the cookie with a reader token; see account.IdentifyReader.
	readerCookie = "weft_reader"
	// readerWindow is how long a signed request identifies the user of its place.
	readerWindow = 15 * time.Minute
	// maxUnsignedReads is the maximum number of reads without identity at a place after its last signed request.
	maxUnsignedReads = 500
	// maxPlacesPerGeneration is the maximum number of places in a generation of readerPlaces. A place takes about 200
	// bytes.
	maxPlacesPerGeneration = 20_000
)

// An unsignedRead determines how the server finds the user of a request without identity.
type unsignedRead int

const (
	needsIdentity     unsignedRead = iota
	withRecentRequest              // connections: found by the cookie or a recent request
	withCookie                     // concepts: found by the cookie only
)

// withoutIdentity returns an endpoint that clients of the contract call without identity.
func withoutIdentity(kind unsignedRead, e endpoint) endpoint {
	e.unsigned = kind
	return e
}

// readerDirectory finds the users of reads without identity.
type readerDirectory struct {
	mode      IdentityLessReads
	accounts  *account.Accounts
	addresses clientAddresses
	publicURL string
	places    readerPlaces
}

// identify returns the identity for a request that was sent with the identity sent. It records a request with an
// identity. If the request is a read without identity, it returns the identity of the user that it finds.
func (d *readerDirectory) identify(r *http.Request, e endpoint, sent account.Identity) (account.Identity, error) {
	if d.mode == "" || d.accounts == nil {
		return sent, nil
	}
	if declaresIdentity(r) {
		d.record(r, sent)
		return sent, nil
	}
	if e.unsigned == needsIdentity {
		return sent, nil
	}
	if cookie, err := r.Cookie(readerCookie); err == nil {
		if found, err := d.accounts.IdentifyReader(r.Context(), cookie.Value); err != nil || found.User != graph.Anonymous {
			return found, err
		}
	}
	if d.mode != ReadsByActivity || e.unsigned != withRecentRequest {
		return sent, nil
	}
	place, ok := d.place(r)
	if !ok {
		return sent, nil
	}
	user, session := d.places.reader(place, d.accounts.CurrentTime())
	if user == 0 {
		return sent, nil
	}
	return d.accounts.SessionReader(r.Context(), user, session)
}

// declaresIdentity reports whether a request has one of the headers that identify its sender. The headers may
// identify a guest.
func declaresIdentity(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get("X-Session-Id") != "" || r.Header.Get("Randomizer") != ""
}

// record records a request of a user with a session token, or of a guest.
func (d *readerDirectory) record(r *http.Request, who account.Identity) {
	isGuest := who.User == graph.Anonymous
	if d.mode != ReadsByActivity || !isGuest && !who.HasSessionToken {
		return
	}
	place, ok := d.place(r)
	switch {
	case !ok:
	case isGuest:
		d.places.recordGuest(place, d.accounts.CurrentTime())
	default:
		d.places.recordUser(place, who.User, who.SessionID, d.accounts.CurrentTime())
	}
}

// A placeKey is the hash of an address, a user agent and an origin.
type placeKey [sha256.Size]byte

// place returns the place of a request. It returns false if the address may belong to a proxy, which many users share.
func (d *readerDirectory) place(r *http.Request) (placeKey, bool) {
	address, ok := d.addresses.ownAddress(r)
	agent, origin := r.UserAgent(), r.Header.Get("Origin")
	if origin == "" { // browsers omit it in GET requests to the same origin
		origin = siteURL(r, d.publicURL)
	}
	if !ok || agent == "" || origin == "null" || !r.ProtoAtLeast(1, 1) {
		return placeKey{}, false
	}
	if !d.addresses.isTrustedRemote(r) && isInternalAddress(address) && !isInternalOrigin(origin) {
		return placeKey{}, false // the request comes from a proxy in front of this server that the operator did not configure
	}
	return sha256.Sum256([]byte(address.String() + "\x00" + agent + "\x00" + origin)), true
}

// forwardingHeaders are the headers that proxies add.
var forwardingHeaders = []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"}

// ownAddress returns the address of a client. It returns false if the address may belong to a proxy: an unknown
// proxy that added a header, or a trusted proxy that did not name the client.
func (c clientAddresses) ownAddress(r *http.Request) (netip.Addr, bool) {
	address := c.of(r)
	if c.isTrustedRemote(r) {
		return address, address.IsValid() && !c.isTrusted(address)
	}
	for _, name := range forwardingHeaders {
		if r.Header.Get(name) != "" {
			return address, false
		}
	}
	return address, address.IsValid()
}

// isTrustedRemote reports whether a request comes from a proxy that the operator trusts.
func (c clientAddresses) isTrustedRemote(r *http.Request) bool {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && c.isTrusted(remote.Addr().Unmap())
}

// isInternalAddress reports whether an address belongs to this machine or to a private network.
func isInternalAddress(address netip.Addr) bool {
	return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast() || sharedAddressSpace.Contains(address)
}

// sharedAddressSpace is used inside the networks of providers (RFC 6598).
var sharedAddressSpace = netip.MustParsePrefix("100.64.0.0/10")

// isInternalOrigin reports whether an origin names this machine or a machine in a private network.
func isInternalOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if address, err := netip.ParseAddr(host); err == nil {
		return isInternalAddress(address)
	}
	for _, suffix := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return host != "" && !strings.Contains(host, ".")
}

// readerPlaces holds the users of recent signed requests by place. When the young generation is full, it becomes the
// old generation, and the previous old generation is evicted.
type readerPlaces struct {
	mu         sync.Mutex
	young, old map[placeKey]*readerPlace
}

// A readerPlace is the activity at a place.
type readerPlace struct {
	user    graph.ID // user of the last signed request
	session string
	signed  time.Time // the last signed request
	other   time.Time // the last signed request of another user
	guest   time.Time // the last request of a guest that declared its identity
	reads   int       // number of reads without identity since the last signed request
}

// find returns the activity at a place, or nil. The caller holds the lock.
func (p *readerPlaces) find(key placeKey) *readerPlace {
	if found := p.young[key]; found != nil {
		return found
	}
	return p.old[key]
}

// recordUser records a signed request of a user at a place.
func (p *readerPlaces) recordUser(key placeKey, user graph.ID, session string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.find(key)
	switch {
	case at == nil:
		at = &readerPlace{}
	case at.user != user:
		at.other = at.signed
	}
	at.user, at.session, at.signed, at.reads = user, session, now, 0
	if p.young == nil || len(p.young) >= maxPlacesPerGeneration {
		p.young, p.old = map[placeKey]*readerPlace{}, p.young
	}
	p.young[key] = at
}

// recordGuest ends the identification of the user of a place until the user's next signed request, because the
// user may have left the browser.
func (p *readerPlaces) recordGuest(key placeKey, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.find(key); at != nil {
		at.guest = now
	}
}

// reader returns the only user who sent signed requests from a place within readerWindow, and the user's session. It
// returns 0 if no user matches, or if another user or a guest sent a request afterwards.
func (p *readerPlaces) reader(key placeKey, now time.Time) (graph.ID, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.find(key)
	if at == nil || now.Sub(at.signed) >= readerWindow || now.Sub(at.other) < readerWindow || at.guest.After(at.signed) || at.reads >= maxUnsignedReads {
		return 0, ""
	}
	at.reads++
	return at.user, at.session
}

// readerPaths are the paths of the reads without identity.
var readerPaths = []string{
	"/api/get_all_connections_of_composition", "/api/get-composition-connection-between-two-concepts", "/api/get_concept_by_character_value",
}

// newReaderCookies returns the cookies that identify the user of reads without identity in this browser. Browsers send
// them only to readerPaths, and only from pages of the same site.
func newReaderCookies(token string, isSecure bool) []*http.Cookie {
	all := make([]*http.Cookie, len(readerPaths))
	for i, path := range readerPaths {
		all[i] = &http.Cookie{
			Name: readerCookie, Value: token, Path: path, MaxAge: deviceCookieAge,
			HttpOnly: true, Secure: isSecure, SameSite: http.SameSiteStrictMode,
		}
	}
	return all
}
