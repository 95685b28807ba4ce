package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/server/servertest"
)

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 30 * 24 * time.Hour, "1h30m": 90 * time.Minute, "0": 0, "0d": 0, "1d": 24 * time.Hour,
	} {
		var s, again span
		if err := s.UnmarshalText([]byte(text)); err != nil || time.Duration(s) != want {
			t.Errorf("%q is %v, %v; want %v", text, time.Duration(s), err, want)
		}
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Errorf("%v is written %q and read as %v, %v", s, s.String(), again, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "-1h", "1.5d", "99999999d", "a month"} {
		var s span
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}

// What was answered with 200 is kept: the server is killed after each answer, and the last one has all.
func TestAKilledServerKeepsLogsAndUses(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and kills a server")
	}
	t.Parallel() // it mostly waits
	const kills = 4
	binary, data := build(t), t.TempDir()
	token, ids := "", []int{51, 1, 4, 5}
	for i := range kills {
		killed, url := launch(t, binary, "serve", "--listen", "127.0.0.1:0", "--data", data)
		if token == "" {
			token = servertest.SignUp(t, url, "ann@example.org")
		}
		var said struct{ Success bool }
		log := fmt.Sprintf(`{"logType":"app","logData":[{"level":"INFO","message":"%d"}]}`, i)
		askAs(t, token, http.MethodPost, url+"/api/logger", "application/json", strings.NewReader(log), &said)
		uses := fmt.Sprintf(`{"concepts":{"%d":%d}}`, ids[i], 1+i)
		askAs(t, token, http.MethodPost, url+"/api/v1/access-tracker/sync-access-tracker", "application/json", strings.NewReader(uses), &said)
		if err := killed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = killed.Wait() // says that it was killed
	}
	_, url := launch(t, binary, "serve", "--listen", "127.0.0.1:0", "--data", data)
	var logs struct {
		Data []struct{ Entry struct{ Message string } }
	}
	askAs(t, token, http.MethodGet, url+"/api/logs", "", nil, &logs)
	for i, one := range logs.Data {
		if want := fmt.Sprint(kills - 1 - i); one.Entry.Message != want {
			t.Errorf("entry %d says %q; want %q", i, one.Entry.Message, want)
		}
	}
	var used struct{ Data []struct{ ID int } }
	askAs(t, token, http.MethodGet, url+"/api/v1/access-tracker/list-concepts-file?top=3", "", nil, &used)
	if len(logs.Data) != kills || len(used.Data) != 3 || used.Data[0].ID != 5 || used.Data[1].ID != 4 || used.Data[2].ID != 1 {
		t.Errorf("%d entries; the concepts used most are %+v", len(logs.Data), used.Data)
	}
}
