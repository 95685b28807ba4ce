package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
)

// ConceptsByValue implements graph.Reader. The directory is read by ranges that hold little else than
// what is asked for, so each kind of key has a statement of its own.
func (r *Reader) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(keys) == 1 && ofOneType(keys[0]) {
		found, err := queryConcepts(ctx, r.do.oneOfType, hash(keys[0].Value), keys[0].Type, keys[0].Viewer)
		if err != nil {
			return nil, failed(ctx, "finding values", err)
		}
		return sqlstore.Matching(found, keys), nil
	}
	var types, instances, ofType, ofTypeSeen seeks
	sqlstore.Sort(keys, types.add, instances.add, ofType.add, ofTypeSeen.add)
	found := []graph.Concept{}
	for _, seek := range []struct {
		statement *sql.Stmt
		keys      seeks
	}{
		{r.do.typesByValue, types},
		{r.do.instancesByValue, instances},
		{r.do.byTypeAndValue, ofType},
		{r.do.byTypeAndViewer, ofTypeSeen},
	} {
		if len(seek.keys) == 0 {
			continue
		}
		some, err := queryConcepts(ctx, seek.statement, seek.keys.array())
		if err != nil {
			return nil, failed(ctx, "finding values", err)
		}
		found = append(found, some...)
	}
	return sqlstore.Matching(found, keys), nil
}

// ofOneType says whether a key is the one that clients ask for most, alone: it has a statement without a list.
func ofOneType(key graph.ValueKey) bool {
	return key.Type != 0 && key.Viewer != 0 && key.Category == 0 && !key.Types && graph.Shared(key.Value)
}

// seeks is what has been written so far of a JSON array of keys.
type seeks []byte

func (s *seeks) add(key graph.ValueKey) {
	separator := byte(',')
	if len(*s) == 0 {
		separator = '['
	}
	*s = fmt.Appendf(append(*s, separator), `["%s",%d,%d]`, hex.EncodeToString(hash(key.Value)), key.Viewer, key.Type)
}

func (s seeks) array() string { return string(append(s, ']')) }
