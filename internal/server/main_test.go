package server_test

import (
	"net/http"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// A test that would not end fails. On a busy machine, cleaning 4 MB of HTML with the race detector takes more than a minute.
	http.DefaultClient.Timeout = 10 * time.Minute
	goleak.VerifyTestMain(m)
}
