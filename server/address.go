package server

import (
	"net/http"
	"net/netip"
	"strings"
)

// address is where a request comes from. What proxies say of it is believed of those the operator trusts,
// from the nearest on.
func (s *Server) address(r *http.Request) netip.Addr {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := from.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for len(hops) > 0 && s.trusts(address) {
		before, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1]))
		if err != nil {
			break
		}
		address, hops = before.Unmap(), hops[:len(hops)-1]
	}
	return address.WithZone("")
}

func (s *Server) trusts(address netip.Addr) bool {
	for _, proxies := range s.options.TrustedProxies {
		if proxies.Contains(address) {
			return true
		}
	}
	return false
}

// household is the part of an address that one customer of a network has for themselves.
func household(address netip.Addr) string {
	if !address.Is6() {
		return address.String()
	}
	prefix, err := address.Prefix(64)
	if err != nil {
		return address.String()
	}
	return prefix.String()
}

// siteOf is where people reach this server, without a slash at the end: what the operator says, or else what the
// request was sent to.
func siteOf(r *http.Request, publicURL string) string {
	switch {
	case publicURL != "":
		return publicURL
	case r.TLS != nil:
		return "https://" + r.Host
	default:
		return "http://" + r.Host
	}
}
