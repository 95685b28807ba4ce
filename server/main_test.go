package server_test

import (
	"net/http"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	http.DefaultClient.Timeout = time.Minute // no test waits for ever
	goleak.VerifyTestMain(m)
}
