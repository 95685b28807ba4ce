package upload

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A kind is an accepted file type.
type kind struct{ name, ending string } // media type and file name extension

var (
	jpegKind     = kind{"image/jpeg", ".jpg"}
	pngKind      = kind{"image/png", ".png"}
	webpKind     = kind{"image/webp", ".webp"}
	pdfKind      = kind{"application/pdf", ".pdf"}
	wordKind     = kind{"application/msword", ".doc"}
	excelKind    = kind{"application/vnd.ms-excel", ".xls"}
	slidesKind   = kind{"application/vnd.ms-powerpoint", ".ppt"}
	docxKind     = kind{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx"}
	xlsxKind     = kind{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"}
	pptxKind     = kind{"application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"}
	zipKind      = kind{"application/zip", ".zip"}
	textKind     = kind{"text/plain", ".txt"}
	markdownKind = kind{"text/markdown", ".md"}
	csvKind      = kind{"text/csv", ".csv"}
)

// kindsOf lists the kinds of each class.
var kindsOf = map[Class][]kind{
	Image:    {jpegKind, pngKind, webpKind},
	Document: {wordKind, excelKind, slidesKind, docxKind, xlsxKind, pptxKind, textKind, pdfKind, markdownKind, csvKind, zipKind},
}

// textKinds lists the kinds without a signature.
var textKinds = []kind{textKind, markdownKind, csvKind}

// Kinds returns the media types that a class accepts.
func Kinds(c Class) []string {
	var names []string
	for _, k := range kindsOf[c] {
		names = append(names, k.name)
	}
	return names
}

// endings returns the file name extensions that a class accepts, in a form for messages to users.
func endings(c Class) string {
	var all []string
	for _, k := range kindsOf[c] {
		all = append(all, k.ending)
	}
	return strings.Join(all, ", ")
}

// kindOf determines the type of a file from its contents. Plain text has no signature, so the file name or the sender
// must declare a text file. A text file is stored and served as text, even if its contents could be interpreted in
// another way. The error is Invalid for an unsupported type.
func kindOf(file *spooled, offer Offer) (kind, error) {
	head := make([]byte, 16)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return kind{}, err
	}
	found, err := kindBySignature(head[:n], file)
	if err != nil {
		return kind{}, err
	}
	if found == (kind{}) && offer.Class == Document && isDeclaredText(offer) {
		if found, err = textKindOf(file, offer); err != nil {
			return kind{}, err
		}
	}
	if found == (kind{}) || (offer.Class == Image) != strings.HasPrefix(found.name, "image/") {
		return kind{}, graph.Errorf(graph.Invalid, "invalid file format: %q is none of %s", graph.Clip(offer.Name), endings(offer.Class))
	}
	return found, file.rewind()
}

// kindBySignature recognises a file by its first bytes. It returns the zero kind if the type is not supported.
func kindBySignature(head []byte, file *spooled) (kind, error) {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return jpegKind, nil
	case bytes.HasPrefix(head, []byte(pngSignature)):
		return pngKind, nil
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return webpKind, nil
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return pdfKind, nil
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return officeKind(file)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return archiveKind(file)
	default:
		return kind{}, nil
	}
}

// officeKind distinguishes the old formats of Microsoft Office. Such a file contains a small file system, in which the
// main file has a characteristic name in UTF-16.
func officeKind(file *spooled) (kind, error) {
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

// archiveKind distinguishes ZIP archives: the formats of Microsoft Office since 2007 are archives with a main file of a
// characteristic name. It searches the bytes for the names, because parsing the directory of a hostile archive could take much
// memory. An office file with macros, or an archive that ends before its directory, is not supported.
func archiveKind(file *spooled) (kind, error) {
	const macros, directoryEnd = "vbaProject.bin", "PK\x05\x06"
	formats := map[string]kind{"word/document.xml": docxKind, "xl/workbook.xml": xlsxKind, "ppt/presentation.xml": pptxKind}
	found, isOffice, hasMacros, isWhole := zipKind, false, false, false
	err := file.scan(func(part []byte) {
		isOffice = isOffice || bytes.Contains(part, []byte("[Content_Types].xml"))
		hasMacros = hasMacros || bytes.Contains(part, []byte(macros))
		isWhole = isWhole || bytes.Contains(part, []byte(directoryEnd))
		for name, k := range formats {
			if found == zipKind && bytes.Contains(part, []byte(name)) {
				found = k
			}
		}
	})
	switch {
	case err != nil || !isWhole || isOffice && hasMacros:
		return kind{}, err
	case !isOffice:
		return zipKind, nil
	default:
		return found, nil
	}
}

// utf16 encodes an ASCII name as the directory of an Office file does: in UTF-16, with a terminating zero.
func utf16(name string) []byte {
	var b []byte
	for _, c := range []byte(name) {
		b = append(b, c, 0)
	}
	return append(b, 0, 0)
}

// scan calls visit with consecutive parts of the file. The parts overlap, so that every string of up to 64 bytes lies
// completely within a part.
func (s *spooled) scan(visit func(part []byte)) error {
	const overlap = 64
	part := make([]byte, 256<<10)
	for at := int64(0); at < s.size; at += int64(len(part) - overlap) {
		n, err := s.ReadAt(part, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		visit(part[:n])
	}
	return nil
}

// isDeclaredText reports whether the sender or the file name declares a text file.
func isDeclaredText(offer Offer) bool {
	declared, _, _ := mime.ParseMediaType(offer.Kind)
	return slices.ContainsFunc(textKinds, func(k kind) bool { return declared == k.name || hasEnding(offer.Name, k) })
}

func hasEnding(name string, k kind) bool { return strings.EqualFold(filepath.Ext(name), k.ending) }

// textKindOf returns the type of a text file, or the zero kind if the file has control characters. Bytes from 0x80
// are accepted in any encoding.
func textKindOf(file *spooled, offer Offer) (kind, error) {
	isText := true
	err := file.scan(func(part []byte) { isText = isText && !bytes.ContainsFunc(part, isControlCharacter) })
	if err != nil || !isText {
		return kind{}, err
	}
	for _, k := range textKinds {
		if hasEnding(offer.Name, k) {
			return k, nil
		}
	}
	if declared, _, _ := mime.ParseMediaType(offer.Kind); declared == csvKind.name {
		return csvKind, nil
	}
	return textKind, nil
}

func isControlCharacter(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r) }
