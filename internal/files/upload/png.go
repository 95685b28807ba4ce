package upload

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"github.com/weft-graph/weft/graph"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// Chunks of PNG for the picture and its colours. All other chunks are removed, such as text, times and unknown
// chunks, except the orientation in eXIf.
var pngChunks = []string{
	"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "bKGD", "hIST", "pHYs", "sPLT",
	"cICP", "mDCV", "cLLI",
}

// maxExifBytes is the maximum size of Exif data that is read; cameras write less. Larger data is dropped with its
// orientation.
const maxExifBytes = 1 << 20

// stripPNG copies the chunks of the picture, up to its end.
func stripPNG(w io.Writer, r *bufio.Reader) (p stripped, err error) {
	if _, err := io.CopyN(w, r, int64(len(pngSignature))); err != nil {
		return p, err
	}
	if p.memory, err = pngMemory(r); err != nil {
		return p, err
	}
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(r, head); err != nil {
			return p, unexpectedEOF(err)
		}
		size, name := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		rest := size + 4 // the data of the chunk and its checksum
		switch {
		case name == "acTL":
			return p, animatedError()
		case name == "eXIf" && size <= maxExifBytes && p.orientation == 0:
			data := make([]byte, rest)
			if _, err := io.ReadFull(r, data); err != nil {
				return p, unexpectedEOF(err)
			}
			p.orientation = orientationIn(data[:size])
			err = writeOrientationChunk(w, p.orientation)
		case slices.Contains(pngChunks, name):
			if _, err = w.Write(head); err == nil {
				_, err = io.CopyN(w, r, rest)
			}
		default:
			_, err = io.CopyN(io.Discard, r, rest)
		}
		if err != nil || name == "IEND" {
			p.orientation = max(p.orientation, 1)
			return p, unexpectedEOF(err)
		}
	}
}

// pngMemory returns the bytes for decoding a PNG: 8 for a pixel with 16 bits per channel, 1 for a pixel with a
// palette, and otherwise 4. An interlaced picture is decoded in passes, and the pictures of the passes take the
// same amount again. pngMemory does not consume the header.
func pngMemory(r *bufio.Reader) (int64, error) {
	const headerBytes, depth, colour, interlace = 8 + 13, 16, 17, 20 // length of the data up to the end of IHDR, and offsets in it
	const palette = 3
	head, err := r.Peek(headerBytes)
	if err != nil || string(head[4:8]) != "IHDR" {
		return 0, errors.Join(unexpectedEOF(err), errNoHeader)
	}
	perPixel := int64(4)
	switch {
	case head[depth] == 16:
		perPixel = 8
	case head[colour] == palette:
		perPixel = 1
	}
	width, height := int64(binary.BigEndian.Uint32(head[8:])), int64(binary.BigEndian.Uint32(head[12:]))
	bytes := width * height * perPixel
	if head[interlace] != 0 {
		bytes *= 2
	}
	return bytes + 2*width*perPixel, nil // and two rows
}

var errNoHeader = errors.New("the header is missing")

func writeOrientationChunk(w io.Writer, orientation int) error {
	if orientation <= 1 {
		return nil
	}
	data := append([]byte("eXIf"), orientationOnly(orientation)...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)-4))
	chunk = append(chunk, data...)
	_, err := w.Write(binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(data)))
	return err
}

func animatedError() error {
	return graph.Errorf(graph.Invalid, "the picture is animated; only still pictures are accepted")
}
