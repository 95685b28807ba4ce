package wire

import (
	"strconv"
	"time"
	"unicode/utf8"
)

func appendInt[N ~int | ~int64](b []byte, member string, n N) []byte {
	return strconv.AppendInt(append(b, member...), int64(n), 10)
}

func appendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

const hex = "0123456789abcdef"

// appendText appends a JSON string as encoding/json writes it without HTML escapes: U+2028 and U+2029
// are escaped because JavaScript once took them for line ends, and bytes that are not UTF-8 become U+FFFD.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(text); {
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
	b = append(b, text[start:]...)
	return append(b, '"')
}

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

// appendTime appends "2025-01-02T03:04:05.678Z", and "" for the zero time.
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
