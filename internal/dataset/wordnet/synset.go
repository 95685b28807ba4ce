package wordnet

import (
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
)

// A POS is a part of speech. Each has its own files.
type POS byte

// The parts of speech. A satellite adjective is an Adjective whose synset has Satellite true.
const (
	Noun      POS = 'n'
	Verb      POS = 'v'
	Adjective POS = 'a'
	Adverb    POS = 'r'
)

// PartsOfSpeech lists the parts of speech in the order of WordNet's own tools.
var PartsOfSpeech = []POS{Noun, Verb, Adjective, Adverb}

// fileSuffix returns the name of the part of speech in file names, such as "noun" in data.noun.
func (p POS) fileSuffix() string {
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

// A Key identifies a synset by its byte offset in the data file of its part of speech.
type Key struct {
	POS    POS
	Offset int
}

// String returns the form that other WordNet tools use: "00001740-n".
func (k Key) String() string { return fmt.Sprintf("%08d-%c", k.Offset, k.POS) }

// A Synset is a set of words with one common meaning.
type Synset struct {
	Key
	Satellite  bool // an adjective whose meaning is close to that of a head synset
	File       int  // number of its lexicographer file
	Words      []Word
	Pointers   []Pointer
	Frames     []Frame // only verbs have frames
	Definition string
	Examples   []string

	line line
}

// A Word is one member of a synset.
type Word struct {
	Text   string // as spelled, with spaces
	LexID  int    // distinguishes equal words of one lexicographer file
	Marker string // the position of an adjective: "p", "a", "ip" or ""
}

// A Pointer is a relation to another synset. From and To are the positions of the related words, from 1; both are 0 if the
// relation is between the synsets.
type Pointer struct {
	Symbol   string
	Target   Key
	From, To int
}

// A Frame is a sentence frame for verbs. Word is the position of the verb, from 1; 0 means every word of the synset.
type Frame struct {
	Number int
	Word   int
}

// Synsets reads the data file of a part of speech. The first error ends the stream; it names the file, the line and
// the unexpected text.
func Synsets(files fs.FS, pos POS) iter.Seq2[Synset, error] {
	return records(files, "data."+pos.fileSuffix(), func(l line) (Synset, error) { return parseSynset(l, pos) })
}

func parseSynset(l line, pos POS) (Synset, error) {
	f := l.fields()
	s := Synset{Key: Key{POS: pos, Offset: f.number("synset offset", 10, 8)}, line: l}
	if f.err == nil && s.Offset != l.offset {
		f.fail("the synset offset is %d, but the synset begins at byte %d", s.Offset, l.offset)
	}
	s.File = f.number("lexicographer file", 10, 2)
	s.Satellite = parseType(f, pos)
	s.Words = parseWords(f, pos)
	s.Pointers = parsePointers(f, len(s.Words))
	if pos == Verb && !strings.HasPrefix(f.rest, "|") {
		s.Frames = parseFrames(f, len(s.Words))
	}
	if bar := f.word("gloss"); f.err == nil && bar != "|" {
		f.fail("expected the gloss, found %q; the counts of words and pointers may be wrong", bar)
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
		f.fail("the synset has type %q in the file of type %q", letter, string(rune(pos)))
	}
	return false
}

func parseWords(f *fields, pos POS) []Word {
	n := f.number("count of words", 16, 2)
	if f.err == nil && n == 0 {
		f.fail("the synset has no words")
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
			f.fail("unknown pointer symbol %q", p.Symbol)
		}
		if (p.From == 0) != (p.To == 0) || p.From > words {
			f.fail("pointer %s goes from word %d to word %d, and the synset has %d", p.Symbol, p.From, p.To, words)
		}
		// A few derivations occur twice in their line.
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
		f.fail("unknown part of speech %q", letter)
		return 0
	}
}

func parseFrames(f *fields, words int) []Frame {
	n := f.number("count of frames", 10, 2)
	var frames []Frame
	for f.err == nil && len(frames) < n {
		if plus := f.word("frame"); f.err == nil && plus != "+" {
			f.fail("expected frame %d of %d, found %q", len(frames)+1, n, plus)
		}
		frame := Frame{Number: f.number("frame number", 10, 2), Word: f.number("frame's word", 16, 2)}
		if frame.Word > words {
			f.fail("frame %d refers to word %d, and the synset has %d", frame.Number, frame.Word, words)
		}
		frames = append(frames, frame)
	}
	return frames
}

// splitGloss separates the definition from the examples, which are quoted and separated by semicolons. No text is dropped:
// an example that is more than one quotation, for example because it names its author, stays unchanged, and a note after
// the examples is appended to the definition.
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

// splitUnquoted splits text at the semicolons outside quotation marks.
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
