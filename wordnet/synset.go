package wordnet

import (
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
)

// A POS is a part of speech, and the set of files that hold it.
type POS byte

// The parts of speech. A satellite adjective is an Adjective whose synset has Satellite true.
const (
	Noun      POS = 'n'
	Verb      POS = 'v'
	Adjective POS = 'a'
	Adverb    POS = 'r'
)

// All lists the parts of speech in the order WordNet's own tools show them.
var All = []POS{Noun, Verb, Adjective, Adverb}

// file is the ending of the files of this part of speech.
func (p POS) file() string {
	switch p {
	case Noun:
		return "noun"
	case Verb:
		return "verb"
	case Adjective:
		return "adj"
	default:
		return "adv"
	}
}

// A Key names a synset: the byte it stands at in the data file of its part of speech.
type Key struct {
	POS    POS
	Offset int
}

// String is the form other WordNet tools use: "00001740-n".
func (k Key) String() string { return fmt.Sprintf("%08d-%c", k.Offset, k.POS) }

// A Synset is a set of words that mean one thing.
type Synset struct {
	Key
	Satellite  bool // an adjective that leans on a head synset
	File       int  // number of the lexicographer's file it comes from
	Words      []Word
	Pointers   []Pointer
	Frames     []Frame // of verbs
	Definition string
	Examples   []string

	line line
}

// A Word is one member of a synset.
type Word struct {
	Text   string // as spelled, with spaces
	LexID  int    // tells equal words of one lexicographer's file apart
	Marker string // where an adjective may stand: "p", "a", "ip" or ""
}

// A Pointer is a relation to another synset. From and To count words from 1 when the relation is between
// words; both are 0 when it is between the synsets.
type Pointer struct {
	Symbol   string
	Target   Key
	From, To int
}

// A Frame is a sentence a verb fits in. Word counts from 1; 0 means every word of the synset.
type Frame struct {
	Number int
	Word   int
}

// Synsets reads the data file of a part of speech. The first error ends the stream: it names the file and the
// line, and says what was seen.
func Synsets(files fs.FS, pos POS) iter.Seq2[Synset, error] {
	return records(files, "data."+pos.file(), func(l line) (Synset, error) { return parseSynset(l, pos) })
}

func parseSynset(l line, pos POS) (Synset, error) {
	f := l.fields()
	s := Synset{Key: Key{POS: pos, Offset: f.number("synset offset", 10, 8)}, line: l}
	if f.err == nil && s.Offset != l.offset {
		f.fail("the synset says it stands at byte %d, but it stands at byte %d", s.Offset, l.offset)
	}
	s.File = f.number("lexicographer file", 10, 2)
	s.Satellite = parseType(f, pos)
	s.Words = parseWords(f, pos)
	s.Pointers = parsePointers(f, len(s.Words))
	if pos == Verb && !strings.HasPrefix(f.rest, "|") {
		s.Frames = parseFrames(f, len(s.Words))
	}
	if bar := f.word("gloss"); f.err == nil && bar != "|" {
		f.fail("%q stands where the gloss should begin; do the counts of words and pointers agree with the line?", bar)
	}
	s.Definition, s.Examples = splitGloss(f.rest)
	return s, f.err
}

func parseType(f *fields, pos POS) (satellite bool) {
	switch letter := f.word("synset type"); {
	case f.err != nil:
	case letter == "s" && pos == Adjective:
		return true
	case letter != string(rune(pos)):
		f.fail("a synset of type %q in the file of type %q", letter, string(rune(pos)))
	}
	return false
}

func parseWords(f *fields, pos POS) []Word {
	n := f.number("count of words", 16, 2)
	if f.err == nil && n == 0 {
		f.fail("a synset without words")
	}
	var words []Word
	for f.err == nil && len(words) < n {
		var w Word
		w.Text, w.Marker = cutMarker(f.word("word"), pos)
		w.Text = strings.ReplaceAll(w.Text, "_", " ")
		w.LexID = f.number("lex id", 16, 1)
		words = append(words, w)
	}
	return words
}

func cutMarker(word string, pos POS) (text, marker string) {
	i := strings.LastIndexByte(word, '(')
	if pos != Adjective || i <= 0 || !strings.HasSuffix(word, ")") {
		return word, ""
	}
	return word[:i], word[i+1 : len(word)-1]
}

func parsePointers(f *fields, words int) []Pointer {
	n := f.number("count of pointers", 10, 3)
	var pointers []Pointer
	for range n {
		p := Pointer{Symbol: f.word("pointer symbol")}
		p.Target.Offset = f.number("pointer's synset offset", 10, 8)
		p.Target.POS = parsePOS(f)
		ends := f.number("pointer's words", 16, 4)
		if f.err != nil {
			return nil
		}
		p.From, p.To = ends>>8, ends&0xff
		if _, known := relations[p.Symbol]; !known {
			f.fail("%q is no pointer symbol", p.Symbol)
		}
		if (p.From == 0) != (p.To == 0) || p.From > words {
			f.fail("pointer %s goes from word %d to word %d, and the synset has %d", p.Symbol, p.From, p.To, words)
		}
		// A few derivations stand twice in their line.
		if !slices.Contains(pointers, p) {
			pointers = append(pointers, p)
		}
	}
	return pointers
}

func parsePOS(f *fields) POS {
	switch letter := f.word("pointer's part of speech"); letter {
	case "n", "v", "a", "r":
		return POS(letter[0])
	case "s":
		return Adjective
	default:
		f.fail("%q is no part of speech", letter)
		return 0
	}
}

func parseFrames(f *fields, words int) []Frame {
	n := f.number("count of frames", 10, 2)
	var frames []Frame
	for f.err == nil && len(frames) < n {
		if plus := f.word("frame"); f.err == nil && plus != "+" {
			f.fail("%q stands where frame %d of %d should begin", plus, len(frames)+1, n)
		}
		frame := Frame{Number: f.number("frame number", 10, 2), Word: f.number("frame's word", 16, 2)}
		if frame.Word > words {
			f.fail("frame %d is of word %d, and the synset has %d", frame.Number, frame.Word, words)
		}
		frames = append(frames, frame)
	}
	return frames
}

// splitGloss tells the definition from the examples, which stand in quotation marks between semicolons.
// Nothing is lost: an example that is more than one quotation (it may name its author) stays as written,
// and a note after the examples joins the definition.
func splitGloss(gloss string) (definition string, examples []string) {
	var parts []string
	for _, part := range splitUnquoted(gloss) {
		switch part = strings.TrimSpace(part); {
		case part == "":
		case part[0] != '"':
			parts = append(parts, part)
		case len(part) > 2 && strings.IndexByte(part[1:], '"') == len(part)-2:
			examples = append(examples, strings.TrimSpace(part[1:len(part)-1]))
		default:
			examples = append(examples, part)
		}
	}
	return strings.Join(parts, "; "), examples
}

// splitUnquoted splits at semicolons outside of quotation marks.
func splitUnquoted(text string) (parts []string) {
	quoted, from := false, 0
	for i := range len(text) {
		switch text[i] {
		case '"':
			quoted = !quoted
		case ';':
			if !quoted {
				parts = append(parts, text[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, text[from:])
}
