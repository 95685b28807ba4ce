package backup_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/backup"
	"github.com/weft-graph/weft/internal/buckettest"
	"github.com/weft-graph/weft/internal/files/blob"
)

func TestScheduleStoresArchivesInABucket(t *testing.T) {
	h, bucket := newDataDirectory(t), buckettest.Start(t)("/some/prefix")
	s := &backup.Schedule{
		Job:   backup.Job{Store: h.store, Blobs: h.blobs, Drafts: h.dir, To: bucket},
		Every: time.Millisecond, Keep: 2, Log: slog.New(slog.DiscardHandler),
	}
	list := func() []blob.Info {
		found, err := bucket.List(context.WithoutCancel(t.Context()), "", 100)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	runUntil(t, s, func() bool { return len(list()) == 2 })
	first := list()
	runUntil(t, s, func() bool { now := list(); return len(now) == 2 && now[0].Name > first[1].Name })
	archive, _, err := bucket.Get(t.Context(), list()[1].Name)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	dir := t.TempDir()
	if _, err := backup.Restore(t.Context(), archive, dir, false); err != nil {
		t.Fatal(err)
	}
	find(t, open(t, dir), "Ann")
}
