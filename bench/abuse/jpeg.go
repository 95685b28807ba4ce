package main

import (
	"encoding/binary"
	"sync"
)

// Dimensions of the bomb in blocks of eight pixels: 38 million pixels, within the limit of the server. Their product is 18
// times maxRun, the longest run of blocks that one code can describe.
const (
	bombColumns = 906
	bombRows    = 651
	maxRun      = 1<<15 - 1
)

// The two bombs. One has as many scans as the server accepts for its size; the server must refuse the other before decoding it.
var (
	acceptedBomb = sync.OnceValue(func() string { return progressiveBomb(30) })
	refusedBomb  = sync.OnceValue(func() string { return progressiveBomb(300) })
)

// progressiveBomb returns a progressive JPEG in grey of about 75 kB. Each of its scans refines all coefficients of all blocks,
// so that a decoder visits 38 million coefficients for every 50 bytes, and keeps four bytes for each.
func progressiveBomb(scans int) string {
	const width, height = bombColumns * 8, bombRows * 8
	b := []byte{0xff, 0xd8}
	table := make([]byte, 65)
	for i := 1; i < len(table); i++ {
		table[i] = 1
	}
	b = appendSegment(b, 0xdb, table)
	b = appendSegment(b, 0xc2, []byte{8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0})
	b = appendSegment(b, 0xc4, huffmanTable(0x00, 0x00)) // DC: the difference 0
	b = appendSegment(b, 0xc4, huffmanTable(0x10, 0xe0)) // AC: a run of 2^14 blocks and more
	var first bitWriter
	for range bombColumns * bombRows {
		first.write(0, 1)
	}
	b = append(appendSegment(b, 0xda, []byte{1, 1, 0x00, 0, 0, 0x01}), first.bytes()...)
	b = append(appendSegment(b, 0xda, []byte{1, 1, 0x00, 1, 63, 0x01}), runs()...)
	for range scans {
		b = append(appendSegment(b, 0xda, []byte{1, 1, 0x00, 1, 63, 0x10}), runs()...)
	}
	return string(append(b, 0xff, 0xd9))
}

// appendSegment appends a marker with its data.
func appendSegment(b []byte, marker byte, data []byte) []byte {
	b = binary.BigEndian.AppendUint16(append(b, 0xff, marker), uint16(2+len(data))) //nolint:gosec // all are short
	return append(b, data...)
}

// huffmanTable returns a table with a single code, the bit 0.
func huffmanTable(class, value byte) []byte {
	return append([]byte{class, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, value)
}

// runs describes all blocks of a scan as empty.
func runs() []byte {
	var w bitWriter
	for range bombColumns * bombRows / maxRun {
		w.write(0, 1)          // the code of the run
		w.write(maxRun>>1, 14) // the length of the run beyond 2^14
	}
	return w.bytes()
}

// A bitWriter writes the data of a scan.
type bitWriter struct {
	out   []byte
	value uint32
	bits  int
}

func (w *bitWriter) write(value uint32, bits int) {
	for i := bits - 1; i >= 0; i-- {
		w.value = w.value<<1 | value>>i&1
		if w.bits++; w.bits == 8 {
			w.flush()
		}
	}
}

func (w *bitWriter) flush() {
	w.out = append(w.out, byte(w.value))
	if byte(w.value) == 0xff {
		w.out = append(w.out, 0) // without the zero, the byte would begin a marker
	}
	w.value, w.bits = 0, 0
}

// bytes returns the data, padded with ones.
func (w *bitWriter) bytes() []byte {
	for w.bits > 0 {
		w.write(1, 1)
	}
	return w.out
}
