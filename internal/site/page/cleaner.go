package page

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/longwork"
)

// A Cleaner cleans the HTML of widgets and caches long results by the hash of the HTML. Equal HTML that is requested
// concurrently is cleaned once. The memory for parsing is charged to the budget account of the request, so that only a
// few long pieces of HTML are parsed concurrently. A nil Cleaner caches nothing.
type Cleaner struct {
	maxBytes int // maximum size of a generation
	rules    *htmlRules

	mu sync.Mutex
	// Results are in one of two generations. When young is full, it becomes old, and the previous old is evicted.
	young, old map[[sha256.Size]byte]string
	size       int // of young, in bytes
	running    map[[sha256.Size]byte]*cleaning
	parsed     int // number of pieces of HTML that were parsed
}

// A cleaning is a piece of HTML that is being cleaned. Its result may be read after done is closed.
type cleaning struct {
	done chan struct{}
	html string
	err  error // set if there was no memory
}

// NewCleaner returns a cleaner that caches about the given number of bytes, and applies the given looks.
func NewCleaner(bytes int, looks Looks) *Cleaner {
	return &Cleaner{maxBytes: bytes / 2, rules: newHTMLRules(looks), young: map[[sha256.Size]byte]string{}, running: map[[sha256.Size]byte]*cleaning{}}
}

// Parsed returns how many pieces of HTML of at least minCleanedBytes were parsed because the cache did not contain their
// results.
func (c *Cleaner) Parsed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.parsed
}

// minCleanedBytes is the minimum size of HTML whose result is cached. For shorter HTML, hashing costs more than
// parsing.
const minCleanedBytes = 1 << 10

// clean returns the part of a widget's HTML that may be shown; see CleanHTML. It returns "" for HTML that cannot be
// cleaned. It returns an error only if the memory for parsing is used up or ctx has ended.
func (c *Cleaner) clean(ctx context.Context, text string) (string, error) {
	if c == nil {
		return parseAndClean(ctx, defaultRules, text)
	}
	if len(text) < minCleanedBytes {
		return parseAndClean(ctx, c.rules, text)
	}
	if err := pauseForLongText(ctx, text); err != nil {
		return "", err
	}
	key := sha256.Sum256([]byte(text))
	for {
		result, running, isLeader := c.begin(key)
		switch {
		case isLeader:
			running.html, running.err = parseAndClean(ctx, c.rules, text)
			c.end(key, running)
			return running.html, running.err
		case running == nil:
			return result, nil
		}
		select {
		case <-running.done:
			if running.err == nil {
				return running.html, nil
			}
			// The request that cleaned the text had no memory. This request may have more.
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// begin returns the cached result for HTML with the given hash, or the running cleaning. If there is neither, it
// starts a cleaning.
func (c *Cleaner) begin(key [sha256.Size]byte) (result string, running *cleaning, isLeader bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, generation := range []map[[sha256.Size]byte]string{c.young, c.old} {
		if result, ok := generation[key]; ok {
			return result, nil, false
		}
	}
	if running = c.running[key]; running != nil {
		return "", running, false
	}
	running = &cleaning{done: make(chan struct{})}
	c.running[key] = running
	c.parsed++
	return "", running, true
}

// end ends a cleaning and caches its result.
func (c *Cleaner) end(key [sha256.Size]byte, ended *cleaning) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, key)
	close(ended.done)
	bytes := len(ended.html) + 200
	if ended.err != nil || bytes > c.maxBytes {
		return
	}
	if c.size += bytes; c.size > c.maxBytes {
		c.young, c.old, c.size = map[[sha256.Size]byte]string{}, c.young, bytes
	}
	c.young[key] = ended.html
}

// parseAndClean cleans HTML within the memory of the request.
func parseAndClean(ctx context.Context, rules *htmlRules, text string) (string, error) {
	if err := pauseForLongText(ctx, text); err != nil {
		return "", err
	}
	account := budget.Of(ctx)
	cost := int64(countNodes(text))*bytesPerNode + parsedTexts*int64(len(text))
	if err := account.Wait(ctx, cost); err != nil {
		return "", err
	}
	defer account.Shrink(cost)
	defer longwork.Of(ctx).Release()
	clean, err := rules.clean(text, pausesOf(ctx, text))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", nil // a malformed widget does not break its page
	}
	return clean, nil
}

// pauseForLongText waits for other long work before a long text is hashed or parsed.
func pauseForLongText(ctx context.Context, text string) error {
	if len(text) < minLongText {
		return nil
	}
	return longwork.Of(ctx).Pause(ctx, len(text))
}

// pausesOf returns the function that the cleaner calls with the sizes of the parts that it has read or written. For long
// text, the function releases the slot of the request to other long work after each minLongText bytes.
func pausesOf(ctx context.Context, text string) func(bytes int) error {
	if len(text) < minLongText {
		return func(int) error { return nil }
	}
	handled, work := 0, longwork.Of(ctx)
	return func(bytes int) error {
		if handled += bytes; handled < minLongText {
			return nil
		}
		bytes, handled = handled, 0
		return work.Pause(ctx, bytes)
	}
}

const (
	// minLongText is the size in bytes from which parsing text, or a part of it, takes longer than a few milliseconds.
	minLongText = 64 << 10
	// bytesPerNode is the memory of a node or attribute of parsed HTML.
	bytesPerNode = 128
	// parsedTexts is the number of copies of the HTML that cleaning creates.
	parsedTexts = 3
)
