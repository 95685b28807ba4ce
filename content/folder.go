package content

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// read is the site of a folder, unchecked.
func read(fsys fs.FS) (Site, error) {
	var s Site
	names, err := fs.Glob(fsys, "pages/*.json")
	if err != nil {
		return s, err
	}
	for _, name := range names {
		p := Page{File: name}
		if err := readJSON(fsys, name, &p); err != nil {
			return s, err
		}
		s.Pages = append(s.Pages, p)
	}
	folders, err := fs.Glob(fsys, "widgets/*/widget.json")
	if err != nil {
		return s, err
	}
	for _, name := range folders {
		w, err := readWidget(fsys, path.Dir(name))
		if err != nil {
			return s, err
		}
		s.Widgets = append(s.Widgets, w)
	}
	if len(s.Pages)+len(s.Widgets) == 0 {
		return s, graph.Errorf(graph.Invalid, "there are no pages/*.json and no widgets/*/widget.json here")
	}
	return s, nil
}

func readWidget(fsys fs.FS, folder string) (Widget, error) {
	w := Widget{Folder: path.Base(folder), Code: map[string]string{}}
	if err := readJSON(fsys, folder+"/widget.json", &w); err != nil {
		return w, err
	}
	var err error
	if w.HTML, err = readText(fsys, folder+"/widget.html"); err != nil {
		return w, err
	}
	if w.CSS, err = readOptional(fsys, folder+"/widget.css"); err != nil {
		return w, err
	}
	for _, hook := range Hooks {
		if w.Code[hook.Name], err = readOptional(fsys, folder+"/"+hook.File); err != nil {
			return w, err
		}
	}
	return w, w.readFunctions(fsys, folder)
}

// readFunctions reads the code of the functions, which the list of the widget puts in order if it has one.
func (w *Widget) readFunctions(fsys fs.FS, folder string) error {
	names, err := fs.Glob(fsys, folder+"/functions/*.js")
	if err != nil {
		return err
	}
	if len(w.Functions) == 0 {
		for _, name := range names {
			slug := strings.TrimSuffix(path.Base(name), ".js")
			w.Functions = append(w.Functions, Function{Slug: slug, Name: nameOf(slug)})
		}
	}
	for i, f := range w.Functions {
		name := folder + "/functions/" + f.file() + ".js"
		if w.Functions[i].Code, err = readText(fsys, name); err != nil {
			return err
		}
		names = slices.DeleteFunc(names, func(other string) bool { return other == name })
	}
	if len(names) > 0 {
		return wrong(folder+"/widget.json", "functions", "%s is not among them", names[0])
	}
	return nil
}

func (f Function) file() string { return cmp.Or(f.File, f.Slug) }

// nameOf is what a function is called when nothing says it.
func nameOf(slug string) string { return strings.ReplaceAll(slug, "-", " ") }

// listed says whether the files of functions would not tell their slugs, names or order.
func listed(functions []Function) bool {
	return slices.ContainsFunc(functions, func(f Function) bool { return f.File != "" || f.Name != nameOf(f.Slug) }) ||
		!slices.IsSortedFunc(functions, func(a, b Function) int { return cmp.Compare(a.Slug+".js", b.Slug+".js") })
}

// files are what a widget's folder holds, by name. Two widgets are the same when these are.
func (w Widget) files() (map[string]string, error) {
	all := map[string]string{"widget.html": line(w.HTML)}
	for _, f := range w.Functions {
		all["functions/"+f.file()+".js"] = line(f.Code)
	}
	if !listed(w.Functions) {
		w.Functions = nil
	}
	for _, hook := range Hooks {
		if code := w.Code[hook.Name]; code != "" {
			all[hook.File] = line(code)
		}
	}
	if w.CSS != "" {
		all["widget.css"] = line(w.CSS)
	}
	var err error
	all["widget.json"], err = writeJSON(w)
	return all, err
}

func line(text string) string { return text + "\n" }

func writeJSON(v any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return out.String(), err
}

func readText(fsys fs.FS, name string) (string, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "", graph.Wrap(graph.Invalid, err, "%s cannot be read", name)
	}
	return strings.TrimSpace(string(text)), nil
}

// readOptional reads a file that a widget need not have.
func readOptional(fsys fs.FS, name string) (string, error) {
	text, err := readText(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return tidy(text), err
}

func readJSON(fsys fs.FS, name string, into any) error {
	text, err := readText(fsys, name)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return graph.Wrap(graph.Invalid, err, "%s", name)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return graph.Errorf(graph.Invalid, "%s: there is more after the object", name)
	}
	return nil
}

// safeName is a name for a file or folder, made of what somebody called a thing: it cannot lead anywhere else.
func safeName(text string) string {
	name := strings.Trim(unsafe.ReplaceAllString(strings.ToLower(text), "-"), "-_")
	return strings.TrimRight(name[:min(len(name), longestName)], "-_")
}

const longestName = 60

var unsafe = regexp.MustCompile(`[^a-z0-9_]+`)
