package content

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A recordReader reads records from a store and keeps them: concepts, and the outgoing connections of loaded records. Each
// record is read once.
type recordReader struct {
	reader   graph.Reader
	concepts map[graph.ID]graph.Concept
	links    map[linkKey][]graph.Connection // oldest first
	loaded   map[graph.ID]bool              // records whose links were read
}

// A linkKey identifies the links of a record with one relation.
type linkKey struct {
	head     graph.ID
	relation string
}

func newRecordReader(r graph.Reader) *recordReader {
	return &recordReader{
		reader: r, concepts: map[graph.ID]graph.Concept{}, links: map[linkKey][]graph.Connection{}, loaded: map[graph.ID]bool{},
	}
}

// readRecords reads records, their outgoing links and the targets of these links. It skips local ids and records that were
// read before.
func (s *recordReader) readRecords(ctx context.Context, heads []graph.ID) error {
	heads = slices.DeleteFunc(slices.Clone(heads), func(id graph.ID) bool { return s.loaded[id] || !id.IsReal() })
	slices.Sort(heads)
	heads = slices.Compact(heads)
	if len(heads) == 0 {
		return nil
	}
	links, err := s.reader.Links(ctx, graph.Links{Of: heads})
	if err != nil {
		return err
	}
	slices.SortFunc(links, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	wanted := slices.Clone(heads)
	for _, link := range links {
		wanted = append(wanted, link.To, link.Type)
	}
	if err := s.readConcepts(ctx, wanted); err != nil {
		return err
	}
	for _, id := range heads {
		s.loaded[id] = true
	}
	for _, link := range links {
		key := linkKey{link.From, s.concepts[link.Type].Value}
		s.links[key] = append(s.links[key], link)
	}
	return nil
}

// readConcepts reads concepts and, recursively, their types.
func (s *recordReader) readConcepts(ctx context.Context, ids []graph.ID) error {
	ids = slices.DeleteFunc(ids, func(id graph.ID) bool { _, ok := s.concepts[id]; return ok })
	slices.Sort(ids)
	found, err := s.reader.Concepts(ctx, slices.Compact(ids))
	var types []graph.ID
	for _, c := range found {
		s.concepts[c.ID] = c
		types = append(types, c.Type)
	}
	if err != nil || len(found) == 0 {
		return err
	}
	return s.readConcepts(ctx, types)
}

// isRecord reports whether a concept is a record of this type.
func (s *recordReader) isRecord(id graph.ID, typ string) bool {
	c, ok := s.concepts[id]
	return ok && c.Composition && s.concepts[c.Type].Value == typ
}

// records returns the records of a type to which a relation leads, oldest link first.
func (s *recordReader) records(head graph.ID, relation, typ string) []graph.ID {
	links := s.links[linkKey{head, relation}]
	all, seen := make([]graph.ID, 0, len(links)), make(map[graph.ID]bool, len(links))
	for _, link := range links {
		if s.isRecord(link.To, typ) && !seen[link.To] {
			seen[link.To] = true
			all = append(all, link.To)
		}
	}
	return all
}

// newestRecord returns the last result of records, or 0 if there is none.
func (s *recordReader) newestRecord(head graph.ID, relation, typ string) graph.ID {
	all := s.records(head, relation, typ)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}

// text returns the newest text value of a relation, or "".
func (s *recordReader) text(head graph.ID, relation string) string {
	all := s.texts(head, relation)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// texts returns the text values of a relation, oldest link first.
func (s *recordReader) texts(head graph.ID, relation string) []string {
	var all []string
	for _, link := range s.links[linkKey{head, relation}] {
		c, ok := s.concepts[link.To]
		if !ok || c.Composition {
			continue
		}
		all = append(all, normalizeText(c.Value))
	}
	return all
}

// normalizeText returns the form of stored text in files. Site builders store missing values as JavaScript prints them.
func normalizeText(text string) string {
	switch text = strings.TrimSpace(text); text {
	case "undefined", "null", "NaN":
		return ""
	default:
		return text
	}
}
