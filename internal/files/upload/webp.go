package upload

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/weft-graph/weft/internal/files/blob"
)

// Flags in the VP8X chunk of WebP, which is the first chunk.
const (
	webpAnimated = 1 << 1
	webpXMP      = 1 << 2
	webpExif     = 1 << 3
)

const webpHead = 12 // "RIFF", the size of the rest, "WEBP"

// stripWebP copies the chunks of the picture. sealWebP then corrects the header.
func stripWebP(w io.Writer, r *bufio.Reader) (p stripped, err error) {
	head := make([]byte, webpHead)
	if _, err := io.ReadFull(r, head); err != nil {
		return p, err
	}
	if _, err := w.Write(head); err != nil {
		return p, err
	}
	body := bufio.NewReader(io.LimitReader(r, int64(binary.LittleEndian.Uint32(head[4:]))-4))
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(body, head); errors.Is(err, io.EOF) {
			p.orientation = max(p.orientation, 1)
			return p, nil
		} else if err != nil {
			return p, err
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
			return p, animatedError()
		case "EXIF":
			p.orientation, err = readOrientation(body, rest)
		default:
			_, err = io.CopyN(io.Discard, body, rest)
		}
		if err != nil {
			return p, unexpectedEOF(err)
		}
	}
}

// Decoding a lossless WebP uses up to maxWebPGroups groups of five code tables, one group for each tile of the picture.
// A group takes groupBytes, and the file may describe entries of up to groupEntryBytes for each group. One byte of the
// file describes up to entryBytesPerByte bytes of entries.
const (
	maxWebPGroups     = 2_600
	minTileSide       = 4 // pixels
	groupBytes        = 2_700
	groupEntryBytes   = 64 << 10
	entryBytesPerByte = 400
)

// webpMemory returns the bytes for decoding a WebP with the given dimensions and file size. A lossless decoder keeps
// the pixels before and after it applies the palette, at 4 bytes each. It also keeps data for each tile: the
// transforms of the format, and the groups of code tables. A lossy picture takes less: 1.5 bytes per pixel, and one
// byte per pixel for the alpha channel, which may be compressed without loss.
func webpMemory(width, height int, fileBytes int64) int64 {
	pixels := int64(width+16) * int64(height+16)
	tiles := int64((width+minTileSide-1)/minTileSide) * int64((height+minTileSide-1)/minTileSide)
	groups := min(tiles, maxWebPGroups)
	return pixels*10 + groups*groupBytes + min(groups*groupEntryBytes, fileBytes*entryBytesPerByte) + 2*fileBytes
}

// writeFeatures copies the VP8X chunk without the flags of removed metadata.
func writeFeatures(w io.Writer, body io.Reader, head []byte, size int64) error {
	if size != 10 {
		return errInvalidSize
	}
	features := make([]byte, size)
	if _, err := io.ReadFull(body, features); err != nil {
		return err
	}
	if features[0]&webpAnimated != 0 {
		return animatedError()
	}
	features[0] &^= webpExif | webpXMP
	_, err := w.Write(append(head, features...))
	return err
}

func readOrientation(body io.Reader, size int64) (int, error) {
	if size > maxExifBytes {
		_, err := io.CopyN(io.Discard, body, size)
		return 1, err
	}
	data := make([]byte, size)
	_, err := io.ReadFull(body, data)
	return orientationIn(bytes.TrimPrefix(data, []byte("Exif\x00\x00"))), err
}

// sealWebP sets the size in the header. If the first chunk is VP8X, sealWebP also adds the orientation, unless it
// is 1, the default.
func sealWebP(clean *spooled, orientation int) error {
	first := make([]byte, 4)
	if _, err := clean.ReadAt(first, webpHead); err != nil {
		return damagedError(err)
	}
	if orientation > 1 && string(first) == "VP8X" {
		data := orientationOnly(orientation)
		chunk := binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(data)))
		if _, err := clean.Write(append(chunk, data...)); err != nil {
			return blob.WrapWriteError(err)
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
