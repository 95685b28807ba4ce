package validate

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A DataType is a text format that a field may require.
type DataType string

// The data types.
const (
	Number    DataType = "number"
	Text      DataType = "text"
	TextOnly  DataType = "textOnly"
	Email     DataType = "email"
	Document  DataType = "document"
	Sound     DataType = "sound"
	Image     DataType = "image"
	Video     DataType = "video"
	URL       DataType = "url"
	Date      DataType = "date"
	Time      DataType = "time"
	Password  DataType = "password"
	IPAddress DataType = "ipaddress"
	UUID      DataType = "uuid"
)

// DataTypes maps each data type to a function that reports whether text has its format. All functions run in linear
// time.
var DataTypes = map[DataType]func(string) bool{
	Number:    matches(`\d+(\.\d+)?`),
	Text:      func(string) bool { return true },
	TextOnly:  isTextOnly,
	Email:     containing('@', matches(`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`)),
	Document:  hasExtension(".pdf", ".doc", ".docx", ".ppt", ".pptx", ".xls", ".xlsx"),
	Sound:     hasExtension(".mp3", ".wav", ".ogg", ".flac"),
	Image:     hasExtension(".jpg", ".jpeg", ".png", ".gif", ".bmp", ".svg", ".webp"),
	Video:     hasExtension(".mp4", ".avi", ".mov", ".mkv", ".flv", ".webm"),
	URL:       containing('.', matches(`(https?://)?[0-9a-z.-]+\.[a-z.]{2,6}[/\w .-]*`)),
	Date:      matches(`\d{4}-\d{2}-\d{2}`),
	Time:      matches(`([01]\d|2[0-3]):[0-5]\d`),
	Password:  isPassword,
	IPAddress: matches(`(` + octet + `\.){3}` + octet + `|([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}`),
	UUID:      matches(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`),
}

const octet = `(25[0-5]|2[0-4]\d|[01]?\d?\d)`

// Accepts reports whether text has the format of the data type. An unknown data type accepts any text.
func (d DataType) Accepts(text string) bool {
	accepts, known := DataTypes[d]
	return !known || accepts(text)
}

// bySpecificity lists the data types that DetectDataType distinguishes, most specific first. Password is not among them
// because any text can be one.
var bySpecificity = []DataType{
	UUID, IPAddress, Email, Date, Time, Number, Document, Image, Sound, Video, URL, TextOnly, Text,
}

// DetectDataType returns the most specific data type of text.
func DetectDataType(text string) DataType {
	for _, d := range bySpecificity {
		if d.Accepts(text) {
			return d
		}
	}
	return Text
}

// matches returns a test for a regular expression that must match the whole text.
func matches(pattern string) func(string) bool {
	return regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString
}

// containing returns a test that first checks for a required character, which is cheap even if the text is long.
func containing(c byte, test func(string) bool) func(string) bool {
	return func(text string) bool { return strings.IndexByte(text, c) >= 0 && test(text) }
}

// hasExtension returns a test for file name extensions. It ignores the case of ASCII letters only.
func hasExtension(extensions ...string) func(string) bool {
	return func(text string) bool {
		dot := strings.LastIndexByte(text, '.')
		if dot < 0 || len(text)-dot > len(".webm") {
			return false
		}
		return slices.Contains(extensions, strings.Map(lowerASCII, text[dot:]))
	}
}

func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

func isTextOnly(text string) bool {
	for _, r := range text {
		if c := lowerASCII(r); (c < 'a' || c > 'z') && !strings.ContainsRune(whitespace, r) {
			return false
		}
	}
	return text != ""
}

// whitespace holds the characters that JavaScript treats as white space.
const whitespace = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

func isPassword(text string) bool {
	return Length(text) >= 6 && !strings.ContainsAny(text, "\n\r\u2028\u2029")
}

// Length returns the number of UTF-16 units in text, which is the length of text in JavaScript.
func Length(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

var decimal = regexp.MustCompile(`^[+-]?(Infinity|\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)$`)

// parseNumber parses text as JavaScript's Number function does: it trims white space, treats "" as 0, and
// accepts hexadecimal, octal and binary numbers.
func parseNumber(text string) (float64, bool) {
	text = strings.Trim(text, whitespace)
	if text == "" {
		return 0, true
	}
	if len(text) > 2 && text[0] == '0' && strings.ContainsRune("xXoObB", rune(text[1])) && !strings.Contains(text, "_") {
		n, err := strconv.ParseUint(text, 0, 64)
		return float64(n), err == nil
	}
	if !decimal.MatchString(text) {
		return 0, false
	}
	n, _ := strconv.ParseFloat(text, 64) // out of range becomes infinite, as in JavaScript
	return n, !math.IsNaN(n)
}
