package query

const (
	// MaxRows is the largest number of concepts and connections that a query reads. A record that is read twice counts
	// twice.
	MaxRows = 5_000_000
	// MaxSetMembers is the largest number of members of a set that a query gathers.
	MaxSetMembers = 1_000_000
)

// limits holds the thresholds at which the execution switches between strategies, and the bounds of its cost. All
// strategies find the same roots.
type limits struct {
	maxValueMatches int // filters on values are resolved to ids if they match at most this many concepts
	firstGather     int // members of a set in the first attempt to gather it
	gatherTries     int // maximum number of sets that one attempt tries to gather
	firstWindow     int // roots in the first window; each window is four times as large as the previous one, up to maxWindow
	maxWindow       int // roots in the largest window
	maxExactCount   int // if a type has at most this many instances, all are checked and the total is exact
	firstValues     int // values that the first read of a walk has in addition to the roots wanted; each further read is four times as large
	maxGroup        int // maximum number of roots with equal values that a walk sorts together
	maxSimilarSets  int // maximum number of similar sets in an intersection that a selector checks
	maxRows         int // see MaxRows
	maxHeldLinks    int // maximum number of connections in memory at the same time
}

// defaultLimits holds values that were chosen by benchmarks.
var defaultLimits = limits{
	maxValueMatches: 1_000,
	firstGather:     500,
	gatherTries:     3,
	firstWindow:     200,
	maxWindow:       51_200,
	maxExactCount:   1_000,
	firstValues:     24,
	maxGroup:        2_000,
	maxSimilarSets:  16,
	maxRows:         MaxRows,
	maxHeldLinks:    MaxLinks,
}
