package schemas

import (
	"context"
	"maps"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// Remove removes the stored types that equal a type of s, in one batch of the system user. If any other stored type has a link to
// one of these types, it removes nothing. It returns the names of the removed types.
func Remove(ctx context.Context, store graph.Store, s *schema.Schema) ([]string, error) {
	before, err := loadTypes(ctx, store)
	if err != nil {
		return nil, err
	}
	var names []string
	after := maps.Clone(before)
	for _, name := range s.Names() {
		if stored, ok := before[name]; ok && stored.json.String() == storedJSON(s.Types[name]).String() {
			names = append(names, name)
			delete(after, name)
		}
	}
	if _, problems := schema.FromValue(schemaValue(after)); len(problems) > 0 || len(names) == 0 {
		return nil, nil
	}
	p := &pusher{}
	p.batch.Sender = graph.Sender{User: graph.System}
	for _, name := range names {
		if err := p.remove(ctx, store, before[name]); err != nil {
			return nil, err
		}
	}
	_, err = store.Write(ctx, p.batch)
	return names, err
}
