package operation

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestTrafficKeepsADayByMinute(t *testing.T) {
	var traffic Traffic
	now := time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)
	for i := range 100 {
		traffic.Add(Request{Route: "GET /a", Status: 200, Bytes: 10, Took: time.Duration(i+1) * time.Millisecond}, now)
	}
	traffic.Add(Request{Route: "GET /b", Status: 404, Took: time.Millisecond}, now.Add(-time.Minute))
	traffic.Add(Request{Route: "GET /b", Status: 503, Took: time.Millisecond}, now.Add(-time.Minute))
	traffic.Add(Request{Route: "GET /events", Status: 200, Took: time.Hour, IsStream: true}, now.Add(-25*time.Hour))
	minutes := traffic.Minutes(3, now)
	if len(minutes) != 3 || minutes[0].Requests != 0 || minutes[1].Refused != 1 || minutes[1].Failed != 1 || minutes[2].Requests != 100 ||
		!minutes[2].At.Equal(now.Truncate(time.Minute)) || minutes[2].Bytes != 1000 {
		t.Errorf("the minutes = %+v; want none, then 1 refused and 1 failed request, then 100 requests with 1,000 bytes", minutes)
	}
	last := minutes[2].Sums
	if last.Mean != 50.5 || last.P50 < 45 || last.P50 > 55 || last.P95 < 90 || last.P95 > 100 || last.Worst != 100 {
		t.Errorf("the times of 1 to 100 ms = %+v; want the mean 50.5, the median near 50, the 95th percentile near 95, the worst 100", last)
	}
	if all := traffic.Minutes(1_000_000, now); len(all) != 24*60 || all[0].Requests != 0 {
		t.Errorf("%d minutes, and the first has %d requests; want 1,440 and 0", len(all), all[0].Requests)
	}
	if routes := traffic.Routes(); len(routes) != 3 || routes[0].Route != "GET /a" || routes[2].P50 != 0 {
		t.Errorf("the routes = %+v; want 3, GET /a first, and no times of the stream", routes)
	}
}

func TestSlowQueriesAreCutAndListedInPages(t *testing.T) {
	s := NewSlowQueries()
	for i := range maxSlowQueries + 5 {
		s.Add(SlowQuery{Type: fmt.Sprint(i), Plan: strings.Repeat("ä", maxPlanBytes)})
	}
	first, next := s.List(0, 3)
	if len(first) != 3 || first[0].Number != maxSlowQueries+5 || first[0].Type != "204" || len(first[0].Plan) > maxPlanBytes+3 {
		t.Errorf("the first page has %d queries, the first is number %d; want 3 from number %d, with the type 204 and a cut plan", len(first), first[0].Number, maxSlowQueries+5)
	}
	rest, next := s.List(next, 1_000)
	if len(rest) != maxSlowQueries-3 || next != 0 || rest[len(rest)-1].Number != 6 {
		t.Errorf("the rest has %d queries, cursor %d; want %d down to number 6, and no cursor", len(rest), next, maxSlowQueries-3)
	}
}

func TestTheTailOfTheLogHasNoSecrets(t *testing.T) {
	tail := NewTail()
	var out bytes.Buffer
	log := slog.New(tail.Handler(slog.NewTextHandler(&out, nil)))
	log.Debug("below the level of the log")
	log.With("part", "mail").WithGroup("smtp").Error("cannot connect to smtp://weft:hunter2@mail.example.org", "error",
		errors.New("Authorization: Bearer abc.def, key weft_0123456789012345678901234567890123456789012, token=s3cret&x=1"))
	for i := range maxTailLines {
		log.Info("requests", "n", i)
	}
	if lines, _ := tail.List(LineQuery{Level: slog.LevelError, Limit: 10}); len(lines) != 0 {
		t.Errorf("lines beyond the maximum remain: %+v", lines)
	}
	log.With("part", "mail").WithGroup("smtp").Error("cannot connect to smtp://weft:hunter2@mail.example.org", "error",
		errors.New("Authorization: Bearer abc.def, key weft_0123456789012345678901234567890123456789012, token=s3cret&x=1"))
	lines, next := tail.List(LineQuery{Level: slog.LevelWarn, Text: "CONNECT", Limit: 10})
	if len(lines) != 1 || next != 0 || lines[0].Level != "ERROR" || lines[0].Attrs["part"] != "mail" || lines[0].Attrs["smtp.error"] == "" {
		t.Fatalf("the lines = %+v; want only the error of mail", lines)
	}
	for _, secret := range []string{"hunter2", "abc.def", "weft_0123", "s3cret"} {
		if text := fmt.Sprint(lines[0]); strings.Contains(text, secret) {
			t.Errorf("the line contains the secret %q: %s", secret, text)
		}
	}
	if !strings.Contains(out.String(), "n=1999") || strings.Contains(out.String(), "below") {
		t.Error("the log itself lacks lines, or has lines below its level")
	}
}

func TestJobsHaveTheirLastResult(t *testing.T) {
	var jobs Jobs
	jobs.Add("erase", "erases data", time.Hour)
	end := jobs.Begin("erase")
	if all := jobs.List(); len(all) != 1 || !all[0].Running || all[0].Every != "1h0m0s" || all[0].Result != "" {
		t.Errorf("the jobs = %+v; want only a running one, every hour, without a result", all)
	}
	end(errors.New("no disk"), time.Minute)
	if job := jobs.List()[0]; job.Running || job.Result != "no disk" || job.Next.Before(time.Now()) {
		t.Errorf("the job = %+v; want it ended with the result \"no disk\", and its next run in the future", job)
	}
}
