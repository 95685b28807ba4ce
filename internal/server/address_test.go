package server

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestClientAddress(t *testing.T) {
	withProxies := clientAddresses{[]netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"),
	}}
	for name, test := range map[string]struct {
		addresses clientAddresses
		remote    string
		forwarded []string
		want      string
	}{
		"ignores the header without trusted proxies":      {clientAddresses{}, "10.0.0.1:1", []string{"192.0.2.1"}, "10.0.0.1"},
		"ignores the header of an untrusted address":      {withProxies, "192.0.2.9:1", []string{"192.0.2.1"}, "192.0.2.9"},
		"uses the header of a trusted proxy":              {withProxies, "10.0.0.1:1", []string{"192.0.2.1"}, "192.0.2.1"},
		"ignores addresses before the last untrusted one": {withProxies, "10.0.0.1:1", []string{"203.0.113.1, 192.0.2.1"}, "192.0.2.1"},
		"ignores such addresses in a separate header":     {withProxies, "10.0.0.1:1", []string{"203.0.113.1", "192.0.2.1"}, "192.0.2.1"},
		"skips trusted proxies behind proxies":            {withProxies, "10.0.0.1:1", []string{"192.0.2.1, 10.9.9.9"}, "192.0.2.1"},
		"returns the proxy for a malformed header":        {withProxies, "10.0.0.1:1", []string{"nonsense"}, "10.0.0.1"},
		"returns the proxy without a header":              {withProxies, "10.0.0.1:1", nil, "10.0.0.1"},
		"unmaps IPv4 addresses in IPv6":                   {withProxies, "[::ffff:10.0.0.1]:1", []string{"::ffff:192.0.2.1"}, "192.0.2.1"},
		"accepts IPv6 addresses":                          {withProxies, "[fd00::1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: test.remote, Header: http.Header{"X-Forwarded-For": test.forwarded}}
			if got := test.addresses.of(r).String(); got != test.want {
				t.Errorf("got %s; want %s", got, test.want)
			}
		})
	}
}

func TestNetworkIsAnIPv4AddressOrAnIPv6Slash64(t *testing.T) {
	of := func(text string) string { return networkOf(netip.MustParseAddr(text)) }
	if of("192.0.2.1") == of("192.0.2.2") {
		t.Error("two IPv4 addresses have the same network")
	}
	if of("2001:db8::1") != of("2001:db8::ffff:1") || of("2001:db8::1") == of("2001:db8:0:1::1") {
		t.Error("the network of an IPv6 address is not its /64")
	}
}

// FuzzForwardedFor checks that a client cannot choose its own address: only the entry that a trusted proxy added
// counts.
func FuzzForwardedFor(f *testing.F) {
	f.Add("1.2.3.4")
	f.Add("1.2.3.4, [::1], 10.0.0.1,")
	f.Add("::ffff:10.0.0.1, fe80::1%eth0")
	addresses := clientAddresses{[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	f.Fuzz(func(t *testing.T, sent string) {
		direct := &http.Request{RemoteAddr: "192.0.2.1:5", Header: http.Header{"X-Forwarded-For": {sent}}}
		if got := addresses.of(direct); got != netip.MustParseAddr("192.0.2.1") {
			t.Errorf("%q from an untrusted address gives %s; want the address of the connection, 192.0.2.1", sent, got)
		}
		proxied := &http.Request{RemoteAddr: "10.0.0.9:5", Header: http.Header{"X-Forwarded-For": {sent, "192.0.2.7"}}}
		if got := addresses.of(proxied); got != netip.MustParseAddr("192.0.2.7") {
			t.Errorf("%q in front of the entry of a proxy gives %s; want the entry of the proxy, 192.0.2.7", sent, got)
		}
		if address := addresses.of(&http.Request{RemoteAddr: "10.0.0.9:5", Header: http.Header{"X-Forwarded-For": {sent}}}); address.Zone() != "" {
			t.Errorf("%q becomes %s, which has a zone", sent, address)
		}
	})
}
