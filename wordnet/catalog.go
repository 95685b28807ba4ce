package wordnet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A catalog knows of every synset what others say about it: where it stands and which words it has.
// Making one reads and checks all files, so that a damaged one is found before anything is written.
type catalog struct {
	offsets map[POS][]int  // ascending, as in the files
	start   map[POS]int    // number of the first synset of a part of speech
	first   []int          // by synset: the number of its first sense; one more at the end
	word    []int          // by sense: the number of its word
	lexID   []int          // by sense
	marker  map[int]string // by sense, where there is one
	words   []string       // by number, as spelled
	counts  map[string]int
	print   string // names the contents of the files
	lines   int    // that the drafts are made from

	numbers map[string]int // of words
}

func readCatalog(files fs.FS) (*catalog, error) {
	c := &catalog{offsets: map[POS][]int{}, start: map[POS]int{}, marker: map[int]string{}, numbers: map[string]int{}, counts: map[string]int{}}
	for _, pos := range All {
		if err := c.readSynsets(files, pos); err != nil {
			return nil, err
		}
	}
	c.first = append(c.first, len(c.word))
	if err := c.check(files); err != nil {
		return nil, err
	}
	for count, err := range optional(Counts(files)) {
		if err != nil {
			return nil, err
		}
		c.counts[count.SenseKey] = count.Times
	}
	return c, c.fingerprint(files)
}

func (c *catalog) readSynsets(files fs.FS, pos POS) error {
	c.start[pos] = len(c.first)
	for s, err := range Synsets(files, pos) {
		if err != nil {
			return err
		}
		c.offsets[pos] = append(c.offsets[pos], s.Offset)
		c.first = append(c.first, len(c.word))
		for _, w := range s.Words {
			if w.Marker != "" {
				c.marker[len(c.word)] = w.Marker
			}
			c.word = append(c.word, c.number(w.Text))
			c.lexID = append(c.lexID, w.LexID)
		}
	}
	return nil
}

func (c *catalog) number(text string) int {
	n, known := c.numbers[text]
	if !known {
		n = len(c.words)
		text = strings.Clone(text) // or the whole line stays in memory
		c.words = append(c.words, text)
		c.numbers[text] = n
	}
	return n
}

// synset is the number of the synset with this key.
func (c *catalog) synset(k Key) (n int, ok bool) {
	i, ok := slices.BinarySearch(c.offsets[k.POS], k.Offset)
	return c.start[k.POS] + i, ok
}

// synsetOf is the synset that a sense belongs to.
func (c *catalog) synsetOf(sense int) Key {
	i, found := slices.BinarySearch(c.first, sense)
	if !found {
		i--
	}
	for _, pos := range All {
		if n := i - c.start[pos]; n < len(c.offsets[pos]) {
			return Key{pos, c.offsets[pos][n]}
		}
	}
	return Key{}
}

func (c *catalog) synsets() int { return len(c.first) - 1 }

// senses are the numbers of a synset's senses: from the first up to, not including, the second.
func (c *catalog) senses(synset int) (from, to int) { return c.first[synset], c.first[synset+1] }

// senseKey is WordNet's lasting name of a sense, the same from one release to the next.
func (c *catalog) senseKey(s Synset, w Word) string {
	kind, head := slices.Index(All, s.POS)+1, ":"
	if s.Satellite {
		n, _ := c.synset(s.Pointers[slices.IndexFunc(s.Pointers, toHead)].Target)
		first, _ := c.senses(n)
		kind, head = 5, fmt.Sprintf("%s:%02d", c.head(first), c.lexID[first])
	}
	return fmt.Sprintf("%s%%%d:%02d:%02d:%s", lemma(w.Text), kind, s.File, w.LexID, head)
}

// toHead says whether a pointer of a satellite leads to its head.
func toHead(p Pointer) bool { return p.Symbol == "&" }

// head is how sense keys write the first word of a head synset: with its marker.
func (c *catalog) head(sense int) string {
	word := lemma(c.words[c.word[sense]])
	if marker, ok := c.marker[sense]; ok {
		word += "(" + marker + ")"
	}
	return word
}

// lemma is how index files write a word.
func lemma(text string) string { return strings.ReplaceAll(strings.ToLower(text), " ", "_") }

// fingerprint sums up what decides the batches: the files and the way they are mapped.
func (c *catalog) fingerprint(files fs.FS) error {
	sum := sha256.New()
	fmt.Fprintf(sum, "mapping %d, batches of %d\n", mapping, batchSize)
	for _, pos := range All {
		for _, name := range []string{"data." + pos.file(), "index." + pos.file()} {
			f, err := files.Open(name)
			if err != nil {
				return graph.Wrap(graph.NotFound, err, "cannot open the WordNet file %s", name)
			}
			_, err = io.Copy(sum, f)
			if err := errors.Join(err, f.Close()); err != nil {
				return graph.Wrap(graph.Unavailable, err, "cannot read the WordNet file %s", name)
			}
		}
	}
	c.print = fmt.Sprintf("%x", sum.Sum(nil)[:16])
	return nil
}
