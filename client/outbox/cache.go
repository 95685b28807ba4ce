package outbox

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// A fragment is a part of the server's graph to cache. It replaces cached records with the same ids.
type fragment struct {
	concepts    []graph.Concept
	connections []graph.Connection
	lists       []listKey  // lists that are complete: all their connections are in connections
	removed     []graph.ID // ids of connections
	types       map[string]graph.ID
}

// A listKey identifies the connections of a type at a concept.
type listKey struct {
	of        graph.ID
	direction graph.Direction
	typ       graph.ID
}

// store writes the fragment to the tables of the cache.
func (c fragment) store(ctx context.Context, tx *sql.Tx) error {
	exec := func(query string, args ...any) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}
	for _, concept := range c.concepts {
		text, err := json.Marshal(concept)
		if err != nil {
			return err
		}
		if err := exec("INSERT OR REPLACE INTO concept (id, record) VALUES (?, ?)", int64(concept.ID), text); err != nil {
			return err
		}
	}
	for _, l := range c.lists {
		end := []string{"source", "target"}[l.direction]
		if err := exec("DELETE FROM connection WHERE "+end+" = ? AND type = ?", int64(l.of), int64(l.typ)); err != nil {
			return err
		}
		if err := exec("INSERT OR REPLACE INTO list (of, direction, type) VALUES (?, ?, ?)", int64(l.of), int64(l.direction), int64(l.typ)); err != nil {
			return err
		}
	}
	for _, l := range c.connections {
		text, err := json.Marshal(l)
		if err != nil {
			return err
		}
		err = exec("INSERT OR REPLACE INTO connection (id, source, target, type, record) VALUES (?, ?, ?, ?, ?)", int64(l.ID), int64(l.From), int64(l.To), int64(l.Type), text)
		if err != nil {
			return err
		}
	}
	for _, id := range c.removed {
		if err := exec("DELETE FROM connection WHERE id = ?", int64(id)); err != nil {
			return err
		}
	}
	for name, id := range c.types {
		if err := exec("INSERT OR REPLACE INTO type (name, id) VALUES (?, ?)", name, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// concepts returns cached concepts by id.
func (f *file) concepts(ctx context.Context, ids []graph.ID) (found []graph.Concept, err error) {
	for _, id := range ids {
		err := f.each(ctx, "SELECT record FROM concept WHERE id = ?", []any{int64(id)}, func(scan func(...any) error) error {
			var text []byte
			var c graph.Concept
			if err := scan(&text); err != nil {
				return err
			}
			err := json.Unmarshal(text, &c)
			found = append(found, c)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// links returns a cached list of connections in order of id. If the cache does not have it, known is false.
func (f *file) links(ctx context.Context, l listKey) (found []graph.Connection, known bool, err error) {
	var one int
	err = f.db.QueryRowContext(ctx, "SELECT 1 FROM list WHERE of = ? AND direction = ? AND type = ?", int64(l.of), int64(l.direction), int64(l.typ)).Scan(&one)
	if err != nil {
		if err == sql.ErrNoRows { //nolint:errorlint // Scan returns it unwrapped
			err = nil
		}
		return nil, false, err
	}
	end := []string{"source", "target"}[l.direction]
	query := "SELECT record FROM connection WHERE " + end + " = ? AND type = ? ORDER BY id"
	err = f.each(ctx, query, []any{int64(l.of), int64(l.typ)}, func(scan func(...any) error) error {
		var text []byte
		var c graph.Connection
		if err := scan(&text); err != nil {
			return err
		}
		err := json.Unmarshal(text, &c)
		found = append(found, c)
		return err
	})
	return found, true, err
}

// typeID returns the cached id of a type, or 0.
func (f *file) typeID(ctx context.Context, name string) (id graph.ID, err error) {
	err = f.each(ctx, "SELECT id FROM type WHERE name = ?", []any{name}, func(scan func(...any) error) error { return scan((*int64)(&id)) })
	return id, err
}

// typeName returns the name of a type whose id is cached, or "".
func (f *file) typeName(ctx context.Context, id graph.ID) (name string, err error) {
	err = f.each(ctx, "SELECT name FROM type WHERE id = ?", []any{int64(id)}, func(scan func(...any) error) error { return scan(&name) })
	return name, err
}

// A receipt is the result of a write that the server has accepted.
type receipt struct {
	realIDs  map[graph.ID]graph.ID // keyed by local id
	fragment fragment
}

// receiptOf returns the receipt of a request. Its fragment contains all new records, so that they can be read without the server.
func receiptOf(request wire.Sync, sent client.Sent) receipt {
	r := receipt{realIDs: sent.RealIDs, fragment: fragment{connections: sent.Connections, removed: sent.Removed, types: map[string]graph.ID{}}}
	real := func(id graph.ID) graph.ID { return cmp.Or(sent.RealIDs[id], id) }
	known := map[graph.ID]bool{}
	add := func(c graph.Concept) {
		if c.ID != 0 && !known[c.ID] {
			known[c.ID] = true
			r.fragment.concepts = append(r.fragment.concepts, c)
		}
	}
	for _, c := range sent.Concepts {
		add(c.Graph())
		if c.Type != nil {
			add(c.Type.Graph())
			r.fragment.types[string(c.Type.CharacterValue)] = graph.ID(c.Type.ID)
		}
	}
	for _, id := range request.RemoveConnections {
		r.fragment.removed = append(r.fragment.removed, real(graph.ID(id)))
	}
	mains := map[graph.ID]graph.ID{} // local ids of records and of the compositions that contain them
	for _, c := range request.Connections {
		if c.TypeID != 0 {
			mains[graph.ID(c.ToTheConceptID)] = graph.ID(c.TypeID)
		}
	}
	for _, c := range request.Concepts {
		if id := graph.ID(c.ID); c.CharacterValue == "" && len(request.Upserts) == 0 {
			main := cmp.Or(mains[id], id)
			r.fragment.lists = append(r.fragment.lists, listKey{real(id), graph.Out, real(main)})
		}
	}
	for _, c := range request.Connections { // the types of links, by name
		isOf := func(stored graph.Connection) bool { return stored.ID == real(graph.ID(c.ID)) }
		if i := slices.IndexFunc(sent.Connections, isOf); i >= 0 && c.TypeCharacter != "" {
			r.fragment.types[string(c.TypeCharacter)] = sent.Connections[i].Type
		}
	}
	return r
}
