package servertest

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/store/kv"
)

// TakeUploads enables uploads of up to 1 MiB, in a temporary folder, on the server of a store. Pass the result to Serve.
func TakeUploads(t testing.TB, store graph.Store) func(*server.Options) {
	t.Helper()
	disk, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	limits := upload.Limits{Image: 1 << 20, File: 1 << 20, Quota: 1 << 30}
	return func(o *server.Options) { o.Uploads = upload.New(kv.In(store), disk, upload.Options{Limits: limits}) }
}
