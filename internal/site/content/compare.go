package content

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// withChildIDs returns the widget with its children named by id instead of by folder.
func (p *pushPlan) withChildIDs(w Widget) Widget {
	w.Children = slices.Clone(w.Children)
	for i, child := range w.Children {
		inner, _ := p.site.widget(child.Widget)
		w.Children[i].Widget = idName(p.ids[inner.key()])
	}
	return w.normalized()
}

// hasSameFiles reports whether two widgets, whose children are named by id, have equal files.
func (w Widget) hasSameFiles(other Widget) (bool, error) {
	w.ID, other.ID = 0, 0
	one, err := w.files()
	if err != nil {
		return false, err
	}
	two, err := other.files()
	return maps.Equal(one, two), err
}

// hasSameFile reports whether two pages, whose bodies are named by id, have equal files.
func (p Page) hasSameFile(other Page) (bool, error) {
	p.ID, other.ID = 0, 0
	one, err := writeJSON(p)
	if err != nil {
		return false, err
	}
	two, err := writeJSON(other)
	return one == two, err
}

// fingerprint returns a hash of the widget's files, or "" if they cannot be encoded.
func (w Widget) fingerprint() string {
	files, err := w.normalized().files()
	if err != nil {
		return ""
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, name, files[name])
	}
	return hashTexts(all...)
}

// fingerprint returns a hash of the page's file, or "" if it cannot be encoded.
func (p Page) fingerprint() string {
	text, err := writeJSON(p.normalized())
	if err != nil {
		return ""
	}
	return hashTexts(text)
}

// hashTexts returns the first 16 bytes of the SHA-256 hash of the texts, in hexadecimal.
func hashTexts(texts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(h[:16])
}
