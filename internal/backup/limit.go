package backup

import (
	"archive/tar"
	"io"
	"io/fs"
	"math"

	"github.com/weft-graph/weft/graph"
)

// The limits on an archive to restore. It may come from an untrusted source, and a few kilobytes can expand to
// gigabytes.
const (
	// The contents may have up to freelyUnpacked bytes, plus maxRatio times the size of the archive. Text compresses
	// to a tenth of its size, zeros to a thirty-thousandth.
	maxRatio       = 1_000
	freelyUnpacked = 1 << 30
	// maxWindowBytes is the maximum window that the archive may require of its decoder; archives of weft backup
	// require 8 MiB.
	maxWindowBytes = 128 << 20
	// maxPadding is the maximum number of unpacked bytes after the last entry.
	maxPadding = 1 << 20
	// spareBytes is the space that is left free on the disk.
	spareBytes = 64 << 20
)

// An unpackLimit counts the bytes of an archive that were read and unpacked.
type unpackLimit struct {
	io.Reader
	archive  int64 // bytes of the archive: the size of the archive if it is known, otherwise the bytes read so far
	isKnown  bool
	unpacked int64
	free     int64 // bytes of the disk that may be filled
}

// newUnpackLimit returns the limit of an archive that is unpacked to a directory.
func newUnpackLimit(archive io.Reader, dir string) *unpackLimit {
	l := &unpackLimit{Reader: archive, free: math.MaxInt64}
	if free, known := freeBytes(dir); known {
		l.free = max(0, free-spareBytes)
	}
	if file, ok := archive.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			l.archive, l.isKnown = info.Size(), true
		}
	}
	return l
}

// Read reads the archive.
func (l *unpackLimit) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if !l.isKnown {
		l.archive += int64(n)
	}
	return n, err
}

// checkEntry returns an error if an entry of the given size in bytes must not be unpacked: Unavailable if the disk has
// too little space, TooLarge if the contents would exceed freelyUnpacked and maxRatio. If the size of the archive is
// unknown, only unpacking.Read checks these two limits.
func (l *unpackLimit) checkEntry(size int64) error {
	if size < 0 || l.unpacked+size > l.free {
		return graph.Errorf(graph.Unavailable, "the backup needs %d bytes, but the disk has %d free; nothing was changed", l.unpacked+size, l.free)
	}
	if l.isKnown && l.unpacked+size > freelyUnpacked+maxRatio*l.archive {
		return l.ratioError(l.unpacked + size)
	}
	return nil
}

func (l *unpackLimit) ratioError(unpacked int64) error {
	return graph.Errorf(graph.TooLarge, "the backup has %d bytes and expands to %d or more, which is more than %d times as many; weft backup creates no such archives",
		l.archive, unpacked, maxRatio)
}

// unpacking reads the contents of an archive within its limit.
type unpacking struct {
	*tar.Reader
	limit *unpackLimit
}

// Read reads the contents of the current entry.
func (u unpacking) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if u.limit.unpacked += int64(n); u.limit.unpacked > freelyUnpacked+maxRatio*u.limit.archive {
		return 0, u.limit.ratioError(u.limit.unpacked)
	}
	return n, err
}
