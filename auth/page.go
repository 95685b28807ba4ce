package auth

import "github.com/weft-graph/weft/graph"

// chunk is how many rows are looked at in one go when some may be hidden.
const chunk = 5_000

// paging cuts a page from what is left of a list when hidden rows are taken out.
type paging[T any] struct {
	fetch func(graph.Page) ([]T, error)
	keep  func([]T) ([]T, error)
	id    func(T) graph.ID
}

func (p paging[T]) page(page graph.Page) ([]T, error) {
	all, skip := []T{}, page.Skip
	for {
		ask := graph.Page{Descending: page.Descending, After: page.After}
		if page.Limit > 0 {
			ask.Limit = min(skip+page.Limit-len(all), chunk)
		}
		found, err := p.fetch(ask)
		if err != nil || len(found) == 0 {
			return all, err
		}
		page.After = p.id(found[len(found)-1])
		last := ask.Limit == 0 || len(found) < ask.Limit
		kept, err := p.keep(found)
		if err != nil {
			return nil, err
		}
		skipped := min(skip, len(kept))
		skip -= skipped
		all = append(all, kept[skipped:]...)
		if page.Limit > 0 && len(all) >= page.Limit {
			return all[:page.Limit], nil
		}
		if last {
			return all, nil
		}
	}
}
