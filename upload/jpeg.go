package upload

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// Markers of JPEG, after 0xFF. Those from APP0 on hold what is not the picture.
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

var errNoMarker = errors.New("a marker is missing")

// stripJPEG copies the segments that make the picture, up to its end.
func stripJPEG(w io.Writer, r *bufio.Reader) (orientation int, err error) {
	if _, err := io.CopyN(w, r, 2); err != nil {
		return 0, err
	}
	marker, err := nextMarker(r)
	for err == nil && marker != endOfImage {
		var segment []byte
		if segment, err = readSegment(r); err != nil {
			break
		}
		if data, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok && marker == app1 && orientation == 0 {
			orientation = orientationIn(data)
			segment = append([]byte("Exif\x00\x00"), orientationOnly(orientation)...)
			err = writeSegment(w, marker, segment, orientation > 1)
		} else {
			segment, keep := worthKeeping(marker, segment)
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
	return max(orientation, 1), err
}

func nextMarker(r *bufio.Reader) (byte, error) {
	if b, err := readByte(r); err != nil || b != 0xff {
		return 0, errors.Join(err, errNoMarker)
	}
	return restOfMarker(r)
}

// restOfMarker reads on behind the first 0xFF, of which there may be any number.
func restOfMarker(r *bufio.Reader) (byte, error) {
	for {
		if b, err := readByte(r); err != nil || b != 0xff {
			return b, err
		}
	}
}

func readSegment(r *bufio.Reader) ([]byte, error) {
	var size [2]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint16(size[:])) - len(size)
	if n < 0 {
		return nil, errNoMarker
	}
	segment := make([]byte, n)
	_, err := io.ReadFull(r, segment)
	return segment, err
}

// worthKeeping keeps what decoders need: JFIF's density without its thumbnail, colour profiles, Adobe's colour space.
func worthKeeping(marker byte, segment []byte) ([]byte, bool) {
	switch {
	case marker == app0 && bytes.HasPrefix(segment, []byte("JFIF\x00")) && len(segment) >= 14:
		return append(segment[:12:12], 0, 0), true
	case marker == app2:
		return segment, bytes.HasPrefix(segment, []byte("ICC_PROFILE\x00"))
	case marker == app14:
		return segment, bytes.HasPrefix(segment, []byte("Adobe"))
	default:
		return segment, marker != comment && (marker < app0 || marker > app15)
	}
}

func writeSegment(w io.Writer, marker byte, segment []byte, keep bool) error {
	if !keep {
		return nil
	}
	head := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(segment)+2))
	_, err := w.Write(append(head, segment...))
	return err
}

// copyScan copies compressed pixels and returns the marker that ends them. In them, 0xFF is followed by 0 or by the
// marker of a restart.
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
			return 0, unexpected(err)
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
	return b, unexpected(err)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
