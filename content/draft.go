package content

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A record is a composite to be written: texts, records inside it, and links to records that are there.
type record struct {
	typ   string
	texts []text
	lists []list
	links []link
}

// Names are without the type in front: the text "title" of a the_page is what the_page_title leads to.
type text struct{ name, value string }

type list struct {
	name   string
	record record
}

type link struct {
	name string
	to   graph.ID
}

func (r *record) add(name, value string) {
	if value != "" {
		r.texts = append(r.texts, text{name, value})
	}
}

// A draft is a batch being made. Everything in it is public.
type draft struct {
	graph.Batch
	salt   string            // goes into every ghost but those of lasting things
	leaves map[leaf]graph.ID // long texts that are there, or drafted
	drawn  map[string]int    // how often a ghost was wanted
	gone   map[graph.ID]bool // what is removed
}

type leaf struct{ typ, value string }

func newDraft(by graph.Sender, salt string) *draft {
	return &draft{Batch: graph.Batch{Sender: by}, salt: salt, leaves: map[leaf]graph.ID{}, drawn: map[string]int{}, gone: map[graph.ID]bool{}}
}

func (d *draft) empty() bool {
	return len(d.Concepts)+len(d.Connections)+len(d.RemoveConcepts)+len(d.RemoveConnections) == 0
}

// head makes an empty record.
func (d *draft) head(id graph.ID, typ string) graph.ID {
	d.Concepts = append(d.Concepts, graph.ConceptDraft{Ghost: id, Kind: graph.DraftComposition, TypeName: typ, Access: graph.Public})
	return id
}

// fill gives a record what it consists of.
func (d *draft) fill(id graph.ID, r record) {
	for _, t := range r.texts {
		d.text(id, r.typ, t.name, t.value)
	}
	for _, l := range r.lists {
		inner := d.head(d.ghost("record", id.String(), l.name), l.record.typ)
		d.fill(inner, l.record)
		d.link(id, r.typ+"_"+l.name, inner)
	}
	for _, l := range r.links {
		d.link(id, r.typ+"_"+l.name, l.to)
	}
}

func (d *draft) text(from graph.ID, typ, name, value string) {
	of := leaf{"the_" + strings.TrimPrefix(name, "s_"), value}
	to, there := d.leaves[of]
	if !there {
		to = d.ghost("text", of.typ, of.value)
		d.leaves[of] = to
		d.Concepts = append(d.Concepts, graph.ConceptDraft{Ghost: to, TypeName: of.typ, Value: value, Access: graph.Public})
	}
	d.link(from, typ+"_"+name, to)
}

func (d *draft) link(from graph.ID, relation string, to graph.ID) {
	d.Connections = append(d.Connections, graph.ConnectionDraft{
		Ghost: d.ghost("link", from.String(), relation, to.String()),
		From:  from, To: to, TypeName: relation, Order: graph.OrderLink, Access: graph.Public,
	})
}

func (d *draft) remove(links ...graph.Connection) {
	for _, link := range links {
		if !d.gone[link.ID] {
			d.RemoveConnections = append(d.RemoveConnections, link.ID)
		}
		d.gone[link.ID] = true
	}
}

// ghost is one that this draft has not used yet. Two servers that start together on one store make the same.
func (d *draft) ghost(parts ...string) graph.ID {
	key := strings.Join(parts, "\x00")
	d.drawn[key]++
	return ghost(key, strconv.Itoa(d.drawn[key]), d.salt)
}

// ghost is a negative id that depends on its parts alone.
func ghost(parts ...string) graph.ID {
	h := fnv.New64a()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return -1 - graph.ID(h.Sum64()%uint64(graph.MaxID))
}
