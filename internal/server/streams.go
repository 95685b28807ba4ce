package server

import "github.com/weft-graph/weft/internal/shares"

// Streams limits the change streams (GET /api/v1/events) that are open on this server. The flags --streams and
// --streams-each set them; both defaults are declared here only.
type Streams struct {
	Total   int // 0 means DefaultStreams
	PerUser int // maximum per user, or per network for guests; 0 means DefaultStreamsPerUser
}

// The default limits of open change streams, also of the flags.
const (
	DefaultStreams        = 10_000
	DefaultStreamsPerUser = 100
)

// newStreamGate counts the open streams.
func newStreamGate(limits Streams) *shares.Gate {
	if limits.Total == 0 {
		limits.Total = DefaultStreams
	}
	if limits.PerUser == 0 {
		limits.PerUser = DefaultStreamsPerUser
	}
	return &shares.Gate{What: "change streams", Total: int64(limits.Total), PerOwner: int64(limits.PerUser)}
}
