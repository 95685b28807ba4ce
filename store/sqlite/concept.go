package sqlite

import (
	"context"
	"fmt"

	"github.com/weft-graph/weft/graph"
)

// maxNames bounds what the writer keeps in memory of types and senders.
const maxNames = 100_000

func (in *incoming) concept(d graph.ConceptDraft) (graph.Concept, error) {
	if id, known := in.concepts[d.Name()]; known {
		return in.sentBefore(d, id)
	}
	if err := in.mayTake(d.ID, in.connections); err != nil {
		return graph.Concept{}, err
	}
	c, err := in.findOrMake(d)
	if err != nil {
		return c, err
	}
	in.records[c.ID] = c
	in.ends[c.ID] = endOf(c)
	if d.Name() == 0 {
		return c, nil
	}
	in.concepts[d.Name()] = c.ID
	return c, in.remember(d.Name(), 0, c.ID)
}

// sentBefore answers a draft whose ghost is known. If the concept was removed since, it stays removed.
func (in *incoming) sentBefore(d graph.ConceptDraft, id graph.ID) (graph.Concept, error) {
	c, there := in.records[id]
	if !there {
		c = d.Concept(in.by, in.now)
		var err error
		c.ID = id
		c.Type, err = in.findType(d.TypeName)
		return c, err
	}
	if typ, known := in.records[c.Type]; known && !d.Became(c, typ.Value) {
		return c, graph.Errorf(graph.Conflict, "ghost %d is now %s, but was sent before as concept %d, %q of type %q",
			d.Name(), d, id, c.Value, typ.Value)
	}
	return c, nil
}

func (in *incoming) findOrMake(d graph.ConceptDraft) (graph.Concept, error) {
	if d.Kind == graph.DraftType {
		return in.makeType(d.TypeName, d.ID)
	}
	c := d.Concept(in.by, in.now)
	typ, err := in.makeType(d.TypeName, 0)
	if err != nil {
		return c, err
	}
	c.ID, c.Type = d.ID, typ.ID
	if d.Kind == graph.DraftValue && graph.Shared(d.Value) {
		return in.share(c)
	}
	if c.ID == 0 {
		if c.ID, err = in.take(); err != nil {
			return c, err
		}
	}
	return c, in.make(c)
}

// makeType finds or makes a type and all it is made of. A new type gets the reserved id, if there is one.
func (in *incoming) makeType(name string, reserved graph.ID) (graph.Concept, error) {
	if typ, known := in.types[name]; known {
		return typ, nil
	}
	if len(in.types) > maxNames {
		clear(in.types)
	}
	if name == "the" {
		return in.learn(in.fixed(graph.The))
	}
	c := graph.Concept{
		ID: reserved, Value: name, Type: graph.Word, Category: graph.CategoryWord,
		Owner: graph.Anonymous, Access: graph.Private, Created: in.now,
	}
	if prefix, last, ok := graph.SplitType(name); ok {
		category, err := in.makeType(prefix, 0)
		if err != nil {
			return c, err
		}
		word, err := in.makeType(last, 0)
		if err != nil {
			return c, err
		}
		c.Category, c.Type = category.ID, word.ID
	}
	return in.learn(in.share(c))
}

func (in *incoming) learn(typ graph.Concept, err error) (graph.Concept, error) {
	if err == nil {
		in.types[typ.Value] = typ
	}
	return typ, err
}

func (in *incoming) fixed(id graph.ID) (graph.Concept, error) {
	err := in.read([]graph.ID{id})
	return in.records[id], err
}

// findType is 0 for a type nobody made.
func (in *incoming) findType(name string) (graph.ID, error) {
	if typ, known := in.types[name]; known {
		return typ.ID, nil
	}
	if name == "the" {
		return graph.The, nil
	}
	word, category := graph.Word, graph.CategoryWord
	if prefix, last, ok := graph.SplitType(name); ok {
		var err error
		if category, err = in.findType(prefix); err != nil {
			return 0, err
		}
		if word, err = in.findType(last); err != nil {
			return 0, err
		}
	}
	found, err := in.named(graph.Concept{Value: name, Type: word, Category: category})
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0].ID, nil
}

// share finds the concept that is equal to c in its scope, or makes it. Types are in everybody's.
func (in *incoming) share(c graph.Concept) (graph.Concept, error) {
	id, err := c.ID, error(nil)
	if id == 0 {
		if id, err = in.peek(); err != nil {
			return c, err
		}
	}
	added, err := in.do.addName.Exec(hash(c.Value), c.Category, c.Type, c.Scope(), id)
	if err != nil {
		return c, err
	}
	if n, err := added.RowsAffected(); n == 1 || err != nil {
		if c.ID == 0 {
			in.ids.next++
		}
		c.ID = id
		return c, in.make(c)
	}
	found, err := in.named(c)
	if err != nil {
		return c, err
	}
	if len(found) != 1 || found[0].Value != c.Value {
		return c, fmt.Errorf("the directory says that %q of type %d is %v", c.Value, c.Type, found)
	}
	return found[0], nil
}

// named is what the directory has for the value, type, category and scope of c.
func (in *incoming) named(c graph.Concept) ([]graph.Concept, error) {
	return queryConcepts(context.Background(), in.do.findNamed, hash(c.Value), c.Category, c.Type, c.Scope())
}

// make adds a concept that has its id.
func (in *incoming) make(c graph.Concept) error {
	var value any = c.Value
	if long(c) {
		value = nil
		if _, err := in.do.addText.Exec(c.ID, c.Value); err != nil {
			return err
		}
	}
	in.touched.Concept(c)
	in.ends[c.ID] = endOf(c)
	in.sizes.concept(c, 1)
	if _, err := in.do.addConcept.Exec(c.ID, c.Type, c.Category, value, c.Owner, c.Access, c.Composition, c.Created.UnixMilli()); err != nil {
		return err
	}
	return in.valueAdded(c)
}

func long(c graph.Concept) bool { return c.Value != "" && !graph.Shared(c.Value) }
