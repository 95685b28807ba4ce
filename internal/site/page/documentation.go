package page

import (
	"context"
	"iter"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Documentation is the documentation of a widget.
type Documentation struct {
	Entries []Entry `json:"entries"`
}

// An Entry is the public part of a StoredEntry, with "" and [] for missing values. All values except Content are
// plain text. An entry never contains the credentials that an author stored; it only states whether the entry has
// credentials.
type Entry struct {
	ID             graph.ID `json:"id"`
	Type           string   `json:"type"` // "", "api", "function" or "imgAndLink"
	Text           string   `json:"text"`
	DocTitle       string   `json:"docTitle"`
	Content        string   `json:"content"` // sanitised HTML
	CreatorEmail   string   `json:"creatorEmail"`
	CreatedBy      string   `json:"createdBy"` // a URL, like the URLs and links below
	Folder         string   `json:"folder"`
	Language       string   `json:"language"`
	Return         string   `json:"return"`
	CodeEditor     string   `json:"codeEditor"`
	Method         string   `json:"method"`
	MethodURL      string   `json:"methodUrl"`
	AuthType       string   `json:"authType"`
	APIScript      string   `json:"apiScript"`
	APIBody        string   `json:"apiBody"`
	HasUsername    bool     `json:"hasUsername,omitempty"`
	HasPassword    bool     `json:"hasPassword,omitempty"`
	HasBearerToken bool     `json:"hasBearerToken,omitempty"`
	JSONList       []Pair   `json:"jsonList"`
	DocURLs        []string `json:"docUrls"`
	ImageURLs      []string `json:"imageUrls"`
	VideoLinks     []string `json:"videoLinks"`
}

var (
	entryTexts     = withPrefix("the_documentation_", names((&StoredEntry{}).Texts())...)
	entryLists     = withPrefix("the_documentation_", append([]string{"s_json_list"}, names((&StoredEntry{}).Lists())...)...)
	entryRelations = slices.Concat(entryTexts, entryLists)
	listRelations  = withPrefix("the_json_list_", "key", "value")
)

// names returns the names that fields yields.
func names[T any](fields iter.Seq2[string, T]) []string {
	var all []string
	for name := range fields {
		all = append(all, name)
	}
	return all
}

// maxEntries is the maximum number of entries of a documentation, and of values in each list of an entry.
const maxEntries = 200

// LoadDocumentation reads the documentation of a widget and of its original that the reader may see: first the single
// text field of older widgets, then the entries, oldest first.
func LoadDocumentation(ctx context.Context, reader graph.Reader, policy Policy, id graph.ID) (Documentation, error) {
	d := Documentation{Entries: []Entry{}}
	r, err := newRecordReader(ctx, reader, policy)
	if err != nil {
		return d, err
	}
	ids := []graph.ID{id}
	if err := r.readLinks(ctx, ids, slices.Concat(documentationRelations, originRelations), r.mayExtend); err != nil {
		return d, err
	}
	if err := r.readOrigins(ctx, ids); err != nil {
		return d, err
	}
	if err := r.readDocumentationLinks(ctx, ids); err != nil {
		return d, err
	}
	entries := r.entriesOf(id)
	if err := r.readEntries(ctx, entries); err != nil {
		return d, err
	}
	for _, id := range entries {
		e, err := r.entry(ctx, id)
		if err != nil {
			return d, err
		}
		d.Entries = append(d.Entries, e)
	}
	return d, nil
}

// readDocumentationLinks reads the heads of the entries of widgets, after the links and originals of the widgets
// were read.
func (r *recordReader) readDocumentationLinks(ctx context.Context, widgets []graph.ID) error {
	var originals, entries []graph.ID
	for _, id := range widgets {
		if original := r.original(id); original != id {
			originals = append(originals, original)
		}
	}
	if err := r.readLinks(ctx, unique(originals), documentationRelations, r.mayExtend); err != nil {
		return err
	}
	for _, id := range append(originals, widgets...) {
		for _, relation := range documentationRelations {
			entries = append(entries, r.links(id)[relation]...)
		}
	}
	return r.readConcepts(ctx, entries)
}

// isDocumented reports whether a widget has documentation, after readDocumentationLinks.
func (r *recordReader) isDocumented(widget graph.ID) bool { return len(r.entriesOf(widget)) > 0 }

// entriesOf returns the heads of the entries of a widget and its original, after readDocumentationLinks.
func (r *recordReader) entriesOf(widget graph.ID) []graph.ID {
	var entries []graph.ID
	for _, relation := range documentationRelations {
		for _, id := range []graph.ID{r.original(widget), widget} {
			if r.hasType(id, "the_widget") {
				entries = append(entries, r.parts(id, relation, "the_documentation")...)
			}
		}
	}
	entries = unique(entries)
	return entries[:min(len(entries), maxEntries)]
}

// readEntries reads the text fields and lists of entries.
func (r *recordReader) readEntries(ctx context.Context, entries []graph.ID) error {
	if err := r.readLinks(ctx, entries, entryRelations, r.mayExtend); err != nil {
		return err
	}
	var texts, pairs []graph.ID
	for _, id := range entries {
		texts = append(texts, r.links(id).newestOf(entryTexts)...)
		for _, list := range entryLists {
			listed := r.links(id)[list]
			listed = listed[:min(len(listed), maxEntries)]
			texts = append(texts, listed...)
			if list == entryLists[0] {
				pairs = append(pairs, listed...)
			}
		}
	}
	if err := r.readLinks(ctx, unique(pairs), listRelations, r.mayExtend); err != nil {
		return err
	}
	for _, id := range pairs {
		texts = append(texts, r.links(id).newestOf(listRelations)...)
	}
	return r.readConcepts(ctx, texts)
}

// entry returns an entry, after readEntries.
func (r *recordReader) entry(ctx context.Context, id graph.ID) (Entry, error) {
	var e StoredEntry
	for name, text := range e.Texts() {
		*text = r.text(id, "the_documentation_"+name)
	}
	for name, texts := range e.Lists() {
		*texts = r.urls(id, name)
	}
	content, err := r.Cleaner.clean(ctx, e.Content)
	return Entry{
		ID: id, Type: e.Type, Text: e.Text, DocTitle: e.Title, Content: content,
		CreatorEmail: e.CreatorEmail, CreatedBy: webURLOrEmpty(e.CreatedBy), Folder: e.Folder,
		Language: e.Language, Return: e.Return, CodeEditor: e.CodeEditor,
		Method: e.Method, MethodURL: webURLOrEmpty(e.MethodURL), AuthType: e.AuthType, APIScript: e.APIScript, APIBody: e.APIBody,
		HasUsername: e.Username != "", HasPassword: e.Password != "", HasBearerToken: e.BearerToken != "",
		JSONList: r.pairs(id), DocURLs: e.DocURLs, ImageURLs: e.ImageURLs, VideoLinks: e.VideoLinks,
	}, err
}

func (r *recordReader) pairs(entry graph.ID) []Pair {
	pairs := []Pair{}
	for _, id := range r.parts(entry, "the_documentation_s_json_list", "the_json_list") {
		p := Pair{r.text(id, "the_json_list_key"), r.text(id, "the_json_list_value")}
		if p != (Pair{}) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

func (r *recordReader) urls(entry graph.ID, list string) []string {
	urls := []string{}
	for _, id := range r.links(entry)["the_documentation_"+list] {
		if url := webURLOrEmpty(normalizeText(r.concept(id).Value)); url != "" && !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	return urls
}

// webURLOrEmpty returns an http or https URL unchanged, or "" for anything else.
func webURLOrEmpty(url string) string {
	if !isWebURL(url) {
		return ""
	}
	return url
}
