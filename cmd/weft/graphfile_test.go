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

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

func TestGraphFile(t *testing.T) {
	race.Skip(t, "one goroutine")
	from := open(t)
	populate(t, from)
	file, imported := exportOf(t, from), open(t)
	importInto(t, imported, file)
	writes, err := imported.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Run("an exported graph is imported completely", func(t *testing.T) {
		checkContains(t, file, imported, true)
		checkContains(t, exportOf(t, imported), from, true)
	})
	t.Run("a repeated import adds nothing", func(t *testing.T) {
		importInto(t, imported, file)
		if after, _ := imported.LastSeq(t.Context()); after != writes {
			t.Errorf("the last change after the repeated import = %d; want %d, as it must write nothing", after, writes)
		}
	})
	t.Run("an import into a store with data reuses types and values", func(t *testing.T) {
		to := open(t)
		if err := content.Seed(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		writeBatch(t, to, graph.Batch{Sender: graph.Sender{User: 100_500}, Concepts: []graph.ConceptDraft{
			{TypeName: "the_name", Value: "Ann", Access: graph.Public}, {TypeName: "the_secret", Value: "mine"},
		}})
		importInto(t, to, file)
		checkContains(t, file, to, false)
	})
	t.Run("an import that failed at any write can be repeated", func(t *testing.T) {
		if writes < 3 {
			t.Fatalf("the import has only %d batches, too few to interrupt it", writes)
		}
		for completed := 1; completed < int(writes); completed++ {
			to := open(t)
			r := &fileReader{store: &failingStore{to, completed}, owners: ownerRule{keepsSystem: true, keepsUsers: true}, report: func(int) {}}
			if err := r.readAll(t.Context(), bytes.NewReader(file)); err == nil {
				t.Fatal("the interrupted import did not fail")
			}
			importInto(t, to, file)
			checkContains(t, file, to, true)
		}
	})
	t.Run("a later export adds only its new records", func(t *testing.T) {
		writeBatch(t, from, graph.Batch{Sender: graph.Sender{User: 100_700}, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Value: "Zoe"}}})
		later := exportOf(t, from)
		importInto(t, imported, later)
		checkContains(t, later, imported, true)
	})
}

func TestImportRejectsMalformedGraphFiles(t *testing.T) {
	head := `{"weft":"graph","version":1,"store":"a","seq":1}` + "\n"
	concept := `{"concept":100000,"of":"the_a","value":"1","owner":999,"access":5,"created":"2026-01-01T00:00:00Z"}` + "\n"
	for name, c := range map[string]struct{ file, want string }{
		"an empty file":        {"", "the file is empty"},
		"another kind of file": {"id,name\n", "line 1: the file does not start like a graph file"},
		"another version":      {`{"weft":"graph","version":2,"store":"a"}`, "line 1: the file has version 2"},
		"a truncated line":     {head + concept + concept[:30], "line 3: unexpected EOF"},
		"an unknown member":    {head + `{"concept":100000,"colour":"red"}`, "line 2: json: unknown field"},
		"a fixed concept":      {head + `{"concept":51}`, "line 2: the line is neither a concept nor a connection"},
		"an unknown kind":      {head + `{"concept":100000,"kind":"word"}`, `line 2: unknown kind of concept "word"`},
		"another graph's user": {
			head + concept + strings.ReplaceAll(strings.Replace(concept, "100000", "100001", 1), "999", "100000"),
			"line 3: the record is owned by user 100000, an id that may belong to another user here; set --as to import it as a record of one user, or --same-users if both graphs have the same users",
		},
		"the system": {
			head + strings.Replace(concept, "999", "2", 1), "line 2: the record is owned by the system, whose pages are served and whose code runs; set --as",
		},
		"no owner":       {head + strings.Replace(concept, `"owner":999,`, "", 1), "line 2: the owner of the record is 0, which is not a user"},
		"a local id":     {head + `{"connection":100001,"from":100002,"to":100003,"type":-100004}`, "line 2: the connection has the ends 100002 and 100003 and the type -100004"},
		"a late concept": {head + concept + `{"connection":100001,"from":16,"to":51,"type":16,"owner":999}` + "\n" + concept, "line 4: a concept follows a connection"},
		"an end that is not in the file": {
			head + `{"connection":100001,"from":100002,"to":100003,"type":16,"owner":999,"access":5,"created":"2026-01-01T00:00:00Z"}`, "",
		},
	} {
		r := &fileReader{store: memory.New(), report: func(int) {}}
		err := r.readAll(t.Context(), strings.NewReader(c.file))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

func TestExportFailsIfTheGraphChanges(t *testing.T) {
	from := open(t)
	populate(t, from)
	w := newFileWriter(from, &bytes.Buffer{}, func(int) {})
	w.report = func(int) {
		writeBatch(t, from, graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{TypeName: "the_n", Value: "1"}}})
	}
	if err := w.writeAll(t.Context()); graph.KindOf(err) != graph.Conflict {
		t.Errorf("the error is %v; want a Conflict", err)
	}
}

func TestUnfinishedExportsLeaveNoFile(t *testing.T) {
	for _, name := range []string{"graph.jsonl", "graph.jsonl.gz", "graph.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		out, finish, err := createOutput(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(out, "half")
		if err := finish(errBroken); err == nil {
			t.Errorf("%s: finish returned no error; want one", name)
		}
		if leftovers, _ := os.ReadDir(filepath.Dir(path)); len(leftovers) > 0 {
			t.Errorf("%s: the files %v remain; want none", name, leftovers)
		}
	}
}

// open opens a new store in a temporary directory.
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

// populate writes the site and one record of every kind: compositions, long texts, private values, dates, prototypes.
func populate(t *testing.T, s graph.Store) {
	t.Helper()
	if err := content.Seed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	long, old := strings.Repeat("<long & \u2028 tale>\n", 4000), time.Date(1999, 2, 3, 4, 5, 6, 7e6, time.UTC)
	b := graph.Batch{Sender: graph.Sender{User: 100_500}}
	add := func(d graph.ConceptDraft) graph.ID {
		d.LocalID = graph.ID(-1 - len(b.Concepts))
		b.Concepts = append(b.Concepts, d)
		return d.LocalID
	}
	person := add(graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: "the_person", Access: graph.Public, Created: old})
	name := add(graph.ConceptDraft{TypeName: "the_name", Value: "Ann", Access: graph.Public})
	secret := add(graph.ConceptDraft{TypeName: "the_secret", Value: "mine"})
	tale := add(graph.ConceptDraft{TypeName: "the_tale", Value: long, Owner: 100_600, Created: old})
	sameTale := add(graph.ConceptDraft{TypeName: "the_tale", Value: long, Owner: 100_600, Created: old})
	empty := add(graph.ConceptDraft{TypeName: "the_name", Value: ""})
	pattern := add(graph.ConceptDraft{Kind: graph.DraftPrototype, TypeName: "the_person", Value: "a pattern"})
	add(graph.ConceptDraft{Kind: graph.DraftType, TypeName: "the_person_s_friend"})
	add(graph.ConceptDraft{TypeName: "the_note", Value: "for admins", Access: graph.Admin, Position: graph.Position{X: 12.5, Y: -3}})
	link := func(from, to, typ graph.ID, name string, order int) {
		b.Connections = append(b.Connections, graph.ConnectionDraft{
			LocalID: graph.ID(-1 - len(b.Connections)), From: from, To: to, Type: typ, TypeName: name, Order: order, Access: graph.Public, Created: old,
		})
	}
	for i, to := range []graph.ID{name, secret, tale, sameTale, empty} {
		link(person, to, person, "", i)
	}
	link(person, pattern, 0, "the_person_s_pattern", graph.OrderLink)
	link(person, pattern, 0, "the_person_s_pattern", graph.OrderLink) // writing the same connection again creates a second connection
	link(name, graph.Word, graph.TypeConnection, "", 1000)
	writeBatch(t, s, b)
	many := graph.Batch{Sender: graph.Sender{User: 100_500}}
	for i := range 2*batchSize + 100 {
		many.Concepts = append(many.Concepts, graph.ConceptDraft{TypeName: "the_number", Value: fmt.Sprint(i)})
	}
	writeBatch(t, s, many)
}

// exportOf returns the graph file of a store.
func exportOf(t *testing.T, s exportableStore) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := newFileWriter(s, &file, func(int) {}).writeAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func importInto(t *testing.T, s graph.Store, file []byte) {
	t.Helper()
	r := &fileReader{store: s, owners: ownerRule{keepsSystem: true, keepsUsers: true}, report: func(int) {}}
	if err := r.readAll(t.Context(), bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
}

// checkContains checks that each record of a file is in the store at least as often as in the file. If dates is true, it
// also compares the dates, except the dates of types, which are the date of the import.
func checkContains(t *testing.T, file []byte, to *sqlite.Store, dates bool) {
	t.Helper()
	if err := to.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, got := describeRecords(t, file, dates), describeRecords(t, exportOf(t, to), dates)
	for record, n := range want {
		if got[record] < n {
			t.Errorf("%d times in the store; want %d: %.300s", got[record], n, record)
		}
	}
}

// describeRecords returns how often each record occurs in a file. It describes records without ids.
func describeRecords(t *testing.T, file []byte, dates bool) map[string]int {
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
		metadata := fmt.Sprint(line.Owner, line.Access, line.Created, line.X, line.Y)
		switch {
		case i == 0:
		case line.Concept != 0:
			names[line.Concept] = fmt.Sprintf("%s %s %q %s", line.Kind, line.Of, line.Value, metadata)
			all[names[line.Concept]]++
		default:
			all[fmt.Sprintf("%s -> %s by %s %d %s", names[line.From], names[line.To], names[line.Type], line.Order, metadata)]++
		}
	}
	return all
}
