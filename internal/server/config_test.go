package server_test

import (
	"net/http"
	"testing"

	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
)

func TestConfigurationHasTheOperatorsOptions(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) {
		o.CacheServers, o.DocumentationWidget = []string{"https://cache.example.org"}, 4242
	})
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		var got struct {
			Success     bool
			Servers     []string
			Application string
			Config      struct{ DocumentationWidget int }
			Session     int64
		}
		newCaller(t, s).mustDo(method, "/api/v1/config?application=my%20shop", "", nil, &got)
		if !got.Success || len(got.Servers) != 1 || got.Application != "my shop" || got.Config.DocumentationWidget != 4242 || got.Session < 1_000_000 {
			t.Errorf("%s: response %+v", method, got)
		}
	}
}
