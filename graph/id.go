package graph

import (
	"strconv"
	"strings"
)

// An ID identifies a concept or a connection. Positive ids are real, negative ids are local, and zero means
// no record. The magnitude of an id is below 2^53, so JavaScript can represent it exactly.
type ID int64

// MaxID is the largest id: 2^53-1, JavaScript's Number.MAX_SAFE_INTEGER.
const MaxID ID = 1<<53 - 1

// IsReal reports whether a store assigned the id.
func (id ID) IsReal() bool { return id > 0 }

// IsLocal reports whether a client assigned the id.
func (id ID) IsLocal() bool { return id < 0 }

// String returns the id in decimal.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// ParseID parses a decimal id. The error is Invalid for any other text, such as text with spaces, a plus sign,
// a fraction or an exponent, and for a magnitude beyond MaxID.
func ParseID(text string) (ID, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strings.HasPrefix(text, "+") {
		return 0, Errorf(Invalid, "%q is not an id", Clip(text))
	}
	id := ID(n)
	if !id.inRange() {
		return 0, Errorf(Invalid, "id %s is beyond 2^53", Clip(text))
	}
	return id, nil
}

// inRange reports whether the magnitude of the id is at most MaxID.
func (id ID) inRange() bool { return -MaxID <= id && id <= MaxID }
