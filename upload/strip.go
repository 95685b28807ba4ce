package upload

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
)

// strip copies a picture without what it tells besides the picture: where and when it was made, with what, by whom, and
// whatever hides behind its end. The pixels stay as they are, bit for bit, and so do colour profiles. It returns the
// orientation, 1 to 8, which stays in the copy.
func strip(kind string, clean, raw *spooled) (orientation int, err error) {
	if err := raw.rewind(); err != nil {
		return 0, err
	}
	sink := &sink{Writer: clean}
	w, r := bufio.NewWriter(sink), bufio.NewReader(raw)
	switch kind {
	case jpegKind.name:
		orientation, err = stripJPEG(w, r)
	case pngKind.name:
		orientation, err = stripPNG(w, r)
	default:
		orientation, err = stripWebP(w, r)
	}
	if err == nil {
		err = w.Flush()
	}
	switch {
	case sink.err != nil:
		return 0, blob.Failed(sink.err)
	case err != nil && graph.KindOf(err) == graph.Internal:
		return 0, damaged(err)
	case err != nil:
		return 0, err
	}
	if kind == webpKind.name {
		err = sealWebP(clean, orientation)
	}
	return orientation, errors.Join(err, clean.measure())
}

// An orientation in Exif is entry 0x0112 of the first directory of a TIFF file.
const orientationTag = 0x0112

// orientationIn reads the orientation from the TIFF file that Exif data are; 1 when there is none.
func orientationIn(tiff []byte) int {
	var order binary.ByteOrder = binary.BigEndian
	if len(tiff) < 8 {
		return 1
	}
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == orientationTag {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}

// orientationOnly is a TIFF file that says nothing else.
func orientationOnly(orientation int) []byte {
	return []byte{
		'M', 'M', 0, 42, 0, 0, 0, 8, // big-endian, directory at 8
		0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(orientation), 0, 0, // one entry: one short
		0, 0, 0, 0, // no other directory
	}
}

// sink remembers why writing failed, to tell it from why reading did.
type sink struct {
	io.Writer
	err error
}

func (s *sink) Write(b []byte) (int, error) {
	n, err := s.Writer.Write(b)
	if err != nil {
		s.err = err
	}
	return n, err
}
