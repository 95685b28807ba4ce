package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A question returns the n-th request of its kind.
type question func(n int) *http.Request

var httpClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}

// send sends a request and reads the response. A status of 400 or more is an error.
func send(r *http.Request) ([]byte, error) {
	response, err := httpClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %s %.300s", r.Method, r.URL, response.Status, body)
	}
	return body, err
}

// A loadResult is the result of a load.
type loadResult struct {
	perSecond float64
	durations []time.Duration // durations of the requests, sorted
}

func (r loadResult) percentile(p int) time.Duration {
	return r.durations[min(len(r.durations)-1, len(r.durations)*p/100)]
}

// runLoad sends requests from a number of concurrent clients for a duration.
func runLoad(q question, clients int, duration time.Duration) (loadResult, error) {
	var (
		wait   sync.WaitGroup
		mu     sync.Mutex
		all    []time.Duration
		failed atomic.Pointer[error]
	)
	start := time.Now()
	for c := range clients {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(c), 7))
			var durations []time.Duration
			for time.Since(start) < duration && failed.Load() == nil {
				begin := time.Now()
				if _, err := send(q(int(random.Uint32() >> 1))); err != nil {
					failed.Store(&err)
					return
				}
				durations = append(durations, time.Since(begin))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, durations...)
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return loadResult{}, *err
	}
	elapsed := time.Since(start)
	slices.Sort(all)
	return loadResult{float64(len(all)) / elapsed.Seconds(), all}, nil
}

func newRequest(method, url, contentType, token string, body []byte) *http.Request {
	r, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		panic(err) // the URLs are constants of this program
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

func median(figures []float64) float64 {
	figures = slices.Sorted(slices.Values(figures))
	return figures[len(figures)/2]
}
