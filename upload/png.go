package upload

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"

	"github.com/weft-graph/weft/graph"
)

const pngMark = "\x89PNG\r\n\x1a\n"

// Chunks of PNG that make the picture or its colours. Text, time and what nobody knows are none of them.
var pngChunks = []string{
	"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "bKGD", "hIST", "pHYs", "sPLT",
	"cICP", "mDCV", "cLLI",
}

// longestExif is more than cameras write.
const longestExif = 1 << 20

// stripPNG copies the chunks that make the picture, up to its end.
func stripPNG(w io.Writer, r *bufio.Reader) (orientation int, err error) {
	if _, err := io.CopyN(w, r, int64(len(pngMark))); err != nil {
		return 0, err
	}
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(r, head); err != nil {
			return 0, unexpected(err)
		}
		size, name := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		rest := size + 4 // the chunk and its checksum
		switch {
		case name == "acTL":
			return 0, animated()
		case name == "eXIf" && size <= longestExif && orientation == 0:
			data := make([]byte, rest)
			if _, err := io.ReadFull(r, data); err != nil {
				return 0, unexpected(err)
			}
			orientation = orientationIn(data[:size])
			err = writeOrientationChunk(w, orientation)
		case slices.Contains(pngChunks, name):
			if _, err = w.Write(head); err == nil {
				_, err = io.CopyN(w, r, rest)
			}
		default:
			_, err = io.CopyN(io.Discard, r, rest)
		}
		if err != nil || name == "IEND" {
			return max(orientation, 1), unexpected(err)
		}
	}
}

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

func animated() error {
	return graph.Errorf(graph.Invalid, "the picture is animated; only still ones are taken")
}
