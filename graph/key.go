package graph

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Fold returns the form of text that comparisons use: each letter is mapped to lower case independently, and
// nothing else changes. Stores keep folded text, so the mapping is frozen at the letters of Unicode 15. The lower case of
// U+0130 is two code points, and Fold maps it to "i". Folded text is ordered by its bytes in UTF-8.
func Fold(text string) string { return strings.Map(unicode.ToLower, text) }

// A ValueKind determines how a value is compared. Values of different kinds are never equal and have no order.
type ValueKind byte

// The kinds of values. A value that is neither a number nor a time is text.
const (
	NumberValue ValueKind = 'n'
	TimeValue   ValueKind = 't'
	TextValue   ValueKind = 'x'
)

// A Key is the comparable form of a value. Two values are equal if their keys are equal. The byte order of
// the keys of one kind is the order of their values. The first byte is the ValueKind.
//
//   - A number is written as in JSON, without an exponent and with at most fifteen digits, so that it converts
//     without loss. 3 and 3.00 are equal; 007, +49 and numbers with more digits are text.
//   - A time is a date, or a date and a time of day, in ISO 8601 with hyphens and colons, with a zone or else in
//     UTC. It is compared to the millisecond.
//   - Text is compared by its Fold.
type Key string

// Kind returns the kind of the value.
func (k Key) Kind() ValueKind { return ValueKind(k[0]) }

// KeyOf returns the key of a value.
func KeyOf(value string) Key {
	if n, ok := parseNumber(value); ok {
		return numberKey(n)
	}
	if t, ok := ParseTime(value); ok {
		return timeKey(t)
	}
	return Key(TextValue) + Key(Fold(value))
}

// numberKey encodes the bits of a double such that the byte order of keys is the order of numbers.
func numberKey(n float64) Key {
	bits := math.Float64bits(n + 0) // -0 is 0
	if n < 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return Key(binary.BigEndian.AppendUint64([]byte{byte(NumberValue)}, bits))
}

// timeKey encodes milliseconds such that the byte order of keys is the order of times.
func timeKey(t time.Time) Key {
	return Key(binary.BigEndian.AppendUint64([]byte{byte(TimeValue)}, uint64(t.UnixMilli())^1<<63))
}

// maxDigits is the number of decimal digits that a double always represents exactly.
const maxDigits = 15

// parseNumber parses a number in the form that Key describes.
func parseNumber(text string) (float64, bool) {
	digits, rest := 0, strings.TrimPrefix(text, "-")
	whole, fraction, hasPoint := strings.Cut(rest, ".")
	if whole == "" || len(whole) > 1 && whole[0] == '0' || hasPoint && fraction == "" {
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

// ParseTime parses a time in one of the forms that Key accepts. The result is in UTC and truncated to milliseconds. For
// any other text, ParseTime returns false.
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
