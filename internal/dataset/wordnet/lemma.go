package wordnet

import (
	"io/fs"
	"iter"
	"strings"
)

// A Lemma is a line of an index file: a word in lower case with underscores, and the synsets that contain it,
// most used sense first.
type Lemma struct {
	Text    string
	Synsets []Key

	line line
}

// Lemmas reads the index file of a part of speech.
func Lemmas(files fs.FS, pos POS) iter.Seq2[Lemma, error] {
	return records(files, "index."+pos.fileSuffix(), func(l line) (Lemma, error) { return parseLemma(l, pos) })
}

func parseLemma(l line, pos POS) (Lemma, error) {
	f := l.fields()
	lemma := Lemma{Text: f.word("lemma"), line: l}
	if letter := f.word("part of speech"); f.err == nil && letter != string(rune(pos)) {
		f.fail("lemma %q has type %q in the file of type %q", lemma.Text, letter, string(rune(pos)))
	}
	count := f.number("count of synsets", 10, 0)
	symbols := f.number("count of pointer symbols", 10, 0)
	for i := 0; i < symbols && f.err == nil; i++ {
		f.word("pointer symbol")
	}
	if senses := f.number("count of senses", 10, 0); f.err == nil && senses != count {
		f.fail("lemma %q has %d synsets but %d senses", lemma.Text, count, senses)
	}
	f.number("count of tagged senses", 10, 0)
	for f.err == nil && len(lemma.Synsets) < count {
		lemma.Synsets = append(lemma.Synsets, Key{POS: pos, Offset: f.number("synset offset", 10, 8)})
	}
	if f.err == nil && strings.TrimSpace(f.rest) != "" {
		f.fail("lemma %q has %d synsets, but the line goes on with %q", lemma.Text, count, tail(f.rest))
	}
	return lemma, f.err
}

// A Form is a line of an exception file: an irregular form, and its base forms. All are in lower case with underscores.
type Form struct {
	Text  string
	Bases []string
}

// Forms reads the exception file of a part of speech.
func Forms(files fs.FS, pos POS) iter.Seq2[Form, error] {
	return records(files, pos.fileSuffix()+".exc", func(l line) (Form, error) {
		f := l.fields()
		form := Form{Text: f.word("form"), Bases: []string{f.word("base form")}}
		for f.err == nil && f.rest != "" {
			form.Bases = append(form.Bases, f.word("base form"))
		}
		return form, f.err
	})
}

// A Count is the number of occurrences of a sense in the tagged texts of WordNet.
type Count struct {
	SenseKey string
	Times    int
}

// Counts reads cntlist.rev.
func Counts(files fs.FS) iter.Seq2[Count, error] {
	return records(files, "cntlist.rev", func(l line) (Count, error) {
		f := l.fields()
		c := Count{SenseKey: f.word("sense key")}
		f.number("sense number", 10, 0)
		c.Times = f.number("count", 10, 0)
		return c, f.err
	})
}
