package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// ConceptsByValue implements graph.Reader. Each kind of key has its own statement, which reads a narrow range of the
// directory.
func (r *Reader) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(keys) == 1 && isOfOneType(keys[0]) {
		found, err := queryConcepts(ctx, r.do.oneOfType, hash(keys[0].Value), keys[0].Type, keys[0].Viewer)
		if err != nil {
			return nil, failed(ctx, "finding values", err)
		}
		return sqlstore.Matching(found, keys), nil
	}
	var types, instances, ofType, ofTypeVisible seeks
	sqlstore.SplitKeys(keys, types.add, instances.add, ofType.add, ofTypeVisible.add)
	found := []graph.Concept{}
	for _, seek := range []struct {
		statement *sql.Stmt
		keys      seeks
	}{
		{r.do.typesByValue, types},
		{r.do.instancesByValue, instances},
		{r.do.byTypeAndValue, ofType},
		{r.do.byTypeAndViewer, ofTypeVisible},
	} {
		if len(seek.keys) == 0 {
			continue
		}
		concepts, err := queryConcepts(ctx, seek.statement, seek.keys.array())
		if err != nil {
			return nil, failed(ctx, "finding values", err)
		}
		found = append(found, concepts...)
	}
	return sqlstore.Matching(found, keys), nil
}

// hasValue selects whether there is an instance with a value. Parameters: 1 the hash of the value, 2 the type, 3 the value.
const hasValue = `select exists(select 1 from directory d join concept c on c.id = d.id
	where d.hash = ?1 and d.category = 4 and d.type = ?2 and c.value = ?3)`

// HasValue implements graph.ValueChecker.
func (r *Reader) HasValue(ctx context.Context, typ graph.ID, value string) (bool, error) {
	var exists bool
	err := r.do.hasValue.QueryRowContext(ctx, hash(value), typ, value).Scan(&exists)
	return exists, failed(ctx, "looking for a value", err)
}

// isOfOneType reports whether a key asks for the shared values of one type as one viewer. This is the most frequent form of a key. A
// single key of this form has a faster statement, without json_each.
func isOfOneType(key graph.ValueKey) bool {
	return key.Type != 0 && key.Viewer != 0 && key.Category == 0 && !key.Types && graph.IsShared(key.Value)
}

// seeks is a JSON array of keys without the closing bracket.
type seeks []byte

func (s *seeks) add(key graph.ValueKey) {
	separator := byte(',')
	if len(*s) == 0 {
		separator = '['
	}
	*s = fmt.Appendf(append(*s, separator), `["%s",%d,%d]`, hex.EncodeToString(hash(key.Value)), key.Viewer, key.Type)
}

func (s seeks) array() string { return string(append(s, ']')) }
