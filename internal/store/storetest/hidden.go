package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
)

// A CountedStore is a store whose reader counts its work, for example rows, since it was opened.
type CountedStore struct {
	Store  graph.Store
	Reader VisibleReader
	Work   func() int64
	Settle func(context.Context) error // completes the work that the store has postponed; nil if the store postpones no work
}

// A VisibleReader is a reader with the capabilities for viewers.
type VisibleReader interface {
	graph.Reader
	graph.Selector
	graph.VisibleReader
}

// RunHidden checks that the work of reading as a viewer does not depend on the number of hidden records: the work must be about
// the same with a thousand hidden records of each kind and with a hundred thousand (ten thousand in a short run). The function
// open returns an empty store.
func RunHidden(t *testing.T, open func(t *testing.T) CountedStore) {
	race.Skip(t, "one goroutine, with many records")
	many := 100_000
	if testing.Short() {
		many = 10_000
	}
	few, much := newHiddenWorld(t, open(t), 1_000), newHiddenWorld(t, open(t), many)
	for i, read := range few.reads() {
		for _, viewer := range []graph.ID{graph.Anonymous, alice.User} {
			t.Run(fmt.Sprintf("%s, as %d", read.name, viewer), func(t *testing.T) {
				found, before := few.measure(t, read, viewer)
				same, after := much.measure(t, much.reads()[i], viewer)
				if found != same || found == 0 {
					t.Errorf("found %d records with few hidden records, and %d with many", found, same)
				}
				const slack = 60 // the depth of an index
				if t.Logf("work: %d → %d", before, after); after > before+before/4+slack {
					t.Errorf("the work = %d with %d hidden records; want it near the %d with 1,000", after, many, before)
				}
			})
		}
	}
}

// A hiddenWorld is a store with a public hub, twenty public items around it and three private items of alice. It also has hidden
// records, each of another user, at the same hub, of the same types and with the same status "open".
type hiddenWorld struct {
	CountedStore
	ctx                     context.Context
	hub, item, status, link graph.ID // the last three are types
	items                   []graph.ID
}

func newHiddenWorld(t *testing.T, s CountedStore, hidden int) *hiddenWorld {
	t.Helper()
	w := &hiddenWorld{CountedStore: s, ctx: t.Context()}
	setUp := graph.Batch{Sender: bob, Concepts: []graph.ConceptDraft{{TypeName: "the_hub", Value: "hub", Owner: graph.Anonymous}}}
	for _, name := range []string{"the_item", "the_status", "the_item_s_hub"} {
		setUp.Concepts = append(setUp.Concepts, typ(0, name))
	}
	ids := idsOf(write(t, s.Store, setUp).Concepts)
	w.hub, w.item, w.status, w.link = ids[0], ids[1], ids[2], ids[3]
	b := graph.Batch{Sender: bob}
	for i := range 23 {
		w.addItem(&b, graph.ConceptDraft{Value: fmt.Sprint("item ", i), Owner: alice.User, Access: accessOf(i < 20)}, i%20 == 0)
	}
	written := write(t, s.Store, b).Concepts
	w.items = idsOf(slices.DeleteFunc(written, func(c graph.Concept) bool { return c.Type != w.item }))
	const inBatch = 500
	for first := 0; first < hidden; first += inBatch {
		b := graph.Batch{Sender: graph.Sender{User: bob.User, Randomizer: int64(1_000 + first)}}
		for i := range inBatch {
			w.addItem(&b, graph.ConceptDraft{Value: fmt.Sprint("item ", first+i), Owner: 2_000_000 + graph.ID(first+i), Access: graph.Private}, true)
		}
		write(t, s.Store, b)
	}
	if s.Settle != nil {
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func accessOf(isPublic bool) graph.Access {
	if isPublic {
		return graph.Public
	}
	return graph.Private
}

// addItem adds an item in a box, with connections from and to the hub. If withStatus is set, it also adds the status "open".
func (w *hiddenWorld) addItem(b *graph.Batch, d graph.ConceptDraft, withStatus bool) {
	n := graph.ID(3 * len(b.Connections))
	d.LocalID, d.TypeName = -1-n, "the_item"
	b.Concepts = append(b.Concepts, d)
	box := graph.ConceptDraft{LocalID: -2 - n, Kind: graph.DraftComposition, TypeName: "the_box", Owner: d.Owner, Access: d.Access}
	link := func(from, to, typ graph.ID) {
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: from, To: to, Type: typ, Owner: d.Owner, Access: d.Access})
	}
	link(d.LocalID, w.hub, w.link)
	link(w.hub, d.LocalID, w.link)
	b.Concepts = append(b.Concepts, box)
	link(box.LocalID, w.hub, box.LocalID)
	if withStatus {
		d.LocalID, d.TypeName, d.Value = 0, "the_status", "open"
		b.Concepts = append(b.Concepts, d)
	}
}

// A hiddenRead is a read as a viewer. It returns the number of records found.
type hiddenRead struct {
	name string
	read func(VisibleReader, graph.ID) (int, error)
}

// measure returns the number of records that a read finds, and its work. The first read prepares statements.
func (w *hiddenWorld) measure(t *testing.T, read hiddenRead, viewer graph.ID) (found int, work int64) {
	t.Helper()
	for range 2 {
		before := w.Work()
		n, err := read.read(w.Reader, viewer)
		if err != nil {
			t.Fatal(err)
		}
		found, work = n, w.Work()-before
	}
	return found, work
}

func (w *hiddenWorld) reads() []hiddenRead {
	all := []hiddenRead{
		{"a page of a type", func(r VisibleReader, viewer graph.ID) (int, error) {
			found, err := r.VisibleByType(w.ctx, w.item, viewer, graph.Page{Limit: 5})
			return len(found), err
		}},
		{"the newest of a type", func(r VisibleReader, viewer graph.ID) (int, error) {
			found, err := r.VisibleByType(w.ctx, w.item, viewer, graph.Page{Limit: 5, Descending: true, Skip: 1})
			return len(found), err
		}},
		{"all of a type", func(r VisibleReader, viewer graph.ID) (int, error) {
			found, err := r.VisibleByType(w.ctx, w.item, viewer, graph.Page{})
			return len(found), err
		}},
		{"the number of a type", func(r VisibleReader, viewer graph.ID) (int, error) { return r.CountVisible(w.ctx, w.item, viewer) }},
		{"sizes", func(r VisibleReader, viewer graph.ID) (int, error) {
			sizes, err := r.VisibleSizes(w.ctx, viewer, []graph.ID{w.item, w.link})
			return sizes[0].Instances + sizes[1].Links, err
		}},
		{"a value of any type", func(r VisibleReader, viewer graph.ID) (int, error) {
			found, err := r.ConceptsByValue(w.ctx, []graph.ValueKey{{Value: "open", Viewer: viewer}})
			return len(found), err
		}},
		{"a value of a type", func(r VisibleReader, viewer graph.ID) (int, error) {
			found, err := r.ConceptsByValue(w.ctx, []graph.ValueKey{{Value: "open", Type: w.status, Viewer: viewer}})
			return len(found), err
		}},
	}
	return append(append(all, w.linkReads()...), w.selections()...)
}

func (w *hiddenWorld) linkReads() (all []hiddenRead) {
	for _, links := range []graph.Links{
		{},
		{Types: []graph.ID{w.link}},
		{Types: []graph.ID{w.link}, Page: graph.Page{Limit: 5}},
		{Types: []graph.ID{w.link}, Page: graph.Page{Limit: 5, Descending: true}},
		{Page: graph.Page{Limit: 5}},
	} {
		for _, direction := range []graph.Direction{graph.Out, graph.In} {
			links.Of, links.Direction = []graph.ID{w.hub}, direction
			all = append(all, hiddenRead{fmt.Sprintf("connections %+v", links), func(r VisibleReader, viewer graph.ID) (int, error) {
				found, err := r.VisibleLinks(w.ctx, viewer, links)
				return len(found), err
			}}, hiddenRead{fmt.Sprintf("the number of connections %+v", links), func(r VisibleReader, viewer graph.ID) (int, error) {
				found, err := r.CountVisibleLinks(w.ctx, viewer, links)
				return len(found), err
			}})
		}
	}
	return all
}

func (w *hiddenWorld) selections() (all []hiddenRead) {
	items, hub := graph.Instances{Type: w.item}, graph.IDs{w.hub}
	where := func(typ graph.ID, op graph.Op, text string) graph.Set {
		return graph.Instances{Type: typ, Where: &graph.Predicate{Op: op, Text: text}}
	}
	linked := func(far graph.Set, direction graph.Direction) graph.Set {
		return graph.Linked{Types: []graph.ID{w.link}, Far: far, Direction: direction}
	}
	for _, row := range []struct {
		name string
		set  graph.Set
	}{
		{"instances", items},
		{"an equal value", where(w.status, graph.Equal, "open")},
		{"a range of values", where(w.item, graph.GreaterOrEqual, "item 1")},
		{"items with a link to the hub", linked(hub, graph.Out)},
		{"items with a link from the hub", linked(hub, graph.In)},
		{"items with any link", linked(nil, graph.Out)},
		{"two hops", linked(linked(hub, graph.Out), graph.In)},
		{"compositions of the hub", graph.Holders{Of: hub}},
		{"a checked link", graph.Intersection{graph.IDs(w.items), linked(hub, graph.Out)}},
		{"a checked link of the hub", graph.Intersection{hub, linked(graph.IDs(w.items[:1]), graph.Out)}},
		{"a complement", graph.Intersection{items, graph.Complement{Of: linked(graph.IDs(w.items[:1]), graph.In)}}},
	} {
		for _, s := range []graph.Selection{
			{Set: row.set}, {Set: row.set, Unordered: true, Page: graph.Page{Limit: 1_000}}, {Set: row.set, Page: graph.Page{Limit: 3, Descending: true}},
		} {
			all = append(all, hiddenRead{fmt.Sprintf("%s, unordered %v, at most %d", row.name, s.Unordered, s.Page.Limit), func(r VisibleReader, viewer graph.ID) (int, error) {
				s.Viewer = viewer
				found, err := r.Select(w.ctx, s)
				return len(found), err
			}})
		}
	}
	return all
}
