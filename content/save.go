package content

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// Save writes the site into a directory, which is made if it is not there, and returns the files that it wrote,
// changed or removed. Of a widget's folder it removes code that the widget no longer has; other files stay.
func (s Site) Save(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := saving{root: root}
	for _, p := range s.Pages {
		text, err := writeJSON(p)
		d.fail(err)
		d.write(p.File, text)
	}
	for _, w := range s.Widgets {
		files, err := w.files()
		d.fail(err)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			d.write(w.file(name), files[name])
		}
		d.tidy(w, files)
	}
	return d.wrote, errors.Join(d.err, root.Close())
}

// A saving writes until something fails.
type saving struct {
	root  *os.Root
	wrote []string
	err   error
}

func (d *saving) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *saving) write(name, text string) {
	if d.err != nil {
		return
	}
	if there, err := d.root.ReadFile(name); err == nil && string(there) == text {
		return
	}
	d.fail(d.root.MkdirAll(path.Dir(name), 0o755))
	d.fail(d.root.WriteFile(name, []byte(text), 0o644))
	d.wrote = append(d.wrote, name)
}

// tidy removes files that would be read as a part of the widget.
func (d *saving) tidy(w Widget, files map[string]string) {
	names := []string{"widget.css"}
	for _, hook := range Hooks {
		names = append(names, hook.File)
	}
	functions, err := fs.Glob(d.root.FS(), w.file("functions/*.js"))
	d.fail(err)
	for _, name := range functions {
		names = append(names, strings.TrimPrefix(name, w.file("")))
	}
	for _, name := range names {
		if _, wanted := files[name]; wanted || d.err != nil {
			continue
		}
		switch err := d.root.Remove(w.file(name)); {
		case err == nil:
			d.wrote = append(d.wrote, w.file(name))
		case !errors.Is(err, fs.ErrNotExist):
			d.fail(err)
		}
	}
}
