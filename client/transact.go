package client

import (
	"context"
	"maps"

	"github.com/weft-graph/weft/graph"
)

// A Tx collects the writes of a transaction. It is a Source: all writes through it take effect together or not at all. Its reads come
// from the underlying source and do not contain the writes of the transaction.
type Tx struct {
	Source
	collected Submission
	created   map[graph.ID]bool // local ids of drafts
	realIDs   map[graph.ID]graph.ID
}

// Transact calls write and then submits everything that it wrote through tx as one batch. If write returns an error, nothing is
// written. Records that were created in the transaction have local ids, which may be used in links; after Transact, RealID
// returns their real ids.
//
//	tx, err := client.Transact(ctx, c, func(tx *client.Tx) error {
//		acme, err := client.For[Company](tx).Create(ctx, Company{Name: "Acme"})
//		if err != nil {
//			return err
//		}
//		_, err = client.For[Contact](tx).Create(ctx, Contact{Name: "Ann", Company: schema.To[Company](acme)})
//		return err
//	})
func Transact(ctx context.Context, source Source, write func(tx *Tx) error) (*Tx, error) {
	tx := &Tx{Source: source, created: map[graph.ID]bool{}, realIDs: map[graph.ID]graph.ID{}}
	if err := write(tx); err != nil {
		return tx, err
	}
	if len(tx.created)+len(tx.collected.Batch.RemoveConcepts)+len(tx.collected.Batch.RemoveConnections) == 0 {
		return tx, nil
	}
	realIDs, err := source.Submit(ctx, tx.collected)
	maps.Copy(tx.realIDs, realIDs)
	return tx, err
}

// Settled returns the number of Settled of the underlying source, or 0 if the source has no pending writes.
func (tx *Tx) Settled() int {
	if pending, ok := tx.Source.(pendingSource); ok {
		return pending.Settled()
	}
	return 0
}

// RealID returns the real id for a local id of the transaction, or the id itself if the real id is not known.
func (tx *Tx) RealID(id graph.ID) graph.ID {
	if real, known := tx.realIDs[id]; known {
		return real
	}
	return tx.Source.RealID(id)
}

// Submit implements Source: it adds the submission to the transaction.
func (tx *Tx) Submit(_ context.Context, s Submission) (map[graph.ID]graph.ID, error) {
	b, all := s.Batch, &tx.collected.Batch
	for _, d := range b.Concepts {
		tx.created[d.LocalID] = true
	}
	for _, d := range b.Connections {
		tx.created[d.LocalID] = true
	}
	all.Concepts = append(all.Concepts, b.Concepts...)
	all.Connections = append(all.Connections, b.Connections...)
	all.RemoveConcepts = append(all.RemoveConcepts, b.RemoveConcepts...)
	all.RemoveConnections = append(all.RemoveConnections, b.RemoveConnections...)
	tx.collected.Increments = append(tx.collected.Increments, s.Increments...)
	tx.collected.Upserts = append(tx.collected.Upserts, s.Upserts...)
	return nil, nil
}
