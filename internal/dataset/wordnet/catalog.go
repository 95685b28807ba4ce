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

// A catalog is an index of the database in memory. It numbers synsets, senses and words, each from 0 in the order of the
// files. Building the catalog reads and checks all files, so that damage is found before anything is written.
type catalog struct {
	offsets     map[POS][]int  // ascending, as in the files
	firstSynset map[POS]int    // keyed by part of speech: the number of its first synset
	firstSense  []int          // indexed by synset: the number of its first sense; a further element has the number of all senses
	senseWord   []int          // indexed by sense: the number of its word
	lexID       []int          // indexed by sense
	senseMarker map[int]string // keyed by sense; senses without a marker have no entry
	words       []string       // indexed by number, as spelled
	counts      map[string]int // keyed by sense key: the number of occurrences
	fingerprint string         // identifies the contents of the files
	lines       int            // total number of lines that the passes of an import process

	wordNumbers map[string]int // keyed by word
}

func readCatalog(files fs.FS) (*catalog, error) {
	c := &catalog{offsets: map[POS][]int{}, firstSynset: map[POS]int{}, senseMarker: map[int]string{}, wordNumbers: map[string]int{}, counts: map[string]int{}}
	for _, pos := range PartsOfSpeech {
		if err := c.readSynsets(files, pos); err != nil {
			return nil, err
		}
	}
	c.firstSense = append(c.firstSense, len(c.senseWord))
	if err := c.check(files); err != nil {
		return nil, err
	}
	for count, err := range optional(Counts(files)) {
		if err != nil {
			return nil, err
		}
		c.counts[count.SenseKey] = count.Times
	}
	return c, c.computeFingerprint(files)
}

func (c *catalog) readSynsets(files fs.FS, pos POS) error {
	c.firstSynset[pos] = len(c.firstSense)
	for s, err := range Synsets(files, pos) {
		if err != nil {
			return err
		}
		c.offsets[pos] = append(c.offsets[pos], s.Offset)
		c.firstSense = append(c.firstSense, len(c.senseWord))
		for _, w := range s.Words {
			if w.Marker != "" {
				c.senseMarker[len(c.senseWord)] = w.Marker
			}
			c.senseWord = append(c.senseWord, c.wordNumber(w.Text))
			c.lexID = append(c.lexID, w.LexID)
		}
	}
	return nil
}

// wordNumber returns the number of a word, which it assigns on the first call.
func (c *catalog) wordNumber(text string) int {
	n, found := c.wordNumbers[text]
	if !found {
		n = len(c.words)
		text = strings.Clone(text) // without the copy, text would keep its whole line in memory
		c.words = append(c.words, text)
		c.wordNumbers[text] = n
	}
	return n
}

// synsetNumber returns the number of the synset with this key.
func (c *catalog) synsetNumber(k Key) (n int, ok bool) {
	i, ok := slices.BinarySearch(c.offsets[k.POS], k.Offset)
	return c.firstSynset[k.POS] + i, ok
}

// synsetOf returns the key of the synset to which a sense belongs.
func (c *catalog) synsetOf(sense int) Key {
	i, found := slices.BinarySearch(c.firstSense, sense)
	if !found {
		i--
	}
	for _, pos := range PartsOfSpeech {
		if n := i - c.firstSynset[pos]; n < len(c.offsets[pos]) {
			return Key{pos, c.offsets[pos][n]}
		}
	}
	return Key{}
}

func (c *catalog) synsetCount() int { return len(c.firstSense) - 1 }

// senseRange returns the numbers of the senses of a synset, as the half-open range [from, to).
func (c *catalog) senseRange(synset int) (from, to int) {
	return c.firstSense[synset], c.firstSense[synset+1]
}

// senseKey returns the sense key of a word, which is the same in all releases of WordNet. See senseidx(5WN).
func (c *catalog) senseKey(s Synset, w Word) string {
	kind, head := slices.Index(PartsOfSpeech, s.POS)+1, ":"
	if s.Satellite {
		n, _ := c.synsetNumber(s.Pointers[slices.IndexFunc(s.Pointers, leadsToHead)].Target)
		first, _ := c.senseRange(n)
		kind, head = 5, fmt.Sprintf("%s:%02d", c.headWord(first), c.lexID[first])
	}
	return fmt.Sprintf("%s%%%d:%02d:%02d:%s", lemmaOf(w.Text), kind, s.File, w.LexID, head)
}

// leadsToHead reports whether a pointer of a satellite leads to its head synset.
func leadsToHead(p Pointer) bool { return p.Symbol == "&" }

// headWord returns the form of a word in sense keys of satellites: the lemma with its marker.
func (c *catalog) headWord(sense int) string {
	word := lemmaOf(c.words[c.senseWord[sense]])
	if marker, ok := c.senseMarker[sense]; ok {
		word += "(" + marker + ")"
	}
	return word
}

// lemmaOf returns the form of a word in the index files.
func lemmaOf(text string) string { return strings.ReplaceAll(strings.ToLower(text), " ", "_") }

// computeFingerprint hashes everything that determines the batches: the files, the mapping version and the batch size.
func (c *catalog) computeFingerprint(files fs.FS) error {
	sum := sha256.New()
	fmt.Fprintf(sum, "mapping %d, batches of %d\n", mappingVersion, minBatchRecords)
	for _, pos := range PartsOfSpeech {
		for _, name := range []string{"data." + pos.fileSuffix(), "index." + pos.fileSuffix()} {
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
	c.fingerprint = fmt.Sprintf("%x", sum.Sum(nil)[:16])
	return nil
}
