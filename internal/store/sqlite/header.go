package sqlite

import (
	"bytes"
	"encoding/binary"
)

// HeaderBytes is the length of the header of a database file (https://sqlite.org/fileformat.html#the_database_header).
const HeaderBytes = 100

const headerMagic = "SQLite format 3\x00"

// Offsets of numbers in the header.
const (
	pageSizeOffset  = 16
	pageCountOffset = 28
)

// DescribedBytes returns the size in bytes that the header of a database file describes, or 0 if the bytes are not the
// header of a database file.
func DescribedBytes(header []byte) int64 {
	if len(header) < HeaderBytes || !bytes.HasPrefix(header, []byte(headerMagic)) {
		return 0
	}
	size := int64(binary.BigEndian.Uint16(header[pageSizeOffset:]))
	if size == 1 { // 1 means 65,536, which does not fit into the field
		size = 1 << 16
	}
	return size * int64(binary.BigEndian.Uint32(header[pageCountOffset:]))
}
