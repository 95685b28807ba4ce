package upload

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/weft-graph/weft/blob"
)

// Flags in the VP8X chunk of WebP, which comes first.
const (
	webpAnimated = 1 << 1
	webpXMP      = 1 << 2
	webpExif     = 1 << 3
)

const webpHead = 12 // "RIFF", the size of the rest, "WEBP"

// stripWebP copies the chunks that make the picture. sealWebP puts right what the head says of the rest.
func stripWebP(w io.Writer, r *bufio.Reader) (orientation int, err error) {
	head := make([]byte, webpHead)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, err
	}
	if _, err := w.Write(head); err != nil {
		return 0, err
	}
	body := bufio.NewReader(io.LimitReader(r, int64(binary.LittleEndian.Uint32(head[4:]))-4))
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(body, head); errors.Is(err, io.EOF) {
			return max(orientation, 1), nil
		} else if err != nil {
			return 0, err
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		rest := size + size%2 // chunks are padded to even lengths
		switch string(head[:4]) {
		case "VP8X":
			err = writeFeatures(w, body, head, rest)
		case "VP8 ", "VP8L", "ALPH", "ICCP":
			if _, err = w.Write(head); err == nil {
				_, err = io.CopyN(w, body, rest)
			}
		case "ANIM", "ANMF":
			return 0, animated()
		case "EXIF":
			orientation, err = readOrientation(body, rest)
		default:
			_, err = io.CopyN(io.Discard, body, rest)
		}
		if err != nil {
			return 0, unexpected(err)
		}
	}
}

func writeFeatures(w io.Writer, body io.Reader, head []byte, size int64) error {
	if size != 10 {
		return errNoMarker
	}
	features := make([]byte, size)
	if _, err := io.ReadFull(body, features); err != nil {
		return err
	}
	if features[0]&webpAnimated != 0 {
		return animated()
	}
	features[0] &^= webpExif | webpXMP
	_, err := w.Write(append(head, features...))
	return err
}

func readOrientation(body io.Reader, size int64) (int, error) {
	if size > longestExif {
		_, err := io.CopyN(io.Discard, body, size)
		return 1, err
	}
	data := make([]byte, size)
	_, err := io.ReadFull(body, data)
	return orientationIn(bytes.TrimPrefix(data, []byte("Exif\x00\x00"))), err
}

// sealWebP adds the orientation, where there is one, and the size.
func sealWebP(clean *spooled, orientation int) error {
	first := make([]byte, 4)
	if _, err := clean.ReadAt(first, webpHead); err != nil {
		return damaged(err)
	}
	if orientation > 1 && string(first) == "VP8X" {
		data := orientationOnly(orientation)
		chunk := binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(data)))
		if _, err := clean.Write(append(chunk, data...)); err != nil {
			return blob.Failed(err)
		}
		if err := clean.addFlag(webpHead+8, webpExif); err != nil {
			return err
		}
	}
	if err := clean.measure(); err != nil {
		return err
	}
	_, err := clean.WriteAt(binary.LittleEndian.AppendUint32(nil, uint32(clean.size-8)), 4)
	return err
}

func (s *spooled) addFlag(at int64, flag byte) error {
	b := make([]byte, 1)
	if _, err := s.ReadAt(b, at); err != nil {
		return err
	}
	b[0] |= flag
	_, err := s.WriteAt(b, at)
	return err
}
