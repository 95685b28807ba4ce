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

// A question makes the n-th request of its kind.
type question func(n int) *http.Request

var web = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}

func ask(r *http.Request) ([]byte, error) {
	response, err := web.Do(r)
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

// A run is what a load of some seconds became.
type run struct {
	perSecond float64
	took      []time.Duration // of each request, in order of size
}

func (r run) percentile(p int) time.Duration { return r.took[min(len(r.took)-1, len(r.took)*p/100)] }

// load asks from so many clients at once for a while.
func load(q question, clients int, duration time.Duration) (run, error) {
	var (
		wait   sync.WaitGroup
		mu     sync.Mutex
		all    []time.Duration
		failed atomic.Pointer[error]
	)
	start := time.Now()
	for c := range clients {
		wait.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(c), 7))
			var took []time.Duration
			for time.Since(start) < duration && failed.Load() == nil {
				begin := time.Now()
				if _, err := ask(q(int(dice.Uint32() >> 1))); err != nil {
					failed.Store(&err)
					return
				}
				took = append(took, time.Since(begin))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return run{}, *err
	}
	elapsed := time.Since(start)
	slices.Sort(all)
	return run{float64(len(all)) / elapsed.Seconds(), all}, nil
}

func request(method, url, kind, token string, body []byte) *http.Request {
	r, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		panic(err) // the addresses are written in this program
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
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
