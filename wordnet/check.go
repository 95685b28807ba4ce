package wordnet

import (
	"errors"
	"io/fs"
	"iter"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// check finds what no single line shows: pointers to what is not there, relations that only one side knows
// of, and words that the index does not lead to.
func (c *catalog) check(files fs.FS) error {
	oneSided := map[edge]line{}
	for _, pos := range All {
		for s, err := range Synsets(files, pos) {
			if err != nil {
				return err
			}
			c.lines += 2 // read once more for what it is, and once for its relations
			if err := c.checkPointers(s, oneSided); err != nil {
				return err
			}
		}
	}
	if err := alone(oneSided); err != nil {
		return err
	}
	if err := c.checkIndex(files); err != nil {
		return err
	}
	return checkForms(files)
}

// An edge is a pointer by the numbers of its ends.
type edge struct {
	symbol   string
	words    bool // whether the ends are senses or synsets
	from, to int
}

func (c *catalog) checkPointers(s Synset, oneSided map[edge]line) error {
	if s.Satellite && !slices.ContainsFunc(s.Pointers, toHead) {
		return s.line.damaged("a satellite that is similar to nothing")
	}
	for _, p := range s.Pointers {
		from, _ := c.synset(s.Key)
		to, ok := c.synset(p.Target)
		if !ok {
			return s.line.damaged("pointer %s leads to synset %s, which is not there", p.Symbol, p.Target)
		}
		first, next := c.senses(to)
		if p.To > next-first {
			return s.line.damaged("pointer %s leads to word %d of synset %s, which has %d", p.Symbol, p.To, p.Target, next-first)
		}
		if p.From > 0 {
			from, to = c.first[from]+p.From-1, first+p.To-1
		}
		inverse := relations[p.Symbol].inverse
		if inverse == "" {
			continue
		}
		answer := edge{inverse, p.From > 0, to, from}
		if _, met := oneSided[answer]; met {
			delete(oneSided, answer)
		} else {
			oneSided[edge{p.Symbol, p.From > 0, from, to}] = line{file: s.line.file, number: s.line.number}
		}
	}
	return nil
}

// alone is an error about the first of the pointers that nothing answers.
func alone(oneSided map[edge]line) (err error) {
	var first line
	for e, l := range oneSided {
		if err == nil || l.file < first.file || l.file == first.file && l.number < first.number {
			first, err = l, l.damaged("a pointer %s to which no pointer %s answers", e.symbol, relations[e.symbol].inverse)
		}
	}
	return err
}

func (c *catalog) checkIndex(files fs.FS) error {
	reached := make([]bool, len(c.word))
	for _, pos := range All {
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
	for sense, yes := range reached {
		if !yes {
			key := c.synsetOf(sense)
			return graph.Errorf(graph.Invalid, "index.%s: no line leads to the word %q of synset %s",
				key.POS.file(), c.words[c.word[sense]], key)
		}
	}
	return nil
}

func checkForms(files fs.FS) error {
	for _, pos := range All {
		for _, err := range optional(Forms(files, pos)) {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sensesOf are the numbers of a lemma's senses, most used first. A synset may hold several spellings of it.
func (c *catalog) sensesOf(l Lemma) ([]int, error) {
	var senses []int
	for _, key := range l.Synsets {
		n, ok := c.synset(key)
		if !ok {
			return nil, l.line.damaged("lemma %q is said to be in synset %s, which is not there", l.Text, key)
		}
		before := len(senses)
		for sense, end := c.senses(n); sense < end; sense++ {
			if lemma(c.words[c.word[sense]]) == l.Text {
				senses = append(senses, sense)
			}
		}
		if len(senses) == before {
			return nil, l.line.damaged("lemma %q is said to be in synset %s, which has no such word", l.Text, key)
		}
	}
	return senses, nil
}

// optional leaves out a file that is not there.
func optional[T any](records iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for record, err := range records {
			if errors.Is(err, fs.ErrNotExist) || !yield(record, err) {
				return
			}
		}
	}
}
