package upload

import (
	"bytes"
	"encoding/binary"

	"github.com/weft-graph/weft/graph"
)

// The limits on the work for decoding a JPEG. A scan of a few bytes can traverse all blocks of a picture. Encoders
// write 10 to 20 scans.
const (
	maxScans      = 100
	maxScanBlocks = 20_000_000 // blocks of all scans; a picture of 40 million pixels with 10 scans has 11 million
)

// Markers of frames that decoders support.
const (
	baselineFrame    = 0xc0
	progressiveFrame = 0xc2
)

const blockSide = 8 // pixels of a block, in each direction

// jpegWork computes the work and the memory for decoding a JPEG from its segments.
type jpegWork struct {
	width, height int64
	components    []jpegComponent // empty before the frame
	isProgressive bool
	isRGB         bool // may be stored as RGB, which is converted
	hasJFIF       bool // is stored as YCbCr, regardless of other declarations
	scans         int
	scanBlocks    int64
}

type jpegComponent struct {
	id         byte
	horizontal int64 // blocks of a unit, in each direction
	vertical   int64
}

// add counts a segment. If the segment starts a scan, the pixels of the scan have not been copied yet. The error is
// Invalid beyond the limits.
func (j *jpegWork) add(marker byte, segment []byte) error {
	switch {
	case marker >= baselineFrame && marker <= progressiveFrame:
		return j.addFrame(marker, segment)
	case marker == app0 && isJFIF(segment):
		j.hasJFIF = true
	case marker == app14 && bytes.HasPrefix(segment, []byte("Adobe")):
		j.isRGB = true
	case marker == startOfScan:
		return j.addScan(segment)
	}
	return nil
}

// addFrame reads the dimensions and components: precision, height, width, and three bytes for each component.
func (j *jpegWork) addFrame(marker byte, segment []byte) error {
	const head, each = 6, 3
	if len(j.components) > 0 || len(segment) < head+each || (len(segment)-head)%each != 0 {
		return errInvalidSize
	}
	j.isProgressive = marker == progressiveFrame
	j.height, j.width = int64(binary.BigEndian.Uint16(segment[1:])), int64(binary.BigEndian.Uint16(segment[3:]))
	var ids []byte
	for c := segment[head:]; len(c) > 0; c = c[each:] {
		ids = append(ids, c[0])
		j.components = append(j.components, jpegComponent{c[0], int64(c[1] >> 4), int64(c[1] & 0x0f)})
	}
	if len(j.components) == 1 { // the factors of a single component have no meaning
		j.components[0].horizontal, j.components[0].vertical = 1, 1
	}
	if c := j.components[0]; len(j.components) > 4 || c.horizontal < 1 || c.vertical < 1 {
		return errInvalidSize
	}
	j.isRGB = j.isRGB || string(ids) == "RGB"
	return nil
}

// addScan counts the blocks of a scan.
func (j *jpegWork) addScan(segment []byte) error {
	j.scans++
	for _, c := range j.components {
		if scanHas(segment, c.id) {
			j.scanBlocks += j.blocks(c)
		}
	}
	if j.scans > maxScans || j.scanBlocks > maxScanBlocks {
		return graph.Errorf(graph.Invalid, "the picture has more than %d scans, or more than %d million blocks in its scans; save it as a JPEG that is not progressive",
			maxScans, maxScanBlocks/1_000_000)
	}
	return nil
}

// scanHas reports whether a scan has a component: the header of a scan is the number of components, followed by
// two bytes for each component.
func scanHas(segment []byte, id byte) bool {
	if len(segment) == 0 {
		return false
	}
	each := segment[1:]
	for range segment[0] {
		if len(each) < 2 {
			return false
		}
		if each[0] == id {
			return true
		}
		each = each[2:]
	}
	return false
}

// blocks returns the number of blocks of a component. Pictures consist of whole units of the first component.
func (j *jpegWork) blocks(c jpegComponent) int64 {
	unitWidth, unitHeight := blockSide*j.components[0].horizontal, blockSide*j.components[0].vertical
	units := ((j.width + unitWidth - 1) / unitWidth) * ((j.height + unitHeight - 1) / unitHeight)
	return units * c.horizontal * c.vertical
}

// memory returns the bytes for decoding: one byte for each sample, four more for each sample of a progressive
// picture, because the coefficients of all scans are kept, and four for each pixel of a picture that is converted.
func (j *jpegWork) memory() int64 {
	samples := int64(0)
	for _, c := range j.components {
		samples += j.blocks(c) * blockSide * blockSide
	}
	bytes := samples
	if j.isProgressive {
		bytes += 4 * samples
	}
	if len(j.components) == 4 || len(j.components) == 3 && j.isRGB && !j.hasJFIF {
		bytes += 4 * j.width * j.height
	}
	return bytes
}
