// Package sqlstore is what stores in SQL do alike once the rows are read: rows come in whatever order a database
// finds them, and answers have one of their own.
package sqlstore

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Grouped orders connections by the place of their concept in Of, then by id, and cuts the page.
func Grouped(found []graph.Connection, links graph.Links) []graph.Connection {
	place := places(links.Of)
	of := func(c graph.Connection) int {
		if links.Direction == graph.In {
			return place[c.To]
		}
		return place[c.From]
	}
	slices.SortFunc(found, func(a, b graph.Connection) int {
		if order := cmp.Compare(of(a), of(b)); order != 0 {
			return order
		}
		if links.Page.Descending {
			a, b = b, a
		}
		return cmp.Compare(a.ID, b.ID)
	})
	if links.Page.Skip <= 0 && links.Page.Limit <= 0 {
		return found
	}
	return cut(found, links.Page, of)
}

// cut leaves of each group what is on the page.
func cut(found []graph.Connection, page graph.Page, of func(graph.Connection) int) []graph.Connection {
	kept := found[:0]
	group, n := -1, 0
	for _, c := range found {
		if at := of(c); at != group {
			group, n = at, 0
		}
		if n >= page.Skip && (page.Limit <= 0 || n < max(page.Skip, 0)+page.Limit) {
			kept = append(kept, c)
		}
		n++
	}
	return kept
}

// SortCounts orders counts by the place of their concept in of, then by type.
func SortCounts(counts []graph.LinkCount, of []graph.ID) {
	place := places(of)
	slices.SortFunc(counts, func(a, b graph.LinkCount) int {
		return cmp.Or(cmp.Compare(place[a.Of], place[b.Of]), cmp.Compare(a.Type, b.Type))
	})
}

func places(ids []graph.ID) map[graph.ID]int {
	place := make(map[graph.ID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	return place
}

// Once leaves out repetitions and keeps the order, and nil.
func Once(ids []graph.ID) []graph.ID {
	if ids == nil {
		return nil
	}
	seen := make(map[graph.ID]bool, len(ids))
	kept := make([]graph.ID, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			kept = append(kept, id)
		}
	}
	return kept
}
