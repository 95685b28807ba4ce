package server

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/shares"
	"github.com/weft-graph/weft/internal/store/raw"
)

// A rowReader is a store whose tables can be read row by row. Records have no index by owner: few clients list the
// records of an owner, and the index would slow down every write. A list of the records of an owner therefore reads
// the whole table.
type rowReader interface {
	Rows(ctx context.Context, t raw.Table, after raw.Row, limit int) ([]raw.Row, error)
}

const (
	// maxScannedRows is the maximum number of rows that one request reads; the client continues with the cursor in the
	// response.
	maxScannedRows = 1_000_000
	// scanChunk is the number of rows in one read.
	scanChunk = 5_000
)

// ownedRecords lists the records of an owner in a table.
type ownedRecords struct {
	store   graph.Store // may be, or wrap, a rowReader
	cursors *cursorSealer
	scans   *shares.Gate
}

// A visibility reports which ids a caller may see.
type visibility func(context.Context, []graph.ID) (map[graph.ID]bool, error)

// visibleIn returns the visibility of the records that a function reads.
func visibleIn[T any](read func(context.Context, []graph.ID) ([]T, error), id func(T) graph.ID) visibility {
	return func(ctx context.Context, ids []graph.ID) (map[graph.ID]bool, error) {
		found, err := read(ctx, ids)
		visible := make(map[graph.ID]bool, len(found))
		for _, record := range found {
			visible[id(record)] = true
		}
		return visible, err
	}
}

// An ownedQuery is a request for the records of an owner.
type ownedQuery struct {
	user     graph.ID
	pageSize int
	cursor   string
}

func readOwnedQuery(req *request) (ownedQuery, error) {
	fields, err := req.fields("user_id", "inpage", "after")
	if err != nil {
		return ownedQuery{}, err
	}
	wanted := ownedQuery{cursor: fields["after"]}
	if wanted.user, err = fields.ID("user_id"); err != nil {
		return wanted, err
	}
	wanted.pageSize, err = fields.Int("inpage", maxListed)
	return wanted, err
}

// list returns the ids of the records in a table that belong to the user in the request: the caller or, for admins,
// any user. It sets the cursor of the next page.
func (o *ownedRecords) list(req *request, t raw.Table, visible visibility) ([]graph.ID, error) {
	wanted, err := readOwnedQuery(req)
	if err != nil {
		return nil, err
	}
	rows, ok := graph.As[rowReader](o.store)
	switch {
	case req.isGuest():
		return nil, graph.Errorf(graph.Unauthorized, "sign in to list your own records")
	case wanted.user != req.caller.User && !req.caller.Admin:
		return nil, graph.Errorf(graph.Forbidden, "only user %d and admins may list these records", wanted.user)
	case wanted.pageSize < 1:
		return nil, graph.Errorf(graph.Invalid, "invalid page size %d", wanted.pageSize)
	case !ok:
		return nil, graph.Errorf(graph.Unavailable, "this store cannot list records by owner")
	}
	after, err := o.cursors.open(req.Context(), t, req.caller.User, wanted.cursor)
	if err != nil {
		return nil, err
	}
	leave, err := o.scans.Enter(req.owner, 1)
	if err != nil {
		return nil, err
	}
	defer leave()
	scan := ownerScan{rows: rows, table: t, owner: wanted.user, visible: visible, limit: min(wanted.pageSize, maxListed)}
	ids, next, err := scan.run(req.Context(), after)
	if next == nil || err != nil {
		return ids, err
	}
	return ids, o.continueAfter(req, t, next)
}

// continueAfter sets the cursor of the page after the row with a key.
func (o *ownedRecords) continueAfter(req *request, t raw.Table, key raw.Row) error {
	cursor, err := o.cursors.seal(req.Context(), t, req.caller.User, key)
	req.responseHeader.Set(cursorHeader, cursor)
	return err
}

// An ownerScan reads a table for the visible records of an owner.
type ownerScan struct {
	rows    rowReader
	table   raw.Table
	owner   graph.ID
	visible visibility
	limit   int
}

// run returns the ids of one page and the key of its last row; the next page begins after that row. At the end of the
// table the key is nil. Records that the caller may not see do not count towards the page.
func (s ownerScan) run(ctx context.Context, after raw.Row) (ids []graph.ID, next raw.Row, err error) {
	owner, id := slices.Index(s.table.Columns, "owner"), slices.Index(s.table.Columns, "id")
	for scanned := 0; scanned < maxScannedRows; {
		rows, err := s.rows.Rows(ctx, s.table, after, scanChunk)
		if err != nil || len(rows) == 0 {
			return ids, nil, err
		}
		scanned += len(rows)
		after = s.table.Of(rows[len(rows)-1])
		rows = slices.DeleteFunc(rows, func(row raw.Row) bool { return row[owner] != int64(s.owner) })
		owned := make([]graph.ID, len(rows))
		for i, row := range rows {
			owned[i] = graph.ID(row[id].(int64))
		}
		visible, err := s.visible(ctx, owned)
		if err != nil {
			return nil, nil, err
		}
		for i, row := range rows {
			if !visible[owned[i]] {
				continue
			}
			if ids = append(ids, owned[i]); len(ids) == s.limit {
				return ids, s.table.Of(row), nil
			}
		}
	}
	return ids, after, nil
}

// maxScans is the maximum number of concurrent scans. A user may run one.
const maxScans = 4

func newScanGate() *shares.Gate {
	return &shares.Gate{What: "scans of whole tables", Total: maxScans, PerOwner: 1}
}
