package postgres_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
)

// lines is an io.Writer that sends each written line on the channel.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

func TestListenLogsAnOutageOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := open(t, db.Database(t))
	logged := make(lines, 100)
	s.LogTo(slog.New(slog.NewTextHandler(logged, nil)))
	ctx, stop := context.WithCancel(t.Context())
	ended, woken := make(chan struct{}), make(chan struct{}, 100)
	go func() {
		defer close(ended)
		s.Listen(ctx, func() { woken <- struct{}{} })
	}()
	defer func() { <-ended }()
	defer stop()
	<-woken
	for range 2 {
		db.Stop()
		if line := <-logged; !strings.Contains(line, "level=ERROR") || !strings.Contains(line, "does not respond") {
			t.Errorf("logged %s; want an error that says that the database does not respond", line)
		}
		for range 20 {
			if _, err := s.LastSeq(ctx); graph.KindOf(err) != graph.Unavailable {
				t.Errorf("reading: %v; want the kind unavailable", err)
			}
		}
		db.Start(t)
		if line := <-logged; !strings.Contains(line, "level=INFO") || !strings.Contains(line, "responds again") {
			t.Errorf("logged %s; want a line that says that the database responds again", line)
		}
		<-woken
	}
	if len(logged) != 0 {
		t.Errorf("an unexpected line was logged: %s", <-logged)
	}
}
