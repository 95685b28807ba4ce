package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/sqlite"
)

func TestGraphFile(t *testing.T) {
	from := open(t)
	populate(t, from)
	file, whole := exportOf(t, from), open(t)
	importInto(t, whole, file)
	writes, err := whole.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Run("what was exported is imported whole", func(t *testing.T) {
		sameGraph(t, file, whole, true)
		sameGraph(t, exportOf(t, whole), from, true)
	})
	t.Run("again it adds nothing", func(t *testing.T) {
		importInto(t, whole, file)
		if after, _ := whole.LastSeq(t.Context()); after != writes {
			t.Errorf("the last change was %d and is %d", writes, after)
		}
	})
	t.Run("beside what is there", func(t *testing.T) {
		to := open(t)
		if err := content.Seed(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		writeBatch(t, to, graph.Batch{Sender: graph.Sender{User: 100_500}, Concepts: []graph.ConceptDraft{
			{TypeName: "the_name", Value: "Ann", Access: graph.Public}, {TypeName: "the_secret", Value: "mine"},
		}})
		importInto(t, to, file)
		sameGraph(t, file, to, false)
	})
	t.Run("broken off anywhere and taken up again", func(t *testing.T) {
		if writes < 3 {
			t.Fatalf("the whole import is %d batches; nothing can be broken off", writes)
		}
		for left := 1; left < int(writes); left++ {
			to := open(t)
			r := &fileReader{store: &breaking{to, left}, sameUsers: true, tell: func(int) {}}
			if err := r.all(t.Context(), bytes.NewReader(file)); err == nil {
				t.Fatal("it was not broken off")
			}
			importInto(t, to, file)
			sameGraph(t, file, to, true)
		}
	})
	t.Run("a later export adds what is new", func(t *testing.T) {
		writeBatch(t, from, graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Value: "Zoe"}}})
		later := exportOf(t, from)
		importInto(t, whole, later)
		sameGraph(t, later, whole, true)
	})
}

func TestGraphFileMistakes(t *testing.T) {
	head := `{"weft":"graph","version":1,"store":"a","seq":1}` + "\n"
	concept := `{"concept":100000,"of":"the_a","value":"1","owner":999,"access":5,"created":"2026-01-01T00:00:00Z"}` + "\n"
	for what, c := range map[string]struct{ file, want string }{
		"nothing":              {"", "the file is empty"},
		"another kind of file": {"id,name\n", "line 1: this is not the beginning of a graph file"},
		"another version":      {`{"weft":"graph","version":2,"store":"a"}`, "line 1: the file is of version 2"},
		"a cut line":           {head + concept + concept[:30], "line 3: unexpected EOF"},
		"an unknown member":    {head + `{"concept":100000,"colour":"red"}`, "line 2: json: unknown field"},
		"a fixed concept":      {head + `{"concept":51}`, "line 2: it is neither a concept nor a connection"},
		"an unknown kind":      {head + `{"concept":100000,"kind":"word"}`, `line 2: "word" is no kind`},
		"another graph's user": {
			head + concept + strings.ReplaceAll(strings.Replace(concept, "100000", "100001", 1), "999", "100000"),
			"line 3: the record is user 100000's, who may be somebody else here; say --same-users if not",
		},
		"an end that is not in the file": {
			head + `{"connection":100001,"from":100002,"to":100003,"type":16,"owner":999,"access":5,"created":"2026-01-01T00:00:00Z"}`, "",
		},
	} {
		r := &fileReader{store: memory.New(), tell: func(int) {}}
		err := r.all(t.Context(), strings.NewReader(c.file))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", what, err, c.want)
		}
	}
}

func TestAnExportOfWhatIsWrittenToIsRefused(t *testing.T) {
	from := open(t)
	populate(t, from)
	w := newFileWriter(from, &bytes.Buffer{}, func(int) {})
	w.tell = func(int) {
		writeBatch(t, from, graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{TypeName: "the_n", Value: "1"}}})
	}
	if err := w.all(t.Context()); graph.KindOf(err) != graph.Conflict {
		t.Errorf("the error is %v; want a Conflict", err)
	}
}

func TestExportedFilesAreWholeOrNotThere(t *testing.T) {
	for _, name := range []string{"graph.jsonl", "graph.jsonl.gz", "graph.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		out, finish, err := output(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(out, "half")
		if err := finish(errBroken); err == nil {
			t.Errorf("%s: no error", name)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
			t.Errorf("%s: left behind %v", name, left)
		}
	}
}

func open(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func writeBatch(t *testing.T, s graph.Store, b graph.Batch) graph.Receipt {
	t.Helper()
	r, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// populate writes the site and one of everything: records, long texts, private values, dates, prototypes.
func populate(t *testing.T, s graph.Store) {
	t.Helper()
	if err := content.Seed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	long, old := strings.Repeat("<long & \u2028 tale>\n", 4000), time.Date(1999, 2, 3, 4, 5, 6, 7e6, time.UTC)
	b := graph.Batch{Sender: graph.Sender{User: 100_500}}
	add := func(d graph.ConceptDraft) graph.ID {
		d.Ghost = graph.ID(-1 - len(b.Concepts))
		b.Concepts = append(b.Concepts, d)
		return d.Ghost
	}
	person := add(graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: "the_person", Access: graph.Public, Created: old})
	name := add(graph.ConceptDraft{TypeName: "the_name", Value: "Ann", Access: graph.Public})
	secret := add(graph.ConceptDraft{TypeName: "the_secret", Value: "mine"})
	tale := add(graph.ConceptDraft{TypeName: "the_tale", Value: long, Owner: 100_600, Created: old})
	again := add(graph.ConceptDraft{TypeName: "the_tale", Value: long, Owner: 100_600, Created: old})
	empty := add(graph.ConceptDraft{TypeName: "the_name", Value: ""})
	pattern := add(graph.ConceptDraft{Kind: graph.DraftPrototype, TypeName: "the_person", Value: "a pattern"})
	add(graph.ConceptDraft{Kind: graph.DraftType, TypeName: "the_person_s_friend"})
	add(graph.ConceptDraft{TypeName: "the_note", Value: "for admins", Access: graph.Admin})
	link := func(from, to, typ graph.ID, name string, order int) {
		b.Connections = append(b.Connections, graph.ConnectionDraft{
			Ghost: graph.ID(-1 - len(b.Connections)), From: from, To: to, Type: typ, TypeName: name, Order: order, Access: graph.Public, Created: old,
		})
	}
	for i, to := range []graph.ID{name, secret, tale, again, empty} {
		link(person, to, person, "", i)
	}
	link(person, pattern, 0, "the_person_s_pattern", graph.OrderLink)
	link(person, pattern, 0, "the_person_s_pattern", graph.OrderLink) // twice is two
	link(name, graph.Word, graph.TypeConnection, "", 1000)
	writeBatch(t, s, b)
	many := graph.Batch{Sender: graph.Sender{User: 100_500}}
	for i := range 2*batchSize + 100 {
		many.Concepts = append(many.Concepts, graph.ConceptDraft{TypeName: "the_number", Value: fmt.Sprint(i)})
	}
	writeBatch(t, s, many)
}

func exportOf(t *testing.T, s exported) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := newFileWriter(s, &file, func(int) {}).all(t.Context()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func importInto(t *testing.T, s graph.Store, file []byte) {
	t.Helper()
	r := &fileReader{store: s, sameUsers: true, tell: func(int) {}}
	if err := r.all(t.Context(), bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
}

// sameGraph wants in a store everything that a file holds, as often as it is there. A value that was there
// before keeps its date, and a type has that of its making.
func sameGraph(t *testing.T, file []byte, to *sqlite.Store, dates bool) {
	t.Helper()
	if err := to.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, got := told(t, file, dates), told(t, exportOf(t, to), dates)
	for record, n := range want {
		if got[record] < n {
			t.Errorf("%d times, not %d: %.300s", got[record], n, record)
		}
	}
}

// told counts the records of a file in words without ids.
func told(t *testing.T, file []byte, dates bool) map[string]int {
	t.Helper()
	all, names := map[string]int{}, map[graph.ID]string{}
	for _, c := range graph.Fixed() {
		names[c.ID] = c.Value
	}
	for i, text := range bytes.Split(bytes.TrimSpace(file), []byte("\n")) {
		var line fileLine
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		if !dates || line.Kind == "type" {
			line.Created = time.Time{}
		}
		keeping := fmt.Sprint(line.Owner, line.Access, line.Created)
		switch {
		case i == 0:
		case line.Concept != 0:
			names[line.Concept] = fmt.Sprintf("%s %s %q %s", line.Kind, line.Of, line.Value, keeping)
			all[names[line.Concept]]++
		default:
			all[fmt.Sprintf("%s -> %s by %s %d %s", names[line.From], names[line.To], names[line.Type], line.Order, keeping)]++
		}
	}
	return all
}
