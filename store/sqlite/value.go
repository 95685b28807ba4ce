package sqlite

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// ConceptsByValue implements graph.Reader.
func (r *Reader) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	typed, untyped := hashes(keys)
	found := []graph.Concept{}
	if typed != "[]" {
		some, err := queryConcepts(ctx, r.do.byTypeAndValue, typed)
		if err != nil {
			return nil, failed("finding values", err)
		}
		found = append(found, some...)
	}
	if untyped != "[]" || typed == "[]" {
		some, err := queryConcepts(ctx, r.do.byValue, untyped)
		if err != nil {
			return nil, failed("finding values", err)
		}
		found = append(found, some...)
	}
	return matching(found, keys), nil
}

// hashes writes two JSON arrays: [hash, type] of the keys that name a type, and hash of the others.
func hashes(keys []graph.ValueKey) (typed, untyped string) {
	with, without := []byte{'['}, []byte{'['}
	for _, key := range keys {
		if !graph.Shared(key.Value) {
			continue
		}
		text := hex.EncodeToString(hash(key.Value))
		if key.Type == 0 {
			without = append(append(append(without, '"'), text...), `",`...)
			continue
		}
		with = append(append(append(with, `["`...), text...), `",`...)
		with = append(strconv.AppendInt(with, int64(key.Type), 10), `],`...)
	}
	return closed(with), closed(without)
}

func closed(array []byte) string {
	if n := len(array); n > 1 {
		return string(append(array[:n-1], ']'))
	}
	return "[]"
}

// matching keeps what one of the keys asks for, once, in order of id.
func matching(found []graph.Concept, keys []graph.ValueKey) []graph.Concept {
	asked := make(map[graph.ValueKey]bool, len(keys))
	for _, key := range keys {
		asked[key] = true
	}
	found = slices.DeleteFunc(found, func(c graph.Concept) bool {
		return !asked[graph.ValueKey{Value: c.Value}] &&
			!asked[graph.ValueKey{Value: c.Value, Type: c.Type}] &&
			!asked[graph.ValueKey{Value: c.Value, Category: c.Category}] &&
			!asked[graph.ValueKey{Value: c.Value, Type: c.Type, Category: c.Category}]
	})
	slices.SortFunc(found, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b graph.Concept) bool { return a.ID == b.ID })
}
