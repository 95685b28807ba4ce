package page

import (
	"context"
	"iter"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Documentation is what is written about a widget.
type Documentation struct {
	Entries []Entry `json:"entries"`
}

// An Entry is what is told of a StoredEntry: "" and [] where it says nothing. All is plain text but Content. What
// authors noted to sign in with is never told, only that they did.
type Entry struct {
	ID             graph.ID `json:"id"`
	Type           string   `json:"type"` // "", "api", "function" or "imgAndLink"
	Text           string   `json:"text"`
	DocTitle       string   `json:"docTitle"`
	Content        string   `json:"content"` // sanitised HTML
	CreatorEmail   string   `json:"creatorEmail"`
	CreatedBy      string   `json:"createdBy"` // an address, like the URLs and links below
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
	entryTexts     = named("the_documentation_", names((&StoredEntry{}).Texts())...)
	entryLists     = named("the_documentation_", append([]string{"s_json_list"}, names((&StoredEntry{}).Lists())...)...)
	entryRelations = slices.Concat(entryTexts, entryLists)
	listRelations  = named("the_json_list_", "key", "value")
)

func names[T any](fields iter.Seq2[string, T]) []string {
	var all []string
	for name := range fields {
		all = append(all, name)
	}
	return all
}

// mostEntries is how many entries a documentation has, and how many things an entry lists.
const mostEntries = 200

// Documented reads what is written about a widget and about its original, as far as the reader shows it: the
// single text of older widgets first, then the entries, oldest first.
func Documented(ctx context.Context, reader graph.Reader, policy Policy, id graph.ID) (Documentation, error) {
	l := newLoader(reader, policy)
	d := Documentation{Entries: []Entry{}}
	if err := l.learnTypes(ctx); err != nil {
		return d, err
	}
	heads := []graph.ID{id}
	if err := l.follow(ctx, heads, slices.Concat(aboutRelations, originRelations), l.adds); err != nil {
		return d, err
	}
	if _, err := l.roots(ctx, heads); err != nil {
		return d, err
	}
	if err := l.readAbout(ctx, heads); err != nil {
		return d, err
	}
	entries := l.entriesOf(id)
	if err := l.readEntries(ctx, entries); err != nil {
		return d, err
	}
	for _, id := range entries {
		d.Entries = append(d.Entries, l.entry(id))
	}
	return d, nil
}

// entriesOf are the heads of the entries of a widget and its original, which were read.
func (l *loader) entriesOf(widget graph.ID) []graph.ID {
	var entries []graph.ID
	for _, relation := range aboutRelations {
		for _, head := range []graph.ID{l.root(widget), widget} {
			if l.is(head, "the_widget") {
				entries = append(entries, l.parts(head, relation, "the_documentation")...)
			}
		}
	}
	entries = unique(entries)
	return entries[:min(len(entries), mostEntries)]
}

// readEntries reads the texts of entries, and what they list.
func (l *loader) readEntries(ctx context.Context, entries []graph.ID) error {
	if err := l.follow(ctx, entries, entryRelations, l.adds); err != nil {
		return err
	}
	var texts, pairs []graph.ID
	for _, id := range entries {
		texts = append(texts, l.links[id].newest(entryTexts)...)
		for _, list := range entryLists {
			listed := l.links[id][list]
			listed = listed[:min(len(listed), mostEntries)]
			texts = append(texts, listed...)
			if list == entryLists[0] {
				pairs = append(pairs, listed...)
			}
		}
	}
	if err := l.follow(ctx, unique(pairs), listRelations, l.adds); err != nil {
		return err
	}
	for _, id := range pairs {
		texts = append(texts, l.links[id].newest(listRelations)...)
	}
	return l.learn(ctx, texts)
}

// entry is one that was read.
func (l *loader) entry(id graph.ID) Entry {
	var e StoredEntry
	for name, text := range e.Texts() {
		*text = l.text(id, "the_documentation_"+name)
	}
	for name, texts := range e.Lists() {
		*texts = l.addresses(id, name)
	}
	content, err := CleanHTML(e.Content)
	if err != nil {
		content = ""
	}
	return Entry{
		ID: id, Type: e.Type, Text: e.Text, DocTitle: e.Title, Content: content,
		CreatorEmail: e.CreatorEmail, CreatedBy: onlyWeb(e.CreatedBy), Folder: e.Folder,
		Language: e.Language, Return: e.Return, CodeEditor: e.CodeEditor,
		Method: e.Method, MethodURL: onlyWeb(e.MethodURL), AuthType: e.AuthType, APIScript: e.APIScript, APIBody: e.APIBody,
		HasUsername: e.Username != "", HasPassword: e.Password != "", HasBearerToken: e.BearerToken != "",
		JSONList: l.pairs(id), DocURLs: e.DocURLs, ImageURLs: e.ImageURLs, VideoLinks: e.VideoLinks,
	}
}

func (l *loader) pairs(entry graph.ID) []Pair {
	pairs := []Pair{}
	for _, id := range l.parts(entry, "the_documentation_s_json_list", "the_json_list") {
		p := Pair{l.text(id, "the_json_list_key"), l.text(id, "the_json_list_value")}
		if p != (Pair{}) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

func (l *loader) addresses(entry graph.ID, list string) []string {
	addresses := []string{}
	for _, id := range l.links[entry]["the_documentation_"+list] {
		if address := onlyWeb(meant(l.concepts[id].Value)); address != "" && !slices.Contains(addresses, address) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

func onlyWeb(address string) string {
	if !webAddress(address) {
		return ""
	}
	return address
}

// documented says whether there is anything to read about a widget, once readAbout was asked.
func (l *loader) documented(widget graph.ID) bool { return len(l.entriesOf(widget)) > 0 }

// readAbout reads which entries there are about widgets, whose own links and originals are known.
func (l *loader) readAbout(ctx context.Context, widgets []graph.ID) error {
	var roots, entries []graph.ID
	for _, id := range widgets {
		if root := l.root(id); root != id {
			roots = append(roots, root)
		}
	}
	if err := l.follow(ctx, unique(roots), aboutRelations, l.adds); err != nil {
		return err
	}
	for _, id := range append(roots, widgets...) {
		for _, relation := range aboutRelations {
			entries = append(entries, l.links[id][relation]...)
		}
	}
	return l.learn(ctx, entries)
}
