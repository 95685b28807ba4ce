package graph

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A Concept is a typed value. Concepts are immutable: another value is another concept.
type Concept struct {
	ID       ID
	Type     ID     // the type concept; its value is the name of the type
	Category ID     // CategoryInstance for instances; for a type, the type whose name is the name of this type without its last word
	Value    string // "" for a composition
	Owner    ID
	Access   Access
	// Composition is true for the main concept of a composition and for a prototype.
	Composition bool
	Created     time.Time // whole milliseconds, UTC
	Position    Position
}

// IsType reports whether the concept is a type. A prototype is not a type, although it has the same category
// as the types named "the_prototype_of_…".
func (c Concept) IsType() bool {
	return c.Category != CategoryInstance && !c.Composition
}

// Scope returns the scope of the concept: 0 if it is public, its owner if it is private, and -1 if only admins
// may read it. Equal values are one concept within a scope, so a private value is never merged with a value
// that another user can read.
func (c Concept) Scope() ID { return ScopeOf(c.Owner, c.Access) }

// adminScope is the scope of records that only admins may read.
const adminScope ID = -1

// ScopeOf returns the scope of a record with the given owner and access.
func ScopeOf(owner ID, access Access) ID {
	switch {
	case owner == Anonymous || access == Public:
		return 0
	case access == Admin:
		return adminScope
	default:
		return owner
	}
}

// Access determines who may read a record besides its owner. The numbers are part of the wire contract.
type Access int

// The levels of access. Zero is not a level; in a draft it means Private.
const (
	Admin   Access = 3
	Private Access = 4
	Public  Access = 5
)

// IsShared reports whether equal values of one type are a single concept within a scope. The empty value
// and values longer than MaxSharedValue are not shared: each draft creates a new concept, which is not
// found by value.
func IsShared(value string) bool {
	return value != "" && utf16Length(value) <= MaxSharedValue
}

// MaxSharedValue is the maximum length of a shared value. It counts UTF-16 units because browser clients measure
// text with JavaScript's length.
const MaxSharedValue = 255

// MaxTextBytes is the maximum length of any value, in bytes of UTF-8.
const MaxTextBytes = 4 << 20

// CheckText returns an Invalid error for text that stores cannot keep because it is not UTF-8, contains NUL
// (PostgreSQL rejects it), or is longer than MaxTextBytes. The error message calls the text by the given
// name.
func CheckText(name, text string) error {
	if len(text) > MaxTextBytes {
		return Errorf(Invalid, "%s is %d bytes long; the maximum is %d", name, len(text), MaxTextBytes)
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return Errorf(Invalid, "%s has a NUL character at byte %d", name, i)
	}
	if !utf8.ValidString(text) {
		return Errorf(Invalid, "%s is not UTF-8: first bad byte at %d", name, firstBadByte(text))
	}
	return nil
}

// firstBadByte returns the offset of the first byte that is not valid UTF-8.
func firstBadByte(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return len(text)
}

// utf16Length returns the number of UTF-16 units in text.
func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
