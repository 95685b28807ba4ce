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

// longest is the most bytes a line may have; the longest of WordNet 3.0 has 13 thousand.
const longest = 1 << 20

// A line is one record of a file and where it stands.
type line struct {
	file   string
	number int // from 1
	offset int // in bytes
	text   string
}

// damaged says what is wrong with a line.
func (l line) damaged(format string, args ...any) error {
	return graph.Errorf(graph.Invalid, "%s:%d: %s", l.file, l.number, fmt.Sprintf(format, args...))
}

// lines yields the records of a file without the licence in front of them, whose lines begin with two spaces.
func lines(files fs.FS, name string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		f, err := files.Open(name)
		if err != nil {
			yield(line{}, graph.Wrap(graph.NotFound, err, "cannot open the WordNet file %s", name))
			return
		}
		defer f.Close()
		at := line{file: name}
		for r := bufio.NewReaderSize(f, longest); ; {
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

func (l line) check(read error) error {
	switch {
	case errors.Is(read, io.EOF):
		return l.damaged("the file ends in the middle of a line, after %q", tail(l.text))
	case errors.Is(read, bufio.ErrBufferFull):
		return l.damaged("the line is longer than %d bytes", longest)
	case read != nil:
		return graph.Wrap(graph.Unavailable, read, "cannot read %s beyond byte %d", l.file, l.offset)
	case strings.IndexByte(l.text, 0) >= 0:
		return l.damaged("NUL at byte %d of the line", strings.IndexByte(l.text, 0))
	case !utf8.ValidString(l.text):
		return l.damaged("not UTF-8, near %q", tail(strings.ToValidUTF8(l.text, "\ufffd")))
	}
	return nil
}

func tail(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}

// records yields what parse makes of every line of a file. The first error ends the stream.
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

// fields takes a line apart. The first thing that is not as it should be stays in err; what is asked for
// after that is empty.
type fields struct {
	line
	rest string
	err  error
}

func (l line) fields() *fields { return &fields{line: l, rest: l.text} }

// word takes the text up to the next space.
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

// number takes a number of so many digits; any number of them when digits is 0.
func (f *fields) number(what string, base, digits int) int {
	word := f.word(what)
	if f.err != nil {
		return 0
	}
	n, err := strconv.ParseUint(word, base, 31)
	if err != nil || digits > 0 && len(word) != digits {
		f.fail("the %s is %q, not a number%s", what, word, shape(base, digits))
		return 0
	}
	return int(n)
}

func shape(base, digits int) string {
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
