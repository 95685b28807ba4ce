package upload

import (
	"context"
	"errors"
	"image"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
)

const (
	// DefaultDecodeMemory is the default of Options.DecodeMemory, in bytes.
	DefaultDecodeMemory = 320 << 20

	decodeTimeout  = 20 * time.Second // maximum time to decode one picture
	decodeWait     = 30 * time.Second // maximum time that a picture waits while others are decoded
	decodeOverhead = 2 << 20          // bytes for decoding in addition to the pixels: buffers, tables, the small variant
	decodeReads    = 512              // maximum bytes per read of a decoder; it can be stopped between two reads
)

// A decodePool limits the number of pictures that are decoded concurrently, and their total memory. A share is a
// user, or the network of a guest. One picture of each share is decoded at a time, so that a share with many
// uploads delays only its own pictures. Within these limits, pictures are decoded in the order of their arrival.
type decodePool struct {
	memory        int64 // maximum bytes for all pictures
	maxConcurrent int   // maximum number of pictures that are decoded concurrently

	mu      sync.Mutex
	used    int64
	peak    int64
	running map[string]bool // keyed by share
	waiting []*decodeTurn   // in the order of their arrival
}

// A decodeTurn is a picture that waits for its turn. Its channel is closed when the picture may be decoded.
type decodeTurn struct {
	share string
	bytes int64
	ready chan struct{}
}

func newDecodePool(memory int64) *decodePool {
	if memory == 0 {
		memory = DefaultDecodeMemory
	}
	return &decodePool{memory: memory, maxConcurrent: max(1, runtime.GOMAXPROCS(0)/2), running: map[string]bool{}}
}

// acquire waits for the turn of a picture of a share that requires the given bytes to decode. The caller must call
// release afterwards. The error is TooLarge if the picture never fits, Unavailable if other pictures take too long, and
// the error of ctx if ctx has ended.
func (p *decodePool) acquire(ctx context.Context, share string, bytes int64) (release func(), err error) {
	if bytes > p.memory {
		return nil, graph.Errorf(graph.TooLarge, "decoding the picture would take %d MB of memory; the maximum is %d MB: send fewer pixels, or a JPEG that is not progressive",
			bytes>>20, p.memory>>20)
	}
	turn := &decodeTurn{share: share, bytes: bytes, ready: make(chan struct{})}
	p.mu.Lock()
	p.waiting = append(p.waiting, turn)
	p.startNext()
	p.mu.Unlock()
	timeout := time.NewTimer(decodeWait)
	defer timeout.Stop()
	select {
	case <-turn.ready:
		return func() { p.release(turn) }, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timeout.C:
		err = graph.Errorf(graph.Unavailable, "other pictures have been decoded for %v; send this picture again later", decodeWait)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, turn); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.startNext() // this turn may have been first in line and, with its size, have blocked the turns behind it
		return nil, err
	}
	p.finish(turn) // the turn was started at the same time
	return nil, err
}

func (p *decodePool) release(turn *decodeTurn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finish(turn)
}

// finish releases the memory of a turn and starts the next turns. The caller holds the lock.
func (p *decodePool) finish(turn *decodeTurn) {
	p.used -= turn.bytes
	delete(p.running, turn.share)
	p.startNext()
}

// startNext starts the turns that fit. The first turn whose share is not decoding is next. It is next even if
// only a smaller turn behind it fits, because a large picture could otherwise wait indefinitely. The caller holds
// the lock.
func (p *decodePool) startNext() {
	for len(p.running) < p.maxConcurrent {
		i := slices.IndexFunc(p.waiting, func(t *decodeTurn) bool { return !p.running[t.share] })
		if i < 0 || p.used+p.waiting[i].bytes > p.memory {
			return
		}
		turn := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.used += turn.bytes
		p.peak = max(p.peak, p.used)
		p.running[turn.share] = true
		close(turn.ready)
	}
}

// decode decodes a picture. Decoders cannot be interrupted, but they stop when they cannot read. Reads fail when ctx
// has ended, with the error of ctx, and after decodeTimeout, with a TooLarge error. For a damaged picture, the error
// is Invalid.
func decode(ctx context.Context, from io.Reader) (image.Image, error) {
	full, _, err := image.Decode(interruptibleReader{from, ctx, time.Now().Add(decodeTimeout)})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errDecodeTimeout):
		return nil, graph.Errorf(graph.TooLarge, "decoding the picture took longer than %v", decodeTimeout)
	case err != nil:
		return nil, damagedError(err)
	}
	return full, nil
}

var errDecodeTimeout = errors.New("decoding took too long")

// An interruptibleReader fails when its context is done, or after its deadline. Each Read returns few bytes, because a
// decoder may take long for a few bytes.
type interruptibleReader struct {
	io.Reader
	ctx      context.Context
	deadline time.Time
}

// Read implements io.Reader.
func (r interruptibleReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if time.Now().After(r.deadline) {
		return 0, errDecodeTimeout
	}
	return r.Reader.Read(b[:min(len(b), decodeReads)])
}

// shrinkMemory returns the memory in bytes for shrinking a picture, without the decoded picture. The scaler keeps
// four numbers of eight bytes for each pixel of a picture with the new width and the old height.
func shrinkMemory(width, height int) int64 {
	if max(width, height) <= smallSide {
		return 0
	}
	w, _ := smallDimensions(width, height)
	return int64(w)*int64(height)*4*8 + int64(width+height)*4*16
}
