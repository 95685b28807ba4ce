package access

import "github.com/weft-graph/weft/graph"

// chunkRows is the maximum number of rows in one read if some of them may be hidden.
const chunkRows = 5_000

// paging reads pages of a list without its hidden rows. It fetches further rows until the page is full or the list
// ends.
type paging[T any] struct {
	fetch func(graph.Page) ([]T, error)
	keep  func([]T) ([]T, error) // returns the visible rows
	id    func(T) graph.ID
}

// page returns a page of the visible rows.
func (p paging[T]) page(page graph.Page) ([]T, error) {
	all, skip := []T{}, page.Skip
	for {
		request := graph.Page{Descending: page.Descending, After: page.After}
		if page.Limit > 0 {
			request.Limit = min(skip+page.Limit-len(all), chunkRows)
		}
		found, err := p.fetch(request)
		if err != nil || len(found) == 0 {
			return all, err
		}
		page.After = p.id(found[len(found)-1])
		last := request.Limit == 0 || len(found) < request.Limit
		visible, err := p.keep(found)
		if err != nil {
			return nil, err
		}
		skipped := min(skip, len(visible))
		skip -= skipped
		all = append(all, visible[skipped:]...)
		if page.Limit > 0 && len(all) >= page.Limit {
			return all[:page.Limit], nil
		}
		if last {
			return all, nil
		}
	}
}
