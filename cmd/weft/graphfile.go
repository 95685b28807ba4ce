package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/raw"
)

// A graph file holds a graph as JSON, a record in each line: first a line that says what it is and where it is
// from, then the concepts, then the connections, each in the order of the store. Ids are those of the store it
// is from. What every store holds from the start is left out.
type fileHead struct {
	Weft    string    `json:"weft"` // always "graph"
	Version int       `json:"version"`
	Store   string    `json:"store"` // identity
	Seq     graph.Seq `json:"seq"`   // of the newest change in it
}

const fileVersion = 1

// A fileLine is a concept if it has the member concept, and otherwise a connection.
type fileLine struct {
	Concept graph.ID `json:"concept,omitempty"`
	Kind    string   `json:"kind,omitempty"` // type, composition or prototype; a value when it is left out
	Of      string   `json:"of,omitempty"`   // the name of its type; of a type, its own name
	Value   string   `json:"value,omitempty"`

	Connection graph.ID `json:"connection,omitempty"`
	From       graph.ID `json:"from,omitempty"`
	To         graph.ID `json:"to,omitempty"`
	Type       graph.ID `json:"type,omitempty"`
	Order      int      `json:"order,omitempty"`

	Owner   graph.ID     `json:"owner"`
	Access  graph.Access `json:"access"`
	Created time.Time    `json:"created"`
}

var draftKinds = map[string]graph.DraftKind{
	"": graph.DraftValue, "type": graph.DraftType, "composition": graph.DraftComposition, "prototype": graph.DraftPrototype,
}

// exported is a store from which everything can be read.
type exported interface {
	graph.Reader
	Rows(ctx context.Context, t raw.Table, after raw.Row, limit int) ([]raw.Row, error)
}

// A fileWriter writes a graph file.
type fileWriter struct {
	store exported
	out   *json.Encoder
	types map[graph.ID]string // names
	tell  func(records int)

	concepts, connections int
}

func newFileWriter(store exported, out io.Writer, tell func(records int)) *fileWriter {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &fileWriter{store: store, out: encoder, types: map[graph.ID]string{}, tell: tell}
}

// all writes everything. When the store is written to meanwhile the error is a Conflict: the file might hold
// half of what was written.
func (w *fileWriter) all(ctx context.Context) error {
	head := fileHead{Weft: "graph", Version: fileVersion}
	var err error
	if head.Store, err = w.store.Identity(ctx); err != nil {
		return err
	}
	if head.Seq, err = w.store.LastSeq(ctx); err != nil {
		return err
	}
	if err := w.out.Encode(head); err != nil {
		return err
	}
	if err := w.each(ctx, raw.Concept, w.writeConcepts); err != nil {
		return err
	}
	if err := w.each(ctx, raw.Connection, w.writeConnections); err != nil {
		return err
	}
	now, err := w.store.LastSeq(ctx)
	if err == nil && now != head.Seq {
		err = graph.Errorf(graph.Conflict, "the graph was written to meanwhile; export while nobody writes, or export a backup")
	}
	return err
}

const rowsAtOnce = 2_000

func (w *fileWriter) each(ctx context.Context, t raw.Table, write func(context.Context, []raw.Row) error) error {
	var after raw.Row
	for {
		rows, err := w.store.Rows(ctx, t, after, rowsAtOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := write(ctx, rows); err != nil {
			return err
		}
		w.tell(w.concepts + w.connections)
		after = t.Of(rows[len(rows)-1])
	}
}

func (w *fileWriter) writeConcepts(ctx context.Context, rows []raw.Row) error {
	var found []graph.Concept
	for _, r := range rows {
		c, err := raw.ConceptIn(r)
		if err != nil {
			return err
		}
		if c.ID >= graph.FirstFree {
			found = append(found, c)
		}
	}
	if err := w.learnTypes(ctx, found); err != nil {
		return err
	}
	for _, c := range found {
		w.concepts++
		if err := w.out.Encode(lineOf(c, w.types[c.Type])); err != nil {
			return err
		}
	}
	return nil
}

// learnTypes learns the names of the types of concepts.
func (w *fileWriter) learnTypes(ctx context.Context, concepts []graph.Concept) error {
	var unknown []graph.ID
	for _, c := range concepts {
		if _, known := w.types[c.Type]; !known && !c.IsType() {
			w.types[c.Type] = ""
			unknown = append(unknown, c.Type)
		}
	}
	found, err := w.store.Concepts(ctx, unknown)
	for _, c := range found {
		w.types[c.ID] = c.Value
	}
	return err
}

func lineOf(c graph.Concept, typeName string) fileLine {
	line := fileLine{Concept: c.ID, Of: typeName, Value: c.Value, Owner: c.Owner, Access: c.Access, Created: c.Created}
	switch {
	case c.IsType():
		line.Kind, line.Of, line.Value = "type", c.Value, ""
	case c.Category == graph.CategoryPrototype:
		line.Kind = "prototype"
	case c.Composition:
		line.Kind = "composition"
	}
	return line
}

func (w *fileWriter) writeConnections(_ context.Context, rows []raw.Row) error {
	for _, r := range rows {
		var n [8]int64
		for i, v := range r {
			number, ok := v.(int64)
			if !ok {
				return fmt.Errorf("column %d of a connection is %v", i, v)
			}
			n[i] = number
		}
		w.connections++
		err := w.out.Encode(fileLine{
			From: graph.ID(n[0]), Type: graph.ID(n[1]), Connection: graph.ID(n[2]), To: graph.ID(n[3]), Order: int(n[4]),
			Owner: graph.ID(n[5]), Access: graph.Access(n[6]), Created: time.UnixMilli(n[7]).UTC(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A fileReader writes what a graph file holds into a store. Each record is sent under its old id as a ghost, by
// a sender that stands for the store it is from: what is there already is found, and so the same file, or a
// later one of the same store, adds what is new.
type fileReader struct {
	store     graph.Store
	sameUsers bool // or else nothing may belong to one
	tell      func(records int)

	batch  graph.Batch
	bytes  int
	seen   int
	sender graph.Sender
}

// Lines may be as long as a text can be in JSON, and batches that are written together hold so much.
const (
	longestLine = 6*graph.MaxText + 1<<10
	batchBytes  = 8 << 20
)

// all reads a whole file.
func (r *fileReader) all(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	number := 0
	for ; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		var err error
		switch {
		case number == 0:
			err = r.head(line)
		case len(line) > 0:
			err = r.line(ctx, line)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	if number == 0 {
		return graph.Errorf(graph.Invalid, "the file is empty")
	}
	return r.write(ctx)
}

func (r *fileReader) head(line []byte) error {
	var head fileHead
	if err := json.Unmarshal(line, &head); err != nil || head.Weft != "graph" || head.Store == "" {
		return graph.Errorf(graph.Invalid, "this is not the beginning of a graph file; weft export writes them")
	}
	if head.Version != fileVersion {
		return graph.Errorf(graph.Invalid, "the file is of version %d; this program reads %d", head.Version, fileVersion)
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "graph file %q", head.Store)
	r.sender = graph.Sender{User: graph.System, Randomizer: int64(h.Sum64() >> 1)}
	r.batch.Sender = r.sender
	return nil
}

func (r *fileReader) line(ctx context.Context, text []byte) error {
	var line fileLine
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&line); err != nil {
		return err
	}
	if line.Owner >= graph.FirstFree && !r.sameUsers {
		return graph.Errorf(graph.Invalid, "the record is user %d's, who may be somebody else here; say --same-users if not", line.Owner)
	}
	if r.seen > 0 && (len(r.batch.Concepts)+len(r.batch.Connections) == batchSize || r.bytes+len(text) > batchBytes) {
		if err := r.write(ctx); err != nil {
			return err
		}
	}
	r.bytes += len(text)
	r.seen++
	switch {
	case line.Concept >= graph.FirstFree && line.Connection == 0:
		return r.concept(line)
	case line.Connection > 0 && line.Concept == 0:
		return r.connection(line)
	default:
		return graph.Errorf(graph.Invalid, "it is neither a concept nor a connection")
	}
}

func (r *fileReader) concept(line fileLine) error {
	kind, known := draftKinds[line.Kind]
	if !known {
		return graph.Errorf(graph.Invalid, "%q is no kind of concept", graph.Clip(line.Kind))
	}
	r.batch.Concepts = append(r.batch.Concepts, graph.ConceptDraft{
		Ghost: -line.Concept, Kind: kind, TypeName: line.Of, Value: line.Value,
		Owner: line.Owner, Access: line.Access, Created: line.Created,
	})
	return nil
}

func (r *fileReader) connection(line fileLine) error {
	r.batch.Connections = append(r.batch.Connections, graph.ConnectionDraft{
		Ghost: -line.Connection, From: sentAs(line.From), To: sentAs(line.To), Type: sentAs(line.Type),
		Order: line.Order, Owner: line.Owner, Access: line.Access, Created: line.Created,
	})
	return nil
}

// sentAs is the ghost of a concept, but for those that mean the same in every store.
func sentAs(id graph.ID) graph.ID {
	if id < graph.FirstFree {
		return id
	}
	return -id
}

func (r *fileReader) write(ctx context.Context) error {
	if len(r.batch.Concepts)+len(r.batch.Connections) > 0 {
		if _, err := r.store.Write(ctx, r.batch); err != nil {
			return err
		}
	}
	r.batch, r.bytes = graph.Batch{Sender: r.sender}, 0
	r.tell(r.seen)
	return nil
}
