package wordnet

import (
	"context"
	"io/fs"

	"github.com/weft-graph/weft/graph"
)

// Progress is how far an import has come.
type Progress struct {
	Done, Total           int // lines
	Concepts, Connections int // drafted, in batches of this run and of those before it
	Added                 int // of them, in batches that this run wrote
}

// An import that was broken off goes on with batches that begin where they did. Whoever changes where that
// is raises mapping, and the stores that have half of it say so.
const (
	mapping   = 1
	batchSize = 10_000
)

// Types are the types of the concepts an import makes.
var Types = []string{
	"the_word", "the_sense", "the_synset", "the_gloss", "the_example", "the_marker", "the_frame", "the_frequency", "the_form",
}

// Import writes the database in files into store, in batches that are durable one by one. It reads and checks
// every file before it writes anything. A run that was broken off is finished by the next; one more adds
// nothing. The function tell, if there is one, hears of every batch.
//
// Two imports into one store must not run at once. The sample, if the store has it, makes place.
//
// Errors: Invalid for a damaged file, NotFound for a missing one, Conflict when the store holds other contents
// of WordNet already, and what the store says.
func Import(ctx context.Context, store graph.Store, files fs.FS, tell func(Progress)) (Progress, error) {
	return importIn(ctx, store, files, batchSize, tell)
}

func importIn(ctx context.Context, store graph.Store, files fs.FS, size int, tell func(Progress)) (Progress, error) {
	c, err := readCatalog(files)
	if err != nil {
		return Progress{}, err
	}
	if err := dropSample(ctx, store); err != nil {
		return Progress{}, err
	}
	p := Progress{Total: c.lines}
	for portion, err := range batches(files, c, size) {
		if err != nil {
			return p, err
		}
		batch := portion.Batch
		written, err := writeOnce(ctx, store, batch)
		if err != nil {
			return p, err
		}
		p.Done = portion.lines
		p.Concepts += len(batch.Concepts)
		p.Connections += len(batch.Connections)
		if written {
			p.Added += len(batch.Concepts) + len(batch.Connections)
		}
		if tell != nil {
			tell(p)
		}
	}
	return p, nil
}

func writeOnce(ctx context.Context, store graph.Store, batch graph.Batch) (written bool, err error) {
	marker := batch.Concepts[0]
	known, err := store.Ghosts(ctx, batch.Sender, []graph.ID{marker.Ghost})
	if err != nil {
		return false, err
	}
	id, met := known[marker.Ghost]
	if !met {
		_, err := store.Write(ctx, batch)
		return err == nil, err
	}
	found, err := store.Concepts(ctx, []graph.ID{id})
	if err != nil {
		return false, err
	}
	if len(found) == 0 || found[0].Value != marker.Value {
		return false, graph.Errorf(graph.Conflict, "the store holds another WordNet already; these files need one of their own")
	}
	return false, nil
}
