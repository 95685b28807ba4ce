package blob_test

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/buckettest"
	"github.com/weft-graph/weft/internal/files/blob"
)

func TestS3PassesTheTestsOfStores(t *testing.T) {
	open := buckettest.Start(t)
	s := open("/some/prefix")
	testStore(t, s)
	t.Run("does not list objects with other prefixes", func(t *testing.T) {
		removeAllBlobs(t, s)
		put(t, open(""), "other.txt", []byte("x"))
		put(t, open("/some/prefix2"), "other.txt", []byte("x"))
		if found, err := s.List(t.Context(), "", 10); err != nil || len(found) != 0 {
			t.Errorf("the listed blobs = %v, %v; want none", found, err)
		}
	})
}

func TestAnUnreachableServerIsUnavailable(t *testing.T) {
	buckettest.SetCredentials(t)
	s := buckettest.Open(t, "127.0.0.1:1", "")
	err := s.Put(t.Context(), "any.txt", strings.NewReader("x"), 1, "text/plain")
	if graph.KindOf(err) != graph.Unavailable {
		t.Errorf("the error of Put = %v; want unavailable", err)
	}
	if _, _, err := s.Get(t.Context(), "any.txt"); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("the error of Get = %v; want unavailable", err)
	}
}

func TestOpenS3RejectsMalformedURLs(t *testing.T) {
	for _, address := range []string{"", "s3://", "http://bucket", "s3://ab", "s3://Bucket_1", "s3://key:secret@bucket/", "s3://bucket?endpoint=%zz"} {
		s, err := blob.OpenS3(address)
		if err == nil || strings.Contains(err.Error(), "secret@") {
			t.Errorf("the store at %q = %v, %v; want an error without the secret", address, s, err)
		}
	}
}
