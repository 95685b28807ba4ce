package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/raw"
)

// A graph file stores a graph as lines of JSON: first a fileHead, then the concepts, then the connections, each in the order
// of the store. The ids in the file are the ids of the exported store. Concepts that every store has from the start are left
// out.
type fileHead struct {
	Weft    string    `json:"weft"` // always "graph"
	Version int       `json:"version"`
	Store   string    `json:"store"` // identity of the exported store
	Seq     graph.Seq `json:"seq"`   // position of the newest change in the file
}

const fileVersion = 1

// A fileLine is a concept if Concept is set, and otherwise a connection.
type fileLine struct {
	Concept graph.ID `json:"concept,omitempty"`
	Kind    string   `json:"kind,omitempty"` // type, composition or prototype; empty for a value
	Of      string   `json:"of,omitempty"`   // name of the concept's type; for a type, its own name
	Value   string   `json:"value,omitempty"`
	X       float64  `json:"x,omitempty"`
	Y       float64  `json:"y,omitempty"`

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

// exportableStore is a store whose rows can be read directly.
type exportableStore interface {
	graph.Reader
	Rows(ctx context.Context, t raw.Table, after raw.Row, limit int) ([]raw.Row, error)
}

// A fileWriter writes a graph file.
type fileWriter struct {
	store  exportableStore
	out    *json.Encoder
	types  map[graph.ID]string // names by id
	report func(records int)

	concepts, connections int
}

func newFileWriter(store exportableStore, out io.Writer, report func(records int)) *fileWriter {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &fileWriter{store: store, out: encoder, types: map[graph.ID]string{}, report: report}
}

// writeAll writes the whole file. If the store changes meanwhile, the error is a Conflict, because the file may contain part of
// a write.
func (w *fileWriter) writeAll(ctx context.Context) error {
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
	if err := w.writeTable(ctx, raw.Concept, w.writeConcepts); err != nil {
		return err
	}
	if err := w.writeTable(ctx, raw.Connection, w.writeConnections); err != nil {
		return err
	}
	now, err := w.store.LastSeq(ctx)
	if err == nil && now != head.Seq {
		err = graph.Errorf(graph.Conflict, "the graph changed during the export; stop all writes first, or export a backup")
	}
	return err
}

// rowsPerRead is the number of rows read at a time.
const rowsPerRead = 2_000

// writeTable writes all rows of a table. It calls write with up to rowsPerRead rows at a time.
func (w *fileWriter) writeTable(ctx context.Context, t raw.Table, write func(context.Context, []raw.Row) error) error {
	var after raw.Row
	for {
		rows, err := w.store.Rows(ctx, t, after, rowsPerRead)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := write(ctx, rows); err != nil {
			return err
		}
		w.report(w.concepts + w.connections)
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
	if err := w.loadTypeNames(ctx, found); err != nil {
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

// loadTypeNames loads the names of the types of instances, unless they are already known.
func (w *fileWriter) loadTypeNames(ctx context.Context, concepts []graph.Concept) error {
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

// lineOf returns the line of a concept.
func lineOf(c graph.Concept, typeName string) fileLine {
	line := fileLine{
		Concept: c.ID, Of: typeName, Value: c.Value, Owner: c.Owner, Access: c.Access, Created: c.Created,
		X: c.Position.X, Y: c.Position.Y,
	}
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

// writeConnections writes rows with the columns source, type, id, target, order, owner, access and time in milliseconds.
func (w *fileWriter) writeConnections(_ context.Context, rows []raw.Row) error {
	for _, r := range rows {
		var n [8]int64
		for i, v := range r {
			number, ok := v.(int64)
			if !ok {
				return fmt.Errorf("column %d of a connection is %v, not an integer", i, v)
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
