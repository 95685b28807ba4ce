package wordnet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// maxLineBytes is the maximum length of a line; the longest line of WordNet 3.0 has 13 thousand bytes.
const maxLineBytes = 1 << 20

// A line is one record of a file and its position.
type line struct {
	file   string
	number int // line number, starting at 1
	offset int // in bytes, from the beginning of the file
	text   string
}

// damaged returns an Invalid error that begins with the file and the number of the line.
func (l line) damaged(format string, args ...any) error {
	return graph.Errorf(graph.Invalid, "%s:%d: %s", l.file, l.number, fmt.Sprintf(format, args...))
}

// lines yields the lines of a file, without the licence at the beginning of the file. The lines of the licence
// begin with two spaces.
func lines(files fs.FS, name string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		f, err := files.Open(name)
		if err != nil {
			yield(line{}, graph.Wrap(graph.NotFound, err, "cannot open the WordNet file %s", name))
			return
		}
		defer f.Close()
		at := line{file: name}
		for r := bufio.NewReaderSize(f, maxLineBytes); ; {
			at.number++
			text, err := r.ReadSlice('\n')
			if errors.Is(err, io.EOF) && len(text) == 0 {
				return
			}
			at.text = strings.TrimSuffix(string(text), "\n")
			if err := at.check(err); err != nil {
				yield(line{}, err)
				return
			}
			if !strings.HasPrefix(at.text, "  ") && !yield(at, nil) {
				return
			}
			at.offset += len(text)
		}
	}
}

// check returns an error for a line that is malformed or could not be read.
func (l line) check(read error) error {
	switch {
	case errors.Is(read, io.EOF):
		return l.damaged("the file ends in the middle of a line, after %q", tail(l.text))
	case errors.Is(read, bufio.ErrBufferFull):
		return l.damaged("the line is longer than %d bytes", maxLineBytes)
	case read != nil:
		return graph.Wrap(graph.Unavailable, read, "cannot read %s beyond byte %d", l.file, l.offset)
	case strings.IndexByte(l.text, 0) >= 0:
		return l.damaged("NUL at byte %d of the line", strings.IndexByte(l.text, 0))
	case !utf8.ValidString(l.text):
		return l.damaged("not UTF-8, near %q", tail(strings.ToValidUTF8(l.text, "\ufffd")))
	}
	return nil
}

// tail returns the last 40 bytes of text, for error messages.
func tail(text string) string {
	const maxBytes = 40
	if len(text) <= maxBytes {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-maxBytes:], "")
}

// records parses and yields each line of a file. The first error ends the stream.
func records[T any](files fs.FS, name string, parse func(line) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for l, err := range lines(files, name) {
			var record T
			if err == nil {
				record, err = parse(l)
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// fields parses a line from left to right. It keeps the first error in err; all later fields are empty.
type fields struct {
	line
	rest string
	err  error
}

func (l line) fields() *fields { return &fields{line: l, rest: l.text} }

// word returns the text up to the next space. what is the name of the field in errors.
func (f *fields) word(what string) string {
	if f.err != nil {
		return ""
	}
	word, rest, _ := strings.Cut(f.rest, " ")
	if word == "" {
		f.fail("the line ends where the %s should be", what)
		return ""
	}
	f.rest = rest
	return word
}

// number returns a number with the given count of digits, or with any count if digits is 0.
func (f *fields) number(what string, base, digits int) int {
	word := f.word(what)
	if f.err != nil {
		return 0
	}
	n, err := strconv.ParseUint(word, base, 31)
	if err != nil || digits > 0 && len(word) != digits {
		f.fail("the %s is %q, not a number%s", what, word, describeNumber(base, digits))
		return 0
	}
	return int(n)
}

// describeNumber returns the expected form of a number, for error messages.
func describeNumber(base, digits int) string {
	s := ""
	if digits > 0 {
		s += fmt.Sprintf(" of %d digits", digits)
	}
	if base == 16 {
		s += " in hexadecimal"
	}
	return s
}

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = f.damaged(format, args...)
	}
}
