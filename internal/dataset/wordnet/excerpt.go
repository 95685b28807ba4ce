package wordnet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Excerpt returns the files of a smaller WordNet, by name: the wanted synsets, their hypernyms and heads, and the relations
// among these. Every synset keeps its byte offset, so that its key stays valid. Lines of spaces fill the gaps; they
// compress well, and readers skip them as they skip the licence.
func Excerpt(files fs.FS, wanted []Key) (map[string][]byte, error) {
	c, err := readCatalog(files)
	if err != nil {
		return nil, err
	}
	e := excerpt{catalog: c, files: files, selected: map[Key]bool{}, keys: map[string]bool{}, lemmas: map[string]bool{}, output: map[string][]byte{}}
	if err := e.selectSynsets(wanted); err != nil {
		return nil, err
	}
	for _, pos := range PartsOfSpeech {
		for _, step := range []func(POS) error{e.writeData, e.writeIndex, e.writeForms} {
			if err := step(pos); err != nil {
				return nil, err
			}
		}
	}
	return e.output, e.copyLines("cntlist.rev", func(fields []string) bool { return e.keys[fields[0]] })
}

// An excerpt collects the files that Excerpt returns.
type excerpt struct {
	*catalog
	files    fs.FS
	selected map[Key]bool
	keys     map[string]bool // sense keys of the selected synsets
	lemmas   map[string]bool // keyed by lemma and part of speech, such as "dog n"
	output   map[string][]byte
}

// requiredRelations are the symbols of the pointers whose targets an excerpt includes: hypernyms, and heads of satellites.
var requiredRelations = []string{"@", "@i", "&"}

// selectSynsets selects the wanted synsets and the targets of their required relations, transitively.
func (e *excerpt) selectSynsets(wanted []Key) error {
	all := map[Key]Synset{}
	for _, pos := range PartsOfSpeech {
		for s, err := range Synsets(e.files, pos) {
			if err != nil {
				return err
			}
			all[s.Key] = s
		}
	}
	for len(wanted) > 0 {
		key := wanted[len(wanted)-1]
		wanted = wanted[:len(wanted)-1]
		s, ok := all[key]
		if !ok {
			return graph.Errorf(graph.NotFound, "there is no synset %s", key)
		}
		if e.selected[key] {
			continue
		}
		e.selected[key] = true
		for _, w := range s.Words {
			e.keys[e.senseKey(s, w)] = true
			e.lemmas[lemmaOf(w.Text)+" "+string(rune(key.POS))] = true
		}
		for _, p := range s.Pointers {
			if slices.Contains(requiredRelations, p.Symbol) && (p.Symbol != "&" || s.Satellite) {
				wanted = append(wanted, p.Target)
			}
		}
	}
	return nil
}

// writeData writes the selected synsets at their offsets, with the pointers among them.
func (e *excerpt) writeData(pos POS) error {
	name := "data." + pos.fileSuffix()
	out := bytes.NewBuffer(e.licenceOf(name))
	for s, err := range Synsets(e.files, pos) {
		if err != nil {
			return err
		}
		if !e.selected[s.Key] {
			continue
		}
		padTo(out, s.Offset)
		out.WriteString(e.dropPointers(s.line.text) + "\n")
	}
	e.output[name] = out.Bytes()
	return nil
}

// padTo extends out to a length with lines of spaces. Lines have at least three bytes: two spaces mark lines to skip.
func padTo(out *bytes.Buffer, to int) {
	const width = 4096
	for out.Len() < to {
		gap := to - out.Len()
		if gap < 3 { // too short for a line: extend the previous line
			out.Truncate(out.Len() - 1)
			out.WriteString(strings.Repeat(" ", gap) + "\n")
			return
		}
		n := min(gap, width)
		if gap-n > 0 && gap-n < 3 {
			n -= 3
		}
		out.WriteString(strings.Repeat(" ", n-1) + "\n")
	}
}

// dropPointers removes the pointers to synsets that are not selected from a line of a data file.
func (e *excerpt) dropPointers(line string) string {
	before, gloss, _ := strings.Cut(line, "|")
	f := strings.Fields(before)
	var words int
	_, _ = fmt.Sscanf(f[3], "%x", &words) // the line was parsed before
	at := 4 + 2*words
	var n int
	_, _ = fmt.Sscanf(f[at], "%d", &n)
	var pointers []string
	count := 0
	for i := range n {
		p := f[at+1+4*i : at+5+4*i]
		var offset int
		_, _ = fmt.Sscanf(p[1], "%d", &offset)
		if e.selected[Key{POS(p[2][0]), offset}] {
			pointers = append(pointers, p...)
			count++
		}
	}
	parts := slices.Concat(f[:at], []string{fmt.Sprintf("%03d", count)}, pointers, f[at+1+4*n:])
	return strings.Join(parts, " ") + " |" + gloss
}

// writeIndex writes the lemmas of the selected synsets.
func (e *excerpt) writeIndex(pos POS) error {
	name := "index." + pos.fileSuffix()
	out := bytes.NewBuffer(e.licenceOf(name))
	for l, err := range Lemmas(e.files, pos) {
		if err != nil {
			return err
		}
		var offsets []string
		for _, key := range l.Synsets {
			if e.selected[key] {
				offsets = append(offsets, fmt.Sprintf("%08d", key.Offset))
			}
		}
		if n := len(offsets); n > 0 { // the line has no pointer symbols, because the data files contain them
			fmt.Fprintf(out, "%s %c %d 0 %d 0 %s  \n", l.Text, pos, n, n, strings.Join(offsets, " "))
		}
	}
	e.output[name] = out.Bytes()
	return nil
}

// writeForms copies the irregular forms of the selected lemmas.
func (e *excerpt) writeForms(pos POS) error {
	return e.copyLines(pos.fileSuffix()+".exc", func(fields []string) bool {
		return slices.ContainsFunc(fields[1:], func(base string) bool { return e.lemmas[base+" "+string(rune(pos))] })
	})
}

// copyLines copies the lines of an optional file for which keep returns true.
func (e *excerpt) copyLines(name string, keep func([]string) bool) error {
	text, err := fs.ReadFile(e.files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(text)) {
		if keep(strings.Fields(line)) {
			out.WriteString(line)
		}
	}
	e.output[name] = out.Bytes()
	return err
}

// licenceOf returns the licence at the beginning of a file: the lines that begin with two spaces.
func (e *excerpt) licenceOf(name string) []byte {
	f, err := e.files.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return nil
	}
	end := 0
	for bytes.HasPrefix(start[end:], []byte("  ")) {
		n := bytes.IndexByte(start[end:], '\n')
		if n < 0 {
			break
		}
		end += n + 1
	}
	return start[:end]
}
