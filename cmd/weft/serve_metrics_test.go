package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

// The URLs, headers and bodies of the requests contain secrets. None of them may occur in metrics, traces or logs.
func TestMetricsTracesAndLogsContainNoSecrets(t *testing.T) {
	const secret = "hunter2hunter2"
	var mu sync.Mutex
	var traces bytes.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.WriteString(&traces, r.URL.Path+"\n")
		_, _ = io.Copy(&traces, r.Body)
	}))
	defer collector.Close()
	metrics := freeAddress(t)
	server, url := startProgram(t, build(t), "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--data", t.TempDir(), "--anonymous-writes",
		"--metrics-listen", metrics, "--otlp", collector.URL, "--slow-query", "1ns")

	for _, path := range []string{
		"/api/getConcept?id=1&access_token=" + secret, "/api/getConcept?id=1&apiKey=" + secret, "/api/" + secret,
		"/api/get_concept_bulk?token=" + secret, "/" + secret + "?token=" + secret, "/api/auth/login?password=" + secret,
		"/api/v1/events?after=" + secret, "/api/auth/email/confirm?token=" + secret,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			sendWithToken(t, method, url+path, `{"email":"ann@example.org","password":"`+secret+`"}`, secret)
		}
	}
	slow, err := http.Post(url+"/api/freeschema-query", "application/json", strings.NewReader(`{"type": "the_page", "freeschemaQueries":
		[{"typeConnection": "self", "name": "in"}], "filterLogic": "f", "filters": [{"name": "f", "operateon": "in", "search": "`+secret+`"}]}`))
	if err != nil || slow.StatusCode != http.StatusOK {
		t.Fatal(slow, err)
	}
	_ = slow.Body.Close()
	metricsText := string(download(t, "http://"+metrics+"/metrics"))
	for _, want := range []string{
		`weft_requests_total{route="POST /api/getConcept",status="4xx"} 2`, // the token in the header is invalid
		`weft_request_seconds_count{route="POST /api/getConcept"} 2`,
		"weft_requests_in_flight 0", "weft_store_seq ", "weft_store_up 1", "weft_cache_hits_total ", "weft_writes_waiting 0",
		"weft_write_seconds_count ", "weft_query_seconds_count 1", "weft_query_rows_count 1", "weft_event_streams 0", "go_goroutines ", "go_build_info",
	} {
		if !strings.Contains(metricsText, want) {
			t.Errorf("the metrics do not contain %q", want)
		}
	}
	if public, err := http.Get(url + "/metrics"); err != nil || public.StatusCode != http.StatusNotFound {
		t.Errorf("/metrics at the public address = %v, %v; want 404", public, err)
	} else {
		_ = public.Body.Close()
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	log := server.Stderr.(*bytes.Buffer).String()
	for output, text := range map[string]string{"log": log, "metrics": metricsText, "traces": traces.String()} {
		if strings.Contains(text, secret) {
			t.Errorf("the %s contain a secret:\n%s", output, text)
		}
	}
	if !strings.HasPrefix(traces.String(), "/v1/traces\n") || !strings.Contains(traces.String(), "POST /api/getConcept") {
		t.Errorf("the traces do not contain the route: %q", traces.String())
	}
	if !strings.Contains(log, `"msg":"slow query"`) || !strings.Contains(log, `"plan":"the_page (`) {
		t.Errorf("the log does not contain the plan of the slow query:\n%s", log)
	}
	if !strings.Contains(log, `"msg":"requests","route":"POST /api/getConcept","n":2`) {
		t.Errorf("the log does not contain the number of requests:\n%s", log)
	}
}

func sendWithToken(t *testing.T, method, url, body, token string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Cookie", "session="+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
}
