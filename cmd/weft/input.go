package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

// openInput opens a file, or standard input if name is -. It skips a byte order mark at the start, which some editors write.
func openInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return skipByteOrderMark(os.Stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close()
		return nil, fmt.Errorf("%s is a directory; want a file", name)
	}
	return skipByteOrderMark(f), nil
}

const byteOrderMark = "\ufeff"

func skipByteOrderMark(f *os.File) io.ReadCloser {
	in := bufio.NewReaderSize(f, 1<<16)
	if first, err := in.Peek(len(byteOrderMark)); err == nil && string(first) == byteOrderMark {
		_, _ = in.Discard(len(byteOrderMark)) // cannot fail: the bytes are buffered
	}
	return struct {
		io.Reader
		io.Closer
	}{in, f}
}

// formatCount formats a number with its noun: "1 record" or "2 records".
func formatCount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
