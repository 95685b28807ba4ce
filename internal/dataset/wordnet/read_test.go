package wordnet

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
)

// slice is a small WordNet that has every pointer symbol.
var slice = os.DirFS("testdata/slice")

func TestSynsets(t *testing.T) {
	n := func(offset int) Key { return Key{Noun, offset} }
	want := []Synset{
		{
			Key: n(945), File: 5, Words: []Word{{Text: "dog"}, {Text: "domestic dog"}},
			Pointers: []Pointer{
				{Symbol: "@", Target: n(664)},
				{Symbol: "@", Target: n(786)},
				{Symbol: "%p", Target: n(1415)},
				{Symbol: "~i", Target: n(1247)},
				{Symbol: "#m", Target: n(1319)},
			},
			Definition: "the animal that barks", Examples: []string{"the dog slept by the door"},
		},
		{
			Key: Key{Verb, 532}, File: 38, Words: []Word{{Text: "run"}, {Text: "race", LexID: 1}},
			Pointers: []Pointer{
				{Symbol: "@", Target: Key{Verb, 155}},
				{Symbol: "$", Target: Key{Verb, 308}},
				{Symbol: "^", Target: Key{Verb, 308}, From: 1, To: 1},
			},
			Frames: []Frame{{Number: 2}, {Number: 8, Word: 2}}, Definition: "move on foot, faster", Examples: []string{"run for the bus"},
		},
		{
			Key: Key{Adjective, 504}, Words: []Word{{Text: "asleep", Marker: "p"}},
			Pointers: []Pointer{{Symbol: "&", Target: Key{Adjective, 590}}}, Definition: "not awake", Examples: []string{"the dog is asleep"},
		},
	}
	for _, want := range want {
		for s, err := range Synsets(slice, want.POS) {
			if err != nil {
				t.Fatal(err)
			}
			if s.line = (line{}); s.Key != want.Key {
				continue
			}
			if diff := cmp.Diff(want, s, cmp.AllowUnexported(Synset{}, line{})); diff != "" {
				t.Errorf("synset %s (-want +got):\n%s", s.Key, diff)
			}
		}
	}
}

func TestSplitGloss(t *testing.T) {
	for _, c := range []struct {
		name, gloss, definition string
		examples                []string
	}{
		{"reads a definition without examples", `a; b`, `a; b`, nil},
		{"removes the quotation marks of examples", `a; "one"; "two"`, `a`, []string{"one", "two"}},
		{"keeps a semicolon inside an example", `a; "one; two"`, `a`, []string{"one; two"}},
		{"keeps an example with its author unchanged", `a; "one"- Somebody`, `a`, []string{`"one"- Somebody`}},
		{"keeps an example of two quotations unchanged", `a; "one" or "two"`, `a`, []string{`"one" or "two"`}},
		{"appends a note after the examples to the definition", `a; "one"; (a note)`, `a; (a note)`, []string{"one"}},
		{"keeps a quotation inside the definition", `a, as in "one"`, `a, as in "one"`, nil},
		{"reads an unclosed quotation to the end", `a; "one; two`, `a`, []string{`"one; two`}},
		{"reads examples without a definition", `"one"`, ``, []string{"one"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			definition, examples := splitGloss(c.gloss)
			if diff := cmp.Diff(c.examples, examples); definition != c.definition || diff != "" {
				t.Errorf("splitGloss(%s) is %q and %q; want %q and %q", c.gloss, definition, examples, c.definition, c.examples)
			}
		})
	}
}

func TestImportRejectsDamagedFiles(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"a lost byte", "data.noun", "living thing", "living hing", "data.noun:5: the synset offset is 562, but the synset begins at byte 561"},
		{"a malformed offset", "data.noun", "00000562 05 n 01 carn", "0000o562 05 n 01 carn", `data.noun:5: the synset offset is "0000o562", not a number of 8 digits`},
		{"more words than counted", "data.noun", "n 02 canine", "n 01 canine", `data.noun:6: the count of pointers is "canid"`},
		{"fewer words than counted", "data.noun", "n 01 tail", "n 02 tail", `data.noun:12: the lex id is "@"`},
		{"fewer pointers than counted", "data.noun", "pack 0 002", "pack 0 003", "data.noun:11: "},
		{"more pointers than counted", "data.noun", "pack 0 002", "pack 0 001", `data.noun:11: expected the gloss, found "%m"`},
		{"an unknown pointer symbol", "data.noun", "%m 00000945", "%q 00000945", `data.noun:11: unknown pointer symbol "%q"`},
		{"a pointer to a missing synset", "data.verb", "$ 00000532 v", "$ 00000533 v", "data.verb:4: pointer $ leads to synset 00000533-v, which does not exist"},
		{"a pointer to a missing word", "data.adv", "0101", "0109", "data.adv:3: pointer \\ leads to word 9 of synset 00000155-a, which has 1"},
		{"a pointer from a missing word", "data.adv", "0101", "0901", "data.adv:3: pointer \\ goes from word 9 to word 1, and the synset has 2"},
		{"a pointer from a word to a synset", "data.adv", "0101", "0100", "data.adv:3: pointer \\ goes from word 1 to word 0"},
		{"a relation without its inverse", "data.noun", "#p 00000945", "#s 00000945", "data.noun:8: pointer %p has no inverse pointer #p"},
		{"the wrong part of speech", "data.adv", "02 r 02", "02 n 02", `data.adv:3: the synset has type "n" in the file of type "r"`},
		{"a frame of a missing word", "data.verb", "+ 08 02", "+ 08 03", "data.verb:6: frame 8 refers to word 3, and the synset has 2"},
		{"a satellite without a head", "data.adj", "00 a 01 slow", "00 s 01 slow", "data.adj:5: the satellite has no pointer & to a head"},
		{"not UTF-8", "data.noun", "whatever", "what\xffver", "data.noun:3: not UTF-8"},
		{"a NUL", "data.noun", "whatever", "what\x00ver", "data.noun:3: NUL at byte "},
		{"a file cut in the middle of a line", "data.adv", "come quickly!\"  \n", "co", "data.adv:3: the file ends in the middle of a line"},
		{"a file cut between two lines", "data.adj", "00000761 44 a 01 running 0 001 < 00000532 v 0101 | on the run  \n", "", "index.adj:"},
		{"an index entry for a missing synset", "index.verb", "00000308", "00000318", `index.verb:10: lemma "walk" refers to synset 00000318-v, which does not exist`},
		{"an index entry for the wrong synset", "index.noun", "zoology n 1 2 @ -c 1 0 00001688", "zoology n 1 2 @ -c 1 0 00001781", `index.noun:22: lemma "zoology" refers to synset 00001781-n, which does not have this word`},
		{"an index with a wrong count", "index.noun", "pack n 1", "pack n 2", `index.noun:15: lemma "pack" has 2 synsets but 1 senses`},
		{"an index that counts one synset too few", "index.noun", "dog n 2 5 @ %p ~i #m ;u 2", "dog n 1 5 @ %p ~i #m ;u 1", `the line goes on with "00001135  "`},
		{"a word missing in the index", "index.adv", "fast r 1 1 \\ 1 0 00000155  \n", "", `index.adv: the word "fast" of synset 00000155-r is missing`},
		{"a malformed count", "cntlist.rev", "1 42", "1 many", `cntlist.rev:2: the count is "many", not a number`},
		{"a form without a base", "noun.exc", "dogges dog", "dogges", "noun.exc:1: the line ends where the base form should be"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := memory.New()
			_, err := importBatches(t.Context(), store, damagedSlice(t, c.file, c.old, c.new), 1, nil)
			if err == nil || graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v; want %q", err, c.want)
			}
			if seq, _ := store.LastSeq(t.Context()); seq != 0 {
				t.Errorf("%d batches were written; want none", seq)
			}
		})
	}
	t.Run("a missing file", func(t *testing.T) {
		files := damagedSlice(t, "data.adv", "", "")
		delete(files, "data.verb")
		_, err := Import(t.Context(), memory.New(), files, nil)
		if graph.KindOf(err) != graph.NotFound || !strings.Contains(err.Error(), "data.verb") {
			t.Errorf("the error is %v; want NotFound, naming data.verb", err)
		}
	})
}

// damagedSlice returns the slice with some text of a file replaced.
func damagedSlice(t *testing.T, name, old, new string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(slice, "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		data, err := fs.ReadFile(slice, n)
		if err != nil {
			t.Fatal(err)
		}
		if n == name {
			if !strings.Contains(string(data), old) {
				t.Fatalf("%s does not contain %q", n, old)
			}
			data = []byte(strings.Replace(string(data), old, new, 1))
		}
		files[n] = &fstest.MapFile{Data: data}
	}
	return files
}

func FuzzSynset(f *testing.F) {
	for _, pos := range PartsOfSpeech {
		for l, err := range lines(slice, "data."+pos.fileSuffix()) {
			if err != nil {
				f.Fatal(err)
			}
			f.Add(l.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, pos := range PartsOfSpeech {
			files := fstest.MapFS{"data." + pos.fileSuffix(): {Data: []byte(text + "\n")}}
			for s, err := range Synsets(files, pos) {
				if err == nil && len(s.Words) == 0 {
					t.Errorf("a synset without words: %+v", s)
				}
			}
		}
	})
}

// Reading the index, exception and count files must yield errors or complete records, and must not panic.
func FuzzIndex(f *testing.F) {
	for _, pos := range PartsOfSpeech {
		for l, err := range lines(slice, "index."+pos.fileSuffix()) {
			if err != nil {
				f.Fatal(err)
			}
			f.Add(l.text)
		}
	}
	f.Add("mice mouse")
	f.Add("able%3:00:00:: 1 72")
	f.Fuzz(func(t *testing.T, text string) {
		data := &fstest.MapFile{Data: []byte(text + "\n")}
		for _, pos := range PartsOfSpeech {
			files := fstest.MapFS{"index." + pos.fileSuffix(): data, pos.fileSuffix() + ".exc": data, "cntlist.rev": data}
			for l, err := range Lemmas(files, pos) {
				if err == nil && l.Text == "" {
					t.Errorf("a lemma without text: %+v", l)
				}
			}
			for _, err := range Forms(files, pos) {
				_ = err // The readers may fail, but not panic.
			}
			for _, err := range Counts(files) {
				_ = err
			}
		}
	})
}
