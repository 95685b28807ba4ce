package wire

import "github.com/weft-graph/weft/graph"

// A Prototype describes the members of instances of a type.
type Prototype struct {
	Prototype       Text        `json:"prototype"` // the name of the type
	Required        []Text      `json:"required"`  // names of the types of required members
	Optional        []Text      `json:"optional"`
	ChildPrototypes []Prototype `json:"childPrototypes"`
	// IsCompositional is true for a prototype that is stored as a composition with options and a query. Any other
	// prototype is a concept of the category of prototypes.
	IsCompositional Bool              `json:"isCompositional"`
	Options         []PrototypeOption `json:"options"`
	IsQueryType     Bool              `json:"isQueryType"`
	QuerySelector   *PrototypeQuery   `json:"querySelector"`
}

// A PrototypeOption is a value that users may choose.
type PrototypeOption struct {
	Type  Text `json:"type"`
	Value Text `json:"value"`
}

// A PrototypeQuery selects the values that users may choose.
type PrototypeQuery struct {
	FilterType Text `json:"filterType"`
	Selector   Text `json:"selector"`
}

// Batch returns a batch that writes the prototype. Its first concept is the prototype. Local ids descend from first.
// The errors are Invalid for a prototype without a type, and TooLarge beyond maxPrototypeDepth levels.
func (p Prototype) Batch(sender graph.Sender, first graph.ID) (graph.Batch, error) {
	b := prototypeBuilder{batch: graph.Batch{Sender: sender}, next: first}
	_, err := b.addPrototype(p, 1)
	return b.batch, err
}

// A prototypeBuilder appends the drafts of a prototype to a batch.
type prototypeBuilder struct {
	batch graph.Batch
	next  graph.ID // next local id
}

// maxPrototypeDepth is the maximum number of nested prototypes.
const maxPrototypeDepth = 100

// addPrototype appends a prototype, the types of its members, and its children. It returns the local id of the
// prototype.
func (b *prototypeBuilder) addPrototype(p Prototype, depth int) (graph.ID, error) {
	if depth > maxPrototypeDepth {
		return 0, graph.Errorf(graph.TooLarge, "prototypes nested deeper than %d levels", maxPrototypeDepth)
	}
	if p.Prototype == "" {
		return 0, graph.Errorf(graph.Invalid, "a prototype must name its type")
	}
	typ := graph.WithPrefix(string(p.Prototype))
	var main graph.ID
	if p.IsCompositional {
		main = b.addComposition(p, typ)
	} else {
		main = b.addConcept(graph.ConceptDraft{Kind: graph.DraftPrototype, TypeName: typ, Value: typ})
	}
	relation := "the_prototype_of_" + typ
	for _, name := range p.Required {
		b.connect(main, relation+"_requires", b.addType(name))
	}
	for _, name := range p.Optional {
		b.connect(main, relation+"_optional", b.addType(name))
	}
	for _, child := range p.ChildPrototypes {
		id, err := b.addPrototype(child, depth+1)
		if err != nil {
			return 0, err
		}
		b.connect(main, relation+"_requires_the_composition", id)
	}
	return main, nil
}

// addComposition appends a prototype that is a composition, with its query and options.
func (b *prototypeBuilder) addComposition(p Prototype, typ string) graph.ID {
	main := b.addConcept(graph.ConceptDraft{Kind: graph.DraftComposition, TypeName: "the_composition"})
	b.connect(main, "the_composition_type", b.addType(Text(typ)))
	if q := p.QuerySelector; bool(p.IsQueryType) && q != nil {
		b.connect(main, "the_composition_selector", b.addValue("the_selector", q.Selector))
		b.connect(main, "the_composition_filter_type", b.addValue("the_filter_type", q.FilterType))
	}
	for _, option := range p.Options {
		b.connect(main, "the_composition_s_option", b.addValue(graph.WithPrefix(string(option.Type)), option.Value))
	}
	return main
}

func (b *prototypeBuilder) addType(name Text) graph.ID {
	return b.addConcept(graph.ConceptDraft{Kind: graph.DraftType, TypeName: graph.WithPrefix(string(name))})
}

func (b *prototypeBuilder) addValue(typ string, text Text) graph.ID {
	return b.addConcept(graph.ConceptDraft{TypeName: typ, Value: string(text)})
}

func (b *prototypeBuilder) addConcept(d graph.ConceptDraft) graph.ID {
	d.LocalID = b.next
	b.next--
	b.batch.Concepts = append(b.batch.Concepts, d)
	return d.LocalID
}

func (b *prototypeBuilder) connect(from graph.ID, typ string, to graph.ID) {
	b.batch.Connections = append(b.batch.Connections, graph.ConnectionDraft{
		From: from, To: to, TypeName: typ, Order: graph.OrderLink,
	})
}
