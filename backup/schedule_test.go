package backup_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/backup"
)

func TestAScheduleTriesAgainSoonAfterItFailed(t *testing.T) {
	h, to := inUse(t), filepath.Join(t.TempDir(), "not there yet")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer stop()
		s := &backup.Schedule{
			Store: h.store, Drafts: h.dir, To: backup.Folder(to), Every: 24 * time.Hour, Keep: 9, Log: slog.New(slog.DiscardHandler),
		}
		go s.Run(ctx)
		time.Sleep(10 * time.Minute) // the bubble's
		if got := time.Since(s.Status().Failed); s.Status().Err == nil || got > 8*time.Minute {
			t.Fatalf("it last failed %v ago: %+v", got, s.Status())
		}
		if err := os.Mkdir(to, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if made := archives(t, to); len(made) != 1 || s.Status().Succeeded.IsZero() {
			t.Errorf("there are %v: %+v", made, s.Status())
		}
		time.Sleep(23 * time.Hour)
		if made := archives(t, to); len(made) != 1 {
			t.Errorf("there are %v before the day is over", made)
		}
	})
}

func TestWhatAKilledPutLeftIsSwept(t *testing.T) {
	h, to := inUse(t), t.TempDir()
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
	file(".weft-20260102-030406.000.tar.zst-124", 0) // somebody is at it
	file(".mine.tar.zst-125", 2*time.Hour)
	if err := backup.Make(t.Context(), h.store, nil, h.dir, backup.Folder(to), "one.tar.zst"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(to)
	if err != nil || len(entries) != 3 || entries[0].Name() != ".mine.tar.zst-125" || entries[1].Name() != ".weft-20260102-030406.000.tar.zst-124" {
		t.Errorf("there are %v, %v", entries, err)
	}
}
