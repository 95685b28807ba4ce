package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogs(t *testing.T) {
	binary, dir := build(t), t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certify(t, cert, key, 1)
	// runAndReadLog returns the log of a server that received one connection, which sent something other than TLS.
	runAndReadLog := func(t *testing.T, flags ...string) string {
		server, url := startProgram(t, binary, append([]string{
			"serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--data", dir, "--tls-cert", cert, "--tls-key", key,
		}, flags...)...)
		connection, err := net.Dial("tcp", strings.TrimPrefix(url, "https://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(connection, "this is not TLS\r\n"); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, connection) // the server logs the reason and then closes the connection
		_ = connection.Close()
		if err := server.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := server.Wait(); err != nil {
			t.Error(err)
		}
		return server.Stderr.(*bytes.Buffer).String()
	}
	const stopped, handshake = "stopped", "TLS handshake error"
	t.Run("logs JSON lines from level info by default", func(t *testing.T) {
		if log := runAndReadLog(t); !strings.Contains(log, `"level":"INFO","msg":"stopped"`) || strings.Contains(log, handshake) {
			t.Errorf("the log = %q; want \"stopped\" at level INFO, and no failed handshake", log)
		}
	})
	t.Run("logs failed TLS handshakes at level debug", func(t *testing.T) {
		if log := runAndReadLog(t, "--log-level", "debug"); !strings.Contains(log, handshake) {
			t.Errorf("the log = %q; want the failed handshake", log)
		}
	})
	t.Run("logs nothing below the chosen level", func(t *testing.T) {
		if log := runAndReadLog(t, "--log-level", "error"); strings.Contains(log, stopped) {
			t.Errorf("the log = %q; want no \"stopped\"", log)
		}
	})
	t.Run("logs text with --log-format text", func(t *testing.T) {
		if log := runAndReadLog(t, "--log-format", "text"); !strings.Contains(log, "level=INFO msg=stopped") {
			t.Errorf("the log = %q; want level=INFO msg=stopped", log)
		}
	})
	t.Run("rejects an unknown level and an unknown format", func(t *testing.T) {
		for _, flag := range []string{"--log-level=loud", "--log-format=xml"} {
			out, err := exec.Command(binary, "serve", flag, "--print-config").CombinedOutput()
			if err == nil || !strings.Contains(string(out), strings.Split(flag, "=")[1]) {
				t.Errorf("%s: %v; want an error that names the value\n%s", flag, err, out)
			}
		}
	})
}

func TestProfilesAreServedOnTheMetricsAddressOnly(t *testing.T) {
	binary, metrics := build(t), freeAddress(t)
	serve := []string{"serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--data", t.TempDir()}
	status := func(url string) int {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	if out, err := exec.Command(binary, append(serve, "--pprof")...).CombinedOutput(); err == nil || !strings.Contains(string(out), "--metrics-listen") {
		t.Errorf("--pprof without --metrics-listen: %v; want an error that names --metrics-listen\n%s", err, out)
	}
	startProgram(t, binary, append(serve, "--metrics-listen", metrics)...)
	if got := status("http://" + metrics + "/debug/pprof/"); got != http.StatusNotFound {
		t.Errorf("without --pprof the metrics address responds with status %d; want 404", got)
	}
	metrics = freeAddress(t)
	_, url := startProgram(t, binary, append(serve, "--metrics-listen", metrics, "--pprof")...)
	if got := status("http://" + metrics + "/debug/pprof/goroutine"); got != http.StatusOK {
		t.Errorf("the metrics address responds with status %d; want 200", got)
	}
	if got := status(url + "/debug/pprof/goroutine"); got != http.StatusNotFound {
		t.Errorf("the public address responds with status %d; want 404", got)
	}
}
