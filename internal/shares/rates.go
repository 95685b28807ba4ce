package shares

import (
	"sync"
	"time"
)

// Rates limits how often each key may do something: Burst times in succession, and once more after each Interval. The
// zero value is not usable; Burst and Interval are required. Rates is safe for concurrent use.
//
// Rates keeps two generations of maxKeysPerGeneration keys. When the young generation is full, it becomes the old
// generation, and the previous old generation is evicted. A key is therefore not evicted before maxKeysPerGeneration
// other keys were used.
type Rates struct {
	Burst    int
	Interval time.Duration

	mu         sync.Mutex
	young, old map[string]time.Time // when each key is unused again
}

// maxKeysPerGeneration limits the memory of Rates to about 10 MB.
const maxKeysPerGeneration = 50_000

// Take counts a use of a key at a time and returns 0, or counts nothing and returns how long the key must wait.
func (r *Rates) Take(key string, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	unused := r.get(key)
	if unused.Before(now) || unused.After(now.Add(time.Duration(r.Burst)*r.Interval)) { // after: the clock went back
		unused = now
	}
	unused = unused.Add(r.Interval)
	if wait := unused.Sub(now) - time.Duration(r.Burst)*r.Interval; wait > 0 {
		return wait
	}
	r.put(key, unused)
	return 0
}

// Return takes back a use of a key that Take has counted.
func (r *Rates) Return(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if unused := r.get(key); !unused.IsZero() {
		r.put(key, unused.Add(-r.Interval))
	}
}

func (r *Rates) get(key string) time.Time {
	if unused, ok := r.young[key]; ok {
		return unused
	}
	return r.old[key]
}

func (r *Rates) put(key string, unused time.Time) {
	if _, ok := r.young[key]; !ok && (r.young == nil || len(r.young) >= maxKeysPerGeneration) {
		r.young, r.old = map[string]time.Time{}, r.young
	}
	r.young[key] = unused
}
