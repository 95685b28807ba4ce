package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weft-graph/weft/graph"
)

// The formats of the write-ahead log and of its index: https://sqlite.org/walformat.html. The log consists of a header and frames;
// a frame is a header and a page of the database. SQLite silently ignores everything after the first invalid frame, so a log that
// was cut off looks like a shorter log. The index in shared memory, which remains after a crash, holds the number of committed
// frames.
const (
	walHeaderBytes   = 32
	frameHeaderBytes = 24
	walMagic         = 0x377f0682 // checksums use little-endian numbers; with the lowest bit set, big-endian numbers
	saltOffset       = 16         // in the header of the log; two salts of 4 bytes
	saltBytes        = 8

	indexHeaderBytes     = 48 // the index starts with two copies of its header
	indexFramesOffset    = 16 // frames that are committed
	indexSaltOffset      = 32
	indexBackfillOffset  = 96 // frames that are also in the database
	walIndexBytes        = 136
	maxEarlierLogs       = 1 << 20 // maximum difference between the first salt of the log and the first salt of a frame from an earlier log
	walSuffix, shmSuffix = "-wal", "-shm"
)

// CheckLog checks the write-ahead log of the store in a directory. It must be called before the store is opened, because SQLite
// discards invalid frames. While another process has the store open, CheckLog checks nothing. The error is Internal if committed
// writes are missing from the log, or if the log is damaged; see run.
func CheckLog(ctx context.Context, dir string) error {
	path := filepath.Join(dir, file)
	if _, err := os.Stat(path); err != nil {
		return nil //nolint:nilerr // opening the store fails with a better error
	}
	unlock, err := Lock(ctx, dir)
	if err != nil {
		return nil //nolint:nilerr // in use or not writable, so the log cannot be checked
	}
	return errors.Join(checkLog(path), unlock())
}

func checkLog(path string) error {
	index, err := readIndex(path + shmSuffix)
	if err != nil {
		return err
	}
	f, err := os.Open(path + walSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return index.checkLength(walScan{})
	}
	if err != nil {
		return err
	}
	defer f.Close()
	scan, err := scanLog(f)
	if err != nil {
		return err
	}
	if scan.isDamaged {
		return graph.Errorf(graph.Internal, "%s%s is damaged: an invalid frame was found at byte %d; writes after its first %d committed frames are lost",
			file, walSuffix, scan.damageFoundAt, scan.committed)
	}
	return index.checkLength(scan)
}

// A walIndex holds numbers from the index of a log. It is zero for an index that is missing or unusable.
type walIndex struct {
	committed, backfilled uint32
	salt                  []byte
}

// readIndex reads an index. It returns the zero index if the file is missing, or if a process was changing the
// index when it was read.
func readIndex(path string) (walIndex, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return walIndex{}, nil
	}
	if err != nil {
		return walIndex{}, err
	}
	defer f.Close()
	head := make([]byte, walIndexBytes)
	if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head[:indexHeaderBytes], head[indexHeaderBytes:2*indexHeaderBytes]) {
		return walIndex{}, nil // SQLite rebuilds the index
	}
	return walIndex{
		committed:  binary.NativeEndian.Uint32(head[indexFramesOffset:]),
		backfilled: binary.NativeEndian.Uint32(head[indexBackfillOffset:]),
		salt:       head[indexSaltOffset : indexSaltOffset+saltBytes],
	}, nil
}

// checkLength returns an error if the log has fewer committed frames than the index states and the database does not have
// the missing frames.
func (x walIndex) checkLength(scan walScan) error {
	isOther := scan.salt != nil && !bytes.Equal(scan.salt, x.salt) // a log that was started after the index was written
	if x.committed <= max(scan.committed, x.backfilled) || isOther {
		return nil
	}
	return graph.Errorf(graph.Internal, "%s%s was cut off: it has %d frames of the %d that were committed; the writes in the missing frames are lost",
		file, walSuffix, scan.committed, x.committed)
}

// A walScan is the result of reading a log.
type walScan struct {
	salt      []byte // nil if the log is empty
	committed uint32 // frames up to the end of the last complete transaction
	isDamaged bool
	// damageFoundAt is the offset of the frame at which the damage was noticed. The damaged bytes may be in an earlier frame.
	damageFoundAt int64
}

// scanLog reads a log.
func scanLog(f io.Reader) (scan walScan, err error) {
	in := bufio.NewReaderSize(f, 1<<18)
	head := make([]byte, walHeaderBytes)
	if n, err := io.ReadFull(in, head); err != nil {
		if n > 0 && errors.Is(err, io.ErrUnexpectedEOF) {
			return walScan{isDamaged: true}, nil
		}
		return walScan{}, ignoreEOF(err)
	}
	magic, pageBytes := binary.BigEndian.Uint32(head), binary.BigEndian.Uint32(head[8:])
	l := logReader{in: in, order: binary.LittleEndian}
	if magic&1 == 1 {
		l.order = binary.BigEndian
	}
	l.add(head[:frameHeaderBytes])
	if magic&^1 != walMagic || pageBytes < 512 || pageBytes > 1<<16 || !l.matches(head[frameHeaderBytes:]) {
		return walScan{isDamaged: true}, nil
	}
	l.frame = make([]byte, frameHeaderBytes+pageBytes)
	l.scan.salt = bytes.Clone(head[saltOffset : saltOffset+saltBytes])
	err = l.run()
	return l.scan, err
}

// A logReader reads the frames of a log.
type logReader struct {
	in    io.Reader
	order binary.ByteOrder
	sums  [2]uint32 // the checksum of everything so far
	frame []byte
	scan  walScan
}

// run reads all frames. The first invalid frame may be followed by frames of earlier logs, which have different salts, and by
// frames of an incomplete transaction. The log is damaged if the first invalid frame, or a frame after it, has the salts of this log and
// completes a transaction, or belongs neither to this log nor to an earlier one.
func (l *logReader) run() error {
	isBroken := false
	for n := uint32(1); ; n++ {
		if _, err := io.ReadFull(l.in, l.frame); err != nil {
			return ignoreEOF(err)
		}
		at := walHeaderBytes + int64(n-1)*int64(len(l.frame))
		head, isOurs := l.frame[:frameHeaderBytes], bytes.Equal(l.frame[8:16], l.scan.salt)
		completes := binary.BigEndian.Uint32(head[4:]) != 0
		if !isBroken {
			l.add(head[:8])
			l.add(l.frame[frameHeaderBytes:])
			isBroken = !isOurs || !l.matches(head[16:])
		}
		switch {
		case !isBroken && completes:
			l.scan.committed = n
		case isBroken && (isOurs && completes || !isOurs && !l.isEarlier(head)):
			l.scan.isDamaged = true
			l.scan.damageFoundAt = at
			return nil
		}
	}
}

// isEarlier reports whether a frame may remain from an earlier log, or was never written.
func (l *logReader) isEarlier(head []byte) bool {
	difference := binary.BigEndian.Uint32(l.scan.salt) - binary.BigEndian.Uint32(head[8:])
	return difference <= maxEarlierLogs || bytes.Equal(head, make([]byte, frameHeaderBytes))
}

// add adds bytes, a multiple of eight, to the checksum.
func (l *logReader) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		l.sums[0] += l.order.Uint32(b) + l.sums[1]
		l.sums[1] += l.order.Uint32(b[4:]) + l.sums[0]
	}
}

// matches reports whether a stored checksum equals the checksum of the bytes so far.
func (l *logReader) matches(sum []byte) bool {
	return binary.BigEndian.Uint32(sum) == l.sums[0] && binary.BigEndian.Uint32(sum[4:]) == l.sums[1]
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return fmt.Errorf("reading the write-ahead log: %w", err)
}
