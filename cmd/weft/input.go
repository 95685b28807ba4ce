package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

// input opens what a command line names: a file, or standard input if it is -. A byte order mark at the
// start, which some editors leave, is passed over.
func input(name string) (io.ReadCloser, error) {
	if name == "-" {
		return marked(os.Stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close()
		return nil, fmt.Errorf("%s is a directory; name one file in it", name)
	}
	return marked(f), nil
}

const mark = "\ufeff"

func marked(f *os.File) io.ReadCloser {
	in := bufio.NewReaderSize(f, 1<<16)
	if first, err := in.Peek(len(mark)); err == nil && string(first) == mark {
		_, _ = in.Discard(len(mark)) // it is in the buffer
	}
	return struct {
		io.Reader
		io.Closer
	}{in, f}
}

// count says "1 record" or "2 records".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
