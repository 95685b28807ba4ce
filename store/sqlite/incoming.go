package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-graph/weft/graph"
)

// An incoming is one batch on its way in, inside the writer's transaction. What can be asked for in sets
// is asked for before the drafts are looked at one by one.
type incoming struct {
	*writer
	batch   *graph.Batch
	by      graph.Sender
	sender  int64
	now     time.Time
	touched graph.Touched

	concepts    map[graph.ID]graph.ID // what the sender's ghosts are
	connections map[graph.ID]graph.ID // what the sender's connection ghosts are
	records     map[graph.ID]graph.Concept
	links       map[graph.ID]graph.Connection
	typeOf      map[graph.ID]graph.ID // of every concept known to exist
}

func (w *writer) incoming(b *graph.Batch) *incoming {
	return &incoming{
		writer: w, batch: b, by: b.Sender.Key(), now: now(),
		records: map[graph.ID]graph.Concept{}, links: map[graph.ID]graph.Connection{},
		typeOf: map[graph.ID]graph.ID{},
	}
}

func (in *incoming) write() (graph.Receipt, error) {
	var receipt graph.Receipt
	if err := in.lookUp(); err != nil {
		return receipt, err
	}
	for i, d := range in.batch.Concepts {
		c, err := in.concept(d)
		if err != nil {
			return receipt, refused("concept", i, d.Ghost, err)
		}
		receipt.Concepts = append(receipt.Concepts, c)
	}
	if err := in.lookUpEnds(); err != nil {
		return receipt, err
	}
	for i, d := range in.batch.Connections {
		c, err := in.connection(d)
		if err != nil {
			return receipt, refused("connection", i, d.Ghost, err)
		}
		receipt.Connections = append(receipt.Connections, c)
	}
	if err := in.remove(); err != nil {
		return receipt, err
	}
	var err error
	receipt.Seq, err = in.change()
	return receipt, err
}

// refused says which draft an error is about, if it is about a draft.
func refused(what string, i int, ghost graph.ID, err error) error {
	var e *graph.Error
	if !errors.As(err, &e) {
		return err
	}
	return graph.Errorf(e.Kind, "%s %d of the batch (ghost %d): %v", what, i, ghost, err)
}

// lookUp finds out what was sent before.
func (in *incoming) lookUp() (err error) {
	if err := in.lookUpSender(); err != nil {
		return err
	}
	concepts, connections := in.ghosts()
	if in.concepts, err = in.lookUpGhosts(concepts, 0); err != nil {
		return err
	}
	if in.connections, err = in.lookUpGhosts(connections, 1); err != nil {
		return err
	}
	return in.lookUpSent()
}

func (in *incoming) lookUpSender() error {
	if id, known := in.senders[in.by]; known {
		in.sender = id
		return nil
	}
	if len(in.senders) > maxNames {
		clear(in.senders)
	}
	found, err := query(context.Background(), in.do.findSender, scanID, in.by.User, in.by.Session, in.by.Randomizer)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		in.sender = int64(found[0])
	} else {
		made, err := in.do.addSender.Exec(in.by.User, in.by.Session, in.by.Randomizer)
		if err != nil {
			return err
		}
		if in.sender, err = made.LastInsertId(); err != nil {
			return err
		}
	}
	in.senders[in.by] = in.sender
	return nil
}

// ghosts lists every ghost the batch mentions.
func (in *incoming) ghosts() (concepts, connections []graph.ID) {
	note := func(ids ...graph.ID) {
		for _, id := range ids {
			if id < 0 {
				concepts = append(concepts, id)
			}
		}
	}
	for _, d := range in.batch.Concepts {
		note(d.Ghost)
	}
	for _, d := range in.batch.Connections {
		note(d.From, d.To, d.Type)
		if d.Ghost < 0 {
			connections = append(connections, d.Ghost)
		}
	}
	note(in.batch.RemoveConcepts...)
	for _, id := range in.batch.RemoveConnections {
		if id < 0 {
			connections = append(connections, id)
		}
	}
	return distinct(concepts), distinct(connections)
}

func (in *incoming) lookUpGhosts(ghosts []graph.ID, connection int) (map[graph.ID]graph.ID, error) {
	known := make(map[graph.ID]graph.ID, len(ghosts))
	if len(ghosts) == 0 {
		return known, nil
	}
	pairs, err := query(context.Background(), in.do.ghosts, scanPair, in.sender, connection, array(negated(ghosts)))
	for _, p := range pairs {
		known[-p[0]] = p[1]
	}
	return known, err
}

// lookUpSent reads the records that drafts of the batch became before.
func (in *incoming) lookUpSent() error {
	var concepts, types, connections []graph.ID
	for _, d := range in.batch.Concepts {
		if id, known := in.concepts[d.Ghost]; known {
			concepts = append(concepts, id)
		}
	}
	if err := in.read(concepts); err != nil {
		return err
	}
	for _, c := range in.records {
		types = append(types, c.Type)
	}
	if err := in.read(types); err != nil {
		return err
	}
	for _, d := range in.batch.Connections {
		if id, known := in.connections[d.Ghost]; known {
			connections = append(connections, id)
		}
	}
	if len(connections) == 0 {
		return nil
	}
	found, err := queryConnections(context.Background(), in.do.connectionsByID, array(distinct(connections)))
	for _, c := range found {
		in.links[c.ID] = c
	}
	return err
}

func (in *incoming) read(ids []graph.ID) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := queryConcepts(context.Background(), in.do.conceptsByID, array(distinct(ids)))
	for _, c := range found {
		in.records[c.ID] = c
		in.typeOf[c.ID] = c.Type
	}
	return err
}

// lookUpEnds finds out which of the concepts that the connections name exist.
func (in *incoming) lookUpEnds() error {
	var ids []graph.ID
	for _, d := range in.batch.Connections {
		for _, id := range [3]graph.ID{d.From, d.To, d.Type} {
			if id < 0 {
				id = in.concepts[id]
			}
			if _, known := in.typeOf[id]; id > 0 && !known {
				ids = append(ids, id)
			}
		}
	}
	return in.lookUpTypes(ids)
}

func (in *incoming) lookUpTypes(ids []graph.ID) error {
	if len(ids) == 0 {
		return nil
	}
	pairs, err := query(context.Background(), in.do.typesByID, scanPair, array(distinct(ids)))
	for _, p := range pairs {
		in.typeOf[p[0]] = p[1]
	}
	return err
}

// take gives the next id away, from a new block when the old one is used up.
func (in *incoming) take() (graph.ID, error) {
	id, err := in.peek()
	in.ids.next++
	return id, err
}

func (in *incoming) peek() (graph.ID, error) {
	if in.ids.next < in.ids.end {
		return in.ids.next, nil
	}
	var end graph.ID
	if err := in.do.takeIDs.QueryRow(idBlock).Scan(&end); err != nil {
		return 0, fmt.Errorf("taking a block of ids: %w", err)
	}
	in.ids = block{next: end - idBlock, end: end}
	return in.ids.next, nil
}

// idBlock is how many ids are taken at once. What is left of a block when the store closes is never used.
const idBlock = 1_000
