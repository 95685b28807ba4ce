package upload

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"path/filepath"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A kind is a sort of file that is taken.
type kind struct{ name, ending string }

var (
	jpegKind     = kind{"image/jpeg", ".jpg"}
	pngKind      = kind{"image/png", ".png"}
	webpKind     = kind{"image/webp", ".webp"}
	pdfKind      = kind{"application/pdf", ".pdf"}
	wordKind     = kind{"application/msword", ".doc"}
	excelKind    = kind{"application/vnd.ms-excel", ".xls"}
	slidesKind   = kind{"application/vnd.ms-powerpoint", ".ppt"}
	textKind     = kind{"text/plain", ".txt"}
	markdownKind = kind{"text/markdown", ".md"}
)

// Kinds lists the media types that a class takes.
func Kinds(c Class) []string {
	if c == Image {
		return []string{jpegKind.name, pngKind.name, webpKind.name}
	}
	return []string{wordKind.name, excelKind.name, slidesKind.name, textKind.name, pdfKind.name, markdownKind.name}
}

// kindOf finds out what a file is from its bytes. What is only text has no mark, so there the name or the sender
// must say so; it is kept and served as text, whatever else it could be taken for.
func kindOf(file *spooled, offer Offer) (kind, error) {
	head := make([]byte, 16)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return kind{}, err
	}
	found, err := marked(head[:n], file)
	if err != nil {
		return kind{}, err
	}
	if found == (kind{}) && offer.Class == Document && saysText(offer) {
		if found, err = textual(file, offer.Name); err != nil {
			return kind{}, err
		}
	}
	if found == (kind{}) || (offer.Class == Image) != strings.HasPrefix(found.name, "image/") {
		return kind{}, graph.Errorf(graph.Invalid, "invalid file format: %q is none of %s", graph.Clip(offer.Name), strings.Join(Kinds(offer.Class), ", "))
	}
	return found, file.rewind()
}

// marked recognises what begins with a mark.
func marked(head []byte, file *spooled) (kind, error) {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return jpegKind, nil
	case bytes.HasPrefix(head, []byte(pngMark)):
		return pngKind, nil
	case bytes.HasPrefix(head, []byte("RIFF")) && bytes.HasPrefix(head[8:], []byte("WEBP")):
		return webpKind, nil
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return pdfKind, nil
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return office(file)
	default:
		return kind{}, nil
	}
}

// office tells the old formats of Microsoft's programs apart. They are little file systems; the main file in each
// has a name of its own, in UTF-16.
func office(file *spooled) (kind, error) {
	streams := []struct {
		name string
		kind
	}{{"WordDocument", wordKind}, {"PowerPoint Document", slidesKind}, {"Workbook", excelKind}, {"Book", excelKind}}
	found := len(streams)
	err := file.scan(func(part []byte) {
		for i, s := range streams[:found] {
			if bytes.Contains(part, utf16(s.name)) {
				found = i
				return
			}
		}
	})
	if err != nil || found == len(streams) {
		return kind{}, err
	}
	return streams[found].kind, nil
}

// utf16 is a name as it stands in the directory of such a file: with an end.
func utf16(name string) []byte {
	var b []byte
	for _, c := range []byte(name) {
		b = append(b, c, 0)
	}
	return append(b, 0, 0)
}

// scan shows the whole file, in parts that overlap.
func (s *spooled) scan(see func(part []byte)) error {
	const overlap = 64
	part := make([]byte, 256<<10)
	for at := int64(0); at < s.size; at += int64(len(part) - overlap) {
		n, err := s.ReadAt(part, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		see(part[:n])
	}
	return nil
}

func saysText(offer Offer) bool {
	said, _, _ := mime.ParseMediaType(offer.Kind)
	ending := strings.ToLower(filepath.Ext(offer.Name))
	return said == textKind.name || ending == textKind.ending || ending == markdownKind.ending
}

// textual says which kind of text a file is; none, when it holds anything that no text does. Which characters the
// bytes from 0x80 on are is not ours to say.
func textual(file *spooled, name string) (kind, error) {
	text := true
	err := file.scan(func(part []byte) { text = text && !bytes.ContainsFunc(part, noText) })
	switch {
	case err != nil || !text:
		return kind{}, err
	case strings.EqualFold(filepath.Ext(name), markdownKind.ending):
		return markdownKind, nil
	default:
		return textKind, nil
	}
}

func noText(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r) }
