package sqlite

import (
	"strings"
	"unicode/utf8"
)

// A trigramFilter shortens long texts before they are indexed. The index holds the set of trigrams of each text. Without the
// filter, the index would be given all occurrences of the trigrams, and building the set would occupy the writer for about
// 0.2 s per megabyte.
//
// The filter has a fixed size, so it may keep some repetitions of trigrams with characters other than ASCII.
type trigramFilter struct {
	ascii [1 << (3 * 7) / 64]uint64      // a bit for each trigram
	other [1 << otherTrigramBits]trigram // by hash; a later trigram replaces an earlier one
}

// A trigram is three characters of 21 bits each.
type trigram uint64

const (
	otherTrigramBits = 16
	// minFiltered is the minimum size in bytes of text that is shortened.
	minFiltered = 16 << 10
)

// shorten leaves out parts of text whose trigrams occurred before. The result has all trigrams of text, and some more where parts
// were left out. A text of less than minFiltered bytes, or with a zero byte, is returned unchanged.
func (f *trigramFilter) shorten(text string) string {
	if len(text) < minFiltered || strings.Contains(text, "\x00") { // the tokenizer skips zeros
		return text
	}
	*f = trigramFilter{}
	var short []byte
	copied := 0            // number of bytes of the text that were copied
	first, second := -1, 0 // starts of the two characters before
	var last trigram       // trigram of the three characters up to here
	for at, end := 0, 0; at < len(text); at = end {
		char, size := utf8.DecodeRuneInString(text[at:])
		end = at + size
		last = (last<<21 | trigram(char)) & (1<<63 - 1)
		if first >= 0 && f.add(last) {
			short = append(short, text[max(first, copied):end]...)
			copied = end
		}
		if at > 0 {
			first = second
		}
		second = at
	}
	return string(short)
}

// add adds a trigram and reports whether it is new, or was replaced by another trigram since it was added.
func (f *trigramFilter) add(t trigram) bool {
	const notASCII = 0x1FFF80<<42 | 0x1FFF80<<21 | 0x1FFF80
	if t&notASCII == 0 {
		i := t>>28 | t>>14&0x3F80 | t&0x7F
		was := f.ascii[i/64]
		f.ascii[i/64] |= 1 << (i % 64)
		return was != f.ascii[i/64]
	}
	slot := &f.other[uint64(t)*0x9E3779B97F4A7C15>>(64-otherTrigramBits)] // multiplicative hashing by the golden ratio
	was := *slot
	*slot = t
	return was != t
}
