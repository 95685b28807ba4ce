package content

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Version describes a version of a widget.
type Version struct {
	ID        graph.ID  `json:"id"`
	Number    int       `json:"number"` // 0 for the original
	Saved     time.Time `json:"saved"`
	Owner     graph.ID  `json:"owner"`
	Published bool      `json:"published"` // visitors see this version
}

// A WidgetDocument is a version of a widget as the files of its folder.
type WidgetDocument struct {
	ID       graph.ID          `json:"id"`   // of the original
	Name     string            `json:"name"` // folder of the widget, or its id if it is not part of the site
	Title    string            `json:"title"`
	Owner    graph.ID          `json:"owner"` // of the original
	Version  Version           `json:"version"`
	Versions []Version         `json:"versions"` // oldest first
	Files    map[string]string `json:"files"`    // keyed by name, such as widget.html and functions/price.js
}

// ReadWidget returns a version of a widget, by the folder or the id of its original. Version Newest is the version that
// was saved last. The error is NotFound if the reader does not show the widget or the version.
func ReadWidget(ctx context.Context, r graph.Reader, name string, version int) (WidgetDocument, error) {
	stored, err := loadStoredSite(ctx, r)
	if err != nil {
		return WidgetDocument{}, err
	}
	head, err := stored.findOriginal(ctx, name)
	if err != nil {
		return WidgetDocument{}, err
	}
	chosen, err := stored.findVersion(ctx, head, name, version)
	if err != nil {
		return WidgetDocument{}, err
	}
	if err := stored.readWidgets(ctx, []graph.ID{chosen}); err != nil {
		return WidgetDocument{}, err
	}
	versions, err := stored.versionsOf(ctx, head)
	if err != nil {
		return WidgetDocument{}, err
	}
	w := stored.withChildNames(stored.assembleWidget(chosen))
	files, err := w.files()
	return WidgetDocument{
		ID: head, Name: cmp.Or(stored.names[head], head.String()), Title: w.Name, Owner: stored.concepts[head].Owner,
		Version: stored.describeVersion(head, chosen), Versions: versions, Files: files,
	}, err
}

// withChildNames returns the widget with the children that are part of the site named by folder instead of by id.
func (s *storedSite) withChildNames(w Widget) Widget {
	for i, child := range w.Children {
		w.Children[i].Widget = cmp.Or(s.names[parseIDName(child.Widget)], child.Widget)
	}
	return w
}

// versionsOf returns the original and its versions, oldest first.
func (s *storedSite) versionsOf(ctx context.Context, head graph.ID) ([]Version, error) {
	copies := s.records(head, "the_widget_s_copy", "the_widget")
	if err := s.readRecords(ctx, copies); err != nil {
		return nil, err
	}
	all := []Version{s.describeVersion(head, head)}
	for _, id := range copies {
		all = append(all, s.describeVersion(head, id))
	}
	return all, nil
}

func (s *storedSite) describeVersion(head, id graph.ID) Version {
	c := s.concepts[id]
	v := Version{ID: id, Saved: c.Created, Owner: c.Owner, Published: s.publishedVersion(head) == id}
	if id != head {
		v.Number = s.versionNumber(id)
	}
	return v
}

// A WidgetEdit is an edited widget to save as a new version.
type WidgetEdit struct {
	Name  string            // folder or id of the original; an unknown folder is a new widget
	Base  int               // number of the version that was edited
	Files map[string]string // all files of the folder
}

// SaveWidget saves an edited widget as a new version, which is not published, and returns the version that is then
// the newest. It saves nothing if the files are equal to the newest version.
//
// Errors: Conflict if Base is not the newest version, and those of Push.
func SaveWidget(ctx context.Context, store graph.Store, edit WidgetEdit, sender graph.Sender) (WidgetDocument, error) {
	site, folder, err := siteAround(ctx, store, edit)
	if err != nil {
		return WidgetDocument{}, err
	}
	edited, err := readWidget(textFiles(edit.Files).in("widgets/"+folder), "widgets/"+folder)
	if err != nil {
		return WidgetDocument{}, err
	}
	i := slices.IndexFunc(site.Widgets, func(w Widget) bool { return w.Folder == folder })
	if i < 0 {
		site.Widgets = append(site.Widgets, edited)
	} else {
		edited.ID = site.Widgets[i].ID
		site.Widgets[i] = edited
	}
	site.Pages = nil
	site.nameChildrenByFolder()
	if err := site.check(); err != nil {
		return WidgetDocument{}, err
	}
	if _, err := site.Push(ctx, store, Options{Sender: sender}); err != nil {
		return WidgetDocument{}, err
	}
	return ReadWidget(ctx, store, cmp.Or(edit.Name, folder), Newest)
}

// siteAround returns the site. If the widget is not part of the site, it returns the widget and the widgets inside
// it. It also returns the folder of the widget, and checks that the edited version is the newest.
func siteAround(ctx context.Context, r graph.Reader, edit WidgetEdit) (Site, string, error) {
	stored, err := ReadWidget(ctx, r, edit.Name, Newest)
	if graph.KindOf(err) == graph.NotFound && edit.Name != "" && edit.Name == safeName(edit.Name) && parseIDName(edit.Name) == 0 {
		site, _, err := Pull(ctx, r)
		return site, edit.Name, err
	}
	if err != nil {
		return Site{}, "", err
	}
	if stored.Version.Number != edit.Base {
		return Site{}, "", graph.Errorf(graph.Conflict, "version %d was saved in the meantime; you edited version %d", stored.Version.Number, edit.Base)
	}
	var ids []graph.ID
	if stored.Name == stored.ID.String() {
		ids = append(ids, stored.ID)
	}
	site, _, err := Pull(ctx, r, ids...)
	if err != nil {
		return Site{}, "", err
	}
	for _, w := range site.Widgets {
		if w.ID == stored.ID || w.Folder == stored.Name {
			return site, w.Folder, nil
		}
	}
	return Site{}, "", graph.Errorf(graph.Invalid, "the widget %s cannot be written as files: it has no name", stored.Name)
}

// nameChildrenByFolder replaces the ids that name children with the folders of widgets of the site.
func (s Site) nameChildrenByFolder() {
	folders := map[graph.ID]string{}
	for _, w := range s.Widgets {
		folders[w.ID] = w.Folder
	}
	for _, w := range s.Widgets {
		for i, child := range w.Children {
			if id := parseIDName(child.Widget); id != 0 && strings.HasPrefix(child.Widget, "#") {
				w.Children[i].Widget = cmp.Or(folders[id], child.Widget)
			}
		}
	}
}

// A PageDocument is a page in the form of its file, with its id.
type PageDocument struct {
	ID    graph.ID `json:"id"`
	Name  string   `json:"name"` // name of the file, without the extension
	Owner graph.ID `json:"owner"`
	Page  Page     `json:"page"`
}

// ReadPage returns a page of the site by the name of its file, or any page by its id. The error is NotFound if the reader does not
// show it.
func ReadPage(ctx context.Context, r graph.Reader, name string) (PageDocument, error) {
	stored, err := loadStoredSite(ctx, r)
	if err != nil {
		return PageDocument{}, err
	}
	id, ok := stored.pages["pages/"+name+".json"]
	if !ok {
		id, _ = graph.ParseID(name)
	}
	if err := stored.readRecords(ctx, []graph.ID{id}); err != nil {
		return PageDocument{}, err
	}
	if !stored.isRecord(id, "the_page") {
		return PageDocument{}, graph.Errorf(graph.NotFound, "there is no page %q", graph.Clip(name))
	}
	body := stored.newestRecord(id, "the_page_body", "the_widget")
	if err := stored.readRecords(ctx, []graph.ID{body}); err != nil {
		return PageDocument{}, err
	}
	p := stored.assemblePage(id)
	p.Body = cmp.Or(stored.names[parseIDName(p.Body)], p.Body)
	return PageDocument{ID: id, Name: cmp.Or(pageName(stored.names[id]), id.String()), Owner: stored.concepts[id].Owner, Page: p}, nil
}

// SavePage writes the settings of a page of the site, by the name of its file; an unknown name creates a page. Pages have
// no versions, so visitors see the change immediately. Errors are those of Push.
func SavePage(ctx context.Context, store graph.Store, name string, p Page, sender graph.Sender) (PageDocument, error) {
	site, _, err := Pull(ctx, store)
	if err != nil {
		return PageDocument{}, err
	}
	p.File = "pages/" + name + ".json"
	site.Pages = append(slices.DeleteFunc(site.Pages, func(other Page) bool { return other.File == p.File }), p)
	if err := site.check(); err != nil {
		return PageDocument{}, err
	}
	site.Pages = []Page{p}
	if _, err := site.Push(ctx, store, Options{Sender: sender, WritePages: true}); err != nil {
		return PageDocument{}, err
	}
	return ReadPage(ctx, store, name)
}

// textFiles holds files by name, and implements the methods of a file system that read and find files.
type textFiles map[string]string

// in returns the files in a folder.
func (f textFiles) in(folder string) textFiles {
	moved := textFiles{}
	for name, text := range f {
		moved[folder+"/"+name] = text
	}
	return moved
}

// Open implements fs.FS. It always fails: readSite and readWidget use ReadFile and Glob.
func (f textFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}

// ReadFile implements fs.ReadFileFS.
func (f textFiles) ReadFile(name string) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// Glob implements fs.GlobFS.
func (f textFiles) Glob(pattern string) ([]string, error) {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		matches, err := path.Match(pattern, name)
		if err != nil {
			return nil, err
		}
		if matches {
			found = append(found, name)
		}
	}
	return found, nil
}
