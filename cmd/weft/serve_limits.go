package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// limitFlags limit the resources that the server uses. The defaults in ${…} are constants of package server.
type limitFlags struct {
	MaxBody      byteSize `default:"32MiB" env:"WEFT_MAX_BODY" placeholder:"SIZE" help:"Maximum size of a request body (${default})."`
	BodyMemory   byteSize `default:"256MiB" env:"WEFT_BODY_MEMORY" placeholder:"SIZE" help:"Maximum total size of large request bodies in memory (${default}). Further large requests are refused with status 503."`
	MemoryLimit  byteSize `env:"WEFT_MEMORY_LIMIT" placeholder:"SIZE" help:"Soft memory limit of the process. Requests may hold three eighths of it, and the cache of concepts an eighth. The minimum is 256MiB. The default is half of the memory of the machine or container, and at least the minimum."`
	MaxRequests  int64    `default:"${maxRequests}" env:"WEFT_MAX_REQUESTS" help:"Maximum number of concurrent requests."`
	Rate         float64  `env:"WEFT_RATE" placeholder:"N" help:"Maximum requests per second and address. The default is no limit."`
	Burst        int      `env:"WEFT_BURST" placeholder:"N" help:"Maximum burst of requests per address. The default is one second's worth."`
	Streams      int      `default:"${streams}" env:"WEFT_STREAMS" help:"Maximum number of open change streams."`
	StreamsEach  int      `default:"${streamsPerUser}" env:"WEFT_STREAMS_EACH" help:"Maximum number of open change streams per user, or per address of guests."`
	DiskReserve  byteSize `default:"256MiB" env:"WEFT_DISK_RESERVE" placeholder:"SIZE" help:"Free space to keep on the disk of the data directory (${default}). Below it, records and uploads are refused with status 503; below four times as much, the server warns. 0 means no reserve."`
	QuotaBytes   byteSize `env:"WEFT_QUOTA_BYTES" placeholder:"SIZE" help:"Maximum size of the values of one user, and of all guests together. The default is no limit for users and 1GiB for guests."`
	QuotaRecords int64    `env:"WEFT_QUOTA_RECORDS" placeholder:"N" help:"Maximum number of concepts and connections of one user, and of all guests together. The default is no limit for users and 10000000 for guests."`

	UniqueChecks int `default:"${uniqueChecks}" env:"WEFT_UNIQUE_CHECKS" placeholder:"N" help:"Maximum checks in five minutes, per user or per address of guests, whether a value that must be unique is taken by any record (${default}). A check reveals that another user has a value, but not which user. With 0, checks see only what the caller may read."`

	QueryTimeout time.Duration `default:"30s" env:"WEFT_QUERY_TIMEOUT" placeholder:"TIME" help:"Maximum duration of a query (${default})."`
	QueryWeight  int64         `default:"10000" env:"WEFT_QUERY_WEIGHT" placeholder:"N" help:"Maximum total weight of concurrent queries. The weight is the number of nodes and filters of a query, for every hundred records of its page (${default})."`
}

// limitDefaults holds the variables in the tags of limitFlags.
var limitDefaults = kong.Vars{
	"maxRequests":    strconv.Itoa(server.DefaultRequests),
	"streams":        strconv.Itoa(server.DefaultStreams),
	"uniqueChecks":   strconv.Itoa(server.DefaultUniqueChecks),
	"streamsPerUser": strconv.Itoa(server.DefaultStreamsPerUser),
}

// check rejects limits that are out of range or contradict each other.
func (f limitFlags) check() error {
	switch {
	case f.MaxBody < 1:
		return usageErrorf("--max-body is %d; it must be 1 or more", f.MaxBody)
	case f.BodyMemory < f.MaxBody:
		return usageErrorf("--body-memory %s is less than --max-body %s: the largest requests would always be refused", f.BodyMemory, f.MaxBody)
	case f.MaxRequests < 1:
		return usageErrorf("--max-requests is %d; it must be 1 or more", f.MaxRequests)
	case f.Rate < 0 || f.Burst < 0:
		return usageErrorf("--rate and --burst cannot be negative")
	case f.Streams < 1 || f.StreamsEach < 1:
		return usageErrorf("--streams is %d and --streams-each is %d; both must be 1 or more", f.Streams, f.StreamsEach)
	case f.QueryTimeout <= 0 || f.QueryTimeout > time.Minute:
		return usageErrorf("--query-timeout is %s; it must be from 1ns to 1m, the time limit of a request", f.QueryTimeout)
	case f.UniqueChecks < 0:
		return usageErrorf("--unique-checks is %d; it cannot be negative", f.UniqueChecks)
	case f.QuotaRecords < 0:
		return usageErrorf("--quota-records is %d; it cannot be negative", f.QuotaRecords)
	case f.QueryWeight < 1:
		return usageErrorf("--query-weight is %d; it must be 1 or more", f.QueryWeight)
	case f.MemoryLimit != 0 && f.MemoryLimit < minMemoryLimit:
		return usageErrorf("--memory-limit is %s; it must be %s or more: a server under attack needs more than a smaller limit", f.MemoryLimit, byteSize(minMemoryLimit))
	}
	return nil
}

// apply adds the limits to the options of the server, and sets the memory limit of the Go runtime.
func (f limitFlags) apply(o *server.Options) {
	o.MaxBody = int64(f.MaxBody)
	o.Limits = server.Limits{Memory: f.memory() * 3 / 8, Bodies: int64(f.BodyMemory), Requests: f.MaxRequests, PerSecond: f.Rate, Burst: f.Burst}
	o.Queries.Time, o.Queries.Weight = f.QueryTimeout, f.QueryWeight
	o.UniqueChecks = f.UniqueChecks
	if f.UniqueChecks == 0 {
		o.UniqueChecks = -1 // see server.Options
	}
	o.Streams = server.Streams{Total: f.Streams, PerUser: f.StreamsEach}
	debug.SetMemoryLimit(f.memory() - 2*f.databaseCache()) // the caches of SQLite are outside the Go heap and occupy twice their size
	o.ConceptCache = int(f.memory() / 8)
	if f.MemoryLimit == 0 {
		o.ConceptCache = min(o.ConceptCache, defaultConceptCache)
	}
}

const (
	// defaultConceptCache is the maximum size of the cache of concepts, in bytes, unless the operator set a memory
	// limit.
	defaultConceptCache = 64 << 20
	// Limits of the caches of pages and of cleaned HTML, in bytes.
	maxPageCache    = 64 << 20
	maxCleanedCache = 16 << 20
	// unknownMemory is the memory limit in bytes if the memory of the machine cannot be determined.
	unknownMemory = 2 << 30
)

// memory returns the memory limit in bytes.
func (f limitFlags) memory() int64 {
	if f.MemoryLimit > 0 {
		return int64(f.MemoryLimit)
	}
	return defaultMemoryLimit(machineMemory())
}

// defaultMemoryLimit returns the default of --memory-limit in bytes, on a machine with the given memory in bytes.
func defaultMemoryLimit(machine int64) int64 { return max(machine/2, minMemoryLimit) }

// databaseCache returns the size of the page caches of SQLite in bytes. The caches occupy twice as much memory.
func (f limitFlags) databaseCache() int64 { return min(f.memory()/16, sqlite.DefaultCacheBytes) }

// minMemoryLimit is the minimum of --memory-limit and of its default, in bytes. With this limit, the process uses
// less than 1.25 times the limit during the attacks of bench/abuse. The program, connections, hashes of passwords and
// garbage take about 130 MiB without any attack.
const minMemoryLimit = 256 << 20

// machineMemory returns the memory of the machine or the limit of the container, whichever is less, in bytes. If
// neither can be read, it returns twice unknownMemory.
func machineMemory() int64 {
	memory := int64(2 * unknownMemory)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib int64
		if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); err == nil {
			memory = kib << 10
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
			memory = min(memory, limit)
		}
	}
	return memory
}

// quotas returns the quotas of users and guests.
func (f limitFlags) quotas() graph.Quotas {
	users := graph.Usage{Records: f.QuotaRecords, Bytes: int64(f.QuotaBytes)}
	return graph.Quotas{Users: users, Guests: graph.Usage{
		Records: cmp.Or(users.Records, server.DefaultGuestRecords), Bytes: cmp.Or(users.Bytes, server.DefaultGuestBytes),
	}}
}

// A byteSize is a number of bytes in a flag, e.g. 32MiB.
type byteSize int64

var byteUnits = []struct {
	name string
	size int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"", 1}}

// UnmarshalText parses 1048576, 1MiB or 1MB.
func (b *byteSize) UnmarshalText(text []byte) error {
	for _, unit := range byteUnits {
		number, ok := strings.CutSuffix(string(text), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > 1<<62/unit.size {
			break
		}
		*b = byteSize(n * unit.size)
		return nil
	}
	return fmt.Errorf("%q is not a size; want a number, optionally followed by KiB, MiB, GiB, kB, MB or GB", text)
}

// String formats multiples of a unit of 1024 bytes in that unit, e.g. 32MiB.
func (b byteSize) String() string {
	for _, unit := range []int{2, 1, 0} {
		if size := byteUnits[unit].size; b != 0 && int64(b)%size == 0 {
			return strconv.FormatInt(int64(b)/size, 10) + byteUnits[unit].name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}
