package server

import (
	"context"
	"errors"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/dataset/sample"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/store/kv"
)

func (a *sampleAPI) remove(req *request) (sampleInfo, error) {
	if err := a.requireAdmin(req); err != nil {
		return sampleInfo{}, err
	}
	s, err := sample.Named(req.PathValue("name"))
	if err != nil {
		return sampleInfo{}, graph.Wrap(graph.NotFound, err, "nothing to remove")
	}
	state, version, err := a.read(req, s.Name)
	if err == nil && version == 0 {
		err = graph.Errorf(graph.NotFound, "the sample %q was not added by the caller", s.Name)
	}
	if err != nil {
		return sampleInfo{}, err
	}
	r := &sampleRemoval{request: req, state: state}
	if err := r.run(); err != nil {
		return sampleInfo{}, err
	}
	if state.HasSchema {
		if err := a.removeSchema(req.Context(), s); err != nil {
			return sampleInfo{}, err
		}
	}
	if err := a.kv.Commit(req.Context(), kv.Delete(sampleKey(req.caller.User, s.Name))); err != nil {
		return sampleInfo{}, err
	}
	a.audit.add(req, action{"sample.remove", s.Name, ""})
	return describeSample(s, addedSample{}), nil
}

// removeSchema removes the types of a sample, unless the store now has other records of these types.
func (a *sampleAPI) removeSchema(ctx context.Context, s sample.Sample) error {
	used, err := a.hasRecords(ctx, s)
	if err != nil || used {
		return err
	}
	_, err = schemas.Remove(ctx, a.views.as(access.System), s.Schema())
	return err
}

// A sampleRemoval removes the records of a sample, in batches.
type sampleRemoval struct {
	request *request
	state   addedSample
	values  []graph.ID // shared values that the sample created
}

const (
	sampleRemovalBatch = 10_000
	maxSampleRetries   = 10 // of a batch that fails because one of its values was linked while the batch was prepared
)

func (r *sampleRemoval) sender() graph.Sender {
	return graph.Sender{User: r.request.caller.User, Randomizer: r.state.Randomizer}
}

// run removes the records, then the connections that are left, then the values without links. It can be repeated after an
// interruption. The records are first, because a record without its required parts would violate the schema.
func (r *sampleRemoval) run() error {
	written, err := r.request.graph.ResolveIDs(r.request.Context(), r.sender(), []graph.ID{-1})
	if err != nil || len(written) == 0 { // the addition was interrupted before its batch
		return err
	}
	if err := r.removeRecords(); err != nil {
		return err
	}
	if err := r.removeConnections(); err != nil {
		return err
	}
	for len(r.values) > 0 {
		part := r.values[:min(len(r.values), sampleRemovalBatch)]
		r.values = r.values[len(part):]
		if err := r.removeUnused(part); err != nil {
			return err
		}
	}
	return nil
}

func (r *sampleRemoval) removeConnections() error {
	for first := 1; first <= r.state.Connections; first += sampleRemovalBatch {
		b := graph.Batch{Sender: r.sender()}
		for n := first; n < first+sampleRemovalBatch && n <= r.state.Connections; n++ {
			b.RemoveConnections = append(b.RemoveConnections, graph.ID(-n))
		}
		if _, err := r.request.graph.Write(r.request.Context(), b); err != nil {
			return err
		}
	}
	return nil
}

// removeRecords removes the compositions and long values of the sample, and collects its shared values. Values
// that existed before have a different creation time.
func (r *sampleRemoval) removeRecords() error {
	ctx, store := r.request.Context(), r.request.graph
	for first := 1; first <= r.state.Concepts; first += sampleRemovalBatch {
		var localIDs, ids []graph.ID
		for n := first; n < first+sampleRemovalBatch && n <= r.state.Concepts; n++ {
			localIDs = append(localIDs, graph.ID(-n))
		}
		real, err := store.ResolveIDs(ctx, r.sender(), localIDs)
		if err != nil {
			return err
		}
		for _, id := range real {
			ids = append(ids, id)
		}
		found, err := store.Concepts(ctx, ids)
		if err != nil {
			return err
		}
		b := graph.Batch{Sender: r.sender()}
		for _, c := range found {
			switch isOwn := c.Owner == r.request.caller.User && c.Created.Equal(r.state.Added); {
			case !isOwn:
			case c.Composition || !graph.IsShared(c.Value):
				b.RemoveConcepts = append(b.RemoveConcepts, c.ID)
			default:
				r.values = append(r.values, c.ID)
			}
		}
		if _, err := store.Write(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// removeUnused removes the values that no connection touches, and tries again if one of the values was linked in
// the meantime.
func (r *sampleRemoval) removeUnused(values []graph.ID) error {
	ctx, store := r.request.Context(), r.request.graph
	for try := 1; ; try++ {
		since, err := store.LastSeq(ctx)
		if err != nil {
			return err
		}
		linked := map[graph.ID]bool{}
		for _, direction := range []graph.Direction{graph.In, graph.Out} {
			counts, err := store.CountLinks(ctx, graph.Links{Of: values, Direction: direction})
			if err != nil {
				return err
			}
			for _, c := range counts {
				linked[c.Of] = true
			}
		}
		b := graph.Batch{Sender: r.sender(), Unchanged: &graph.Unchanged{Since: since}}
		for _, id := range values {
			if !linked[id] {
				b.RemoveConcepts = append(b.RemoveConcepts, id)
			}
		}
		b.Unchanged.Concepts = b.RemoveConcepts
		_, err = store.Write(ctx, b)
		if !errors.Is(err, graph.ErrChanged) || try == maxSampleRetries {
			return err
		}
	}
}
