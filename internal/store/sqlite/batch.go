package sqlite

import (
	"context"
	"fmt"
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

// maxNames is the maximum number of types, and of senders, that the writer keeps in memory.
const maxNames = 100_000

// A batchWrite is one batch inside the writer's transaction. It loads the records to which the batch refers, makes a
// plan, and writes the plan's additions and removals. It is the plan's Database and Remover.
type batchWrite struct {
	*writer
	batch  *graph.Batch
	by     graph.Sender
	sender int64 // id of the row of by
	plan   *plan.Plan
	sizes  sizes
}

func (w *writer) writeBatch(b *graph.Batch) (graph.Receipt, error) {
	if len(w.types) > maxNames {
		clear(w.types)
	}
	t := &batchWrite{writer: w, batch: b, by: b.Sender.Key(), sizes: newSizes()}
	t.plan = plan.New(t, now(), w.types)
	if err := b.Absent.Check(t.hasValue); err != nil {
		return graph.Receipt{}, err
	}
	if err := t.load(); err != nil {
		return graph.Receipt{}, err
	}
	outcome, err := t.plan.Write(b)
	if err != nil {
		return graph.Receipt{}, err
	}
	if err := t.save(); err != nil {
		return graph.Receipt{}, err
	}
	if err := t.plan.CheckUnchanged(b, w.changesAfter); err != nil {
		return graph.Receipt{}, err
	}
	if err := t.plan.Remove(b, outcome, t); err != nil {
		return graph.Receipt{}, err
	}
	if outcome.Receipt.Seq, err = w.addChange(&outcome.Touched, t.plan.Now()); err != nil {
		return graph.Receipt{}, err
	}
	if err := t.requireQuota(); err != nil {
		return graph.Receipt{}, err
	}
	w.sizes.add(t.sizes)
	return outcome.Receipt, nil
}

// load reads the records to which the batch refers, each kind in one statement. A batch that refers only to its own
// records needs only the statements for its local ids.
func (t *batchWrite) load() error {
	if err := t.loadSender(); err != nil {
		return err
	}
	if err := t.loadSent(plan.ConceptRefs(t.batch), false); err != nil {
		return err
	}
	if err := t.loadSent(plan.ConnectionRefs(t.batch), true); err != nil {
		return err
	}
	if err := t.loadReserved(draftedIDs(t.batch)); err != nil {
		return err
	}
	if err := t.loadSentRecords(); err != nil {
		return err
	}
	return t.loadEnds()
}

func (t *batchWrite) loadSender() error {
	if id, known := t.senders[t.by]; known {
		t.sender = id
		return nil
	}
	if len(t.senders) > maxNames {
		clear(t.senders)
	}
	found, err := query(context.Background(), t.do.findSender, scanID, t.by.User, t.by.Session, t.by.Randomizer)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		t.sender = int64(found[0])
	} else {
		added, err := t.do.addSender.Exec(t.by.User, t.by.Session, t.by.Randomizer)
		if err != nil {
			return err
		}
		if t.sender, err = added.LastInsertId(); err != nil {
			return err
		}
	}
	t.senders[t.by] = t.sender
	return nil
}

// loadSent reads the records that were sent under the local ids among refs.
func (t *batchWrite) loadSent(refs func(func(graph.ID) bool), isConnection bool) error {
	var local []graph.ID
	for id := range refs {
		if id < 0 {
			local = append(local, -id)
		}
	}
	if len(local) == 0 {
		return nil
	}
	found, err := query(context.Background(), t.do.localIDs, scanPair, t.sender, isConnection, array(distinct(local)))
	for _, pair := range found {
		t.plan.LearnSent(plan.RefOf(t.by, -pair[0], isConnection), pair[1])
	}
	return err
}

// loadReserved reads the reservations of ids for the sender's user, and unused reservations for graph.Anonymous, which any
// user may use.
func (t *batchWrite) loadReserved(ids []graph.ID) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := query(context.Background(), t.do.reserved, scanReservation, t.by.User, array(distinct(ids)))
	for _, r := range found {
		if r.connection.Valid {
			t.plan.LearnUsed(r.id, r.user, r.connection.Bool, r.became)
		} else {
			t.plan.LearnReserved(r.id, r.user)
		}
	}
	return err
}

// loadSentRecords reads the records that drafts of the batch became in earlier batches, and the types of the concepts.
func (t *batchWrite) loadSentRecords() error {
	concepts, connections := t.plan.SentRecords(t.batch)
	found, err := t.loadConcepts(concepts)
	if err != nil {
		return err
	}
	var types []graph.ID
	for _, c := range found {
		types = append(types, c.Type)
	}
	if _, err := t.loadConcepts(types); err != nil {
		return err
	}
	if len(connections) == 0 {
		return nil
	}
	sent, err := t.Connections(connections)
	for _, c := range sent {
		t.plan.LearnConnection(c)
	}
	return err
}

func (t *batchWrite) loadConcepts(ids []graph.ID) ([]graph.Concept, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := t.Concepts(ids)
	for _, c := range found {
		t.plan.LearnConcept(c)
	}
	return found, err
}

// loadEnds reads which of the concepts in connections and removals exist. An id without a concept may be a reserved
// id of an earlier batch that became another concept.
func (t *batchWrite) loadEnds() error {
	if err := t.learnEnds(t.plan.MissingEnds(t.batch)); err != nil {
		return err
	}
	missing := t.plan.MissingEnds(t.batch)
	if len(missing) == 0 {
		return nil
	}
	if err := t.loadReserved(missing); err != nil {
		return err
	}
	return t.learnEnds(t.plan.MissingEnds(t.batch))
}

func (t *batchWrite) learnEnds(ids []graph.ID) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := query(context.Background(), t.do.endsByID, scanEnd, array(ids))
	for _, e := range found {
		t.plan.LearnEnd(e.id, e.End)
	}
	return err
}

// NextID implements plan.Database.
func (t *batchWrite) NextID() (graph.ID, error) { return t.takeID() }

// Find implements plan.Database.
func (t *batchWrite) Find(key plan.DirectoryKey) (graph.Concept, bool, error) {
	found, err := queryConcepts(context.Background(), t.do.findNamed, key.Hash[:], key.Category, key.Type, key.Scope)
	if err != nil || len(found) == 0 {
		return graph.Concept{}, false, err
	}
	return found[0], true, nil
}

// hasValue reports whether there is an instance with a shared value.
func (t *batchWrite) hasValue(v graph.TypedValue) (exists bool, err error) {
	err = t.do.hasValue.QueryRow(hash(v.Value), v.Type, v.Value).Scan(&exists)
	return exists, err
}

// FindOrEnter implements plan.Database. It first inserts the directory entry of c, and reads the existing concept only if
// the key is taken, because most values are new.
func (t *batchWrite) FindOrEnter(key plan.DirectoryKey, c graph.Concept) (_ graph.Concept, entered bool, _ error) {
	id, err := c.ID, error(nil)
	if id == 0 {
		if id, err = t.peekID(); err != nil {
			return c, false, err
		}
	}
	added, err := t.do.addName.Exec(key.Hash[:], key.Category, key.Type, key.Scope, id)
	if err != nil {
		return c, false, err
	}
	if n, err := added.RowsAffected(); n == 1 || err != nil {
		if c.ID == 0 {
			t.ids.next++
		}
		c.ID = id
		return c, true, err
	}
	found, exists, err := t.Find(key)
	if err == nil && (!exists || found.Value != c.Value) {
		err = fmt.Errorf("the directory lists concept %d, %q, as %q of type %d", found.ID, found.Value, c.Value, c.Type)
	}
	return found, false, err
}

// save inserts the plan's additions row by row, and then their local ids together. FindOrEnter has already written the
// entries of the directory.
func (t *batchWrite) save() error {
	added := t.plan.Added()
	for _, c := range added.Concepts {
		if err := t.addConcept(c); err != nil {
			return err
		}
	}
	for _, c := range added.Connections {
		t.countLink(c, 1)
		t.sizes.ownedRecord(c.Owner, "", 1)
		if _, err := t.do.addConnection.Exec(c.From, c.Type, c.ID, c.To, c.Order, c.Owner, c.Access, c.Created.UnixMilli(), t.plan.ScopeOf(c)); err != nil {
			return err
		}
	}
	return t.addRefs(added.Refs)
}

func (t *batchWrite) addConcept(c graph.Concept) error {
	var value any = c.Value
	if isLong(c) {
		value = nil
		if _, err := t.do.addText.Exec(c.ID, c.Value); err != nil {
			return err
		}
	}
	t.sizes.concept(c, 1)
	if _, err := t.do.addConcept.Exec(c.ID, c.Type, c.Category, value, c.Owner, c.Access, c.Composition, c.Created.UnixMilli(), c.Position.String()); err != nil {
		return err
	}
	return t.valueAdded(c)
}

// isLong reports whether the value of a concept is in the table text.
func isLong(c graph.Concept) bool { return c.Value != "" && !graph.IsShared(c.Value) }

// addRefs stores the records that were sent under local and reserved ids. Local ids are inserted from JSON objects that map them
// to the ids of their records, because many short statements would take longer.
func (t *batchWrite) addRefs(refs []plan.Ref) error {
	var sent [2][]byte // for concepts and for connections
	for _, ref := range refs {
		became, _ := t.plan.Sent(ref)
		if ref.ID > 0 {
			if _, err := t.do.useReserved.Exec(t.by.User, ref.IsConnection, became, ref.ID); err != nil {
				return err
			}
			continue
		}
		of := &sent[0]
		if ref.IsConnection {
			of = &sent[1]
		}
		separator := byte(',')
		if len(*of) == 0 {
			separator = '{'
		}
		*of = append(*of, separator, '"')
		*of = append(strconv.AppendInt(*of, int64(-ref.ID), 10), '"', ':')
		*of = strconv.AppendInt(*of, int64(became), 10)
	}
	for isConnection, ids := range sent {
		if len(ids) == 0 {
			continue
		}
		if _, err := t.do.addLocalIDs.Exec(t.sender, isConnection, string(append(ids, '}'))); err != nil {
			return err
		}
	}
	return nil
}

// countLink counts n more connections of a type, unless they are internal to a composition.
func (t *batchWrite) countLink(c graph.Connection, n int) {
	if !t.plan.IsInternal(c) {
		t.sizes.links(c.Type, t.plan.ScopeOf(c), n)
	}
}
