// Command sample writes sample.zip, the excerpt of WordNet that is embedded in the binary, around the words of words.txt. Run
// it in the root of the module:
//
//	go run ./internal/dataset/wordnet/sample /usr/share/wordnet
package main

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/internal/dataset/wordnet"
)

const dir = "internal/dataset/wordnet/sample/"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sample:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return errors.New("want the directory of WordNet, such as /usr/share/wordnet")
	}
	files := os.DirFS(os.Args[1])
	wanted, err := wantedKeys(files)
	if err != nil {
		return err
	}
	excerpt, err := wordnet.Excerpt(files, wanted)
	if err != nil {
		return err
	}
	if excerpt["LICENSE"], err = os.ReadFile(dir + "LICENSE"); err != nil {
		return err
	}
	return write(excerpt)
}

func write(files map[string][]byte) error {
	out, err := os.Create(dir + "sample.zip")
	if err != nil {
		return err
	}
	z := zip.NewWriter(out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err != nil {
			return err
		}
		if _, err := w.Write(files[name]); err != nil {
			return err
		}
	}
	return errors.Join(z.Close(), out.Close())
}

var parts = map[string]wordnet.POS{"noun": wordnet.Noun, "verb": wordnet.Verb, "adj": wordnet.Adjective, "adv": wordnet.Adverb}

// wantedKeys returns the synsets that words.txt lists, with their hyponyms down to the depth that the line specifies.
func wantedKeys(files fs.FS) ([]wordnet.Key, error) {
	h := hyponymIndex{lemmas: map[string][]wordnet.Key{}, hyponyms: map[wordnet.Key][]wordnet.Key{}}
	if err := h.read(files); err != nil {
		return nil, err
	}
	f, err := os.Open(dir + "words.txt")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []wordnet.Key
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		keys, err := h.keys(fields)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		all = append(all, keys...)
	}
	return all, nil
}

// A hyponymIndex finds the synsets of lemmas and the hyponyms of synsets.
type hyponymIndex struct {
	lemmas   map[string][]wordnet.Key // keyed by lemma and part of speech, such as "dog n"
	hyponyms map[wordnet.Key][]wordnet.Key
}

func (h hyponymIndex) read(files fs.FS) error {
	for _, pos := range wordnet.PartsOfSpeech {
		for l, err := range wordnet.Lemmas(files, pos) {
			if err != nil {
				return err
			}
			h.lemmas[l.Text+" "+string(rune(pos))] = l.Synsets
		}
		for s, err := range wordnet.Synsets(files, pos) {
			if err != nil {
				return err
			}
			for _, p := range s.Pointers {
				if p.Symbol == "~" {
					h.hyponyms[s.Key] = append(h.hyponyms[s.Key], p.Target)
				}
			}
		}
	}
	return nil
}

// keys returns the synset of a line of words.txt and its hyponyms down to the depth that the line specifies.
func (h hyponymIndex) keys(fields []string) ([]wordnet.Key, error) {
	sense, depth := 1, 0
	for i, into := range []*int{&sense, &depth} {
		if len(fields) > 2+i {
			var err error
			if *into, err = strconv.Atoi(fields[2+i]); err != nil {
				return nil, err
			}
		}
	}
	pos, known := parts[fields[0]]
	senses := h.lemmas[fields[1]+" "+string(rune(pos))]
	if !known || sense < 1 || sense > len(senses) {
		return nil, fmt.Errorf("%q has %d senses as %q; want sense %d", fields[1], len(senses), fields[0], sense)
	}
	all := []wordnet.Key{senses[sense-1]}
	for level := all; depth > 0; depth-- {
		var next []wordnet.Key
		for _, key := range level {
			next = append(next, h.hyponyms[key]...)
		}
		all, level = append(all, next...), next
	}
	return all, nil
}
