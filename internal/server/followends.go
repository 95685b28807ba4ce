package server

import (
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// followEnds makes those private connections of a batch public whose two ends and type are public. Clients of the
// contract send every connection as private. Without followEnds, other users would see public records without
// their contents; see docs/decisions/0036. It costs at most three reads.
func (req *request) followEnds(b graph.Batch) error {
	if req.isGuest() || !slices.ContainsFunc(b.Connections, isPrivate) {
		return nil // connections of guests are public
	}
	ends := publicEnds{drafted: map[graph.ID]bool{}, stored: map[graph.ID]bool{}}
	for _, d := range b.Concepts {
		ends.drafted[d.SentID()] = d.Kind == graph.DraftType || d.Access == graph.Public
	}
	if err := ends.load(req, b); err != nil {
		return err
	}
	for i, d := range b.Connections {
		if isPrivate(d) && ends.isPublic(d.From) && ends.isPublic(d.To) && ends.hasPublicType(d) {
			b.Connections[i].Access = graph.Public
		}
	}
	return nil
}

func isPrivate(d graph.ConnectionDraft) bool { return d.Access == 0 || d.Access == graph.Private }

// publicEnds records which concepts at the ends of connections, and which of their types, are public.
type publicEnds struct {
	drafted map[graph.ID]bool // keyed by the id of a draft of the same batch
	stored  map[graph.ID]bool // keyed by id and local id
}

// load reads the concepts that the batch refers to but does not draft, as the caller sees them.
func (p *publicEnds) load(req *request, b graph.Batch) error {
	var ids, unresolved []graph.ID
	for _, d := range b.Connections {
		for _, id := range []graph.ID{d.From, d.To, d.Type} {
			if _, isDrafted := p.drafted[id]; !isDrafted && id != 0 {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if err := p.read(req, ids, nil); err != nil {
		return err
	}
	for _, id := range ids {
		if _, isStored := p.stored[id]; !isStored {
			unresolved = append(unresolved, id)
		}
	}
	if len(unresolved) == 0 {
		return nil
	}
	names, err := req.graph.ResolveIDs(req.Context(), b.Sender, unresolved)
	if err != nil || len(names) == 0 {
		return err
	}
	return p.read(req, slices.Collect(maps.Values(names)), names)
}

// read records whether the concepts with these ids are public. names maps these ids to the ids that the batch uses for
// them, such as local ids and aliases.
func (p *publicEnds) read(req *request, ids []graph.ID, names map[graph.ID]graph.ID) error {
	real := slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return !id.IsReal() })
	if len(real) == 0 {
		return nil
	}
	found, err := req.graph.Concepts(req.Context(), real)
	for _, c := range found {
		p.stored[c.ID] = c.IsType() || graph.ScopeOf(c.Owner, c.Access) == 0
	}
	for name, id := range names {
		p.stored[name] = p.stored[id]
	}
	return err
}

func (p *publicEnds) isPublic(id graph.ID) bool { return p.drafted[id] || p.stored[id] }

// hasPublicType reports whether the type of a connection is public. A type that is given by its name is always
// public.
func (p *publicEnds) hasPublicType(d graph.ConnectionDraft) bool {
	_, isDrafted := p.drafted[d.Type]
	_, isStored := p.stored[d.Type]
	if d.Type == 0 || d.Type.IsLocal() && !isDrafted && !isStored {
		return d.TypeName != ""
	}
	return p.isPublic(d.Type)
}
