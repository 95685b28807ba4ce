package schema

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// encodeScalar returns the stored text of a typed value that is neither a list nor a record of the schema.
func (f *Field) encodeScalar(v composition.Value) (string, bool) {
	switch f.Kind {
	case KindText, KindLongText, KindChoice:
		return v.Text, v.Kind == composition.Text
	case KindInteger, KindNumber:
		n, ok := parseNumber(v.Text)
		return formatNumber(n), ok && v.Kind == composition.Number && (f.Kind == KindNumber || isSafeInteger(n))
	case KindBoolean:
		return v.Text, v.Kind == composition.Bool
	case KindDate, KindDateTime:
		text, ok := canonicalTime(f.Kind, v.Text)
		return text, ok && v.Kind == composition.Text
	case KindFile:
		file, ok := readFile(v)
		return file.String(), ok
	default:
		return v.String(), f.Kind == KindJSON && v.Kind != composition.Null
	}
}

// decodeScalar returns the typed value of stored text, and false if the text does not fit the kind.
func (f *Field) decodeScalar(text string) (composition.Value, bool) {
	switch f.Kind {
	case KindText, KindLongText:
		return composition.TextValue(text), true
	case KindChoice:
		return composition.TextValue(text), f.hasChoice(text)
	case KindInteger, KindNumber:
		n, ok := parseNumber(text)
		ok = ok && (f.Kind == KindNumber || isSafeInteger(n))
		return composition.Value{Kind: composition.Number, Text: formatNumber(n)}, ok
	case KindBoolean:
		return composition.Value{Kind: composition.Bool, Text: text}, text == "true" || text == "false"
	case KindDate, KindDateTime:
		at, ok := canonicalTime(f.Kind, text)
		return composition.TextValue(at), ok
	default:
		v, err := composition.Parse([]byte(text))
		if err != nil || f.Kind == KindJSON {
			return v, err == nil
		}
		return readFile(v)
	}
}

func (f *Field) hasChoice(text string) bool { return slices.Contains(f.Choices, text) }

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// parseNumber parses a finite number in the syntax of JSON. Negative zero becomes zero.
func parseNumber(text string) (float64, bool) {
	if !jsonNumber.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if n == 0 {
		n = 0
	}
	return n, err == nil
}

// isSafeInteger reports whether a number is an integer, and a double represents it and all integers between it and zero exactly.
func isSafeInteger(n float64) bool { return n == math.Trunc(n) && math.Abs(n) <= 1<<53-1 }

// formatNumber formats a finite number as JavaScript does: the shortest digits that identify it, with an exponent below 1e-6
// and from 1e21 upwards.
func formatNumber(n float64) string {
	if n == 0 {
		return "0"
	}
	if size := math.Abs(n); size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	text := strconv.FormatFloat(n, 'e', -1, 64)
	// Go writes at least two digits of an exponent.
	text = strings.Replace(text, "e-0", "e-", 1)
	return strings.Replace(text, "e+0", "e+", 1)
}

var dateTimeSyntax = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// canonicalTime returns the stored form of a date, or of a dateTime, which must be in ISO 8601 with a zone. Digits beyond the
// millisecond are cut off. Years are 0001 to 9999.
func canonicalTime(kind Kind, text string) (string, bool) {
	if kind == KindDate {
		at, err := time.Parse(time.DateOnly, text)
		return text, err == nil && at.Year() >= 1 && len(text) == len(time.DateOnly)
	}
	match := dateTimeSyntax.FindStringSubmatch(text)
	if match == nil {
		return "", false
	}
	if match[1] == "" { // without seconds
		text = text[:len("2006-01-02T15:04")] + ":00" + match[3]
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	at = at.UTC()
	if err != nil || at.Year() < 1 || at.Year() > 9999 {
		return "", false
	}
	return at.Format("2006-01-02T15:04:05.000Z"), true
}

// readFile returns a record with exactly the members of a stored file. The URL is required; the others may be missing.
func readFile(v composition.Value) (composition.Value, bool) {
	url, name, typ, size := v.Get("url"), v.Get("name"), v.Get("type"), v.Get("size")
	if size.Kind == composition.Null {
		size = composition.Value{Kind: composition.Number, Text: "0"}
	}
	n, isNumber := parseNumber(size.Text)
	size.Text = formatNumber(n)
	file := composition.RecordValue(
		composition.Member{Key: "url", Value: url}, composition.Member{Key: "name", Value: composition.TextValue(name.Text)},
		composition.Member{Key: "type", Value: composition.TextValue(typ.Text)}, composition.Member{Key: "size", Value: size},
	)
	isTextOrMissing := func(v composition.Value) bool { return v.Kind == composition.Text || v.Kind == composition.Null }
	return file, v.Kind == composition.Record && url.Kind == composition.Text && url.Text != "" && isTextOrMissing(name) &&
		isTextOrMissing(typ) && size.Kind == composition.Number && isNumber && n >= 0 && isSafeInteger(n)
}

// isStorable reports whether the text has only characters that the graph can store; it may still be too long.
func isStorable(text string) bool {
	return len(text) > graph.MaxTextBytes || graph.CheckText("text", text) == nil
}
