// Command sample makes sample.zip, the excerpt of WordNet that the program carries, around the words of words.txt:
//
//	go run ./wordnet/sample /usr/share/wordnet
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

	"github.com/weft-graph/weft/wordnet"
)

const dir = "wordnet/sample/"

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
	made, err := wordnet.Excerpt(files, wanted)
	if err != nil {
		return err
	}
	if made["LICENSE"], err = os.ReadFile(dir + "LICENSE"); err != nil {
		return err
	}
	return write(made)
}

func write(made map[string][]byte) error {
	out, err := os.Create(dir + "sample.zip")
	if err != nil {
		return err
	}
	z := zip.NewWriter(out)
	for _, name := range slices.Sorted(maps.Keys(made)) {
		w, err := z.Create(name)
		if err != nil {
			return err
		}
		if _, err := w.Write(made[name]); err != nil {
			return err
		}
	}
	return errors.Join(z.Close(), out.Close())
}

var parts = map[string]wordnet.POS{"noun": wordnet.Noun, "verb": wordnet.Verb, "adj": wordnet.Adjective, "adv": wordnet.Adverb}

// wantedKeys are the synsets that words.txt names, and those below them as deep as it says.
func wantedKeys(files fs.FS) ([]wordnet.Key, error) {
	w := wordnets{lemmas: map[string][]wordnet.Key{}, below: map[wordnet.Key][]wordnet.Key{}}
	if err := w.read(files); err != nil {
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
		keys, err := w.keys(fields)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		all = append(all, keys...)
	}
	return all, nil
}

type wordnets struct {
	lemmas map[string][]wordnet.Key // "dog n"
	below  map[wordnet.Key][]wordnet.Key
}

func (w wordnets) read(files fs.FS) error {
	for _, pos := range wordnet.All {
		for l, err := range wordnet.Lemmas(files, pos) {
			if err != nil {
				return err
			}
			w.lemmas[l.Text+" "+string(rune(pos))] = l.Synsets
		}
		for s, err := range wordnet.Synsets(files, pos) {
			if err != nil {
				return err
			}
			for _, p := range s.Pointers {
				if p.Symbol == "~" {
					w.below[s.Key] = append(w.below[s.Key], p.Target)
				}
			}
		}
	}
	return nil
}

func (w wordnets) keys(fields []string) ([]wordnet.Key, error) {
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
	senses := w.lemmas[fields[1]+" "+string(rune(pos))]
	if !known || sense < 1 || sense > len(senses) {
		return nil, fmt.Errorf("%s has %d senses", fields[1], len(senses))
	}
	all := []wordnet.Key{senses[sense-1]}
	for level := all; depth > 0; depth-- {
		var next []wordnet.Key
		for _, key := range level {
			next = append(next, w.below[key]...)
		}
		all, level = append(all, next...), next
	}
	return all, nil
}
