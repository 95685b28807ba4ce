package postgres

import "github.com/weft-graph/weft/graph"

func (in incoming) concept(d graph.ConceptDraft) (graph.Concept, error) {
	if id, known := in.sent(d.Name(), false); known {
		return in.sentBefore(d, id)
	}
	if err := in.mayTake(d.ID, false); err != nil {
		return graph.Concept{}, err
	}
	c, err := in.findOrMake(d)
	if err != nil {
		return c, err
	}
	return c, in.remember(d.Name(), false, c.ID)
}

// sentBefore answers a draft whose name is known. If the concept was removed since, it stays removed.
func (in incoming) sentBefore(d graph.ConceptDraft, id graph.ID) (graph.Concept, error) {
	c, there := in.concepts[id]
	if !there {
		c = d.Concept(in.by, in.now)
		typ, _ := in.findType(d.TypeName)
		c.ID, c.Type = id, typ.ID
		return c, nil
	}
	if typ := in.concepts[c.Type]; !d.Became(c, typ.Value) {
		return c, graph.Errorf(graph.Conflict, "ghost %d is now %s, but was sent before as concept %d, %q of type %q",
			d.Name(), d, id, c.Value, typ.Value)
	}
	return c, nil
}

func (in incoming) findOrMake(d graph.ConceptDraft) (graph.Concept, error) {
	if d.Kind == graph.DraftType {
		return in.makeType(d.TypeName, d.ID)
	}
	c := d.Concept(in.by, in.now)
	typ, err := in.makeType(d.TypeName, 0)
	if err != nil {
		return c, err
	}
	c.ID, c.Type = d.ID, typ.ID
	if listed(c) {
		if found, there := in.named[nameOf(c)]; there {
			return found, nil
		}
	}
	return in.make(c)
}

// makeType finds or makes a type and all it is made of. A new type gets the reserved id, if there is one.
func (in incoming) makeType(name string, reserved graph.ID) (graph.Concept, error) {
	if typ, there := in.findType(name); there {
		return typ, nil
	}
	for _, link := range graph.TypeChain(name) {
		if _, there := in.findType(link); there {
			continue
		}
		c, _ := in.newType(link)
		if link == name {
			c.ID = reserved
		}
		if _, err := in.make(c); err != nil {
			return c, err
		}
	}
	typ, _ := in.findType(name)
	return typ, nil
}

// findType finds a type that exists or is planned.
func (p *plan) findType(name string) (graph.Concept, bool) {
	if typ, known := p.types[name]; known {
		return typ, true
	}
	if name == "the" {
		return p.concepts[graph.The], true
	}
	c, ok := p.newType(name)
	if !ok {
		return c, false
	}
	typ, there := p.named[nameOf(c)]
	if there {
		p.types[name] = typ
	}
	return typ, there
}

// newType is the type concept of a name, unless one of its parts is missing.
func (p *plan) newType(name string) (graph.Concept, bool) {
	c := graph.Concept{
		Value: name, Type: graph.Word, Category: graph.CategoryWord,
		Owner: graph.Anonymous, Access: graph.Private, Created: p.now,
	}
	prefix, last, ok := graph.SplitType(name)
	if !ok {
		return c, true
	}
	category, there := p.findType(prefix)
	word, both := p.findType(last)
	c.Category, c.Type = category.ID, word.ID
	return c, there && both
}

// make adds a concept.
func (in incoming) make(c graph.Concept) (graph.Concept, error) {
	if c.ID == 0 {
		var err error
		if c.ID, err = in.ids.take(); err != nil {
			return c, err
		}
	}
	in.learn(c)
	in.newConcepts = append(in.newConcepts, c)
	in.touched.Concept(c)
	return c, nil
}
