package server_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
)

func TestClientsThatSignUpWithTheSameAddressAtOnceAllSignIn(t *testing.T) {
	for name, store := range map[string]func(*testing.T) *servertest.Server{
		"in memory": func(t *testing.T) *servertest.Server {
			return servertest.Start(t, func(o *server.Options) { o.Attempts = 100_000 })
		},
		"in SQLite": func(t *testing.T) *servertest.Server {
			return servertest.Serve(t, inSQLite(t), func(o *server.Options) { o.Attempts = 100_000 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCaller(t, store(t))
			for i := range 20 {
				email := fmt.Sprintf("ann%d@example.org", i)
				var both sync.WaitGroup
				for range 3 { // the second and third client sign in while the first adds the records of the account
					both.Go(func() {
						c.send(http.MethodPost, "/api/auth/signup", credentials(email, password))
						status, body := c.send(http.MethodPost, "/api/auth/login", credentials(email, password))
						if data, ok := body["data"].(object); status != http.StatusOK || !ok || data["token"] == "" {
							t.Errorf("%d: status %d %v; want 200 and a token", i, status, body)
						}
					})
				}
				both.Wait()
			}
		})
	}
}
