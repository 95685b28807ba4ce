package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
)

// testStore checks the contract of Store. The store must be empty.
func testStore(t *testing.T, s blob.Store) {
	t.Run("returns stored bytes unchanged", func(t *testing.T) {
		for _, size := range []int{0, 1, 100, 6 << 20} {
			name, want := fmt.Sprintf("size-%d.bin", size), bytes.Repeat([]byte("abc"), size/3+1)[:size]
			put(t, s, name, want)
			got, info := get(t, s, name)
			if !bytes.Equal(got, want) || info.Size != int64(size) || info.Name != name || info.Modified.IsZero() {
				t.Errorf("a blob of %d bytes was read as %d bytes, %+v; want the same bytes", size, len(got), info)
			}
		}
	})
	t.Run("reads parts of a blob", func(t *testing.T) {
		put(t, s, "part.txt", []byte("0123456789"))
		r, _, err := s.Get(t.Context(), "part.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if end, err := r.Seek(0, io.SeekEnd); err != nil || end != 10 {
			t.Errorf("the end is at %d, %v; want 10", end, err)
		}
		if _, err := r.Seek(4, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		three := make([]byte, 3)
		if _, err := io.ReadFull(r, three); err != nil || string(three) != "456" {
			t.Errorf("the bytes read = %q, %v; want 456", three, err)
		}
	})
	t.Run("a second Put replaces the blob", func(t *testing.T) {
		put(t, s, "again.txt", []byte("first"))
		put(t, s, "again.txt", []byte("2nd"))
		if got, _ := get(t, s, "again.txt"); string(got) != "2nd" {
			t.Errorf("the blob = %q; want \"2nd\"", got)
		}
	})
	t.Run("a failed Put changes nothing", func(t *testing.T) {
		put(t, s, "whole.txt", []byte("whole"))
		for name, r := range map[string]io.Reader{
			"truncated": strings.NewReader("half"),
			"failing":   io.MultiReader(strings.NewReader("half"), failingReader{}),
		} {
			err := s.Put(t.Context(), "whole.txt", r, 100, "text/plain")
			if err == nil {
				t.Errorf("%s: accepted; want an error", name)
			}
			if name == "truncated" && graph.KindOf(err) != graph.Invalid {
				t.Errorf("%s: %v; want an invalid error", name, err)
			}
		}
		if got, _ := get(t, s, "whole.txt"); string(got) != "whole" {
			t.Errorf("the blob = %q; want \"whole\"", got)
		}
		_ = s.Put(t.Context(), "fresh.txt", strings.NewReader("half"), 100, "text/plain")
		if _, _, err := s.Get(t.Context(), "fresh.txt"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("the error of reading a partial blob = %v; want not found", err)
		}
	})
	t.Run("stores no more than the announced bytes", func(t *testing.T) {
		if err := s.Put(t.Context(), "longer.txt", strings.NewReader("0123456789"), 4, "text/plain"); err != nil {
			t.Fatal(err)
		}
		if got, _ := get(t, s, "longer.txt"); string(got) != "0123" {
			t.Errorf("the blob = %q; want \"0123\"", got)
		}
	})
	t.Run("Remove deletes a blob and is idempotent", func(t *testing.T) {
		put(t, s, "gone.txt", []byte("x"))
		for range 2 {
			if err := s.Remove(t.Context(), "gone.txt"); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := s.Get(t.Context(), "gone.txt"); graph.KindOf(err) != graph.NotFound {
			t.Errorf("the error of reading the deleted blob = %v; want not found", err)
		}
	})
	t.Run("rejects malformed names, including paths", func(t *testing.T) {
		for _, name := range []string{
			"", "ab", "../secret", "a/../../secret", "/etc/passwd", "..", "...", ".hidden", "a\x00b", "a b", "A.txt",
			"..\\x", "abc/def", "abc..def", "é.txt", strings.Repeat("a", 129),
		} {
			if err := s.Put(t.Context(), name, strings.NewReader("x"), 1, ""); graph.KindOf(err) != graph.Invalid {
				t.Errorf("Put of %q: %v; want an invalid error", name, err)
			}
			if _, _, err := s.Get(t.Context(), name); graph.KindOf(err) != graph.NotFound {
				t.Errorf("Get of %q: %v; want not found", name, err)
			}
			if err := s.Remove(t.Context(), name); graph.KindOf(err) != graph.Invalid {
				t.Errorf("Remove of %q: %v; want an invalid error", name, err)
			}
		}
	})
	t.Run("lists all blobs in pages, sorted by name", func(t *testing.T) {
		removeAllBlobs(t, s)
		var want []string
		for i := range 23 {
			name := fmt.Sprintf("%c%c%02d.txt", 'a'+i%3, '0'+i%2, i)
			put(t, s, name, []byte("x"))
			want = append(want, name)
		}
		var got []string
		for after := ""; ; after = got[len(got)-1] {
			page, err := s.List(t.Context(), after, 5)
			if err != nil {
				t.Fatal(err)
			}
			for _, info := range page {
				got = append(got, info.Name)
			}
			if len(page) < 5 {
				break
			}
		}
		seen := map[string]bool{}
		for i, name := range got {
			if seen[name] = true; i > 0 && name <= got[i-1] {
				t.Errorf("%s is listed after %s; want ascending names", name, got[i-1])
			}
		}
		if len(got) != len(want) || len(seen) != len(want) {
			t.Errorf("listed %v", got)
		}
	})
	t.Run("supports concurrent use", func(t *testing.T) {
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				name, text := fmt.Sprintf("race-%d.txt", i), fmt.Sprint("text ", i)
				if err := s.Put(t.Context(), name, strings.NewReader(text), int64(len(text)), ""); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		for i := range 8 {
			if got, _ := get(t, s, fmt.Sprintf("race-%d.txt", i)); string(got) != fmt.Sprint("text ", i) {
				t.Errorf("blob %d = %q; want \"text %[1]d\"", i, got)
			}
		}
	})
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("connection lost") }

func put(t *testing.T, s blob.Store, name string, content []byte) {
	t.Helper()
	if err := s.Put(t.Context(), name, bytes.NewReader(content), int64(len(content)), "text/plain"); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s blob.Store, name string) ([]byte, blob.Info) {
	t.Helper()
	r, info, err := s.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content, info
}

// removeAllBlobs makes the store empty.
func removeAllBlobs(t *testing.T, s blob.Store) {
	t.Helper()
	all, err := s.List(t.Context(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all {
		if err := s.Remove(t.Context(), info.Name); err != nil {
			t.Fatal(err)
		}
	}
}
