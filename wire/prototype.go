package wire

import "github.com/weft-graph/weft/graph"

// A Prototype says what instances of a type hold.
type Prototype struct {
	Prototype       Text        `json:"prototype"` // the name of the type
	Required        []Text      `json:"required"`  // names of types that an instance must have
	Optional        []Text      `json:"optional"`
	ChildPrototypes []Prototype `json:"childPrototypes"`
	// IsCompositional makes it a record of its own, with options and a query, rather than a concept of the
	// category of prototypes.
	IsCompositional Bool              `json:"isCompositional"`
	Options         []PrototypeOption `json:"options"`
	IsQueryType     Bool              `json:"isQueryType"`
	QuerySelector   *PrototypeQuery   `json:"querySelector"`
}

// A PrototypeOption is a value that may be chosen.
type PrototypeOption struct {
	Type  Text `json:"type"`
	Value Text `json:"value"`
}

// A PrototypeQuery says where values to choose from are found.
type PrototypeQuery struct {
	FilterType Text `json:"filterType"`
	Selector   Text `json:"selector"`
}

// Batch is what writes the prototype, which is its first concept. Its ghosts count down from first.
func (p Prototype) Batch(sender graph.Sender, first graph.ID) (graph.Batch, error) {
	b := prototyping{batch: graph.Batch{Sender: sender}, next: first}
	_, err := b.prototype(p, 1)
	return b.batch, err
}

type prototyping struct {
	batch graph.Batch
	next  graph.ID
}

// mostPrototypes is how deep prototypes stand in each other.
const mostPrototypes = 100

func (b *prototyping) prototype(p Prototype, depth int) (graph.ID, error) {
	if depth > mostPrototypes {
		return 0, graph.Errorf(graph.TooLarge, "prototypes nested deeper than %d levels", mostPrototypes)
	}
	if p.Prototype == "" {
		return 0, graph.Errorf(graph.Invalid, "a prototype names no type")
	}
	typ := graph.WithPrefix(string(p.Prototype))
	var main graph.ID
	if p.IsCompositional {
		main = b.compositional(p, typ)
	} else {
		main = b.concept(graph.ConceptDraft{Kind: graph.DraftPrototype, TypeName: typ, Value: typ})
	}
	relation := "the_prototype_of_" + typ
	for _, name := range p.Required {
		b.connect(main, relation+"_requires", b.typ(name))
	}
	for _, name := range p.Optional {
		b.connect(main, relation+"_optional", b.typ(name))
	}
	for _, child := range p.ChildPrototypes {
		id, err := b.prototype(child, depth+1)
		if err != nil {
			return 0, err
		}
		b.connect(main, relation+"_requires_the_composition", id)
	}
	return main, nil
}

func (b *prototyping) compositional(p Prototype, typ string) graph.ID {
	main := b.concept(graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: "the_composition"})
	b.connect(main, "the_composition_type", b.typ(Text(typ)))
	if q := p.QuerySelector; bool(p.IsQueryType) && q != nil {
		b.connect(main, "the_composition_selector", b.value("the_selector", q.Selector))
		b.connect(main, "the_composition_filter_type", b.value("the_filter_type", q.FilterType))
	}
	for _, option := range p.Options {
		b.connect(main, "the_composition_s_option", b.value(graph.WithPrefix(string(option.Type)), option.Value))
	}
	return main
}

func (b *prototyping) typ(name Text) graph.ID {
	return b.concept(graph.ConceptDraft{Kind: graph.DraftType, TypeName: graph.WithPrefix(string(name))})
}

func (b *prototyping) value(typ string, text Text) graph.ID {
	return b.concept(graph.ConceptDraft{TypeName: typ, Value: string(text)})
}

func (b *prototyping) concept(d graph.ConceptDraft) graph.ID {
	d.Ghost = b.next
	b.next--
	b.batch.Concepts = append(b.batch.Concepts, d)
	return d.Ghost
}

func (b *prototyping) connect(from graph.ID, typ string, to graph.ID) {
	b.batch.Connections = append(b.batch.Connections, graph.ConnectionDraft{
		From: from, To: to, TypeName: typ, Order: graph.OrderLink,
	})
}
