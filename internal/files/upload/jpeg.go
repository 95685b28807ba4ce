package upload

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// Markers of JPEG, without the leading 0xFF. The segments from APP0 to APP15 and comments are metadata.
const (
	endOfImage  = 0xd9
	startOfScan = 0xda
	restart0    = 0xd0
	restart7    = 0xd7
	app0        = 0xe0
	app1        = 0xe1
	app2        = 0xe2
	app14       = 0xee
	app15       = 0xef
	comment     = 0xfe
)

var (
	errNoMarker    = errors.New("a marker is missing")
	errInvalidSize = errors.New("a segment or chunk has an invalid size")
)

// stripJPEG copies the segments that decoders need, up to the end of the picture. Of Exif data, it copies only the
// orientation.
func stripJPEG(w io.Writer, r *bufio.Reader) (p stripped, err error) {
	if _, err := io.CopyN(w, r, 2); err != nil {
		return p, err
	}
	var work jpegWork
	marker, err := nextMarker(r)
	for err == nil && marker != endOfImage {
		var segment []byte
		if segment, err = readSegment(r); err != nil {
			break
		}
		if err = work.add(marker, segment); err != nil {
			break
		}
		if data, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok && marker == app1 && p.orientation == 0 {
			p.orientation = orientationIn(data)
			segment = append([]byte("Exif\x00\x00"), orientationOnly(p.orientation)...)
			err = writeSegment(w, marker, segment, p.orientation > 1)
		} else {
			segment, keep := neededPart(marker, segment)
			err = writeSegment(w, marker, segment, keep)
		}
		if err == nil && marker == startOfScan {
			marker, err = copyScan(w, r)
		} else if err == nil {
			marker, err = nextMarker(r)
		}
	}
	if err == nil {
		_, err = w.Write([]byte{0xff, endOfImage})
	}
	p.orientation, p.memory = max(p.orientation, 1), work.memory()
	return p, err
}

// nextMarker reads the marker of the next segment.
func nextMarker(r *bufio.Reader) (byte, error) {
	if b, err := readByte(r); err != nil || b != 0xff {
		return 0, errors.Join(err, errNoMarker)
	}
	return restOfMarker(r)
}

// restOfMarker reads a marker after its first 0xFF; there may be further 0xFF bytes.
func restOfMarker(r *bufio.Reader) (byte, error) {
	for {
		if b, err := readByte(r); err != nil || b != 0xff {
			return b, err
		}
	}
}

// readSegment reads the contents of a segment, without its marker and length.
func readSegment(r *bufio.Reader) ([]byte, error) {
	var size [2]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint16(size[:])) - len(size)
	if n < 0 {
		return nil, errInvalidSize
	}
	segment := make([]byte, n)
	_, err := io.ReadFull(r, segment)
	return segment, err
}

// neededPart returns the part of a segment that decoders need, and whether they need the segment at all. They need
// every segment that is not metadata. Of the metadata they need the density of JFIF without its thumbnail, colour
// profiles, and Adobe's colour space.
func neededPart(marker byte, segment []byte) ([]byte, bool) {
	switch {
	case marker == app0 && isJFIF(segment):
		return append(segment[:12:12], 0, 0), true
	case marker == app2:
		return segment, bytes.HasPrefix(segment, []byte("ICC_PROFILE\x00"))
	case marker == app14:
		return segment, bytes.HasPrefix(segment, []byte("Adobe"))
	default:
		return segment, marker != comment && (marker < app0 || marker > app15)
	}
}

// isJFIF reports whether an APP0 segment is a JFIF segment with a density.
func isJFIF(segment []byte) bool {
	return bytes.HasPrefix(segment, []byte("JFIF\x00")) && len(segment) >= 14
}

// writeSegment writes a segment with its marker and length if keep is true.
func writeSegment(w io.Writer, marker byte, segment []byte, keep bool) error {
	if !keep {
		return nil
	}
	head := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(segment)+2))
	_, err := w.Write(append(head, segment...))
	return err
}

// copyScan copies compressed pixels and returns the marker that ends them. Within pixels, 0xFF is followed by 0 or by a
// restart marker.
func copyScan(w io.Writer, r *bufio.Reader) (marker byte, err error) {
	for {
		part, err := r.ReadSlice(0xff)
		if errors.Is(err, bufio.ErrBufferFull) {
			if _, err := w.Write(part); err != nil {
				return 0, err
			}
			continue
		}
		if err != nil {
			return 0, unexpectedEOF(err)
		}
		if _, err := w.Write(part[:len(part)-1]); err != nil {
			return 0, err
		}
		b, err := readByte(r)
		switch {
		case err != nil:
			return 0, err
		case b == 0 || b >= restart0 && b <= restart7:
			if _, err := w.Write([]byte{0xff, b}); err != nil {
				return 0, err
			}
		case b == 0xff:
			return restOfMarker(r)
		default:
			return b, nil
		}
	}
}

func readByte(r *bufio.Reader) (byte, error) {
	b, err := r.ReadByte()
	return b, unexpectedEOF(err)
}

// unexpectedEOF replaces io.EOF with io.ErrUnexpectedEOF.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
