package server_test

import (
	"net/http"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The timeout makes a test fail that would not end. On a busy machine, cleaning 4 MB of HTML with the race detector takes
	// more than a minute.
	http.DefaultClient.Timeout = 10 * time.Minute
	goleak.VerifyTestMain(m)
}
