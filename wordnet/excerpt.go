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

// Excerpt makes the files of a smaller WordNet: the synsets in wanted, whatever stands above them, and the relations
// among those. Every synset stays at the byte where it was, so that its key still names it: what lies between is
// filled with lines of spaces, which compress to nothing and are passed over like the licence.
func Excerpt(files fs.FS, wanted []Key) (map[string][]byte, error) {
	c, err := readCatalog(files)
	if err != nil {
		return nil, err
	}
	e := excerpt{catalog: c, files: files, kept: map[Key]bool{}, keys: map[string]bool{}, lemmas: map[string]bool{}, made: map[string][]byte{}}
	if err := e.close(wanted); err != nil {
		return nil, err
	}
	for _, pos := range All {
		for _, step := range []func(POS) error{e.data, e.index, e.forms} {
			if err := step(pos); err != nil {
				return nil, err
			}
		}
	}
	return e.made, e.filter("cntlist.rev", func(fields []string) bool { return e.keys[fields[0]] })
}

type excerpt struct {
	*catalog
	files  fs.FS
	kept   map[Key]bool
	keys   map[string]bool // of the senses kept
	lemmas map[string]bool // "dog n"
	made   map[string][]byte
}

// above are the relations that lead to what a synset cannot be understood without.
var above = []string{"@", "@i", "&"}

// close keeps the wanted synsets, those above them, and for a satellite its head.
func (e *excerpt) close(wanted []Key) error {
	all := map[Key]Synset{}
	for _, pos := range All {
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
		if e.kept[key] {
			continue
		}
		e.kept[key] = true
		for _, w := range s.Words {
			e.keys[e.senseKey(s, w)] = true
			e.lemmas[lemma(w.Text)+" "+string(rune(key.POS))] = true
		}
		for _, p := range s.Pointers {
			if slices.Contains(above, p.Symbol) && (p.Symbol != "&" || s.Satellite) {
				wanted = append(wanted, p.Target)
			}
		}
	}
	return nil
}

// data writes the kept synsets at their places, with the pointers among them.
func (e *excerpt) data(pos POS) error {
	name := "data." + pos.file()
	out := bytes.NewBuffer(e.licence(name))
	for s, err := range Synsets(e.files, pos) {
		if err != nil {
			return err
		}
		if !e.kept[s.Key] {
			continue
		}
		fill(out, s.Offset)
		out.WriteString(e.cut(s.line.text) + "\n")
	}
	e.made[name] = out.Bytes()
	return nil
}

// fill writes lines that begin with two spaces up to a place.
func fill(out *bytes.Buffer, to int) {
	const width = 4096
	for out.Len() < to {
		gap := to - out.Len()
		if gap < 3 { // too little for a line: make the one before longer
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

// cut leaves the pointers out of a line whose targets are not kept.
func (e *excerpt) cut(line string) string {
	before, gloss, _ := strings.Cut(line, "|")
	f := strings.Fields(before)
	var words int
	_, _ = fmt.Sscanf(f[3], "%x", &words) // it was read before
	at := 4 + 2*words
	var n int
	_, _ = fmt.Sscanf(f[at], "%d", &n)
	var pointers []string
	kept := 0
	for i := range n {
		p := f[at+1+4*i : at+5+4*i]
		var offset int
		_, _ = fmt.Sscanf(p[1], "%d", &offset)
		if e.kept[Key{POS(p[2][0]), offset}] {
			pointers = append(pointers, p...)
			kept++
		}
	}
	parts := slices.Concat(f[:at], []string{fmt.Sprintf("%03d", kept)}, pointers, f[at+1+4*n:])
	return strings.Join(parts, " ") + " |" + gloss
}

// index writes the lemmas of kept synsets.
func (e *excerpt) index(pos POS) error {
	name := "index." + pos.file()
	out := bytes.NewBuffer(e.licence(name))
	for l, err := range Lemmas(e.files, pos) {
		if err != nil {
			return err
		}
		var offsets []string
		for _, key := range l.Synsets {
			if e.kept[key] {
				offsets = append(offsets, fmt.Sprintf("%08d", key.Offset))
			}
		}
		if n := len(offsets); n > 0 { // the symbols of pointers, which stand here as well, are in the data
			fmt.Fprintf(out, "%s %c %d 0 %d 0 %s  \n", l.Text, pos, n, n, strings.Join(offsets, " "))
		}
	}
	e.made[name] = out.Bytes()
	return nil
}

func (e *excerpt) forms(pos POS) error {
	return e.filter(pos.file()+".exc", func(fields []string) bool {
		return slices.ContainsFunc(fields[1:], func(base string) bool { return e.lemmas[base+" "+string(rune(pos))] })
	})
}

// filter copies lines of a file that need not be there.
func (e *excerpt) filter(name string, keep func([]string) bool) error {
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
	e.made[name] = out.Bytes()
	return err
}

// licence is what stands in front of a file.
func (e *excerpt) licence(name string) []byte {
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
