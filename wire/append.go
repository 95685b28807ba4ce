package wire

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// appendInt appends a member name, given with its punctuation, and a number.
func appendInt[N ~int | ~int64](b []byte, member string, n N) []byte {
	return strconv.AppendInt(append(b, member...), int64(n), 10)
}

// appendCoordinate appends a coordinate of a position, unless it is 0.
func appendCoordinate(b []byte, member string, n float64) []byte {
	if n == 0 {
		return b
	}
	digits, _ := json.Marshal(n) // does not fail for a finite number
	return append(append(b, member...), digits...)
}

func appendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// hex holds the digits of escapes such as \u001f.
const hex = "0123456789abcdef"

// appendText appends a JSON string as encoding/json writes it without HTML escapes. It escapes U+2028 and U+2029,
// which older JavaScript treats as line ends, and replaces bytes that are not UTF-8 with U+FFFD.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	b = appendEscaped(b, text)
	return append(b, '"')
}

// textChunk is the maximum number of bytes of text that appendLongText appends between two flushes.
const textChunk = 32 << 10

// appendLongText is like appendText, but calls flush after each textChunk bytes.
func appendLongText(b []byte, text string, flush func([]byte) []byte) []byte {
	b = append(b, '"')
	for len(text) > textChunk {
		n := textChunk
		for i := range utf8.UTFMax { // do not cut a character
			if utf8.RuneStart(text[textChunk-i]) {
				n = textChunk - i
				break
			}
		}
		b = flush(appendEscaped(b, text[:n]))
		text = text[n:]
	}
	b = appendEscaped(b, text)
	return append(b, '"')
}

// appendEscaped appends the characters of text and escapes those that JSON requires.
func appendEscaped(b []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); {
		if len(text)-i >= 8 && arePlain(text[i:i+8]) {
			i += 8
			continue
		}
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if (r != utf8.RuneError || size > 1) && r != '\u2028' && r != '\u2029' {
				i += size
				continue
			}
			b = append(b, text[start:i]...)
			b = appendRune(b, r)
			i += size
			start = i
			continue
		}
		b = append(b, text[start:i]...)
		b = appendEscape(b, c)
		i++
		start = i
	}
	return append(b, text[start:]...)
}

// arePlain reports whether all eight bytes of s are ASCII characters that JSON does not escape. It tests the eight
// bytes together as one number. In the result of the test, the highest bit of a byte is set if that byte is not
// ASCII, or if a subtraction borrows: for a control character (x - ' '), a quote (x ^ '"' is 0) or a backslash.
func arePlain(s string) bool {
	const each, highest = 0x0101010101010101, 0x8080808080808080
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return (x|(x-each*' ')|((x^each*'"')-each)|((x^each*'\\')-each))&highest == 0
}

// appendRune appends the escape of a line separator, or U+FFFD for anything else.
func appendRune(b []byte, r rune) []byte {
	switch r {
	case '\u2028':
		return append(b, `\u2028`...)
	case '\u2029':
		return append(b, `\u2029`...)
	default:
		return append(b, `\ufffd`...)
	}
}

// appendEscape appends the escape of a quote, a backslash or a control character.
func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	default:
		return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
	}
}

// appendTime appends a time as "2025-01-02T03:04:05.678Z". It appends "" for the zero time and for years outside
// 0 to 9999.
func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, `""`...)
	}
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return append(b, `""`...)
	}
	hour, minute, second := t.Clock()
	b = append(b, '"')
	b = append(appendDigits(b, year, 4), '-')
	b = append(appendDigits(b, int(month), 2), '-')
	b = append(appendDigits(b, day, 2), 'T')
	b = append(appendDigits(b, hour, 2), ':')
	b = append(appendDigits(b, minute, 2), ':')
	b = append(appendDigits(b, second, 2), '.')
	b = appendDigits(b, t.Nanosecond()/1_000_000, 3)
	return append(b, 'Z', '"')
}

// appendDigits appends a number with leading zeros.
func appendDigits(b []byte, n, width int) []byte {
	for i := width - 1; i >= 0; i-- {
		b = append(b, '0')
	}
	for i := len(b) - 1; n > 0; i-- {
		b[i] = '0' + byte(n%10)
		n /= 10
	}
	return b
}
