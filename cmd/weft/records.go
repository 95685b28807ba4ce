package main

import (
	"bufio"
	"context"
	"errors"
	"hash/fnv"
	"io"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// A recordWriter gathers records into batches and leaves out those that are in the store already.
//
// A record is known by the ghost of its main concept, made from its place in the file and a sum of its
// content: it may be sent again, and one that was changed since is another record. Connections need no
// ghosts, since a batch holds a record whole or not at all.
type recordWriter struct {
	store    graph.Store
	typeName string
	sender   graph.Sender

	records     []composition.Value // gathered, and not flushed
	seen, added int                 // records that are in the store, and those of them this run put there
}

// What a ghost is made of, from the left: the record's place, a sum of its content, the concept in it.
const (
	placeBits   = 25
	sumBits     = 13
	conceptBits = 15
)

// What is flushed together, in records or bytes of the file, and written together, in drafts.
const (
	gathered      = 500
	gatheredBytes = 8 << 20
	batchSize     = 10_000
)

// all writes every record up to the first error. It tells how far it is after each flush.
func (w *recordWriter) all(ctx context.Context, in io.Reader, tell func(records int)) error {
	limited := &limitedReader{Reader: bufio.NewReaderSize(in, 1<<16)}
	d := composition.NewDecoder(limited)
	for flushed := int64(0); ; {
		limited.left = maxRecord
		v, err := w.next(d)
		if err == nil {
			w.records = append(w.records, v)
		}
		if err != nil || len(w.records) == gathered || d.Offset()-flushed > gatheredBytes {
			if err := w.flush(ctx); err != nil {
				return err
			}
			flushed = d.Offset()
			tell(w.seen)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// maxRecord is how much of a file may be read for one record, in bytes.
const maxRecord = 64 << 20

// limitedReader refuses to go on when it has read what was left.
type limitedReader struct {
	io.Reader
	left int
}

func (r *limitedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, graph.Errorf(graph.TooLarge, "the record is longer than %d bytes", maxRecord)
	}
	n, err := r.Reader.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

func (w *recordWriter) next(d *composition.Decoder) (composition.Value, error) {
	n := w.seen + len(w.records) + 1
	v, err := d.Next()
	switch {
	case errors.Is(err, io.EOF):
		return v, err
	case err != nil:
		return v, graph.Errorf(graph.KindOf(err), "record %d: %s", n, err)
	case v.Kind != composition.Record:
		return v, graph.Errorf(graph.Invalid, "record %d, before byte %d, is no record but %.40s", n, d.Offset(), v)
	case n >= 1<<placeBits:
		return v, graph.Errorf(graph.TooLarge, "more than %d records; import the rest under another name", n-1)
	}
	return v, nil
}

// flush writes those of the gathered records that are not in yet, and all before the first bad one.
func (w *recordWriter) flush(ctx context.Context) error {
	records, first := w.records, w.seen
	w.records = nil
	known, err := w.known(ctx, first, records)
	if err != nil {
		return err
	}
	batch := drafts{Batch: graph.Batch{Sender: w.sender}}
	for i, v := range records {
		ghost := ghostOf(first+i, v)
		if _, in := known[ghost]; in {
			continue
		}
		record, err := w.draft(ghost, v)
		if err != nil {
			err = graph.Errorf(graph.KindOf(err), "record %d: %s", first+i+1, err)
			return errors.Join(err, w.write(ctx, &batch, first+i))
		}
		if batch.size()+record.size() > batchSize {
			if err := w.write(ctx, &batch, first+i); err != nil {
				return err
			}
		}
		batch.add(record)
	}
	return w.write(ctx, &batch, first+len(records))
}

func (w *recordWriter) known(ctx context.Context, first int, records []composition.Value) (map[graph.ID]graph.ID, error) {
	ghosts := make([]graph.ID, len(records))
	for i, v := range records {
		ghosts[i] = ghostOf(first+i, v)
	}
	return w.store.Ghosts(ctx, w.sender, ghosts)
}

// ghostOf is the ghost of a record's main concept. Those of its other concepts follow, downwards.
func ghostOf(place int, v composition.Value) graph.ID {
	h := fnv.New32a()
	h.Write(v.AppendJSON(nil))
	sum := h.Sum32() & (1<<sumBits - 1)
	return -1 - (graph.ID(place)<<sumBits|graph.ID(sum))<<conceptBits
}

func (w *recordWriter) draft(ghost graph.ID, v composition.Value) (drafts, error) {
	var d drafts
	if _, err := composition.Build(&d.Batch, w.typeName, v, &composition.Ghosts{Concept: ghost + 1}); err != nil {
		return d, err
	}
	if d.size() > graph.MaxBatch || len(d.Concepts) > 1<<conceptBits {
		return d, graph.Errorf(graph.TooLarge, "it has %d values; a record may have %d", len(d.Concepts)-1, graph.MaxBatch/2)
	}
	for i := range d.Concepts {
		d.Concepts[i].Access = graph.Public
	}
	for i := range d.Connections {
		d.Connections[i].Access = graph.Public
		d.Connections[i].Ghost = 0
	}
	return d, nil
}

// write sends a batch and empties it. After it, so many records are in.
func (w *recordWriter) write(ctx context.Context, batch *drafts, seen int) error {
	if batch.size() > 0 {
		if _, err := w.store.Write(ctx, batch.Batch); err != nil {
			return err
		}
	}
	w.seen, w.added = seen, w.added+batch.records
	*batch = drafts{Batch: graph.Batch{Sender: w.sender}}
	return nil
}

// drafts are a batch being gathered.
type drafts struct {
	graph.Batch
	records int
}

func (d *drafts) size() int { return len(d.Concepts) + len(d.Connections) }

func (d *drafts) add(record drafts) {
	d.Concepts = append(d.Concepts, record.Concepts...)
	d.Connections = append(d.Connections, record.Connections...)
	d.records++
}
