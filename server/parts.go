package server

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// most is how many records a list holds for which the contract has no pages. A longer one is cut, and the
// header says behind which id it goes on; a client that asks again names it in the field "after".
const (
	most       = 10_000
	moreHeader = "X-Weft-After"
)

// partOf is the part of such a list that is asked for, and one more to see whether there is more.
func partOf(fields wire.Fields) (graph.Page, error) {
	page := graph.Page{Limit: most + 1}
	if fields["after"] == "" {
		return page, nil
	}
	var err error
	page.After, err = fields.ID("after")
	return page, err
}

func cut[T any](q *request, found []T, id func(T) graph.ID) []T {
	if len(found) <= most {
		return found
	}
	q.answer.Set(moreHeader, id(found[most-1]).String())
	return found[:most]
}
