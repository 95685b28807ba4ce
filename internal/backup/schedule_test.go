package backup_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/internal/backup"
)

func TestScheduleRetriesAfterAFailure(t *testing.T) {
	h, to := newDataDirectory(t), filepath.Join(t.TempDir(), "not there yet")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer stop()
		s := &backup.Schedule{
			Job:   backup.Job{Store: h.store, Drafts: h.dir, To: backup.Folder(to)},
			Every: 24 * time.Hour, Keep: 9, Log: slog.New(slog.DiscardHandler),
		}
		go s.Run(ctx)
		time.Sleep(10 * time.Minute) // in the synctest bubble's time
		if got := time.Since(s.Status().Failed); s.Status().Err == nil || got > 8*time.Minute {
			t.Fatalf("the last failure was %v ago: %+v; want at most 8 minutes ago", got, s.Status())
		}
		if err := os.Mkdir(to, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if found := archives(t, to); len(found) != 1 || s.Status().Succeeded.IsZero() {
			t.Errorf("the archives = %v, %+v; want one, and a time of success", found, s.Status())
		}
		time.Sleep(23 * time.Hour)
		if found := archives(t, to); len(found) != 1 {
			t.Errorf("the archives = %v before the day is over; want one", found)
		}
	})
}

func TestPutRemovesOldDrafts(t *testing.T) {
	h, to := newDataDirectory(t), t.TempDir()
	file := func(name string, age time.Duration) {
		t.Helper()
		path := filepath.Join(to, name)
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		written := time.Now().Add(-age)
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
	file(".weft-20260102-030405.000.tar.zst-123", 2*time.Hour)
	file(".weft-20260102-030406.000.tar.zst-124", 0) // still being written
	file(".mine.tar.zst-125", 2*time.Hour)
	if err := (backup.Job{Store: h.store, Drafts: h.dir, To: backup.Folder(to)}).Make(t.Context(), "one.tar.zst"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(to)
	if err != nil || len(entries) != 3 || entries[0].Name() != ".mine.tar.zst-125" || entries[1].Name() != ".weft-20260102-030406.000.tar.zst-124" {
		t.Errorf("the folder has %v, %v; want the file with another prefix, the archive that is still being written, and the new archive", entries, err)
	}
}
