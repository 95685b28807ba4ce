package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server"
)

// accountFlags configure accounts: sign-up, the lifetime of tokens, and rate limits of sign-in.
type accountFlags struct {
	NoSignup       bool          `env:"WEFT_NO_SIGNUP" help:"Only admins may create accounts."`
	TokenLife      time.Duration `default:"15m" env:"WEFT_TOKEN_LIFE" help:"Lifetime of an access token. Clients renew it before it expires."`
	SessionTokens  bool          `default:"true" negatable:"" env:"WEFT_SESSION_TOKENS" help:"Give clients that do not renew tokens, such as those of the contract, an access token that is valid as long as their session: 30 days without use, a year at most."`
	Attempts       int           `default:"10" env:"WEFT_ATTEMPTS" help:"Wrong passwords and similar attempts per minute and address, and per hour for one account; an account has five times as many for all its known clients together, and as many for all unknown clients together."`
	TrustedProxies []network     `env:"WEFT_TRUSTED_PROXIES" placeholder:"PREFIX" help:"Proxies whose X-Forwarded-For header is trusted, e.g. 10.0.0.1 or 10.0.0.0/8."`
	PublicURL      string        `env:"WEFT_PUBLIC_URL" placeholder:"URL" help:"Public address of this server, used in the links of e-mails. The default is the address it listens on."`
	DeleteUserKey  string        `secret:"" env:"WEFT_DELETE_USER_KEY" placeholder:"KEY" help:"Key that permits /api/deleteuser to remove any account. Without it, only the user and admins may."`
	SetupLink      string        `default:"terminal" enum:"terminal,always,never" env:"WEFT_SETUP_LINK" help:"When to print a link that creates the first admin, while there is none: on a terminal, always or never."`
}

// maxTokenLife is the maximum of --token-life. It limits how long a stolen token can be used.
const maxTokenLife = 24 * time.Hour

// settings checks the flags and returns the options of accounts. Links in e-mails start with listenURL, unless the flags set a public
// URL.
func (f accountFlags) settings(listenURL string) (account.Options, error) {
	switch {
	case f.TokenLife < time.Second || f.TokenLife > maxTokenLife:
		return account.Options{}, usageErrorf("--token-life is %v; it must be from 1s to %v", f.TokenLife, maxTokenLife)
	case f.Attempts < 1:
		return account.Options{}, usageErrorf("--attempts is %d; it must be 1 or more", f.Attempts)
	case f.PublicURL != "" && !isWebURL(f.PublicURL):
		return account.Options{}, usageErrorf("--public-url %q is not a URL such as https://weft.example.org", f.PublicURL)
	}
	return account.Options{
		TokenLife:       f.TokenLife,
		NoSessionTokens: !f.SessionTokens,
		Attempts:        f.Attempts,
		Closed:          f.NoSignup,
		URL:             strings.TrimRight(cmp.Or(f.PublicURL, listenURL), "/"),
	}, nil
}

// A network is an IP prefix in a flag.
type network struct{ netip.Prefix }

// UnmarshalText parses a prefix such as 10.0.0.0/8, or a single address such as 10.0.0.1.
func (n *network) UnmarshalText(text []byte) (err error) {
	if n.Prefix, err = netip.ParsePrefix(string(text)); err == nil {
		return nil
	}
	address, err := netip.ParseAddr(string(text))
	if err != nil {
		return fmt.Errorf("%q is not an address such as 10.0.0.1 or a prefix such as 10.0.0.0/8", text)
	}
	n.Prefix = netip.PrefixFrom(address, address.BitLen())
	return nil
}

// isWebURL reports whether address is an http or https URL with a host.
func isWebURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// apply adds the limits of accounts to the options of the server.
func (f accountFlags) apply(o *server.Options) {
	o.Attempts, o.DeleteUserKey = f.Attempts, f.DeleteUserKey
	for _, n := range f.TrustedProxies {
		o.TrustedProxies = append(o.TrustedProxies, n.Prefix)
	}
}

// If the store has no admin, printStart prints a link that creates the first admin and opens the console; otherwise it
// prints the address of the console. By default it prints the link only to a terminal, because logs are stored and have many
// readers.
func (f accountFlags) printStart(ctx context.Context, a *account.Accounts, url string, log *slog.Logger) error {
	hasAdmin, err := a.HasAdmin(ctx)
	switch {
	case err != nil:
		return err
	case hasAdmin && isTerminal(os.Stderr):
		_, err = fmt.Fprintf(os.Stderr, "Console: %s/console\n", strings.TrimRight(cmp.Or(f.PublicURL, url), "/"))
		return err
	case hasAdmin || f.SetupLink == "never":
		return nil
	case f.SetupLink == "terminal" && !isTerminal(os.Stderr):
		log.InfoContext(ctx, "there is no admin yet; run weft user add --admin, or start with --setup-link=always")
		return nil
	}
	link, err := a.SetupLink(ctx)
	if err == nil {
		_, err = fmt.Fprintf(os.Stderr, "There is no admin yet. This link creates one and opens the console; it works once, within a day:\n%s\n", link)
	}
	return err
}

// isTerminal reports whether a file is a character device, such as a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
