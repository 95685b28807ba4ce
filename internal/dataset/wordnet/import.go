package wordnet

import (
	"context"
	"io/fs"

	"github.com/weft-graph/weft/graph"
)

// Progress is the progress of an import.
type Progress struct {
	Done, Total           int // lines
	Concepts, Connections int // in all batches so far, including the batches that earlier runs wrote
	Added                 int // concepts and connections in the batches that this run wrote
}

// An interrupted import resumes at batch boundaries. Increase mappingVersion with every change that moves these boundaries or
// alters a batch. An import into a store with some of the old batches then fails with a Conflict, so that old and new batches
// are not mixed.
const (
	mappingVersion  = 1
	minBatchRecords = 10_000
)

// Types lists the types of the imported concepts.
var Types = []string{
	"the_word", "the_sense", "the_synset", "the_gloss", "the_example", "the_marker", "the_frame", "the_frequency", "the_form",
}

// Import writes the database in files into store. It reads and checks all files before it writes. Each batch is durable when
// written: the next run resumes an interrupted import, and importing again adds nothing. onProgress, if not nil, is called
// after each batch.
//
// Only one import into a store may run at a time. The import replaces the sample, if the store has it.
//
// Errors: Invalid for a damaged file, NotFound for a missing file, Conflict if the store already holds other
// contents of WordNet, and the errors of the store.
func Import(ctx context.Context, store graph.Store, files fs.FS, onProgress func(Progress)) (Progress, error) {
	return importBatches(ctx, store, files, minBatchRecords, onProgress)
}

// importBatches is Import with a choice of batch size; see batches.
func importBatches(ctx context.Context, store graph.Store, files fs.FS, minRecords int, onProgress func(Progress)) (Progress, error) {
	c, err := readCatalog(files)
	if err != nil {
		return Progress{}, err
	}
	if err := removeSample(ctx, store); err != nil {
		return Progress{}, err
	}
	p := Progress{Total: c.lines}
	for next, err := range batches(files, c, minRecords) {
		if err != nil {
			return p, err
		}
		batch := next.Batch
		written, err := writeOnce(ctx, store, batch)
		if err != nil {
			return p, err
		}
		p.Done = next.lines
		p.Concepts += len(batch.Concepts)
		p.Connections += len(batch.Connections)
		if written {
			p.Added += len(batch.Concepts) + len(batch.Connections)
		}
		if onProgress != nil {
			onProgress(p)
		}
	}
	return p, nil
}

// writeOnce writes a batch unless an earlier run has written it. Every batch begins with a marker. The local id of the
// marker reveals whether the batch is stored, and its value shows whether the batch came from the same files.
func writeOnce(ctx context.Context, store graph.Store, batch graph.Batch) (written bool, err error) {
	marker := batch.Concepts[0]
	known, err := store.ResolveIDs(ctx, batch.Sender, []graph.ID{marker.LocalID})
	if err != nil {
		return false, err
	}
	id, found := known[marker.LocalID]
	if !found {
		_, err := store.Write(ctx, batch)
		return err == nil, err
	}
	stored, err := store.Concepts(ctx, []graph.ID{id})
	if err != nil {
		return false, err
	}
	if len(stored) == 0 || stored[0].Value != marker.Value {
		return false, graph.Errorf(graph.Conflict, "the store already holds other contents of WordNet; import these files into another store")
	}
	return false, nil
}
