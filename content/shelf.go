package content

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A shelf is what was read of a store: concepts, and the connections that leave some of them.
type shelf struct {
	reader   graph.Reader
	concepts map[graph.ID]graph.Concept
	links    map[place][]graph.Connection // oldest first
	heads    map[graph.ID]bool            // whose links were read
}

// A place is where a record has links of one kind.
type place struct {
	head     graph.ID
	relation string
}

func newShelf(r graph.Reader) *shelf {
	return &shelf{
		reader: r, concepts: map[graph.ID]graph.Concept{}, links: map[place][]graph.Connection{}, heads: map[graph.ID]bool{},
	}
}

// take reads records: their heads, links, and what those lead to. What is there already is not read again.
func (s *shelf) take(ctx context.Context, heads []graph.ID) error {
	heads = slices.DeleteFunc(slices.Clone(heads), func(id graph.ID) bool { return s.heads[id] || !id.Real() })
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
	if err := s.fetch(ctx, wanted); err != nil {
		return err
	}
	for _, id := range heads {
		s.heads[id] = true
	}
	for _, link := range links {
		at := place{link.From, s.concepts[link.Type].Value}
		s.links[at] = append(s.links[at], link)
	}
	return nil
}

// fetch reads concepts.
func (s *shelf) fetch(ctx context.Context, ids []graph.ID) error {
	ids = slices.DeleteFunc(ids, func(id graph.ID) bool { _, there := s.concepts[id]; return there })
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
	return s.fetch(ctx, types)
}

// is says whether a concept is the head of a record of this type.
func (s *shelf) is(id graph.ID, typ string) bool {
	c, there := s.concepts[id]
	return there && c.Composition && s.concepts[c.Type].Value == typ
}

// list are the records of a type that a record has, oldest first.
func (s *shelf) list(head graph.ID, relation, typ string) []graph.ID {
	var all []graph.ID
	for _, link := range s.links[place{head, relation}] {
		if s.is(link.To, typ) && !slices.Contains(all, link.To) {
			all = append(all, link.To)
		}
	}
	return all
}

// record is the newest of them, 0 when there is none.
func (s *shelf) record(head graph.ID, relation, typ string) graph.ID {
	all := s.list(head, relation, typ)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}

// text is the newest text of a relation.
func (s *shelf) text(head graph.ID, relation string) string {
	all := s.texts(head, relation)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

func (s *shelf) texts(head graph.ID, relation string) []string {
	var all []string
	for _, link := range s.links[place{head, relation}] {
		c, there := s.concepts[link.To]
		if !there || c.Composition {
			continue
		}
		all = append(all, tidy(c.Value))
	}
	return all
}

// tidy is a text as it stands in files. Builders store what JavaScript prints for nothing.
func tidy(text string) string {
	switch text = strings.TrimSpace(text); text {
	case "undefined", "null", "NaN":
		return ""
	default:
		return text
	}
}
