package upload

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
)

// stripped describes a picture that was copied by strip.
type stripped struct {
	orientation int    // 1 to 8
	memory      int64  // memory for decoding the copy, in bytes
	share       string // see Offer
}

// strip copies a picture from raw to clean without metadata such as place, time, camera and author, and without data
// after its end. Pixels, colour profiles and the orientation are copied unchanged. The record provides the
// dimensions.
func strip(record Record, clean, raw *spooled) (p stripped, err error) {
	if err := raw.rewind(); err != nil {
		return p, err
	}
	sink := &sink{Writer: clean}
	w, r := bufio.NewWriter(sink), bufio.NewReader(raw)
	switch record.Kind {
	case jpegKind.name:
		p, err = stripJPEG(w, r)
	case pngKind.name:
		p, err = stripPNG(w, r)
	default:
		p, err = stripWebP(w, r)
		p.memory += webpMemory(record.Width, record.Height, raw.size)
	}
	if err == nil {
		err = w.Flush()
	}
	switch {
	case sink.err != nil:
		return p, blob.WrapWriteError(sink.err)
	case err != nil && graph.KindOf(err) == graph.Internal:
		return p, damagedError(err)
	case err != nil:
		return p, err
	}
	if record.Kind == webpKind.name {
		err = sealWebP(clean, p.orientation)
	}
	return p, errors.Join(err, clean.measure())
}

// In Exif, the orientation is entry 0x0112 of the first directory of a TIFF file.
const orientationTag = 0x0112

// orientationIn returns the orientation in Exif data, which has the format of a TIFF file, or 1 if the data has no
// orientation.
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

// orientationOnly returns Exif data that contains only an orientation.
func orientationOnly(orientation int) []byte {
	return []byte{
		'M', 'M', 0, 42, 0, 0, 0, 8, // big-endian, directory at 8
		0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(orientation), 0, 0, // one entry: one short
		0, 0, 0, 0, // no further directory
	}
}

// sink records a write error, to distinguish it from a read error.
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
