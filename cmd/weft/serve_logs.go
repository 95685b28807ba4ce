package main

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/journal"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/track"
)

// clientFlags say what the server learns from clients, and what it tells them when they start.
type clientFlags struct {
	LogKeep             span     `default:"30d" env:"WEFT_LOG_KEEP" help:"How long what clients log, and the sessions that sites announce, are kept, as in 30d or 12h; 0 keeps none."`
	LogMost             capacity `default:"1GiB" env:"WEFT_LOG_MOST" help:"Most that the logs of clients may take; beyond it the oldest go."`
	Usage               bool     `default:"true" negatable:"" env:"WEFT_USAGE" help:"Count what users who are signed in use, to suggest it to clients when they start."`
	CacheServers        []string `env:"WEFT_CACHE_SERVERS" placeholder:"URL" help:"Servers that clients may read from in place of this one, in the order in which they should try them."`
	DocumentationWidget int64    `env:"WEFT_DOCUMENTATION_WIDGET" placeholder:"ID" help:"The widget that clients show as documentation."`
}

// apply puts what the flags say into the options of a server of a store.
func (f clientFlags) apply(store graph.Store, o *server.Options) error {
	for _, address := range f.CacheServers {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return misusef("--cache-servers: %q is no address like https://cache.example.org", address)
		}
		o.CacheServers = append(o.CacheServers, strings.TrimRight(address, "/"))
	}
	if f.DocumentationWidget < 0 || graph.ID(f.DocumentationWidget) > graph.MaxID {
		return misusef("--documentation-widget: %d is no id", f.DocumentationWidget)
	}
	o.DocumentationWidget = graph.ID(f.DocumentationWidget)
	if f.LogMost < 1<<20 {
		return misusef("--log-most needs to leave room for 1 MiB or more")
	}
	if f.LogKeep > 0 {
		o.Journal = journal.New(kv.In(store), journal.Options{Keep: time.Duration(f.LogKeep), Most: int64(f.LogMost)})
	}
	if f.Usage {
		o.Tracker = track.New(kv.In(store), nil)
	}
	return nil
}

// A span is a time that may be given in days.
type span time.Duration

// UnmarshalText reads 30d, 12h or 1h30m.
func (s *span) UnmarshalText(text []byte) error {
	days, isDays := strings.CutSuffix(string(text), "d")
	if n, err := strconv.Atoi(days); isDays && err == nil && n >= 0 && n <= 36_500 {
		*s = span(time.Duration(n) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return misusef("%q is no time like 30d or 12h", text)
	}
	*s = span(d)
	return nil
}

// String writes whole days as such.
func (s span) String() string {
	const day = span(24 * time.Hour)
	if s > 0 && s%day == 0 {
		return strconv.FormatInt(int64(s/day), 10) + "d"
	}
	return time.Duration(s).String()
}
