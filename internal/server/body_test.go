package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

// announce opens a connection that announces a body of size bytes and sends only its start.
func announce(t *testing.T, url string, size int, start string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	const head = "POST /api/create_the_concept HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
	if _, err := fmt.Fprintf(c, head, size); err != nil {
		t.Fatal(err)
	}
	status, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || !strings.Contains(status, "100 Continue") {
		t.Fatalf("%q, %v", status, err)
	}
	if _, err := io.WriteString(c, start); err != nil {
		t.Fatal(err)
	}
	return c
}

// Clients open connections that announce long bodies, and send nothing. Such connections once reserved all memory
// for bodies for two minutes.
func TestAnnouncedBodiesReserveNothing(t *testing.T) {
	s := servertest.Start(t)
	for range 16 {
		announce(t, s.URL, 32<<20, "")
	}
	body := "[1" + strings.Repeat(" ", 2<<20) + "]"
	response, err := http.Post(s.URL+"/api/get_concept_bulk", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("a body of 2 MiB, sent while the announced bodies are missing: %s", response.Status)
	}
}

func TestSlowBodyIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		bytesPerSecond int
		status         int
		after          time.Duration
	}{
		"nothing arrives":          {0, http.StatusRequestTimeout, 10 * time.Second},
		"half of the minimum rate": {500, http.StatusRequestTimeout, 18 * time.Second},
		"twice the minimum rate":   {2048, http.StatusOK, 50 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, stop := servePipes(t, memory.New())
				defer stop()
				c := l.dial()
				began := time.Now()
				var sending sync.WaitGroup
				defer sending.Wait()
				defer c.Close()
				sending.Go(func() {
					body := "[1" + strings.Repeat(" ", 50*2048-3) + "]"
					fmt.Fprintf(c, "POST /api/get_concept_bulk HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(body))
					for len(body) > 0 && test.bytesPerSecond > 0 {
						time.Sleep(time.Second)
						n := min(test.bytesPerSecond, len(body))
						if _, err := io.WriteString(c, body[:n]); err != nil {
							return
						}
						body = body[n:]
					}
				})
				response, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				text, _ := io.ReadAll(response.Body)
				if took := time.Since(began).Truncate(time.Second); response.StatusCode != test.status || took != test.after {
					t.Errorf("%s after %s; want %d after %s: %s", response.Status, took, test.status, test.after, text)
				}
				if isRefused := response.StatusCode != http.StatusOK; isRefused != response.Close {
					t.Errorf("status %s: the connection is closed = %v; want %v", response.Status, response.Close, isRefused)
				}
			})
		})
	}
}

// A guest's long body was once read before the guest was refused.
func TestGuestIsRefusedBeforeTheBodyIsRead(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false })
	for _, path := range []string{
		"/api/v1/local-concepts", "/api/v1/local-connections", "/api/create_the_concept", "/api/create_the_connection",
		"/api/create_text_data", "/api/create-prototype", "/api/delete_connection_bulk",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", path, 2<<20)
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		c.Close()
		if response.StatusCode != http.StatusUnauthorized || !response.Close {
			t.Errorf("%s: status %s before the body was sent, and the connection is closed = %v; want 401 and true", path, response.Status, response.Close)
		}
	}
}
