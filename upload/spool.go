package upload

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
)

// A spooled file has no name: it is gone when it is closed, or when the process dies.
type spooled struct {
	*os.File
	size int64
}

func newSpooled(directory string) (*spooled, error) {
	if directory != "" {
		if err := os.MkdirAll(directory, 0o700); err != nil {
			return nil, blob.Failed(err)
		}
	}
	f, err := os.CreateTemp(directory, "upload-")
	if err != nil {
		return nil, blob.Failed(err)
	}
	_ = os.Remove(f.Name()) // where open files cannot be removed, Close does
	return &spooled{File: f}, nil
}

// Close forgets the file.
func (s *spooled) Close() error {
	err := s.File.Close()
	_ = os.Remove(s.Name())
	return err
}

func (s *spooled) rewind() error {
	_, err := s.Seek(0, io.SeekStart)
	return err
}

// receive spools what arrives, up to most bytes.
func (u *Uploads) receive(ctx context.Context, from io.Reader, most int64) (*spooled, error) {
	file, err := newSpooled(u.spool)
	if err != nil {
		return nil, err
	}
	arriving := &source{Reader: from}
	file.size, err = io.Copy(file, io.LimitReader(arriving, most+1))
	switch {
	case arriving.err != nil:
		err = graph.Wrap(graph.Invalid, arriving.err, "the upload broke off after %d bytes", file.size)
	case err != nil:
		err = blob.Failed(err)
	case file.size > most:
		err = graph.Errorf(graph.TooLarge, "the file is more than %d bytes", most)
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

// source remembers why reading failed, to tell it from why writing did.
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

// measure notes how long the file has become, and rewinds it.
func (s *spooled) measure() error {
	about, err := s.Stat()
	if err != nil {
		return err
	}
	s.size = about.Size()
	return s.rewind()
}
