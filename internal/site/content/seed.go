package content

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// Seed writes the built-in site to a store and publishes it. It writes only the differences from the site that was seeded
// last, in one batch; seeding again writes nothing. Pushed changes are kept until the built-in file of the same page or
// widget changes. Ids do not change while files keep their names. Seeded pages whose files were deleted are removed;
// seeded widgets whose folders were deleted are removed from the site but not from the store. Old versions of widgets
// are pruned, except the last 20 and versions to which other records link.
func Seed(ctx context.Context, store graph.Store) error {
	site, err := Load()
	if err != nil {
		return err
	}
	return site.Seed(ctx, store)
}

// Seed writes the site to a store and publishes it; see the function Seed.
func (s Site) Seed(ctx context.Context, store graph.Store) error {
	p, err := s.plan(ctx, store, Options{}, true)
	if err != nil {
		return err
	}
	if !p.isEmpty() {
		if _, err = store.Write(ctx, p.Batch); err != nil {
			return err
		}
	}
	return prune(ctx, store, pruning{keptVersions, graph.MaxBatchRecords})
}

// systemSender sends all batches of the server itself. Its local ids are distinct from the local ids of other
// senders.
var systemSender = graph.Sender{User: graph.System, Randomizer: 5_311_735}

// projectKey is the key of the project in pushPlan.ids.
const projectKey = "site"

// key identifies the original of a widget. The key must not change, because the local id under which the original was
// first sent is derived from the key.
func (w Widget) key() string { return "widgets/" + w.Folder }

// isWidgetSeeded reports whether seeding may skip a widget: its files have not changed since they were seeded, and its
// children were not removed.
func (p *pushPlan) isWidgetSeeded(w Widget) bool {
	intact := !slices.ContainsFunc(w.Children, func(c Child) bool { return p.removedKeys[Widget{Folder: c.Widget}.key()] })
	return intact && p.isSeeded(p.ids[w.key()], "the_widget_seed", w.fingerprint())
}

// isPageSeeded reports whether seeding may skip a page, because its file has not changed since it was seeded.
func (p *pushPlan) isPageSeeded(page Page) bool {
	return !p.removedKeys[Widget{Folder: page.Body}.key()] && p.isSeeded(p.ids[page.File], "the_page_seed", page.fingerprint())
}

// isSeeded reports whether a record was seeded with this fingerprint. A named record without a seed was pushed, and
// counts as seeded.
func (p *pushPlan) isSeeded(head graph.ID, relation, fingerprint string) bool {
	seed := p.text(head, relation)
	return p.seeding && (seed == fingerprint || seed == "" && p.names[head] != "")
}

// setSeed stores the fingerprint of a seeded file.
func (p *pushPlan) setSeed(head graph.ID, typ, fingerprint string) {
	if p.seeding {
		p.setText(head, typ, "seed", fingerprint)
	}
}

// removeWithoutFile removes the seeded pages whose files were deleted. It only removes the links from the site to
// seeded widgets whose folders were deleted. A page without a file name was seeded by an early version, which stored
// no names.
func (p *pushPlan) removeWithoutFile() {
	wanted := map[graph.ID]bool{}
	for _, id := range p.ids {
		wanted[id] = true
	}
	for _, id := range p.records(p.project, "the_project_s_page", "the_page") {
		if !wanted[id] && (p.text(id, "the_page_seed") != "" || p.names[id] == "") {
			p.RemoveConcepts = append(p.RemoveConcepts, id)
		}
	}
	for _, link := range p.links[linkKey{p.project, "the_project_s_widget"}] {
		if !wanted[link.To] && p.text(link.To, "the_widget_seed") != "" {
			p.removeLinks(link)
		}
	}
}

// findIDs finds the ids of the project, the pages and the originals by name, and assigns local ids to new records.
func (p *pushPlan) findIDs(ctx context.Context) error {
	var missing []string
	setID := func(key string, id graph.ID) {
		if p.ids[key] = id; id == 0 {
			missing = append(missing, key)
		}
	}
	setID(projectKey, p.project)
	for _, page := range p.site.Pages {
		setID(page.File, cmp.Or(page.ID, p.pages[page.File]))
	}
	for _, w := range p.site.Widgets {
		setID(w.key(), cmp.Or(w.ID, p.widgets[w.Folder]))
	}
	if p.options.Sender == (graph.Sender{}) {
		return p.findSentIDs(ctx, missing)
	}
	if p.project == 0 {
		return graph.Errorf(graph.NotFound, "the server has no site yet; it stores one when it starts")
	}
	for _, key := range missing {
		p.ids[key] = p.newLocalID("head", key)
	}
	return nil
}

// findSentIDs finds records by the local ids under which the system sent them, for stores that were seeded before
// records had names. A local id always resolves to the same concept, so a removed record is sent again under the local
// id of the next generation.
func (p *pushPlan) findSentIDs(ctx context.Context, keys []string) error {
	for generation := 0; len(keys) > 0; generation++ {
		localIDs := make([]graph.ID, len(keys))
		for i, key := range keys {
			localIDs[i] = hashLocalID(key, strconv.Itoa(generation))
		}
		known, err := p.reader.ResolveIDs(ctx, systemSender, localIDs)
		if err != nil {
			return err
		}
		var sent []graph.ID
		for _, id := range known {
			sent = append(sent, id)
		}
		if err := p.readConcepts(ctx, sent); err != nil {
			return err
		}
		var removed []string
		for i, key := range keys {
			id, isKnown := known[localIDs[i]]
			_, exists := p.concepts[id]
			switch {
			case !isKnown:
				p.ids[key] = localIDs[i]
			case exists:
				p.ids[key] = id
			default:
				removed = append(removed, key)
				p.removedKeys[key] = true
			}
		}
		keys = removed
	}
	return nil
}
