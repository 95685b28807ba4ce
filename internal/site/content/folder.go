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

// readSite reads the site in a directory without checking its contents. The error is Invalid if a file cannot be read
// or parsed, or if there are neither pages nor widgets.
func readSite(fsys fs.FS) (Site, error) {
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
		return s, graph.Errorf(graph.Invalid, "found no pages/*.json and no widgets/*/widget.json")
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

// readFunctions reads the code of the functions. Without a list in widget.json, the files determine slugs, names and
// order.
func (w *Widget) readFunctions(fsys fs.FS, folder string) error {
	names, err := fs.Glob(fsys, folder+"/functions/*.js")
	if err != nil {
		return err
	}
	if len(w.Functions) == 0 {
		for _, name := range names {
			slug := strings.TrimSuffix(path.Base(name), ".js")
			w.Functions = append(w.Functions, Function{Slug: slug, Name: defaultFunctionName(slug)})
		}
	}
	for i, f := range w.Functions {
		name := folder + "/functions/" + f.fileName() + ".js"
		if w.Functions[i].Code, err = readText(fsys, name); err != nil {
			return err
		}
		names = slices.DeleteFunc(names, func(other string) bool { return other == name })
	}
	if len(names) > 0 {
		return memberErrorf(folder+"/widget.json", "functions", "%s is not listed", names[0])
	}
	return nil
}

func (f Function) fileName() string { return cmp.Or(f.File, f.Slug) }

// defaultFunctionName returns the name of a function that widget.json does not name.
func defaultFunctionName(slug string) string { return strings.ReplaceAll(slug, "-", " ") }

// needsFunctionList reports whether widget.json must list the functions, because their file names do not determine
// their slugs, names and order.
func needsFunctionList(functions []Function) bool {
	return slices.ContainsFunc(functions, func(f Function) bool { return f.File != "" || f.Name != defaultFunctionName(f.Slug) }) ||
		!slices.IsSortedFunc(functions, func(a, b Function) int { return cmp.Compare(a.Slug+".js", b.Slug+".js") })
}

// files returns the contents of the files in the widget's folder, by name. Widgets with equal files are equal.
func (w Widget) files() (map[string]string, error) {
	all := map[string]string{"widget.html": withNewline(w.HTML)}
	for _, f := range w.Functions {
		all["functions/"+f.fileName()+".js"] = withNewline(f.Code)
	}
	if !needsFunctionList(w.Functions) {
		w.Functions = nil
	}
	for _, hook := range Hooks {
		if code := w.Code[hook.Name]; code != "" {
			all[hook.File] = withNewline(code)
		}
	}
	if w.CSS != "" {
		all["widget.css"] = withNewline(w.CSS)
	}
	var err error
	all["widget.json"], err = writeJSON(w)
	return all, err
}

func withNewline(text string) string { return text + "\n" }

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

// readOptional reads an optional file. It returns "" if the file is missing.
func readOptional(fsys fs.FS, name string) (string, error) {
	text, err := readText(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return normalizeText(text), err
}

func readJSON(fsys fs.FS, name string, into any) error {
	text, err := readText(fsys, name)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return graph.Errorf(graph.Invalid, "%s: %v", name, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return graph.Errorf(graph.Invalid, "%s: unexpected data after the JSON object", name)
	}
	return nil
}

// safeName turns a stored name into the name of a file or folder. The result contains no path separators or dots, so it
// cannot leave the directory. The result is empty if the name has no usable characters.
func safeName(text string) string {
	name := strings.Trim(unsafeRunes.ReplaceAllString(strings.ToLower(text), "-"), "-_")
	return strings.TrimRight(name[:min(len(name), maxNameLength)], "-_")
}

// maxNameLength is the maximum length of the name of a file or folder in bytes, without its extension.
const maxNameLength = 60

var unsafeRunes = regexp.MustCompile(`[^a-z0-9_]+`)
