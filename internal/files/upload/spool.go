package upload

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
)

// A spooled file is a temporary file, which is removed when it is closed. On systems that can remove open files, the
// file has no name, and also disappears when the process ends.
type spooled struct {
	*os.File
	size int64
}

func newSpooled(directory string) (*spooled, error) {
	if directory != "" {
		if err := os.MkdirAll(directory, 0o700); err != nil {
			return nil, blob.WrapWriteError(err)
		}
	}
	f, err := os.CreateTemp(directory, "upload-")
	if err != nil {
		return nil, blob.WrapWriteError(err)
	}
	_ = os.Remove(f.Name()) // on systems that cannot remove open files, Close removes it
	return &spooled{File: f}, nil
}

// Close removes the file.
func (s *spooled) Close() error {
	err := s.File.Close()
	_ = os.Remove(s.Name())
	return err
}

func (s *spooled) rewind() error {
	_, err := s.Seek(0, io.SeekStart)
	return err
}

// receive spools an upload of up to maxBytes bytes. The error is TooLarge if the upload has more bytes, and Invalid if
// it is empty or ends early.
func (u *Uploads) receive(ctx context.Context, from io.Reader, maxBytes int64) (*spooled, error) {
	file, err := newSpooled(u.spool)
	if err != nil {
		return nil, err
	}
	arriving := &source{Reader: from}
	file.size, err = io.Copy(file, io.LimitReader(arriving, maxBytes+1))
	switch {
	case arriving.err != nil:
		err = graph.Wrap(graph.Invalid, arriving.err, "the upload ended early, after %d bytes", file.size)
	case err != nil:
		err = blob.WrapWriteError(err)
	case file.size > maxBytes:
		err = graph.Errorf(graph.TooLarge, "the file has more than %d bytes", maxBytes)
	case file.size == 0:
		err = graph.Errorf(graph.Invalid, "the file is empty")
	default:
		err = ctx.Err()
	}
	if err == nil {
		err = file.rewind()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// source records a read error, to distinguish it from a write error.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// measure sets size to the length of the file and rewinds the file.
func (s *spooled) measure() error {
	stat, err := s.Stat()
	if err != nil {
		return err
	}
	s.size = stat.Size()
	return s.rewind()
}
