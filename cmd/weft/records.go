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

// A recordWriter imports records in batches and skips those that are already in the store.
//
// The local id of a record's main concept consists of the record's position in the file and a hash of its content. A
// repeated import finds the local id and skips the record; an edited record has a different local id and is new.
// Connections need no local ids, because each record is written completely, in a single batch.
type recordWriter struct {
	store    graph.Store
	typeName string
	sender   graph.Sender
	owner    graph.ID     // 0 means the sender
	access   graph.Access // access of all concepts and connections
	isRemote bool         // the store is a server; it recognises records that are sent again

	records         []composition.Value // read, but not flushed
	imported, added int                 // records of the file that are in the store; those of them that this run wrote
}

// Bits of a local id, from the left: position of the record, hash of its content, number of the concept in it.
const (
	positionBits = 25
	hashBits     = 13
	conceptBits  = 15
)

const (
	flushRecords = 500     // records that are read between two flushes
	flushBytes   = 8 << 20 // bytes of the file that are read between two flushes
	batchSize    = 10_000  // drafts in a batch; a larger record is a batch by itself
)

// importAll imports every record up to the first error. It reports the number of imported records after each flush.
func (w *recordWriter) importAll(ctx context.Context, in io.Reader, report func(records int)) error {
	limited := &limitedReader{Reader: bufio.NewReaderSize(in, 1<<16)}
	d := composition.NewDecoder(limited)
	for flushed := int64(0); ; {
		limited.left = maxRecordBytes
		v, err := w.readRecord(d)
		if err == nil {
			w.records = append(w.records, v)
		}
		if err != nil || len(w.records) == flushRecords || d.Offset()-flushed > flushBytes {
			if err := w.flush(ctx); err != nil {
				return err
			}
			flushed = d.Offset()
			report(w.imported)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// maxRecordBytes is the maximum size of one record in the file.
const maxRecordBytes = 64 << 20

// limitedReader returns an error when the bytes left are used up. The caller sets left before each record.
type limitedReader struct {
	io.Reader
	left int
}

func (r *limitedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, graph.Errorf(graph.TooLarge, "the record is longer than %d bytes", maxRecordBytes)
	}
	n, err := r.Reader.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// readRecord reads the next record. The error names the position of the record.
func (w *recordWriter) readRecord(d *composition.Decoder) (composition.Value, error) {
	n := w.imported + len(w.records) + 1
	v, err := d.Next()
	switch {
	case errors.Is(err, io.EOF):
		return v, err
	case err != nil:
		return v, graph.Errorf(graph.KindOf(err), "record %d: %s", n, err)
	case v.Kind != composition.Record:
		return v, graph.Errorf(graph.Invalid, "record %d, before byte %d, is not a record but %.40s", n, d.Offset(), v)
	case n >= 1<<positionBits:
		return v, graph.Errorf(graph.TooLarge, "more than %d records; import the rest under another name", n-1)
	}
	return v, nil
}

// flush writes the records read so far that are not in the store yet. If a record is invalid, it writes the records
// before it and returns the error.
func (w *recordWriter) flush(ctx context.Context) error {
	records, first := w.records, w.imported
	w.records = nil
	known, err := w.existingIDs(ctx, first, records)
	if err != nil {
		return err
	}
	batch := drafts{Batch: graph.Batch{Sender: w.sender}}
	for i, v := range records {
		localID := localIDOf(first+i, v)
		if _, exists := known[localID]; exists {
			continue
		}
		record, err := w.buildDrafts(localID, v)
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

// existingIDs returns the real ids of the main concepts of the given records that are already in the store, by local id.
// first is the position of the first record in the file.
func (w *recordWriter) existingIDs(ctx context.Context, first int, records []composition.Value) (map[graph.ID]graph.ID, error) {
	if w.isRemote { // a request for each record would take longer than sending all records again
		return nil, nil
	}
	localIDs := make([]graph.ID, len(records))
	for i, v := range records {
		localIDs[i] = localIDOf(first+i, v)
	}
	return w.store.ResolveIDs(ctx, w.sender, localIDs)
}

// localIDOf returns the local id of a record's main concept. The other concepts of the record have the next lower
// ids.
func localIDOf(position int, v composition.Value) graph.ID {
	h := fnv.New32a()
	h.Write(v.AppendJSON(nil))
	sum := h.Sum32() & (1<<hashBits - 1)
	return -1 - (graph.ID(position)<<hashBits|graph.ID(sum))<<conceptBits
}

// buildDrafts returns the drafts of a record.
func (w *recordWriter) buildDrafts(localID graph.ID, v composition.Value) (drafts, error) {
	var d drafts
	if _, err := composition.Build(&d.Batch, w.typeName, v, &composition.LocalIDs{Concept: localID + 1, Connection: localID + 1}); err != nil {
		return d, err
	}
	if d.size() > graph.MaxBatchRecords || len(d.Concepts) > 1<<conceptBits {
		return d, graph.Errorf(graph.TooLarge, "it has %d values; the maximum is %d", len(d.Concepts)-1, graph.MaxBatchRecords/2)
	}
	for i := range d.Concepts {
		d.Concepts[i].Access, d.Concepts[i].Owner = w.access, w.owner
	}
	for i := range d.Connections {
		d.Connections[i].Access, d.Connections[i].Owner = w.access, w.owner
		if !w.isRemote { // a local import writes each record once, so the store does not need these ids
			d.Connections[i].LocalID = 0
		}
	}
	return d, nil
}

// write writes a batch and empties it. imported is the number of records of the file that are in the store after the
// write.
func (w *recordWriter) write(ctx context.Context, batch *drafts, imported int) error {
	if batch.size() > 0 {
		if _, err := w.store.Write(ctx, batch.Batch); err != nil {
			return err
		}
	}
	w.imported, w.added = imported, w.added+batch.records
	*batch = drafts{Batch: graph.Batch{Sender: w.sender}}
	return nil
}

// drafts is a batch under construction.
type drafts struct {
	graph.Batch
	records int // number of records in the batch
}

func (d *drafts) size() int { return len(d.Concepts) + len(d.Connections) }

func (d *drafts) add(record drafts) {
	d.Concepts = append(d.Concepts, record.Concepts...)
	d.Connections = append(d.Connections, record.Connections...)
	d.records++
}
