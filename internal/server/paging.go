package server

import (
	"errors"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/wire"
)

// The contract has lists without pages. Such a list is cut at maxListed records; the header X-Weft-After then holds the
// cursor. A client sends the cursor in the field "after" to continue.
const (
	maxListed    = 10_000
	cursorHeader = "X-Weft-After"
)

// listPage returns the requested page of a list that the contract does not divide into pages. The page is one
// record longer than the response; the extra record shows whether the list continues.
func listPage(fields wire.Fields) (graph.Page, error) {
	page := graph.Page{Limit: maxListed + 1}
	if fields["after"] == "" {
		return page, nil
	}
	var err error
	page.After, err = fields.ID("after")
	return page, err
}

// cutList cuts a list that is too long and sets the cursor.
func cutList[T any](req *request, found []T, id func(T) graph.ID) []T {
	return cutListAt(req, found, maxListed, id)
}

// cutListAt cuts a list that is longer than limit and sets the cursor.
func cutListAt[T any](req *request, found []T, limit int, id func(T) graph.ID) []T {
	if len(found) <= limit {
		return found
	}
	req.responseHeader.Set(cursorHeader, id(found[limit-1]).String())
	return found[:limit]
}

// maxListBytes is the maximum size of the values in a list, in bytes; a longer list is cut. A single record may be
// larger.
const maxListBytes = 16 << 20

// readWithin calls read for a number of records. While their values exceed maxListBytes, it tries again with an
// eighth of the number. It returns the number of records that were read.
func (req *request) readWithin(records int, read func(records int) error) (int, error) {
	account := budget.Of(req.Context())
	for {
		if records <= 1 {
			return records, read(records)
		}
		err := account.Page(maxListBytes, func() error { return read(records) })
		if !errors.Is(err, budget.ErrPageFull) {
			return records, err
		}
		records = max(records/8, 1)
	}
}

func conceptID(c graph.Concept) graph.ID { return c.ID }

func connectionID(c graph.Connection) graph.ID { return c.ID }

// The limits of numbered pages.
const (
	maxPageSize   = 1_000
	maxPageNumber = 1_000_000
)

// numberedPage returns the fields "page", which counts from 1, and "inpage", which is cut to maxPageSize.
func numberedPage(fields wire.Fields) (page, size int, err error) {
	if size, err = fields.Int("inpage", 10); err != nil {
		return 0, 0, err
	}
	if page, err = fields.Int("page", 1); err != nil {
		return 0, 0, err
	}
	if size < 1 || page < 1 || page > maxPageNumber {
		return 0, 0, graph.Errorf(graph.Invalid, "invalid page %d of size %d", page, size)
	}
	return page, min(size, maxPageSize), nil
}

// cursorField returns the number after or before which a list continues; 0 means from the start.
func (req *request) cursorField(name string) (int64, error) {
	fields, err := req.fields(name)
	if err != nil || fields[name] == "" {
		return 0, err
	}
	id, err := fields.ID(name)
	return int64(id), err
}

// A textPage is a page of a list whose cursors are strings.
type textPage struct {
	after string
	limit int
}

// textPage returns the fields "after" and "inpage", which is cut to maxPageSize.
func (req *request) textPage() (textPage, error) {
	fields, err := req.fields("after", "inpage")
	if err != nil {
		return textPage{}, err
	}
	limit, err := fields.Int("inpage", 100)
	if err == nil {
		err = graph.CheckText("after", fields["after"])
	}
	return textPage{fields["after"], min(max(limit, 1), maxPageSize)}, err
}
