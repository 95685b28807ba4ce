package sqlite

import (
	"context"
	"errors"
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

	concepts    map[graph.ID]graph.ID // what the sender's ghosts are, and the ids reserved for its user
	connections map[graph.ID]graph.ID // what the sender's connection ghosts are, and the ids reserved for its user
	reserved    map[graph.ID]bool     // for the sender's user
	records     map[graph.ID]graph.Concept
	links       map[graph.ID]graph.Connection
	ends        map[graph.ID]end // of every concept known to exist
	sizes       sizes
}

func (w *writer) incoming(b *graph.Batch) *incoming {
	return &incoming{
		writer: w, batch: b, by: b.Sender.Key(), now: now(),
		records: map[graph.ID]graph.Concept{}, links: map[graph.ID]graph.Connection{},
		ends: map[graph.ID]end{}, sizes: newSizes(),
	}
}

func (in *incoming) write() (graph.Receipt, error) {
	var receipt graph.Receipt
	if err := in.lookUp(); err != nil {
		return receipt, err
	}
	for i, d := range in.batch.Concepts {
		c, err := in.concept(d)
		if err == nil {
			err = d.Fits(c, in.by)
		}
		if err != nil {
			return receipt, refused("concept", i, d.Name(), err)
		}
		receipt.Concepts = append(receipt.Concepts, c)
	}
	if err := in.lookUpEnds(); err != nil {
		return receipt, err
	}
	for i, d := range in.batch.Connections {
		c, err := in.connection(d)
		if err != nil {
			return receipt, refused("connection", i, d.Name(), err)
		}
		receipt.Connections = append(receipt.Connections, c)
	}
	if err := in.remove(); err != nil {
		return receipt, err
	}
	var err error
	if receipt.Seq, err = in.change(); err == nil {
		in.writer.sizes.add(in.sizes)
	}
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
	if err := in.lookUpReserved(drafted(in.batch)); err != nil {
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
		if id, known := in.concepts[d.Name()]; known {
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
		if id, known := in.connections[d.Name()]; known {
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
		in.ends[c.ID] = endOf(c)
	}
	return err
}

// lookUpEnds finds out which of the concepts that the connections and removals name exist.
func (in *incoming) lookUpEnds() error {
	var ids []graph.ID
	note := func(id graph.ID) {
		if real, known := in.concepts[id]; known {
			id = real
		}
		if _, known := in.ends[id]; id > 0 && !known {
			ids = append(ids, id)
		}
	}
	for _, d := range in.batch.Connections {
		note(d.From)
		note(d.To)
		note(d.Type)
	}
	for _, id := range in.batch.RemoveConcepts {
		note(id)
	}
	ids = distinct(ids)
	if err := in.lookUpConcepts(ids); err != nil {
		return err
	}
	return in.lookUpAliases(ids)
}

// lookUpAliases finds the reserved ids among those that name no concept, and the concepts they became.
func (in *incoming) lookUpAliases(ids []graph.ID) error {
	var absent, became []graph.ID
	for _, id := range ids {
		if _, there := in.ends[id]; !there {
			absent = append(absent, id)
		}
	}
	if err := in.lookUpReserved(absent); err != nil {
		return err
	}
	for _, id := range absent {
		if real, known := in.concepts[id]; known {
			became = append(became, real)
		}
	}
	return in.lookUpConcepts(became)
}

func (in *incoming) lookUpConcepts(ids []graph.ID) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := query(context.Background(), in.do.endsByID, scanEnd, array(distinct(ids)))
	for _, e := range found {
		in.ends[e.id] = e
	}
	return err
}
