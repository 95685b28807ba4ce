package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// fieldName returns the field that a column becomes: its name in camelCase, with letters and digits only.
func fieldName(name string, position int) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		if i == 0 {
			if strings.ToUpper(word) == word {
				words[0] = strings.ToLower(word) // "ID", "VAT"
			} else {
				words[0] = string(unicode.ToLower(first)) + word[size:]
			}
			continue
		}
		words[i] = string(unicode.ToUpper(first)) + strings.ToLower(word[size:])
	}
	field := strings.Join(words, "")
	if field == "" || unicode.IsDigit([]rune(field)[0]) {
		return "column" + strconv.Itoa(position+1)
	}
	return field
}

var (
	numberText  = regexp.MustCompile(`^-?\d+([.,]\d+)?$`)
	integerText = regexp.MustCompile(`^-?(0|[1-9]\d*)$`)
)

// kindOfText returns the kind of a cell's text, for the proposed mapping.
func kindOfText(text string) string {
	switch _, dateErr := time.Parse(time.DateOnly, text); {
	case dateErr == nil:
		return "date"
	case integerText.MatchString(text):
		return "integer"
	case numberText.MatchString(text):
		return "number"
	case text == "true" || text == "false":
		return "boolean"
	case len(text) > 200 || strings.Contains(text, "\n"):
		return "longText"
	default:
		return "text"
	}
}

// kind returns the kind that fits all cells of the column.
func (c column) kind() string {
	switch {
	case c.filled == 0:
		return "(empty)"
	case c.kinds["integer"]+c.kinds["number"] == c.filled && c.kinds["number"] > 0:
		return "number"
	case c.kinds["longText"] > 0:
		return "longText"
	}
	for kind, n := range c.kinds {
		if n == c.filled {
			return kind
		}
	}
	return "text"
}

// isFormula reports whether a spreadsheet would compute a cell.
func isFormula(cell string) bool {
	if len(cell) < 2 || numberText.MatchString(cell) {
		return false
	}
	return cell[0] == '=' || cell[0] == '@' || (cell[0] == '+' || cell[0] == '-') && strings.ContainsAny(cell, "(!")
}

// clipCell returns the beginning of a cell as one line.
func clipCell(cell string) string {
	cell = strings.Join(strings.Fields(cell), " ")
	if runes := []rune(cell); len(runes) > 30 {
		return string(runes[:30]) + "…"
	}
	return cell
}

// A textReader reads a file as UTF-8.
type textReader struct{ *bufio.Reader }

// firstLine returns the first line, or its first 64 KB, without consuming it.
func (t textReader) firstLine() string {
	head, _ := t.Peek(64 << 10) // a read error occurs again when the file is read
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return string(line)
}

// decodeText returns a reader that decodes text in a charset. A byte order mark takes precedence and is skipped. Reading an invalid
// byte fails with an Invalid error that names its line and shows the text as Windows-1252.
func decodeText(in io.Reader, charset string) (textReader, error) {
	raw := bufio.NewReaderSize(in, 64<<10)
	head, _ := raw.Peek(3)
	switch {
	case bytes.HasPrefix(head, []byte(byteOrderMark)):
		charset = "utf-8"
		_, _ = raw.Discard(len(byteOrderMark)) // cannot fail: the bytes are buffered
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}), bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		charset = "utf-16"
	case charset == "utf-16":
		return textReader{}, graph.Errorf(graph.Invalid, "the file has no byte order mark, so it is not UTF-16 as spreadsheets write it")
	}
	var decoded io.Reader
	switch charset {
	case "utf-16":
		decoded = &utf16Reader{in: raw}
	case "windows-1252":
		decoded = &windowsReader{in: raw}
	default:
		decoded = &utf8Reader{in: raw}
	}
	return textReader{bufio.NewReaderSize(&stickyReader{Reader: decoded}, 64<<10)}, nil
}

// A stickyReader returns its first error from every later Read. Without it, peeking at the text would consume the
// error.
type stickyReader struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (r *stickyReader) Read(p []byte) (n int, err error) {
	if r.err == nil {
		n, r.err = r.Reader.Read(p)
	}
	return n, r.err
}

// A utf8Reader checks line by line that text is UTF-8.
type utf8Reader struct {
	in   *bufio.Reader
	line int
	rest []byte
}

// maxTextLine is the maximum length of a line of a CSV file, in bytes.
const maxTextLine = 64 << 20

// Read implements io.Reader.
func (r *utf8Reader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		line, err := readLine(r.in)
		if len(line) == 0 {
			return 0, err
		}
		r.line++
		if !utf8.Valid(line) {
			return 0, graph.Errorf(graph.Invalid, "line %d is not UTF-8. Read as Windows-1252 it begins %q: if that is right, repeat with --charset windows-1252",
				r.line, clipCell(string(fromWindows(nil, line))))
		}
		r.rest = line
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// readLine returns a line with its line end, or io.EOF if there is none.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxTextLine:
			return nil, graph.Errorf(graph.TooLarge, "a line is longer than %d bytes", maxTextLine)
		case err == nil || len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// A windowsReader converts text from Windows-1252.
type windowsReader struct {
	in   *bufio.Reader
	rest []byte
}

// Read implements io.Reader.
func (r *windowsReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		chunk := make([]byte, 16<<10)
		n, err := r.in.Read(chunk)
		if n == 0 {
			return 0, err
		}
		r.rest = fromWindows(r.rest[:0], chunk[:n])
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// windows1252 holds the characters of the bytes 0x80 to 0x9F in Windows-1252. Bytes without a character become control characters.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// fromWindows appends text in Windows-1252 as UTF-8.
func fromWindows(to, text []byte) []byte {
	for _, b := range text {
		r := rune(b)
		if b >= 0x80 && b < 0xA0 {
			r = windows1252[b-0x80]
		}
		to = utf8.AppendRune(to, r)
	}
	return to
}

// A utf16Reader converts text from UTF-16 with a byte order mark.
type utf16Reader struct {
	in    *bufio.Reader
	order binary.ByteOrder
	rest  []byte
}

// Read implements io.Reader.
func (r *utf16Reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		unit, err := r.readUnit()
		if err != nil {
			return 0, err
		}
		if r.order == nil {
			r.order = binary.LittleEndian
			if unit == 0xFFFE { // read as little endian
				r.order = binary.BigEndian
			}
			continue
		}
		char := rune(unit)
		if utf16.IsSurrogate(char) {
			low, err := r.readUnit()
			if err != nil {
				return 0, graph.Errorf(graph.Invalid, "the UTF-16 text is cut off")
			}
			char = utf16.DecodeRune(char, rune(low))
		}
		r.rest = utf8.AppendRune(r.rest[:0], char)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// readUnit reads a unit of UTF-16: two bytes, which are little-endian unless a big-endian byte order mark was
// read.
func (r *utf16Reader) readUnit() (uint16, error) {
	var pair [2]byte
	if _, err := io.ReadFull(r.in, pair[:]); errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, graph.Errorf(graph.Invalid, "the UTF-16 text has an odd number of bytes")
	} else if err != nil {
		return 0, err
	}
	if r.order == nil {
		return binary.LittleEndian.Uint16(pair[:]), nil
	}
	return r.order.Uint16(pair[:]), nil
}
