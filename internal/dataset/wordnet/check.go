package wordnet

import (
	"errors"
	"io/fs"
	"iter"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// check finds errors that span lines: pointers to missing synsets or words, relations without their inverse, and words
// that are missing in the index.
func (c *catalog) check(files fs.FS) error {
	oneSided := map[edge]line{}
	for _, pos := range PartsOfSpeech {
		for s, err := range Synsets(files, pos) {
			if err != nil {
				return err
			}
			c.lines += 2 // an import reads each synset twice: in draftSynsets and in connectSynsets
			if err := c.checkPointers(s, oneSided); err != nil {
				return err
			}
		}
	}
	if err := oneSidedError(oneSided); err != nil {
		return err
	}
	if err := c.checkIndex(files); err != nil {
		return err
	}
	return checkForms(files)
}

// An edge is a pointer, given by the numbers of its ends.
type edge struct {
	symbol       string
	betweenWords bool // the ends are senses, not synsets
	from, to     int
}

// checkPointers checks the pointers of a synset. oneSided holds the pointers whose inverse has not been read yet.
func (c *catalog) checkPointers(s Synset, oneSided map[edge]line) error {
	if s.Satellite && !slices.ContainsFunc(s.Pointers, leadsToHead) {
		return s.line.damaged("the satellite has no pointer & to a head")
	}
	for _, p := range s.Pointers {
		from, _ := c.synsetNumber(s.Key)
		to, ok := c.synsetNumber(p.Target)
		if !ok {
			return s.line.damaged("pointer %s leads to synset %s, which does not exist", p.Symbol, p.Target)
		}
		first, next := c.senseRange(to)
		if p.To > next-first {
			return s.line.damaged("pointer %s leads to word %d of synset %s, which has %d", p.Symbol, p.To, p.Target, next-first)
		}
		if p.From > 0 {
			from, to = c.firstSense[from]+p.From-1, first+p.To-1
		}
		inverse := relations[p.Symbol].inverse
		if inverse == "" {
			continue
		}
		opposite := edge{inverse, p.From > 0, to, from}
		if _, found := oneSided[opposite]; found {
			delete(oneSided, opposite)
		} else {
			oneSided[edge{p.Symbol, p.From > 0, from, to}] = line{file: s.line.file, number: s.line.number}
		}
	}
	return nil
}

// oneSidedError returns an error about the first pointer without an inverse, or nil.
func oneSidedError(oneSided map[edge]line) (err error) {
	var first line
	for e, l := range oneSided {
		if err == nil || l.file < first.file || l.file == first.file && l.number < first.number {
			first, err = l, l.damaged("pointer %s has no inverse pointer %s", e.symbol, relations[e.symbol].inverse)
		}
	}
	return err
}

// checkIndex checks that the index refers to existing words and to all of them.
func (c *catalog) checkIndex(files fs.FS) error {
	reached := make([]bool, len(c.senseWord))
	for _, pos := range PartsOfSpeech {
		for l, err := range Lemmas(files, pos) {
			if err != nil {
				return err
			}
			c.lines++
			senses, err := c.sensesOf(l)
			if err != nil {
				return err
			}
			for _, sense := range senses {
				reached[sense] = true
			}
		}
	}
	for sense, isReached := range reached {
		if !isReached {
			key := c.synsetOf(sense)
			return graph.Errorf(graph.Invalid, "index.%s: the word %q of synset %s is missing",
				key.POS.fileSuffix(), c.words[c.senseWord[sense]], key)
		}
	}
	return nil
}

func checkForms(files fs.FS) error {
	for _, pos := range PartsOfSpeech {
		for _, err := range optional(Forms(files, pos)) {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sensesOf returns the numbers of a lemma's senses, most used first. A synset may have several spellings of the lemma.
func (c *catalog) sensesOf(l Lemma) ([]int, error) {
	var senses []int
	for _, key := range l.Synsets {
		n, ok := c.synsetNumber(key)
		if !ok {
			return nil, l.line.damaged("lemma %q refers to synset %s, which does not exist", l.Text, key)
		}
		before := len(senses)
		for sense, end := c.senseRange(n); sense < end; sense++ {
			if lemmaOf(c.words[c.senseWord[sense]]) == l.Text {
				senses = append(senses, sense)
			}
		}
		if len(senses) == before {
			return nil, l.line.damaged("lemma %q refers to synset %s, which does not have this word", l.Text, key)
		}
	}
	return senses, nil
}

// optional yields nothing for a missing file, instead of an error.
func optional[T any](records iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for record, err := range records {
			if errors.Is(err, fs.ErrNotExist) || !yield(record, err) {
				return
			}
		}
	}
}
