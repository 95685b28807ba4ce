package graph

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Fold returns a text as it is compared: every letter in lower case, code point by code point and whatever
// its neighbours are, and nothing else changed. It knows the letters of Unicode 15 and, because stores keep what it returns,
// never any others. U+0130, whose lower case is two code points, becomes "i". The order of folded texts is that of their bytes
// in UTF-8.
func Fold(text string) string { return strings.Map(unicode.ToLower, text) }

// A ValueKind is how a value is compared. Values of different kinds are never equal, and none comes before the other.
type ValueKind byte

// The kinds of values. Whatever is neither a number nor a time is a text.
const (
	NumberValue ValueKind = 'n'
	TimeValue   ValueKind = 't'
	TextValue   ValueKind = 'x'
)

// A Key is a value in comparable form: two values are equal if their keys are, and a key sorts, byte by byte, before those
// of its kind that its value is less than. The first byte is the ValueKind.
//
// A number is written as in JSON, without an exponent and with at most fifteen digits, so that nothing is lost in
// reading it: 3 and 3.00 are equal, and 007, +49 or a longer row of digits are texts. A time is a date, or a
// date and a time of day, as in ISO 8601 with full hyphens and colons, with a zone or else in UTC; a time is exact to the
// millisecond. A text is compared by its Fold.
type Key string

// Kind is the kind of the value.
func (k Key) Kind() ValueKind { return ValueKind(k[0]) }

// KeyOf returns the key of a value.
func KeyOf(value string) Key {
	if n, ok := number(value); ok {
		return numberKey(n)
	}
	if t, ok := ParseTime(value); ok {
		return timeKey(t)
	}
	return Key(TextValue) + Key(Fold(value))
}

func numberKey(n float64) Key {
	bits := math.Float64bits(n + 0) // -0 is 0
	if n < 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return Key(binary.BigEndian.AppendUint64([]byte{byte(NumberValue)}, bits))
}

func timeKey(t time.Time) Key {
	return Key(binary.BigEndian.AppendUint64([]byte{byte(TimeValue)}, uint64(t.UnixMilli())^1<<63))
}

// maxDigits is how many decimal digits a double always keeps apart.
const maxDigits = 15

func number(text string) (float64, bool) {
	digits, rest := 0, strings.TrimPrefix(text, "-")
	whole, fraction, pointed := strings.Cut(rest, ".")
	if whole == "" || len(whole) > 1 && whole[0] == '0' || pointed && fraction == "" {
		return 0, false
	}
	for _, part := range [...]string{whole, fraction} {
		for i := range len(part) {
			if part[i] < '0' || part[i] > '9' {
				return 0, false
			}
		}
		if digits += len(part); digits > maxDigits {
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// ParseTime reads a time as Key describes it.
func ParseTime(text string) (time.Time, bool) {
	if len(text) < len(time.DateOnly) || text[4] != '-' || text[7] != '-' {
		return time.Time{}, false
	}
	if len(text) == len(time.DateOnly) {
		t, err := time.Parse(time.DateOnly, text)
		return t, err == nil
	}
	for _, layout := range [...]string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
		"2006-01-02 15:04:05Z07:00", time.DateTime, "2006-01-02 15:04",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Truncate(time.Millisecond), true
		}
	}
	return time.Time{}, false
}
