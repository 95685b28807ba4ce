package blob_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/files/blob"
)

// Whether or not the response of a bucket is valid, List returns an error or well-formed names.
func FuzzS3Responses(f *testing.F) {
	const list = `<?xml version="1.0"?><ListBucketResult><Name>b</Name><Contents><Key>p/a.txt</Key><Size>3</Size>` +
		`<LastModified>2026-01-02T03:04:05Z</LastModified></Contents><IsTruncated>false</IsTruncated></ListBucketResult>`
	f.Add(200, list)
	f.Add(200, strings.Replace(list, "p/a.txt", "p/../../etc/passwd", 1))
	f.Add(200, strings.Replace(list, "<Size>3", "<Size>-9223372036854775808", 1))
	f.Add(404, `<Error><Code>NoSuchKey</Code></Error>`)
	f.Add(301, "")
	f.Add(200, "")
	f.Setenv("AWS_ACCESS_KEY_ID", "a")
	f.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	var status int
	var body string
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(body)) //nolint:errcheck // the client may have closed the connection
	}))
	f.Cleanup(bucket.Close)
	store, err := blob.OpenS3("s3://bucket/p?region=r&endpoint=" + bucket.URL)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s int, b string) {
		if s < 200 || s > 499 || s == http.StatusRequestTimeout || s == http.StatusTooManyRequests || s == 425 {
			t.Skip("not a final response, or one that the client retries with pauses")
		}
		if strings.Contains(b, "rue</IsTruncated") || strings.Contains(b, "1</IsTruncated") {
			t.Skip("a list that goes on for ever")
		}
		status, body = s, b
		found, err := store.List(t.Context(), "", 10)
		if err != nil {
			return
		}
		for _, info := range found {
			if strings.ContainsAny(info.Name, "/\\\x00") || strings.HasPrefix(info.Name, ".") || info.Name == "" {
				t.Errorf("the name %q is accepted; want an error for a path, a hidden file or an empty name", info.Name)
			}
		}
	})
}
