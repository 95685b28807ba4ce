package main

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/backup"
	"github.com/weft-graph/weft/internal/server"
)

// backupFlags configure scheduled backups.
type backupFlags struct {
	BackupEvery time.Duration `env:"WEFT_BACKUP_EVERY" placeholder:"24h" help:"Interval between backups of the graph and its uploads. The default is no backups."`
	BackupTo    string        `env:"WEFT_BACKUP_TO" placeholder:"DIR" help:"Destination of the archives: a directory, or s3://bucket/prefix?endpoint=…&region=…"`
	BackupKeep  int           `default:"7" env:"WEFT_BACKUP_KEEP" help:"Number of archives to keep; older ones are removed."`
}

// startBackups returns the backups of a store, and starts a schedule if the flags configure one. Backups and schedule end when
// stop is called. The backups are nil if the store is not in a directory.
func (f backupFlags) startBackups(ctx context.Context, where storeFlags, store graph.Store, o *server.Options) (_ *backup.Archives, stop func(), err error) {
	isConfigured := f.BackupEvery != 0 || f.BackupTo != ""
	if isConfigured && (f.BackupEvery < time.Second || f.BackupTo == "" || f.BackupKeep < 1) {
		return nil, nil, usageErrorf("backups need --backup-every of 1s or more, --backup-to, and --backup-keep of 1 or more")
	}
	source, ok := store.(backup.Store)
	if !ok && isConfigured {
		return nil, nil, where.requireDirectory()
	}
	if !ok {
		return nil, func() {}, nil
	}
	job, err := f.job(where)
	if err != nil {
		return nil, nil, err
	}
	job.Store = source
	blobs, closeBlobs, err := where.openUploads()
	if err != nil {
		return nil, nil, err
	}
	job.Blobs = blobs
	options := backup.ArchivesOptions{Job: job, From: job.To.(backup.Source), Place: withoutQuery(f.place(where)), Log: o.Log}
	stopSchedule := func() {}
	if isConfigured {
		options.Schedule, stopSchedule = f.startSchedule(ctx, job, o)
	}
	archives := backup.NewArchives(ctx, options)
	return archives, func() {
		archives.Close()
		stopSchedule()
		closeBlobs()
	}, nil
}

// place returns the location of backups: the folder backups in the data directory, unless the flags name another location.
func (f backupFlags) place(where storeFlags) string {
	return cmp.Or(f.BackupTo, filepath.Join(where.Data, "backups"))
}

// job returns the job that creates backups, without its store and uploads. It does not create the folder in the data
// directory; the first backup does.
func (f backupFlags) job(where storeFlags) (backup.Job, error) {
	if f.BackupTo == "" {
		folder := f.place(where)
		return backup.Job{Drafts: folder, To: backup.Folder(folder)}, nil
	}
	to, _, drafts, err := parseDestination(strings.TrimSuffix(f.BackupTo, "/") + "/")
	if err != nil {
		return backup.Job{}, usageErrorf("--backup-to: %w", err)
	}
	return backup.Job{Drafts: drafts, To: to}, nil
}

// startSchedule starts backups at an interval, until stop is called.
func (f backupFlags) startSchedule(ctx context.Context, job backup.Job, o *server.Options) (_ *backup.Schedule, stop func()) {
	const name = "scheduled backup"
	jobs := o.Operation.Jobs
	jobs.Add(name, "creates an archive of the graph and its uploads, and removes old ones", f.BackupEvery)
	schedule := &backup.Schedule{
		Job: job, Every: f.BackupEvery, Keep: f.BackupKeep, Log: o.Log,
		Begin: func() func(error, time.Duration) { return jobs.Begin(name) },
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		schedule.Run(ctx)
	}()
	return schedule, func() {
		cancel()
		<-ended
	}
}

// measureBackups registers gauges with the times of the last successful and the last failed backup. It does nothing
// without a schedule or without metrics.
func measureBackups(metrics prometheus.Registerer, archives *backup.Archives) {
	if metrics == nil || archives == nil || archives.Schedule() == nil {
		return
	}
	schedule := archives.Schedule()
	gauge := func(name, help string, at func(backup.Status) time.Time) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			if t := at(schedule.Status()); !t.IsZero() {
				return float64(t.UnixMilli()) / 1000
			}
			return 0
		})
	}
	metrics.MustRegister(
		gauge("weft_backup_success_timestamp_seconds", "Unix time of the last successful backup; 0 if there was none.",
			func(s backup.Status) time.Time { return s.Succeeded }),
		gauge("weft_backup_failure_timestamp_seconds", "Unix time of the last failed backup; 0 if there was none.",
			func(s backup.Status) time.Time { return s.Failed }),
	)
}
