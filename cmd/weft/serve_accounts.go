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

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server"
)

// accountFlags say who may have an account, and how long what they get is good.
type accountFlags struct {
	NoSignup       bool          `env:"WEFT_NO_SIGNUP" help:"Let only admins make accounts."`
	TokenLife      time.Duration `default:"15m" env:"WEFT_TOKEN_LIFE" help:"How long an access token is good before it has to be renewed."`
	Attempts       int           `default:"10" env:"WEFT_ATTEMPTS" help:"How often in a minute an address may try to sign in, sign up and the like."`
	TrustedProxies []network     `env:"WEFT_TRUSTED_PROXIES" placeholder:"PREFIX" help:"Proxies that are believed when they say where a request comes from, as in 10.0.0.1 or 10.0.0.0/8."`
	PublicURL      string        `env:"WEFT_PUBLIC_URL" placeholder:"URL" help:"Where people reach this server, for the links it sends. Left out, it is where it listens."`
	DeleteUserKey  string        `secret:"" env:"WEFT_DELETE_USER_KEY" placeholder:"KEY" help:"A key that ends any account through /api/deleteuser. Left out, only users themselves and admins do."`
	SetupLink      string        `default:"terminal" enum:"terminal,always,never" env:"WEFT_SETUP_LINK" help:"When to print a link that makes the first admin, as long as there is none: on a terminal, always or never."`
}

// longestTokenLife bounds how long a stolen token is good.
const longestTokenLife = 24 * time.Hour

// accounts returns those of a store.
func (f accountFlags) accounts(ctx context.Context, store graph.Store, mailer account.Mailer, listens string, log *slog.Logger) (*account.Accounts, error) {
	switch {
	case f.TokenLife < time.Second || f.TokenLife > longestTokenLife:
		return nil, misusef("--token-life %v; want 1s to %v", f.TokenLife, longestTokenLife)
	case f.Attempts < 1:
		return nil, misusef("--attempts %d leaves nobody a try", f.Attempts)
	case f.PublicURL != "" && !isWeb(f.PublicURL):
		return nil, misusef("--public-url %q is no address of a site; want one as in https://weft.example.org", f.PublicURL)
	}
	return account.New(ctx, store, account.Options{
		TokenLife: f.TokenLife,
		Closed:    f.NoSignup,
		Mailer:    mailer,
		URL:       strings.TrimRight(cmp.Or(f.PublicURL, listens), "/"),
		Log:       log,
	})
}

// A network is one address or all that begin alike.
type network struct{ netip.Prefix }

// UnmarshalText reads 10.0.0.0/8, or 10.0.0.1 for that address alone.
func (n *network) UnmarshalText(text []byte) (err error) {
	if n.Prefix, err = netip.ParsePrefix(string(text)); err == nil {
		return nil
	}
	address, err := netip.ParseAddr(string(text))
	if err != nil {
		return fmt.Errorf("%q is no address; want one as in 10.0.0.1 or 10.0.0.0/8", text)
	}
	n.Prefix = netip.PrefixFrom(address, address.BitLen())
	return nil
}

// isWeb says whether links may begin with an address.
func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// erase erases what users who left could alone read, until stop is called.
func erase(ctx context.Context, a *account.Accounts) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// apply tells the server of its accounts.
func (f accountFlags) apply(a *account.Accounts, o *server.Options) {
	o.Accounts, o.Attempts, o.DeleteUserKey = a, f.Attempts, f.DeleteUserKey
	for _, n := range f.TrustedProxies {
		o.TrustedProxies = append(o.TrustedProxies, n.Prefix)
	}
}

// invite prints a link that makes the first admin, as long as there is none. Logs are read by many and kept for
// long, so it is printed to a terminal unless the operator wants otherwise.
func (f accountFlags) invite(ctx context.Context, a *account.Accounts, log *slog.Logger) error {
	has, err := a.HasAdmin(ctx)
	switch {
	case err != nil || has || f.SetupLink == "never":
		return err
	case f.SetupLink == "terminal" && !terminal(os.Stderr):
		log.InfoContext(ctx, "there is no admin yet; weft user add --admin makes one, or start with --setup-link=always")
		return nil
	}
	link, err := a.SetupLink(ctx)
	if err == nil {
		_, err = fmt.Fprintf(os.Stderr, "There is no admin yet. Within a day, this link makes one:\n%s\n", link)
	}
	return err
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
