package server

import (
	"net/http"
	"net/netip"
	"strings"
)

// clientAddresses finds the address of the client of a request, behind the proxies that the operator trusts.
type clientAddresses struct{ trustedProxies []netip.Prefix }

// of returns the address of the client. It follows X-Forwarded-For from the nearest proxy outwards, as far as the
// operator trusts each proxy. For a malformed remote address it returns the zero Addr.
func (c clientAddresses) of(r *http.Request) netip.Addr {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := remote.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for len(hops) > 0 && c.isTrusted(address) {
		previous, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1]))
		if err != nil {
			break
		}
		address, hops = previous.Unmap(), hops[:len(hops)-1]
	}
	return address.WithZone("")
}

func (c clientAddresses) isTrusted(address netip.Addr) bool {
	for _, proxies := range c.trustedProxies {
		if proxies.Contains(address) {
			return true
		}
	}
	return false
}

// network returns the network of the client as a key for limits.
func (c clientAddresses) network(r *http.Request) string { return networkOf(c.of(r)) }

// userOrNetwork returns the user of a request, or the network of a guest, as a key for limits.
func (c clientAddresses) userOrNetwork(req *request) string {
	if req.isGuest() {
		return c.network(req.Request)
	}
	return "user " + req.caller.User.String()
}

// networkOf returns the network that a single customer of an internet provider usually has: an IPv4 address, or an
// IPv6 /64.
func networkOf(address netip.Addr) string {
	if !address.Is6() {
		return address.String()
	}
	prefix, err := address.Prefix(64)
	if err != nil {
		return address.String()
	}
	return prefix.String()
}

// siteURL returns the URL of this server for users, without a slash at the end: the configured URL, or the URL to
// which the request was sent.
func siteURL(r *http.Request, publicURL string) string {
	switch {
	case publicURL != "":
		return publicURL
	case r.TLS != nil:
		return "https://" + r.Host
	default:
		return "http://" + r.Host
	}
}
