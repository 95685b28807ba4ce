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

// The sample is an excerpt of WordNet 3.0 around everyday words. Its licence is in it, and in sample/LICENSE.
//
//go:embed sample/sample.zip
var zipped []byte

// Sample are the files of the sample.
func Sample() (fs.FS, error) {
	return zip.NewReader(bytes.NewReader(zipped), int64(len(zipped)))
}

// The sample is a sender of its own, so that the whole WordNet may come on top.
var sampleSender = graph.Sender{User: graph.System, Randomizer: 1986}

// ImportSample writes the sample into a store that has no words, in one batch, and returns how many words there are
// then; 0 when there were some before. Import puts the whole WordNet in its place: words and meanings stay, and what
// somebody has connected to them.
func ImportSample(ctx context.Context, store graph.Store) (int, error) {
	files, err := Sample()
	if err != nil {
		return 0, err
	}
	return importExcerpt(ctx, store, files)
}

func importExcerpt(ctx context.Context, store graph.Store, files fs.FS) (int, error) {
	if n, err := words(ctx, store, 1); n > 0 || err != nil {
		return 0, err
	}
	c, err := readCatalog(files)
	if err != nil {
		return 0, err
	}
	for portion, err := range batches(files, c, graph.MaxBatch) {
		if err != nil {
			return 0, err
		}
		if _, err := store.Write(ctx, asSample(portion.Batch)); err != nil {
			return 0, err
		}
	}
	return words(ctx, store, 0)
}

// asSample names the connections too, so that servers that start together write them once, and notes in the marker
// how many names there are, so that they can be taken back.
func asSample(b graph.Batch) graph.Batch {
	b.Sender = sampleSender
	b.Concepts[0].Value = fmt.Sprintf(sampleMark, len(b.Concepts), len(b.Connections))
	for i := range b.Connections {
		b.Connections[i].Ghost = graph.ID(-1 - i)
	}
	return b
}

const sampleMark = "a sample of %d concepts and %d connections"

func words(ctx context.Context, store graph.Store, atMost int) (int, error) {
	types, err := graph.TypesNamed(ctx, store, "the_word")
	if err != nil || len(types) == 0 {
		return 0, err
	}
	return store.CountByType(ctx, types["the_word"].ID, atMost)
}

// dropSample takes the connections of the sample back, and the long texts, which would not be found again. The other
// values stay: the whole WordNet has them too.
func dropSample(ctx context.Context, store graph.Store) error {
	marker, err := sampled(ctx, store, -1)
	if err != nil || len(marker) == 0 {
		return err
	}
	var concepts, connections int
	if _, err := fmt.Sscanf(marker[0].Value, sampleMark, &concepts, &connections); err != nil {
		return graph.Wrap(graph.Conflict, err, "the store holds a sample that cannot be read: %q", graph.Clip(marker[0].Value))
	}
	ghosts := make([]graph.ID, concepts)
	for i := range ghosts {
		ghosts[i] = graph.ID(-1 - i)
	}
	made, err := sampled(ctx, store, ghosts...)
	if err != nil {
		return err
	}
	b := graph.Batch{Sender: sampleSender, RemoveConcepts: []graph.ID{marker[0].ID}}
	for _, c := range made {
		if !graph.Shared(c.Value) {
			b.RemoveConcepts = append(b.RemoveConcepts, c.ID)
		}
	}
	for i := range connections {
		b.RemoveConnections = append(b.RemoveConnections, graph.ID(-1-i))
	}
	_, err = store.Write(ctx, b)
	return err
}

// sampled are the concepts that were sent under some ghosts and are still there.
func sampled(ctx context.Context, store graph.Store, ghosts ...graph.ID) ([]graph.Concept, error) {
	known, err := store.Ghosts(ctx, sampleSender, ghosts)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	var ids []graph.ID
	for _, id := range known {
		ids = append(ids, id)
	}
	return store.Concepts(ctx, ids)
}
