// Package memory keeps a graph in maps: for tests, demonstrations and as the obvious answer that
// cleverer stores are compared with.
package memory

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A Store is a graph.Store that forgets everything when the process ends.
type Store struct {
	identity string
	entries  kv.Memory

	mu   sync.RWMutex
	next graph.ID // the next id to give away; concepts and connections share one row of numbers

	concepts    map[graph.ID]graph.Concept
	connections map[graph.ID]graph.Connection
	ghosts      map[ghost]graph.ID
	reserved    map[graph.ID]graph.ID  // for whom
	unused      map[graph.ID]time.Time // when they were reserved, of those that nothing was sent under

	values    map[string]ids   // types and shared values, by value
	instances map[graph.ID]ids // by type
	naming    map[graph.ID]int // how many concepts name this one as their type or category
	out       map[end]ids      // connections by source
	in        map[end]ids      // connections by target
	typed     map[graph.ID]ids // connections by type

	seq     graph.Seq
	changes []graph.Change // the newest is number seq
}

// A ghost is a local id inside its sender's circle, or a reserved id inside its user's. Local ids of
// concepts and connections have number spaces of their own.
type ghost struct {
	sender     graph.Sender
	connection bool
	id         graph.ID
}

func ghostOf(sender graph.Sender, id graph.ID, connection bool) ghost {
	if id > 0 {
		sender = graph.Sender{User: sender.User}
	}
	return ghost{sender.Key(), connection, id}
}

// An end is a concept with the connections of one type, or with type 0 all of them.
type end struct{ concept, typ graph.ID }

// New returns a store that holds the fixed concepts.
func New() *Store {
	s := &Store{
		identity:    rand.Text(),
		next:        graph.FirstFree,
		concepts:    map[graph.ID]graph.Concept{},
		connections: map[graph.ID]graph.Connection{},
		ghosts:      map[ghost]graph.ID{},
		reserved:    map[graph.ID]graph.ID{},
		unused:      map[graph.ID]time.Time{},
		values:      map[string]ids{},
		instances:   map[graph.ID]ids{},
		naming:      map[graph.ID]int{},
		out:         map[end]ids{},
		in:          map[end]ids{},
		typed:       map[graph.ID]ids{},
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

// Forget drops what is older than a time: changes, as Write does with those older than graph.KeepChanges, and
// reserved ids that were never used, as Reserve does.
func (s *Store) Forget(_ context.Context, before time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(before)
	s.forgetReserved(before)
	return nil
}

func (s *Store) forget(before time.Time) {
	kept := slices.IndexFunc(s.changes, func(c graph.Change) bool { return !c.At.Before(before) })
	if kept < 0 {
		kept = len(s.changes)
	}
	s.changes = s.changes[kept:]
}

func (s *Store) addConcept(c graph.Concept) {
	s.concepts[c.ID] = c
	s.naming[c.Type]++
	s.naming[c.Category]++
	if c.IsType() || !c.Composition && graph.Shared(c.Value) {
		add(s.values, c.Value, c.ID)
	}
	if c.Category == graph.CategoryInstance {
		add(s.instances, c.Type, c.ID)
	}
}

func (s *Store) dropConcept(c graph.Concept) {
	delete(s.concepts, c.ID)
	s.naming[c.Type]--
	s.naming[c.Category]--
	drop(s.values, c.Value, c.ID)
	drop(s.instances, c.Type, c.ID)
}

func (s *Store) addConnection(c graph.Connection) {
	s.connections[c.ID] = c
	for _, typ := range [2]graph.ID{0, c.Type} {
		add(s.out, end{c.From, typ}, c.ID)
		add(s.in, end{c.To, typ}, c.ID)
	}
	add(s.typed, c.Type, c.ID)
}

func (s *Store) dropConnection(c graph.Connection) {
	delete(s.connections, c.ID)
	for _, typ := range [2]graph.ID{0, c.Type} {
		drop(s.out, end{c.From, typ}, c.ID)
		drop(s.in, end{c.To, typ}, c.ID)
	}
	drop(s.typed, c.Type, c.ID)
}

// ids ascend.
type ids []graph.ID

func add[K comparable](index map[K]ids, key K, id graph.ID) {
	at, there := slices.BinarySearch(index[key], id)
	if !there {
		index[key] = slices.Insert(index[key], at, id)
	}
}

func drop[K comparable](index map[K]ids, key K, id graph.ID) {
	at, there := slices.BinarySearch(index[key], id)
	if !there {
		return
	}
	if index[key] = slices.Delete(index[key], at, at+1); len(index[key]) == 0 {
		delete(index, key)
	}
}
