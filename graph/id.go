package graph

import (
	"strconv"
	"strings"
)

// An ID names a concept or a connection. Positive ids are real, negative ids are local, zero is nothing.
// Every id is a JSON number that JavaScript can hold exactly: its magnitude is below 2^53.
type ID int64

// MaxID is the largest id, 2^53-1, JavaScript's Number.MAX_SAFE_INTEGER.
const MaxID ID = 1<<53 - 1

// Real says whether a store gave this id.
func (id ID) Real() bool { return id > 0 }

// Local says whether a client invented this id.
func (id ID) Local() bool { return id < 0 }

func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// ParseID reads a decimal id. It returns an Invalid error for anything else: no spaces, no fraction,
// no exponent, nothing beyond MaxID.
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

func (id ID) inRange() bool { return -MaxID <= id && id <= MaxID }
