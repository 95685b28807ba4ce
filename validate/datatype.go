package validate

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A DataType is a shape of text that a field may ask for.
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

// DataTypes holds the test of each data type. All of them take a time linear in the text.
var DataTypes = map[DataType]func(string) bool{
	Number:    matches(`\d+(\.\d+)?`),
	Text:      func(string) bool { return true },
	TextOnly:  textOnly,
	Email:     with('@', matches(`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`)),
	Document:  endsIn(".pdf", ".doc", ".docx", ".ppt", ".pptx", ".xls", ".xlsx"),
	Sound:     endsIn(".mp3", ".wav", ".ogg", ".flac"),
	Image:     endsIn(".jpg", ".jpeg", ".png", ".gif", ".bmp", ".svg", ".webp"),
	Video:     endsIn(".mp4", ".avi", ".mov", ".mkv", ".flv", ".webm"),
	URL:       with('.', matches(`(https?://)?[0-9a-z.-]+\.[a-z.]{2,6}[/\w .-]*`)),
	Date:      matches(`\d{4}-\d{2}-\d{2}`),
	Time:      matches(`([01]\d|2[0-3]):[0-5]\d`),
	Password:  password,
	IPAddress: matches(`(` + octet + `\.){3}` + octet + `|([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}`),
	UUID:      matches(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`),
}

const octet = `(25[0-5]|2[0-4]\d|[01]?\d?\d)`

// Accepts says whether a text is of the data type. One that is not known accepts everything.
func (d DataType) Accepts(text string) bool {
	accepts, known := DataTypes[d]
	return !known || accepts(text)
}

// specific are the data types that can be told from a text, the narrowest first. A password looks like any
// other text.
var specific = []DataType{
	UUID, IPAddress, Email, Date, Time, Number, Document, Image, Sound, Video, URL, TextOnly, Text,
}

// Detect is the most specific data type of a text.
func Detect(text string) DataType {
	for _, d := range specific {
		if d.Accepts(text) {
			return d
		}
	}
	return Text
}

func matches(pattern string) func(string) bool {
	return regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString
}

// with spares long texts without a certain character the test.
func with(c byte, test func(string) bool) func(string) bool {
	return func(text string) bool { return strings.IndexByte(text, c) >= 0 && test(text) }
}

// endsIn compares without regard to the case of ASCII letters, and of no others.
func endsIn(endings ...string) func(string) bool {
	return func(text string) bool {
		dot := strings.LastIndexByte(text, '.')
		if dot < 0 || len(text)-dot > len(".webm") {
			return false
		}
		return slices.Contains(endings, strings.Map(lower, text[dot:]))
	}
}

func lower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

func textOnly(text string) bool {
	for _, r := range text {
		if c := lower(r); (c < 'a' || c > 'z') && !strings.ContainsRune(space, r) {
			return false
		}
	}
	return text != ""
}

// space is what JavaScript takes for white space.
const space = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

func password(text string) bool {
	return Length(text) >= 6 && !strings.ContainsAny(text, "\n\r\u2028\u2029")
}

// Length counts UTF-16 units, as browsers do.
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

// number reads a text as JavaScript's Number does: white space around it does not count, nothing is 0, and
// there are other bases.
func number(text string) (float64, bool) {
	text = strings.Trim(text, space)
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
	n, _ := strconv.ParseFloat(text, 64) // what is beyond the largest is infinite, here and there
	return n, !math.IsNaN(n)
}
