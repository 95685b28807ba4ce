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

// Save writes the site into a directory and returns the files that it wrote or removed. It creates the directory if
// needed, and does not rewrite equal files. It removes code files that a widget no longer has, and no other files.
func (s Site) Save(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := saver{root: root}
	for _, p := range s.Pages {
		text, err := writeJSON(p)
		d.setErr(err)
		d.write(p.File, text)
	}
	for _, w := range s.Widgets {
		files, err := w.files()
		d.setErr(err)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			d.write(w.file(name), files[name])
		}
		d.removeStale(w, files)
	}
	return d.changed, errors.Join(d.err, root.Close())
}

// A saver writes files until the first error, and keeps this error.
type saver struct {
	root    *os.Root
	changed []string
	err     error
}

// setErr keeps the error unless there is already an error.
func (s *saver) setErr(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *saver) write(name, text string) {
	if s.err != nil {
		return
	}
	if stored, err := s.root.ReadFile(name); err == nil && string(stored) == text {
		return
	}
	s.setErr(s.root.MkdirAll(path.Dir(name), 0o755))
	s.setErr(s.root.WriteFile(name, []byte(text), 0o644))
	s.changed = append(s.changed, name)
}

// removeStale removes files that LoadFrom would read as part of the widget but that the widget no longer has.
func (s *saver) removeStale(w Widget, files map[string]string) {
	names := []string{"widget.css"}
	for _, hook := range Hooks {
		names = append(names, hook.File)
	}
	functions, err := fs.Glob(s.root.FS(), w.file("functions/*.js"))
	s.setErr(err)
	for _, name := range functions {
		names = append(names, strings.TrimPrefix(name, w.file("")))
	}
	for _, name := range names {
		if _, wanted := files[name]; wanted || s.err != nil {
			continue
		}
		switch err := s.root.Remove(w.file(name)); {
		case err == nil:
			s.changed = append(s.changed, w.file(name))
		case !errors.Is(err, fs.ErrNotExist):
			s.setErr(err)
		}
	}
}
