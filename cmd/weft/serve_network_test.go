package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The server must listen on IPv6 and print a URL that works.
func TestServesIPv6(t *testing.T) {
	probe, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6: ", err)
	}
	_ = probe.Close()
	_, url := startProgram(t, build(t), "serve", "--listen", "[::1]:0", "--store", "memory:", "--data", t.TempDir(), "--rate", "1", "--burst", "3")
	if !strings.HasPrefix(url, "http://[::1]:") {
		t.Errorf("the URL = %q; want the address [::1]", url)
	}
	statuses := map[int]int{}
	for range 10 {
		response, err := http.Get(url + "/api/health")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		statuses[response.StatusCode]++
	}
	if statuses[http.StatusOK] < 3 || statuses[http.StatusTooManyRequests] == 0 {
		t.Errorf("ten requests of one address got %v; want three or more successes and some refusals", statuses)
	}
}

// A client that connects to a TLS port and sends no request, or something other than TLS, is disconnected.
func TestSilentTLSClientsAreDisconnected(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the deadline of the handshake")
	}
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool := certify(t, cert, key, 1)
	_, url := startProgram(t, build(t), "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--data", dir, "--tls-cert", cert, "--tls-key", key)
	address := strings.TrimPrefix(url, "https://")
	for what, sent := range map[string]string{"nothing": "", "half a hello": "\x16\x03\x01\x02\x00\x01", "plain HTTP": "GET / HTTP/1.1\r\n"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, sent)
			if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(conn); err != nil && strings.Contains(err.Error(), "timeout") {
				t.Error("the connection is still open after a minute")
			}
		})
	}
	t.Run("a complete handshake without a request", func(t *testing.T) {
		t.Parallel()
		d := tls.Dialer{Config: &tls.Config{RootCAs: pool}} //nolint:gosec // the default is TLS 1.2
		conn, err := d.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Error("the connection is still open after a minute")
		}
	})
}
