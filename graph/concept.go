package graph

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A Concept is a value of a type. Concepts are never edited: a new value is another concept.
type Concept struct {
	ID       ID
	Type     ID     // the type concept, whose value is the type's name
	Category ID     // CategoryInstance for instances; for a type concept, the type named by its prefix
	Value    string // "" for a composition
	Owner    ID
	Access   Access
	// Composition tells the head of a record, which is empty, and a prototype from a leaf.
	Composition bool
	Created     time.Time // whole milliseconds, UTC
}

// IsType says whether the concept names a kind rather than being one of it. A prototype is no type, though
// its category is one that types have too: those named "the_prototype_of_…".
func (c Concept) IsType() bool {
	return c.Category != CategoryInstance && !c.Composition
}

// Scope is the circle inside which equal values are one concept: 0 for what everybody may read,
// the owner for a private value, -1 for what only admins see. A private value is therefore never
// merged with one that somebody else can see.
func (c Concept) Scope() ID { return ScopeOf(c.Owner, c.Access) }

// adminScope is that of what only admins see.
const adminScope ID = -1

// ScopeOf is the scope of a record with this owner and access.
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

// Access says who may read a record besides its owner. The numbers travel on the wire.
type Access int

// The levels of access. The zero value is not a level; drafts may leave it out and get Private.
const (
	Admin   Access = 3
	Private Access = 4
	Public  Access = 5
)

// Shared says whether equal texts of one type are one concept. Longer texts are kept whole in a table
// of their own, always as a new concept, and are not found by value; the empty text is not shared either.
// The limit is 255 UTF-16 units because clients measure with JavaScript's length.
func Shared(value string) bool {
	return value != "" && utf16Length(value) <= MaxSharedValue
}

// MaxSharedValue is the longest value that is shared and found by equality, in UTF-16 units.
const MaxSharedValue = 255

// MaxText is the longest value of all, in bytes of UTF-8.
const MaxText = 4 << 20

// CheckText returns an Invalid error for a text no store can keep: not UTF-8, with a NUL in it
// (PostgreSQL refuses those), or longer than MaxText. What names the text in the message.
func CheckText(what, text string) error {
	if len(text) > MaxText {
		return Errorf(Invalid, "%s is %d bytes long; the most is %d", what, len(text), MaxText)
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return Errorf(Invalid, "%s has a NUL character at byte %d", what, i)
	}
	if !utf8.ValidString(text) {
		return Errorf(Invalid, "%s is not UTF-8: first bad byte at %d", what, firstBadByte(text))
	}
	return nil
}

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
