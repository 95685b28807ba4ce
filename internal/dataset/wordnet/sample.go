package wordnet

import (
	"archive/zip"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io/fs"

	"github.com/weft-graph/weft/graph"
)

// sampleZip is the sample, an excerpt of WordNet 3.0 around everyday words. The archive contains the licence, which
// is also in sample/LICENSE.
//
//go:embed sample/sample.zip
var sampleZip []byte

// Sample returns the files of the sample.
func Sample() (fs.FS, error) {
	return zip.NewReader(bytes.NewReader(sampleZip), int64(len(sampleZip)))
}

// sampleSender sends the sample. It differs from importSender, so that the whole WordNet can be imported later.
var sampleSender = graph.Sender{User: graph.System, Randomizer: 1986}

// ImportSample writes the sample into a store without words, in one batch, and returns the number of words. In a store with
// words it writes nothing and returns 0. A later Import replaces the sample: its words and senses keep their ids and
// the connections that users made to them.
func ImportSample(ctx context.Context, store graph.Store) (int, error) {
	files, err := Sample()
	if err != nil {
		return 0, err
	}
	return importExcerpt(ctx, store, files)
}

func importExcerpt(ctx context.Context, store graph.Store, files fs.FS) (int, error) {
	if n, err := countWords(ctx, store, 1); n > 0 || err != nil {
		return 0, err
	}
	c, err := readCatalog(files)
	if err != nil {
		return 0, err
	}
	for next, err := range batches(files, c, graph.MaxBatchRecords) {
		if err != nil {
			return 0, err
		}
		if _, err := store.Write(ctx, asSample(next.Batch)); err != nil {
			return 0, err
		}
	}
	return countWords(ctx, store, 0)
}

// asSample turns a batch into the batch of the sample. Its connections also have local ids, so that servers that start
// together write them once. The marker stores the number of local ids, which removeSample needs.
func asSample(b graph.Batch) graph.Batch {
	b.Sender = sampleSender
	b.Concepts[0].Value = fmt.Sprintf(sampleMarkerFormat, len(b.Concepts), len(b.Connections))
	for i := range b.Connections {
		b.Connections[i].LocalID = graph.ID(-1 - i)
	}
	return b
}

const sampleMarkerFormat = "a sample of %d concepts and %d connections"

// countWords returns the number of words in the store, counting up to limit; 0 means no limit.
func countWords(ctx context.Context, store graph.Store, limit int) (int, error) {
	types, err := graph.TypesNamed(ctx, store, "the_word")
	if err != nil || len(types) == 0 {
		return 0, err
	}
	return store.CountByType(ctx, types["the_word"].ID, limit)
}

// removeSample removes the connections of the sample, and its long values, which an import would not find again. The
// other values are kept, because the whole WordNet also contains them.
func removeSample(ctx context.Context, store graph.Store) error {
	marker, err := sentConcepts(ctx, store, -1)
	if err != nil || len(marker) == 0 {
		return err
	}
	var concepts, connections int
	if _, err := fmt.Sscanf(marker[0].Value, sampleMarkerFormat, &concepts, &connections); err != nil {
		return graph.Wrap(graph.Conflict, err, "the store holds a sample with an unknown marker: %q", graph.Clip(marker[0].Value))
	}
	localIDs := make([]graph.ID, concepts)
	for i := range localIDs {
		localIDs[i] = graph.ID(-1 - i)
	}
	sent, err := sentConcepts(ctx, store, localIDs...)
	if err != nil {
		return err
	}
	b := graph.Batch{Sender: sampleSender, RemoveConcepts: []graph.ID{marker[0].ID}}
	for _, c := range sent {
		if !graph.IsShared(c.Value) {
			b.RemoveConcepts = append(b.RemoveConcepts, c.ID)
		}
	}
	for i := range connections {
		b.RemoveConnections = append(b.RemoveConnections, graph.ID(-1-i))
	}
	_, err = store.Write(ctx, b)
	return err
}

// sentConcepts returns the concepts of the sample that were sent under these local ids and still exist.
func sentConcepts(ctx context.Context, store graph.Store, localIDs ...graph.ID) ([]graph.Concept, error) {
	known, err := store.ResolveIDs(ctx, sampleSender, localIDs)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	var ids []graph.ID
	for _, id := range known {
		ids = append(ids, id)
	}
	return store.Concepts(ctx, ids)
}

// SampleBatch returns the drafts of the sample as one batch, in which every draft has a local id. The batch has no
// sender.
func SampleBatch() (graph.Batch, error) {
	files, err := Sample()
	if err != nil {
		return graph.Batch{}, err
	}
	c, err := readCatalog(files)
	if err != nil {
		return graph.Batch{}, err
	}
	for next, err := range batches(files, c, graph.MaxBatchRecords) {
		if err != nil {
			return graph.Batch{}, err
		}
		b := asSample(next.Batch) // there is only one batch; a test checks the size of the sample
		b.Sender = graph.Sender{}
		return b, nil
	}
	return graph.Batch{}, nil
}
