package content

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// Seed makes a store hold the site that was built in. Only what differs is written, in one batch: a
// second time nothing is. Ids stay what they are while files keep their names. Pages that were seeded
// once and have no file any more are removed; widgets nobody shows any more stay, unseen.
func Seed(ctx context.Context, store graph.Store) error {
	site, err := Load()
	if err != nil {
		return err
	}
	return site.Seed(ctx, store)
}

// Seed makes a store hold the site.
func (s Site) Seed(ctx context.Context, store graph.Store) error {
	seeding := seeding{store: store, records: s.records()}
	batch, err := seeding.plan(ctx)
	if err != nil || empty(batch) {
		return err
	}
	_, err = store.Write(ctx, batch)
	return err
}

func empty(b graph.Batch) bool {
	return len(b.Concepts)+len(b.Connections)+len(b.RemoveConcepts)+len(b.RemoveConnections) == 0
}

// sender is the circle of the ghosts of content.
var sender = graph.Sender{User: graph.System, Randomizer: 5_311_735}

// A seeding compares what should be with what is.
type seeding struct {
	store   graph.Reader
	records []record

	heads  map[string]graph.ID // of every record by its key: real, or the ghost it will be sent under
	stored map[graph.ID]graph.Concept
	links  map[place][]graph.Connection // what is stored, oldest first

	at    graph.Seq
	batch graph.Batch
	new   []newLeaf
}

// A place is where a record has links of one kind.
type place struct {
	head     graph.ID
	relation string
}

// A newLeaf is a value that the link with this index in the batch leads to.
type newLeaf struct {
	link int
	leaf leaf
}

func (s *seeding) plan(ctx context.Context) (graph.Batch, error) {
	if err := s.look(ctx); err != nil {
		return graph.Batch{}, err
	}
	s.batch.Sender = sender
	for _, r := range s.records {
		s.planRecord(r)
	}
	s.planRemovals()
	return s.batch, s.planLeaves(ctx)
}

// look reads which records exist, and their links.
func (s *seeding) look(ctx context.Context) (err error) {
	if s.at, err = s.store.LastSeq(ctx); err != nil {
		return err
	}
	keys := make([]string, len(s.records))
	for i, r := range s.records {
		keys[i] = r.key
	}
	if s.heads, err = s.identify(ctx, keys); err != nil {
		return err
	}
	names, err := s.relations(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	ask := graph.Links{}
	for _, id := range s.heads {
		if id.Real() {
			ask.Of = append(ask.Of, id)
		}
	}
	for id := range names {
		ask.Types = append(ask.Types, id)
	}
	links, err := s.store.Links(ctx, ask)
	if err != nil {
		return err
	}
	return s.keep(ctx, links, names)
}

func (s *seeding) keep(ctx context.Context, links []graph.Connection, names map[graph.ID]string) error {
	slices.SortFunc(links, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	s.links = map[place][]graph.Connection{}
	var targets []graph.ID
	for _, link := range links {
		at := place{link.From, names[link.Type]}
		s.links[at] = append(s.links[at], link)
		targets = append(targets, link.To)
	}
	concepts, err := s.store.Concepts(ctx, targets)
	s.stored = map[graph.ID]graph.Concept{}
	for _, c := range concepts {
		s.stored[c.ID] = c
	}
	return err
}

// relations are the types, by id, of the links that records have.
func (s *seeding) relations(ctx context.Context) (map[graph.ID]string, error) {
	var keys []graph.ValueKey
	for _, name := range relations {
		keys = append(keys, graph.ValueKey{Value: name, Types: true})
	}
	found, err := s.store.ConceptsByValue(ctx, keys)
	names := map[graph.ID]string{}
	for _, c := range found {
		names[c.ID] = c.Value
	}
	return names, err
}

// planRecord drafts the head and the links that are missing, and takes the ones that are there out of
// s.links.
func (s *seeding) planRecord(r record) {
	head := s.heads[r.key]
	if head.Local() {
		s.batch.Concepts = append(s.batch.Concepts, graph.ConceptDraft{
			Ghost: head, Kind: graph.DraftComposition, TypeName: r.typ, Access: graph.Public,
		})
	}
	for _, l := range r.links {
		at := place{head, l.relation}
		i := slices.IndexFunc(s.links[at], func(c graph.Connection) bool { return s.leads(c, l) })
		if i >= 0 {
			s.links[at] = slices.Delete(s.links[at], i, i+1)
			continue
		}
		if l.to == "" {
			s.new = append(s.new, newLeaf{link: len(s.batch.Connections), leaf: l.leaf})
		}
		s.batch.Connections = append(s.batch.Connections, graph.ConnectionDraft{
			// Two servers that start together on one store send the same link under the same ghost.
			Ghost: ghost(r.key, l.relation, l.to, l.leaf.value, strconv.FormatInt(int64(s.at), 10)),
			From:  head, To: s.heads[l.to], TypeName: l.relation,
			Order: graph.OrderLink, Access: graph.Public,
		})
	}
}

// leads says whether a stored link is the wanted one.
func (s *seeding) leads(c graph.Connection, l link) bool {
	if l.to != "" {
		return c.To == s.heads[l.to]
	}
	return s.stored[c.To].Value == l.leaf.value && !s.stored[c.To].Composition
}

// planRemovals removes the links that nobody wanted, and the records that belonged to nobody else.
func (s *seeding) planRemovals() {
	for at, links := range s.links {
		for _, link := range links {
			if slices.Contains(ownedThrough, at.relation) {
				s.batch.RemoveConcepts = append(s.batch.RemoveConcepts, link.To)
			} else {
				s.batch.RemoveConnections = append(s.batch.RemoveConnections, link.ID)
			}
		}
	}
	slices.Sort(s.batch.RemoveConcepts)
	slices.Sort(s.batch.RemoveConnections)
}

// planLeaves drafts the values of the new links, each once.
func (s *seeding) planLeaves(ctx context.Context) error {
	keys := make([]string, len(s.new))
	for i, n := range s.new {
		keys[i] = n.leaf.key()
	}
	ids, err := s.identify(ctx, keys)
	if err != nil {
		return err
	}
	drafted := map[graph.ID]bool{}
	for i, n := range s.new {
		id := ids[keys[i]]
		s.batch.Connections[n.link].To = id
		if id.Local() && !drafted[id] {
			s.batch.Concepts = append(s.batch.Concepts, graph.ConceptDraft{
				Ghost: id, TypeName: n.leaf.typ, Value: n.leaf.value, Access: graph.Public,
			})
		}
		drafted[id] = true
	}
	return nil
}

// identify finds the concept behind each key, or a ghost to send it under. A ghost means one concept for
// good, so what was removed since comes back under the next ghost.
func (s *seeding) identify(ctx context.Context, keys []string) (map[string]graph.ID, error) {
	found := make(map[string]graph.ID, len(keys))
	for generation := 0; len(keys) > 0; generation++ {
		ghosts := make([]graph.ID, len(keys))
		for i, key := range keys {
			ghosts[i] = ghost(key, strconv.Itoa(generation))
		}
		known, err := s.store.Ghosts(ctx, sender, ghosts)
		if err != nil {
			return nil, err
		}
		alive, err := s.alive(ctx, known)
		if err != nil {
			return nil, err
		}
		var gone []string
		for i, key := range keys {
			switch real, sent := known[ghosts[i]]; {
			case !sent:
				found[key] = ghosts[i]
			case alive[real]:
				found[key] = real
			default:
				gone = append(gone, key)
			}
		}
		keys = gone
	}
	return found, nil
}

func (s *seeding) alive(ctx context.Context, known map[graph.ID]graph.ID) (map[graph.ID]bool, error) {
	var wanted []graph.ID
	for _, real := range known {
		wanted = append(wanted, real)
	}
	concepts, err := s.store.Concepts(ctx, wanted)
	alive := map[graph.ID]bool{}
	for _, c := range concepts {
		alive[c.ID] = true
	}
	return alive, err
}

// ghost is a negative id that depends on its parts alone.
func ghost(parts ...string) graph.ID {
	h := fnv.New64a()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return -1 - graph.ID(h.Sum64()%uint64(graph.MaxID))
}
