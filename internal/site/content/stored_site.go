package content

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A storedSite is the site in a store.
type storedSite struct {
	*recordReader
	project graph.ID            // 0 if the store has no site
	pages   map[string]graph.ID // keyed by file
	widgets map[string]graph.ID // originals, by folder
	names   map[graph.ID]string // names of the files of pages, and of the folders of originals
}

// loadStoredSite finds the site in a store and reads its pages and the originals of its widgets.
func loadStoredSite(ctx context.Context, r graph.Reader) (*storedSite, error) {
	stored := &storedSite{recordReader: newRecordReader(r), pages: map[string]graph.ID{}, widgets: map[string]graph.ID{}, names: map[graph.ID]string{}}
	var err error
	if stored.project, err = stored.findProject(ctx); err != nil || stored.project == 0 {
		return stored, err
	}
	if err := stored.readRecords(ctx, []graph.ID{stored.project}); err != nil {
		return nil, err
	}
	pages, widgets := stored.records(stored.project, "the_project_s_page", "the_page"), stored.records(stored.project, "the_project_s_widget", "the_widget")
	if err := stored.readRecords(ctx, slices.Concat(pages, widgets)); err != nil {
		return nil, err
	}
	for _, id := range pages {
		if name := stored.text(id, "the_page_file_name"); isSafeName(name) {
			stored.addNamed(stored.pages, "pages/"+name+".json", id)
		}
	}
	for _, id := range widgets {
		if name := stored.text(id, "the_widget_folder_name"); isSafeName(name) {
			stored.addNamed(stored.widgets, name, id)
		}
	}
	return stored, nil
}

// isSafeName reports whether a stored name can be used as a file name. Other names are ignored.
func isSafeName(name string) bool { return name != "" && name == safeName(name) }

// addNamed adds a page or an original to ids, which is s.pages or s.widgets, and to s.names.
func (s *storedSite) addNamed(ids map[string]graph.ID, name string, id graph.ID) {
	ids[name] = id
	s.names[id] = name
}

// Limits on the search for the project. Any user may create records with the name "site", so their number is unbounded.
// The system's project is usually the oldest, so links are read oldest first.
const (
	projectPageSize = 1000
	maxProjectPages = 10
)

// findProject returns the project of the site, or 0. Only a record of the system can be the project.
func (s *storedSite) findProject(ctx context.Context) (graph.ID, error) {
	types, err := graph.TypesNamed(ctx, s.reader, "the_name", "the_project_name")
	if err != nil || len(types) < 2 {
		return 0, err
	}
	names, err := s.reader.ConceptsByValue(ctx, []graph.ValueKey{{Value: projectName, Type: types["the_name"].ID}})
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		filter := graph.Links{Of: []graph.ID{name.ID}, Direction: graph.In, Types: []graph.ID{types["the_project_name"].ID}}
		filter.Page.Limit = projectPageSize
		for range maxProjectPages {
			links, err := s.reader.Links(ctx, filter)
			if err != nil {
				return 0, err
			}
			if id, err := s.firstSystemProject(ctx, links); id != 0 || err != nil {
				return id, err
			}
			if len(links) < projectPageSize {
				break
			}
			filter.Page.After = links[len(links)-1].ID
		}
	}
	return 0, nil
}

// projectName is the name of the site's project.
const projectName = "site"

// firstSystemProject returns the first project among the sources of the links that is owned by the system, or 0.
func (s *storedSite) firstSystemProject(ctx context.Context, links []graph.Connection) (graph.ID, error) {
	var from []graph.ID
	for _, link := range links {
		from = append(from, link.From)
	}
	if err := s.readConcepts(ctx, from); err != nil {
		return 0, err
	}
	for _, link := range links {
		if s.isRecord(link.From, "the_project") && s.concepts[link.From].Owner == graph.System && link.Owner == graph.System {
			return link.From, nil
		}
	}
	return 0, nil
}
