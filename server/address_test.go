package server

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestWhereARequestComesFrom(t *testing.T) {
	behind := &Server{options: Options{TrustedProxies: []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"),
	}}}
	for what, row := range map[string]struct {
		s         *Server
		remote    string
		forwarded []string
		want      string
	}{
		"nobody is believed unless trusted":        {&Server{}, "10.0.0.1:1", []string{"192.0.2.1"}, "10.0.0.1"},
		"a stranger is not believed":               {behind, "192.0.2.9:1", []string{"192.0.2.1"}, "192.0.2.9"},
		"a trusted proxy is":                       {behind, "10.0.0.1:1", []string{"192.0.2.1"}, "192.0.2.1"},
		"what a client made up is not":             {behind, "10.0.0.1:1", []string{"203.0.113.1, 192.0.2.1"}, "192.0.2.1"},
		"in a header of its own neither":           {behind, "10.0.0.1:1", []string{"203.0.113.1", "192.0.2.1"}, "192.0.2.1"},
		"proxies behind proxies are passed":        {behind, "10.0.0.1:1", []string{"192.0.2.1, 10.9.9.9"}, "192.0.2.1"},
		"nonsense leaves the proxy":                {behind, "10.0.0.1:1", []string{"nonsense"}, "10.0.0.1"},
		"nothing leaves the proxy":                 {behind, "10.0.0.1:1", nil, "10.0.0.1"},
		"an address of IPv4 in IPv6 is the former": {behind, "[::ffff:10.0.0.1]:1", []string{"::ffff:192.0.2.1"}, "192.0.2.1"},
		"an address of IPv6":                       {behind, "[fd00::1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
	} {
		t.Run(what, func(t *testing.T) {
			r := &http.Request{RemoteAddr: row.remote, Header: http.Header{"X-Forwarded-For": row.forwarded}}
			if got := row.s.address(r).String(); got != row.want {
				t.Errorf("it is %s; want %s", got, row.want)
			}
		})
	}
}

func TestAHouseholdOfAddresses(t *testing.T) {
	of := func(text string) string { return household(netip.MustParseAddr(text)) }
	if of("192.0.2.1") == of("192.0.2.2") {
		t.Error("two addresses of IPv4 are one household")
	}
	if of("2001:db8::1") != of("2001:db8::ffff:1") || of("2001:db8::1") == of("2001:db8:0:1::1") {
		t.Error("a household of IPv6 is not its /64")
	}
}

func TestAttemptsAreForgottenForOthers(t *testing.T) {
	a := attempts{most: 1}
	for i := range mostAttempts + 1_000 {
		a.wait(netip.AddrFrom4([4]byte{byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)}).String(), 1)
	}
	if n := len(a.of); n > mostAttempts {
		t.Errorf("%d are remembered; the most is %d", n, mostAttempts)
	}
}
