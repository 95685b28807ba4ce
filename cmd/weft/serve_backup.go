package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/backup"
	"github.com/weft-graph/weft/graph"
)

// backupFlags say how often the server backs itself up, and where to.
type backupFlags struct {
	BackupEvery time.Duration `env:"WEFT_BACKUP_EVERY" placeholder:"24h" help:"Back the graph and its uploads up this often. Left out, never."`
	BackupTo    string        `env:"WEFT_BACKUP_TO" placeholder:"DIR" help:"Where the archives go: a directory, or s3://bucket/prefix?endpoint=…&region=…"`
	BackupKeep  int           `default:"7" env:"WEFT_BACKUP_KEEP" help:"How many archives are kept; older ones are removed."`
}

// startBackups backs a store up in the background, until stop is called. Without --backup-every there is no
// schedule.
func (f backupFlags) startBackups(ctx context.Context, where storeFlags, store graph.Store, log *slog.Logger) (_ *backup.Schedule, stop func(), err error) {
	if f.BackupEvery == 0 && f.BackupTo == "" {
		return nil, func() {}, nil
	}
	if f.BackupEvery < time.Second || f.BackupTo == "" || f.BackupKeep < 1 {
		return nil, nil, misusef("backups need --backup-every of a second or more, --backup-to, and --backup-keep of 1 or more")
	}
	source, ok := store.(backup.Store)
	if !ok {
		return nil, nil, where.onDisk()
	}
	to, _, drafts, err := place(strings.TrimSuffix(f.BackupTo, "/") + "/")
	if err != nil {
		return nil, nil, misusef("--backup-to: %w", err)
	}
	blobs, closeBlobs, err := where.uploaded()
	if err != nil {
		return nil, nil, err
	}
	schedule := &backup.Schedule{Store: source, Blobs: blobs, Drafts: drafts, To: to, Every: f.BackupEvery, Keep: f.BackupKeep, Log: log}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		schedule.Run(ctx)
	}()
	return schedule, func() {
		cancel()
		<-ended
		closeBlobs()
	}, nil
}

// measureBackups tells when a backup was last made and when one last failed, where there is a schedule and
// somebody who measures.
func measureBackups(metrics prometheus.Registerer, schedule *backup.Schedule) {
	if metrics == nil || schedule == nil {
		return
	}
	gauge := func(name, help string, at func(backup.Status) time.Time) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			if t := at(schedule.Status()); !t.IsZero() {
				return float64(t.UnixMilli()) / 1000
			}
			return 0
		})
	}
	metrics.MustRegister(
		gauge("weft_backup_success_timestamp_seconds", "When a backup was last made; 0 for never.",
			func(s backup.Status) time.Time { return s.Succeeded }),
		gauge("weft_backup_failure_timestamp_seconds", "When a backup last failed; 0 for never.",
			func(s backup.Status) time.Time { return s.Failed }),
	)
}
