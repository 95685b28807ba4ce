package sqlstore

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Grouped sorts connections by the position of their concept in Of, then by id, and cuts the page.
func Grouped(found []graph.Connection, links graph.Links) []graph.Connection {
	position := positions(links.Of)
	of := func(c graph.Connection) int {
		if links.Direction == graph.In {
			return position[c.To]
		}
		return position[c.From]
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
	return pageOf(found, links.Page, of)
}

// pageOf returns the connections of each group that are on the page, in place.
func pageOf(found []graph.Connection, page graph.Page, of func(graph.Connection) int) []graph.Connection {
	onPage := found[:0]
	group, n := -1, 0
	for _, c := range found {
		if at := of(c); at != group {
			group, n = at, 0
		}
		if n >= page.Skip && (page.Limit <= 0 || n < max(page.Skip, 0)+page.Limit) {
			onPage = append(onPage, c)
		}
		n++
	}
	return onPage
}

// SortCounts sorts counts by the position of their concept in of, then by type.
func SortCounts(counts []graph.LinkCount, of []graph.ID) {
	position := positions(of)
	slices.SortFunc(counts, func(a, b graph.LinkCount) int {
		return cmp.Or(cmp.Compare(position[a.Of], position[b.Of]), cmp.Compare(a.Type, b.Type))
	})
}

func positions(ids []graph.ID) map[graph.ID]int {
	position := make(map[graph.ID]int, len(ids))
	for i, id := range ids {
		position[id] = i
	}
	return position
}

// Distinct returns ids without repetitions, in their order. It returns nil for nil.
func Distinct(ids []graph.ID) []graph.ID {
	if ids == nil {
		return nil
	}
	seen := make(map[graph.ID]bool, len(ids))
	distinct := make([]graph.ID, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			distinct = append(distinct, id)
		}
	}
	return distinct
}
