package content

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// Seed makes a store hold the site that was built in, and shows it. Only what differs from what was seeded before
// is written, in one batch: a second time nothing is, and what somebody has pushed since stays until the files that
// were built in change. Ids stay what they are while files keep their names. Pages that were seeded once and have no
// file any more are removed; widgets leave the site and stay, unseen. Of the versions of a widget the last 20 are
// kept, and those that something points to.
func Seed(ctx context.Context, store graph.Store) error {
	site, err := Load()
	if err != nil {
		return err
	}
	return site.Seed(ctx, store)
}

// Seed makes a store hold the site.
func (s Site) Seed(ctx context.Context, store graph.Store) error {
	p, err := s.plan(ctx, store, Options{}, true)
	if err != nil {
		return err
	}
	if !p.empty() {
		if _, err = store.Write(ctx, p.Batch); err != nil {
			return err
		}
	}
	return prune(ctx, store)
}

// system is the circle of the ghosts of content.
var system = graph.Sender{User: graph.System, Randomizer: 5_311_735}

// projectKey is that of the record that holds the site together.
const projectKey = "site"

// key is where a widget comes from; the same key is the same original for good.
func (w Widget) key() string { return "widgets/" + w.Folder }

// seededWidget says whether a widget was seeded as it is in the files, and all that stands in it is still there. What
// has a name and was never seeded somebody pushed.
func (p *pushing) seededWidget(w Widget) bool {
	intact := !slices.ContainsFunc(w.Children, func(c Child) bool { return p.lost[Widget{Folder: c.Widget}.key()] })
	return intact && p.knows(p.at[w.key()], "the_widget_seed", w.print())
}

func (p *pushing) seededPage(page Page) bool {
	return !p.lost[Widget{Folder: page.Body}.key()] && p.knows(p.at[page.File], "the_page_seed", page.print())
}

func (p *pushing) knows(head graph.ID, relation, print string) bool {
	seed := p.shelf.text(head, relation)
	return p.seeding && (seed == print || seed == "" && p.nameOf[head] != "")
}

// mark notes what was seeded.
func (p *pushing) mark(head graph.ID, typ, print string) {
	if p.seeding {
		p.setText(head, typ, "seed", print)
	}
}

// removeGone removes pages that were seeded and have no file any more, and lets widgets leave the site. A page without
// a name was seeded before there were any.
func (p *pushing) removeGone() {
	wanted := map[graph.ID]bool{}
	for _, id := range p.at {
		wanted[id] = true
	}
	for _, id := range p.list(p.project, "the_project_s_page", "the_page") {
		if !wanted[id] && (p.shelf.text(id, "the_page_seed") != "" || p.nameOf[id] == "") {
			p.RemoveConcepts = append(p.RemoveConcepts, id)
		}
	}
	for _, link := range p.links[place{p.project, "the_project_s_widget"}] {
		if !wanted[link.To] && p.shelf.text(link.To, "the_widget_seed") != "" {
			p.remove(link)
		}
	}
}

// identify finds what the files are about in the store, by name, or a ghost to send it under.
func (p *pushing) identify(ctx context.Context) error {
	var missing []string
	note := func(key string, id graph.ID) {
		if p.at[key] = id; id == 0 {
			missing = append(missing, key)
		}
	}
	note(projectKey, p.project)
	for _, page := range p.site.Pages {
		note(page.File, cmp.Or(page.ID, p.pages[page.File]))
	}
	for _, w := range p.site.Widgets {
		note(w.key(), cmp.Or(w.ID, p.widgets[w.Folder]))
	}
	if p.options.By == (graph.Sender{}) {
		return p.identifySent(ctx, missing)
	}
	if p.project == 0 {
		return graph.Errorf(graph.NotFound, "the server has no site; it makes one when it starts")
	}
	for _, key := range missing {
		p.at[key] = p.ghost("head", key)
	}
	return nil
}

// identifySent finds what was sent before there were names. A ghost means one concept for good, so what was removed
// since comes back under the next ghost.
func (p *pushing) identifySent(ctx context.Context, keys []string) error {
	for generation := 0; len(keys) > 0; generation++ {
		ghosts := make([]graph.ID, len(keys))
		for i, key := range keys {
			ghosts[i] = ghost(key, strconv.Itoa(generation))
		}
		known, err := p.reader.Ghosts(ctx, system, ghosts)
		if err != nil {
			return err
		}
		var sent []graph.ID
		for _, id := range known {
			sent = append(sent, id)
		}
		if err := p.fetch(ctx, sent); err != nil {
			return err
		}
		var gone []string
		for i, key := range keys {
			id, was := known[ghosts[i]]
			_, alive := p.concepts[id]
			switch {
			case !was:
				p.at[key] = ghosts[i]
			case alive:
				p.at[key] = id
			default:
				gone = append(gone, key)
				p.lost[key] = true
			}
		}
		keys = gone
	}
	return nil
}
