package plan

import "github.com/weft-graph/weft/graph"

// concept returns the concept that a draft becomes.
func (w *batch) concept(d graph.ConceptDraft) (graph.Concept, error) {
	if id, known := w.sent(d.SentID(), false); known {
		return w.conceptSentBefore(d, id)
	}
	if err := w.checkReservedID(d.ID, false); err != nil {
		return graph.Concept{}, err
	}
	if d.Becomes != 0 {
		return w.become(d)
	}
	c, err := w.findOrMake(d)
	if err != nil {
		return c, err
	}
	w.concepts[c.ID], w.ends[c.ID] = c, EndOf(c)
	w.remember(d.SentID(), false, c.ID)
	return c, nil
}

// conceptSentBefore returns the concept that the draft became when it was sent before, even if the concept was removed in the
// meantime.
func (w *batch) conceptSentBefore(d graph.ConceptDraft, id graph.ID) (graph.Concept, error) {
	c, exists := w.Concept(id)
	if !exists {
		c = d.Concept(w.by, w.now)
		typ, exists, err := w.findType(d.TypeName)
		if c.ID = id; exists {
			c.Type = typ.ID
		}
		return c, err
	}
	if typ, known := w.Concept(c.Type); known && !d.Matches(c, typ.Value) {
		return c, graph.Errorf(graph.Conflict, "ghost %d is now %s, but was sent before as concept %d, %q of type %q",
			d.SentID(), d, id, c.Value, typ.Value)
	}
	return c, nil
}

// become makes the local id of the draft refer to an existing composition.
func (w *batch) become(d graph.ConceptDraft) (graph.Concept, error) {
	c, exists := w.Concept(d.Becomes)
	typ, _ := w.Concept(c.Type)
	if !exists || !d.Matches(c, typ.Value) {
		return c, graph.Errorf(graph.Invalid, "concept %d is not a record of type %q", d.Becomes, graph.Clip(d.TypeName))
	}
	w.remember(d.SentID(), false, c.ID)
	return c, nil
}

func (w *batch) findOrMake(d graph.ConceptDraft) (graph.Concept, error) {
	if d.Kind == graph.DraftType {
		return w.makeType(d.TypeName, d.ID)
	}
	c := d.Concept(w.by, w.now)
	typ, err := w.makeType(d.TypeName, 0)
	if err != nil {
		return c, err
	}
	c.ID, c.Type = d.ID, typ.ID
	if InDirectory(c) {
		return w.share(c)
	}
	if c.ID == 0 {
		if c.ID, err = w.db.NextID(); err != nil {
			return c, err
		}
	}
	w.make(c)
	return c, nil
}

// makeType finds or creates a type and the types of its name's parts. A new type has the reserved id, unless that is 0.
func (w *batch) makeType(name string, reserved graph.ID) (graph.Concept, error) {
	if typ, known := w.types[name]; known {
		return typ, nil
	}
	if name == "the" {
		return fixedByID[graph.The], nil
	}
	c := w.newType(name)
	if prefix, last, ok := graph.SplitType(name); ok {
		category, err := w.makeType(prefix, 0)
		if err != nil {
			return c, err
		}
		word, err := w.makeType(last, 0)
		if err != nil {
			return c, err
		}
		c.Category, c.Type = category.ID, word.ID
	}
	c.ID = reserved
	typ, err := w.share(c)
	if err == nil {
		w.types[name] = typ
		w.concepts[typ.ID], w.ends[typ.ID] = typ, EndOf(typ)
	}
	return typ, err
}

// newType returns the type of a name that is one word. For other names the caller sets category and type.
func (p *Plan) newType(name string) graph.Concept {
	return graph.Concept{
		Value: name, Type: graph.Word, Category: graph.CategoryWord,
		Owner: graph.Anonymous, Access: graph.Private, Created: p.now,
	}
}

// findType returns a type that exists or is planned, and reports whether there is one. It does not create types.
func (p *Plan) findType(name string) (graph.Concept, bool, error) {
	if typ, known := p.types[name]; known {
		return typ, true, nil
	}
	if name == "the" {
		return fixedByID[graph.The], true, nil
	}
	c := p.newType(name)
	if prefix, last, ok := graph.SplitType(name); ok {
		category, exists, err := p.findType(prefix)
		if err != nil || !exists {
			return c, false, err
		}
		word, exists, err := p.findType(last)
		if err != nil || !exists {
			return c, false, err
		}
		c.Category, c.Type = category.ID, word.ID
	}
	typ, exists, err := p.find(DirectoryKeyOf(c))
	if err == nil && exists {
		p.types[name] = typ
	}
	return typ, exists, err
}

// share returns the type or shared value that equals c, or creates c.
func (w *batch) share(c graph.Concept) (graph.Concept, error) {
	key := DirectoryKeyOf(c)
	if found, known := w.known(key); known {
		return found, nil
	}
	c, entered, err := w.db.FindOrEnter(key, c)
	if err != nil {
		return c, err
	}
	w.directory[key] = c
	if entered {
		w.make(c)
	}
	return c, nil
}

// known returns the concept of a key if the plan has learned or planned the concept, or the concept is fixed.
func (p *Plan) known(key DirectoryKey) (graph.Concept, bool) {
	if c, known := p.directory[key]; known {
		return c, true
	}
	c, fixed := fixedByKey[key]
	return c, fixed
}

func (p *Plan) find(key DirectoryKey) (graph.Concept, bool, error) {
	if c, known := p.known(key); known {
		return c, true, nil
	}
	return p.db.Find(key)
}

// make adds a concept that has an id.
func (w *batch) make(c graph.Concept) {
	w.added.Concepts = append(w.added.Concepts, c)
	w.Touched.AddConcept(c)
}
