package schema

import (
	"strings"
	"unicode"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/validate"
)

// NewRefusal returns the refusal of a record by a rule of a field that Check does not cover: unique, targets, one or self.
func NewRefusal(record graph.ID, f *Field, rule string) Refusal {
	return Refusal{Record: record, Field: f.Name, Rule: rule, Message: f.sentence(rule, f.Name)}
}

// sentence returns the sentence that describes a violation to the user. The field is nil for the rule unknown.
func (f *Field) sentence(rule, path string) string {
	label := Label(path)
	switch rule {
	case "required":
		return label + " is required."
	case "unknown":
		return label + " is not a field."
	case "choices":
		return label + " must be one of: " + strings.Join(f.Choices, ", ") + "."
	case "pattern":
		return label + " does not have the expected form."
	case "format":
		return label + " must be " + formatPhrases[f.Format] + "."
	case "unique":
		return label + " is taken: another record has this value."
	case "targets":
		return label + " must be a record of: " + strings.Join(f.Targets, ", ") + "."
	case "one":
		return label + " must be a single record."
	case "self":
		return label + " must be another record."
	case "min":
		return label + " must " + f.limitPhrase("at least", "on or after", f.Min) + "."
	case "max":
		if f.Max == nil {
			return label + " is too long."
		}
		return label + " must " + f.limitPhrase("at most", "on or before", f.Max) + "."
	default:
		return label + " must be " + kindPhrases[f.Kind] + "."
	}
}

// limitPhrase returns the predicate of a limit, such as "have at least 3 characters".
func (f *Field) limitPhrase(amount, day string, b *Bound) string {
	n := formatNumber(b.Number)
	unit := func(name string) string {
		if b.Number != 1 {
			name += "s"
		}
		return amount + " " + n + " " + name
	}
	switch {
	case f.Kind.isTime():
		return "be " + day + " " + b.Text
	case f.Kind.isText():
		return "have " + unit("character")
	case f.Kind == KindList:
		return "have " + unit("item")
	case f.Kind == KindFile:
		return "have " + unit("byte")
	default:
		return "be " + amount + " " + n
	}
}

// Label returns a path of fields in words: "homeAddress.zipCode" is "Home address, zip code", and "tags.0" is "Tags, item 1".
func Label(path string) string {
	var b strings.Builder
	for i, name := range strings.Split(path, ".") {
		if i > 0 {
			b.WriteString(", ")
		}
		if composition.IsIndex(name) {
			b.WriteString("item " + nextNumber(name))
			continue
		}
		for j, r := range name {
			switch {
			case i == 0 && j == 0:
				r = unicode.ToUpper(r)
			case 'A' <= r && r <= 'Z':
				b.WriteByte(' ')
				r += 'a' - 'A'
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// nextNumber returns the number after a list index, for people who count from one.
func nextNumber(index string) string {
	n, _ := parseNumber(index) // an index has at most nine digits
	return formatNumber(n + 1)
}

var kindPhrases = map[Kind]string{
	KindText:     "text",
	KindLongText: "text",
	KindInteger:  "a whole number",
	KindNumber:   "a number",
	KindBoolean:  "true or false",
	KindDate:     "a date such as 2026-02-28",
	KindDateTime: "a time such as 2026-02-28T09:30:00Z",
	KindJSON:     "JSON",
	KindFile:     "a file",
	KindChoice:   "text",
	KindList:     "a list",
	KindRecord:   "a record",
	KindOne:      "a record",
	KindMany:     "records",
}

var formatPhrases = map[validate.DataType]string{
	validate.Number:    "a number",
	validate.Text:      "text",
	validate.TextOnly:  "letters and spaces only",
	validate.Email:     "an e-mail address",
	validate.Document:  "the name of a document",
	validate.Sound:     "the name of a sound file",
	validate.Image:     "the name of an image file",
	validate.Video:     "the name of a video file",
	validate.URL:       "a web address",
	validate.Date:      "a date such as 2026-02-28",
	validate.Time:      "a time such as 09:30",
	validate.Password:  "a password of at least 6 characters",
	validate.IPAddress: "an IP address",
	validate.UUID:      "a UUID",
}
