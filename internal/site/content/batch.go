package content

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A record is the content of a record to write: text values, inner records, and links to records that already
// exist.
type record struct {
	typ   string
	texts []namedText
	lists []innerRecord
	links []namedLink
}

// A namedText is a text value of a record. Its name is the relation without the type prefix: "title" for
// the_page_title.
type namedText struct{ name, value string }

type innerRecord struct {
	name   string
	record record
}

type namedLink struct {
	name string
	to   graph.ID
}

func (r *record) addText(name, value string) {
	if value != "" {
		r.texts = append(r.texts, namedText{name, value})
	}
}

// A batchBuilder builds a batch of public records.
type batchBuilder struct {
	graph.Batch
	salt         string               // part of the hash of each local id that may change
	textIDs      map[textKey]graph.ID // text values that can be reused: stored values and values in this batch
	localIDUses  map[string]int       // number of ids made from the same parts
	removedLinks map[graph.ID]bool    // links that the batch removes
}

type textKey struct{ typ, value string }

// newBatchBuilder returns an empty batch. Batches with equal salt and content have equal local ids.
func newBatchBuilder(sender graph.Sender, salt string) *batchBuilder {
	return &batchBuilder{Batch: graph.Batch{Sender: sender}, salt: salt, textIDs: map[textKey]graph.ID{}, localIDUses: map[string]int{}, removedLinks: map[graph.ID]bool{}}
}

func (b *batchBuilder) isEmpty() bool {
	return len(b.Concepts)+len(b.Connections)+len(b.RemoveConcepts)+len(b.RemoveConnections) == 0
}

// addRecord drafts an empty record with the local id id, and returns id.
func (b *batchBuilder) addRecord(id graph.ID, typ string) graph.ID {
	b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, Kind: graph.DraftComposition, TypeName: typ, Access: graph.Public})
	return id
}

// fillRecord adds the text values, inner records and links of r to a record.
func (b *batchBuilder) fillRecord(id graph.ID, r record) {
	for _, t := range r.texts {
		b.addText(id, r.typ, t.name, t.value)
	}
	for _, l := range r.lists {
		inner := b.addRecord(b.newLocalID("record", id.String(), l.name), l.record.typ)
		b.fillRecord(inner, l.record)
		b.addLink(id, r.typ+"_"+l.name, inner)
	}
	for _, l := range r.links {
		b.addLink(id, r.typ+"_"+l.name, l.to)
	}
}

// addText links a record to a text value. Equal values of one type share a concept.
func (b *batchBuilder) addText(from graph.ID, typ, name, value string) {
	key := textKey{"the_" + strings.TrimPrefix(name, "s_"), value}
	to, found := b.textIDs[key]
	if !found {
		to = b.newLocalID("text", key.typ, key.value)
		b.textIDs[key] = to
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: to, TypeName: key.typ, Value: value, Access: graph.Public})
	}
	b.addLink(from, typ+"_"+name, to)
}

func (b *batchBuilder) addLink(from graph.ID, relation string, to graph.ID) {
	b.Connections = append(b.Connections, graph.ConnectionDraft{
		LocalID: b.newLocalID("link", from.String(), relation, to.String()),
		From:    from, To: to, TypeName: relation, Order: graph.OrderLink, Access: graph.Public,
	})
}

// removeLinks drafts the removal of links. Repeated links are removed once.
func (b *batchBuilder) removeLinks(links ...graph.Connection) {
	for _, link := range links {
		if !b.removedLinks[link.ID] {
			b.RemoveConnections = append(b.RemoveConnections, link.ID)
		}
		b.removedLinks[link.ID] = true
	}
}

// newLocalID returns a local id that this batch has not used. Two servers that start together on one store derive equal
// ids, so the store treats their batches as the same batch.
func (b *batchBuilder) newLocalID(parts ...string) graph.ID {
	key := strings.Join(parts, "\x00")
	b.localIDUses[key]++
	return hashLocalID(key, strconv.Itoa(b.localIDUses[key]), b.salt)
}

// hashLocalID returns a negative id that depends only on the parts.
func hashLocalID(parts ...string) graph.ID {
	h := fnv.New64a()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return -1 - graph.ID(h.Sum64()%uint64(graph.MaxID))
}
