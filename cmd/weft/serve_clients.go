package main

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
	"github.com/weft-graph/weft/internal/telemetry/usage"
)

// clientFlags configure the data that the server records about clients, and the settings that it sends to clients when they
// start.
type clientFlags struct {
	LogKeep             retention `default:"${logKeep}" env:"WEFT_LOG_KEEP" help:"How long client logs and the sessions of sites are kept, e.g. 30d or 12h; 0 stores none."`
	LogMost             byteSize  `default:"${logMost}" env:"WEFT_LOG_MOST" help:"Maximum size of stored client logs; the oldest are deleted first."`
	Usage               bool      `default:"true" negatable:"" env:"WEFT_USAGE" help:"Count which records signed-in users use. Clients receive the most used ones as suggestions when they start."`
	IdentityLessReads   string    `default:"recent" enum:"recent,cookie,off" env:"WEFT_IDENTITY_LESS_READS" help:"How to find the user of the three reads that clients of the contract send without identity: recent (by a cookie, or by recent requests of one user from the same address, browser and origin), cookie, or off."`
	StrictSchemas       bool      `default:"true" negatable:"" env:"WEFT_STRICT_SCHEMAS" help:"Check the records of all clients against the schema (weft schema push). Without it, only clients that send atomic batches are checked, and not those of the contract."`
	CacheServers        []string  `env:"WEFT_CACHE_SERVERS" placeholder:"URL" help:"Servers that clients may read from instead of this one, in order of preference."`
	DocumentationWidget int64     `env:"WEFT_DOCUMENTATION_WIDGET" placeholder:"ID" help:"Id of the widget that clients show as documentation."`
}

// clientDefaults holds the variables in the tags of clientFlags.
var clientDefaults = kong.Vars{
	"logKeep": retention(clientlog.DefaultKeep).String(),
	"logMost": byteSize(clientlog.DefaultMaxBytes).String(),
}

// apply checks the flags and adds them to the options of the server.
func (f clientFlags) apply(store graph.Store, o *server.Options) error {
	for _, address := range f.CacheServers {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return usageErrorf("--cache-servers: %q is not a URL such as https://cache.example.org", address)
		}
		o.CacheServers = append(o.CacheServers, strings.TrimRight(address, "/"))
	}
	if f.DocumentationWidget < 0 || graph.ID(f.DocumentationWidget) > graph.MaxID {
		return usageErrorf("--documentation-widget: %d is not a valid id", f.DocumentationWidget)
	}
	if f.IdentityLessReads != "off" {
		o.IdentityLessReads = server.IdentityLessReads(f.IdentityLessReads)
	}
	o.DocumentationWidget = graph.ID(f.DocumentationWidget)
	o.LooseSchemas = !f.StrictSchemas
	if f.LogMost < 1<<20 {
		return usageErrorf("--log-most must be 1MiB or more")
	}
	if f.LogKeep > 0 {
		o.ClientLog = clientlog.New(kv.In(store), clientlog.Options{Keep: time.Duration(f.LogKeep), MaxBytes: int64(f.LogMost)})
	}
	if f.Usage {
		o.Usage = usage.New(kv.In(store), nil)
	}
	return nil
}

// A retention is a duration that may be given in days.
type retention time.Duration

// UnmarshalText parses durations such as 30d, 12h or 1h30m.
func (s *retention) UnmarshalText(text []byte) error {
	days, isDays := strings.CutSuffix(string(text), "d")
	if n, err := strconv.Atoi(days); isDays && err == nil && n >= 0 && n <= 36_500 {
		*s = retention(time.Duration(n) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return usageErrorf("%q is not a duration such as 30d or 12h", text)
	}
	*s = retention(d)
	return nil
}

// String formats multiples of a day in days.
func (s retention) String() string {
	const day = retention(24 * time.Hour)
	if s > 0 && s%day == 0 {
		return strconv.FormatInt(int64(s/day), 10) + "d"
	}
	return time.Duration(s).String()
}
