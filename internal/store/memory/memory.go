// Package memory keeps a graph in maps. It is for tests and demonstrations, and it is the model with which the random
// tests of storetest compare the SQL stores. The rules of writes are therefore written independently of package plan.
//
// A write holds the lock and changes the maps draft by draft. Each step adds to an undo list, which is run backwards if
// the batch is refused. The cost of a read is proportional to its result, with two
// exceptions: Select finds every set completely, apart from the later sets of an intersection, and ValueKeys and
// Containers sort everything that they may return before they cut the page.
package memory

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Store is a graph.Store in memory. Its data is lost when the process ends.
type Store struct {
	identity string
	entries  kv.Memory

	mu   sync.RWMutex
	next graph.ID // the next unused id, of concepts and connections

	concepts    map[graph.ID]graph.Concept
	connections map[graph.ID]graph.Connection
	sent        map[ref]graph.ID       // records that were sent under local and reserved ids
	reserved    map[graph.ID]graph.ID  // reserved ids, with their users
	unused      map[graph.ID]time.Time // unused reserved ids, with the time of their reservation

	values    map[string]ids // types and shared values, by value
	valuesIn  map[scopedValue]ids
	instances map[graph.ID]ids // keyed by type
	naming    map[graph.ID]int // keyed by concept, the number of concepts that have it as their type or category
	out       map[end]ids      // connections by source
	in        map[end]ids      // connections by target
	typed     map[graph.ID]ids // connections by type
	scoped    struct{ instances, out, in, typed scopeIndex }
	reads     atomic.Int64 // records read by lists and selections; for tests

	quotas graph.Quotas
	usage  map[graph.ID]graph.Usage // keyed by owner, without the fixed concepts

	seq     graph.Seq
	changes []graph.Change // without a gap; the last change has the number seq
}

// A ref is a local id of a sender, or a reserved id of a user. Concepts and connections have separate local ids.
type ref struct {
	sender       graph.Sender
	isConnection bool
	id           graph.ID
}

func refOf(sender graph.Sender, id graph.ID, isConnection bool) ref {
	if id > 0 {
		sender = graph.Sender{User: sender.User}
	}
	return ref{sender.Key(), isConnection, id}
}

// An end is the key of an index: a concept, and a type of connections at the concept. Type 0 means all types.
type end struct{ concept, typ graph.ID }

// New returns a store that holds the fixed concepts.
func New() *Store {
	s := &Store{
		identity:    rand.Text(),
		next:        graph.FirstFree,
		concepts:    map[graph.ID]graph.Concept{},
		connections: map[graph.ID]graph.Connection{},
		sent:        map[ref]graph.ID{},
		reserved:    map[graph.ID]graph.ID{},
		unused:      map[graph.ID]time.Time{},
		values:      map[string]ids{},
		valuesIn:    map[scopedValue]ids{},
		instances:   map[graph.ID]ids{},
		usage:       map[graph.ID]graph.Usage{},
		naming:      map[graph.ID]int{},
		out:         map[end]ids{},
		in:          map[end]ids{},
		typed:       map[graph.ID]ids{},
	}
	for _, index := range []*scopeIndex{&s.scoped.instances, &s.scoped.out, &s.scoped.in, &s.scoped.typed} {
		*index = scopeIndex{}
	}
	for _, c := range graph.Fixed() {
		s.addConcept(c)
	}
	return s
}

// Close does nothing.
func (s *Store) Close() error { return nil }

// KV implements kv.Keeper.
func (s *Store) KV() kv.Store { return &s.entries }

// DeleteBefore deletes changes and unused reservations made before a time. Write itself deletes changes older than
// graph.ChangeRetention, and Reserve deletes reservations older than graph.ReservationRetention.
func (s *Store) DeleteBefore(_ context.Context, before time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleteChanges(before)
	s.deleteReservations(before)
	return nil
}

func (s *Store) deleteChanges(before time.Time) {
	firstKept := slices.IndexFunc(s.changes, func(c graph.Change) bool { return !c.At.Before(before) })
	if firstKept < 0 {
		firstKept = len(s.changes)
	}
	s.changes = s.changes[firstKept:]
}

func (s *Store) addConcept(c graph.Concept) {
	s.countOwned(c.ID, c.Owner, c.Value, 1)
	s.concepts[c.ID] = c
	s.naming[c.Type]++
	s.naming[c.Category]++
	if c.IsType() || !c.Composition && graph.IsShared(c.Value) {
		add(s.values, c.Value, c.ID)
		add(s.valuesIn, scopedValue{c.Value, c.Scope()}, c.ID)
	}
	scope := graph.EndpointOf(c).Scope
	s.scoped.instances.add(end{}, scope, c.ID)
	if c.Category == graph.CategoryInstance {
		add(s.instances, c.Type, c.ID)
		s.scoped.instances.add(end{0, c.Type}, scope, c.ID)
	}
}

func (s *Store) dropConcept(c graph.Concept) {
	s.countOwned(c.ID, c.Owner, c.Value, -1)
	delete(s.concepts, c.ID)
	s.naming[c.Type]--
	s.naming[c.Category]--
	drop(s.values, c.Value, c.ID)
	drop(s.valuesIn, scopedValue{c.Value, c.Scope()}, c.ID)
	drop(s.instances, c.Type, c.ID)
	scope := graph.EndpointOf(c).Scope
	s.scoped.instances.drop(end{}, scope, c.ID)
	s.scoped.instances.drop(end{0, c.Type}, scope, c.ID)
}

func (s *Store) addConnection(c graph.Connection) {
	s.countOwned(c.ID, c.Owner, "", 1)
	s.connections[c.ID] = c
	scope := s.scopeOf(c)
	for _, typ := range [2]graph.ID{0, c.Type} {
		add(s.out, end{c.From, typ}, c.ID)
		add(s.in, end{c.To, typ}, c.ID)
		s.scoped.out.add(end{c.From, typ}, scope, c.ID)
		s.scoped.in.add(end{c.To, typ}, scope, c.ID)
	}
	add(s.typed, c.Type, c.ID)
	s.scoped.typed.add(end{0, c.Type}, scope, c.ID)
}

func (s *Store) dropConnection(c graph.Connection) {
	s.countOwned(c.ID, c.Owner, "", -1)
	delete(s.connections, c.ID)
	scope := s.scopeOf(c)
	for _, typ := range [2]graph.ID{0, c.Type} {
		drop(s.out, end{c.From, typ}, c.ID)
		drop(s.in, end{c.To, typ}, c.ID)
		s.scoped.out.drop(end{c.From, typ}, scope, c.ID)
		s.scoped.in.drop(end{c.To, typ}, scope, c.ID)
	}
	drop(s.typed, c.Type, c.ID)
	s.scoped.typed.drop(end{0, c.Type}, scope, c.ID)
}

// ids is a list of ids in ascending order.
type ids []graph.ID

func add[K comparable](index map[K]ids, key K, id graph.ID) {
	at, listed := slices.BinarySearch(index[key], id)
	if !listed {
		index[key] = slices.Insert(index[key], at, id)
	}
}

func drop[K comparable](index map[K]ids, key K, id graph.ID) {
	at, listed := slices.BinarySearch(index[key], id)
	if !listed {
		return
	}
	if index[key] = slices.Delete(index[key], at, at+1); len(index[key]) == 0 {
		delete(index, key)
	}
}
