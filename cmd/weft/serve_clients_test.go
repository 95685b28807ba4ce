package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/server/servertest"
)

func TestRetentionIsParsedFromDaysAndDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 30 * 24 * time.Hour, "1h30m": 90 * time.Minute, "0": 0, "0d": 0, "1d": 24 * time.Hour,
	} {
		var s, reparsed retention
		if err := s.UnmarshalText([]byte(text)); err != nil || time.Duration(s) != want {
			t.Errorf("%q was parsed as %v, %v; want %v", text, time.Duration(s), err, want)
		}
		if err := reparsed.UnmarshalText([]byte(s.String())); err != nil || reparsed != s {
			t.Errorf("%v was formatted as %q and parsed as %v, %v; want the same value", s, s.String(), reparsed, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "-1h", "1.5d", "99999999d", "a month"} {
		var s retention
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was parsed as %v; want an error", text, s)
		}
	}
}

// The server is killed after each response. At the end it must have all acknowledged logs and use counts.
func TestAKilledServerKeepsLogsAndUseCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and kills a server")
	}
	t.Parallel() // this test mostly waits
	const kills = 4
	binary, data := build(t), t.TempDir()
	token, ids := "", []int{51, 1, 4, 5}
	for i := range kills {
		killed, url := startProgram(t, binary, "serve", "--listen", "127.0.0.1:0", "--data", data)
		if token == "" {
			token = servertest.SignUp(t, url, "ann@example.org")
		}
		var response struct{ Success bool }
		log := fmt.Sprintf(`{"logType":"app","logData":[{"level":"INFO","message":"%d"}]}`, i)
		requestAs(t, token, http.MethodPost, url+"/api/logger", "application/json", strings.NewReader(log), &response)
		uses := fmt.Sprintf(`{"concepts":{"%d":%d}}`, ids[i], 1+i)
		requestAs(t, token, http.MethodPost, url+"/api/v1/access-tracker/sync-access-tracker", "application/json", strings.NewReader(uses), &response)
		if err := killed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = killed.Wait() // returns an error, because the process was killed
	}
	_, url := startProgram(t, binary, "serve", "--listen", "127.0.0.1:0", "--data", data)
	var logs struct {
		Data []struct{ Entry struct{ Message string } }
	}
	requestAs(t, token, http.MethodGet, url+"/api/logs", "", nil, &logs)
	for i, log := range logs.Data {
		if want := fmt.Sprint(kills - 1 - i); log.Entry.Message != want {
			t.Errorf("entry %d has the message %q; want %q", i, log.Entry.Message, want)
		}
	}
	var used struct{ Data []struct{ ID int } }
	requestAs(t, token, http.MethodGet, url+"/api/v1/access-tracker/list-concepts-file?top=3", "", nil, &used)
	if len(logs.Data) != kills || len(used.Data) != 3 || used.Data[0].ID != 5 || used.Data[1].ID != 4 || used.Data[2].ID != 1 {
		t.Errorf("%d entries, the concepts used most = %+v; want %d entries and the concepts 5, 4, 1", len(logs.Data), used.Data, kills)
	}
}
