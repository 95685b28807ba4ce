package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// After bodyGrace, a body must have arrived at minBodyRate on average. A slower body is refused with status 408.
const (
	minBodyRate = 1 << 10 // bytes per second
	bodyGrace   = 10 * time.Second
)

var errSlowBody = errors.New("slow body")

// A bodyBuffer is a pooled buffer that grows within the limit on the memory for bodies. Its memory counts towards the
// limit until release is called, after the handler has returned.
type bodyBuffer struct {
	bytes   *[]byte
	limits  *requestLimits
	account *budget.Account // memory account of the request; nil means no limit
	counted int64           // bytes of this buffer that are counted in limits.bodies
}

// release subtracts the counted bytes and closes the account of the request.
func (b *bodyBuffer) release() {
	b.limits.bodies.Add(-b.counted)
	b.account.Close()
}

// grow counts the memory for a buffer of size bytes, in place of the memory for the previous buffer. Small bodies are not
// counted.
func (b *bodyBuffer) grow(size int64) error {
	if size <= smallBody || size <= b.counted {
		return nil
	}
	more := size - b.counted
	if b.limits.bodies.Add(more) > b.limits.Bodies {
		b.limits.bodies.Add(-more)
		b.limits.bodiesRefused.Add(1)
		return graph.Errorf(graph.Unavailable, "not enough memory for a body of %d bytes now; try again in a moment", size)
	}
	b.counted = size
	return b.account.Grow(more)
}

// read reads the body of a request, up to the limit of its route. If a request is refused before its body was read,
// read closes the connection; otherwise the server would read the rest of the body to reach the next request.
func (b *bodyBuffer) read(w http.ResponseWriter, r *http.Request, route route) ([]byte, error) {
	body := (*b.bytes)[:0]
	if r.ContentLength > route.maxBody {
		w.Header().Set("Connection", "close")
		return nil, graph.Errorf(graph.TooLarge, "the body is %d bytes; the limit is %d", r.ContentLength, route.maxBody)
	}
	limited := http.MaxBytesReader(w, r.Body, route.maxBody)
	if r.ContentLength < 0 || r.ContentLength > noBody {
		limited = &pacedBody{ReadCloser: limited, control: http.NewResponseController(w), began: time.Now(), maxTime: connectionTimeout}
	}
	if route.endpoint.readsBody {
		r.Body = limited
		if paced, ok := limited.(*pacedBody); ok {
			paced.maxTime = transferTimeout
		}
		return body, nil
	}
	if r.ContentLength == 0 {
		return body, nil
	}
	body, err := b.readAll(limited, body, r.ContentLength)
	*b.bytes = body
	if kind := graph.KindOf(err); kind == graph.Unavailable || kind == graph.TooLarge {
		w.Header().Set("Connection", "close")
	}
	return body, err
}

// readAll reads a body into a buffer that grows as the body arrives, so that no memory is reserved for bytes that are
// announced but not sent. announced is the announced size, or -1 if it is unknown.
func (b *bodyBuffer) readAll(source io.Reader, body []byte, announced int64) ([]byte, error) {
	for {
		if len(body) == cap(body) {
			size := max(2*cap(body), noBody)
			if announced >= int64(len(body)) {
				size = min(size, int(announced)+1) // one byte more than announced, to detect the end of the body
			}
			if err := b.grow(int64(size)); err != nil {
				return body, err
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := source.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return body, graph.Errorf(graph.TooLarge, "the body is more than %d bytes", tooLarge.Limit)
		}
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case errors.Is(err, errSlowBody):
			return body, graph.Wrap(graph.Unavailable, err,
				"the body arrives at less than %d bytes a second: %d bytes so far; send it again over a faster connection", minBodyRate, len(body))
		case err != nil:
			return body, graph.Wrap(graph.Invalid, err, "the body ended early, after %d bytes", len(body))
		}
	}
}

// The estimated memory for decoding a JSON body, in addition to the body itself. The strings of the body are
// in memory once in the decoded records and once on the way to the store. Each object and each comma adds a
// number of bytes.
const (
	decodedTexts   = 2
	bytesPerObject = 512
	bytesPerMember = 32
)

// chargeDecoding charges the memory for decoding a body. The amount is an estimate. It charges at most
// half of the rest of the request's share, because an estimate alone must not refuse the only request
// of a server.
func (b *bodyBuffer) chargeDecoding(ctx context.Context, body []byte) error {
	if len(body) <= smallBody || b.account == nil {
		return nil
	}
	estimate := decodedTexts*len(body) + bytesPerObject*bytes.Count(body, []byte("{")) + bytesPerMember*bytes.Count(body, []byte(","))
	return b.account.Wait(ctx, min(int64(estimate), b.account.Share()/2))
}

// A pacedBody is a body whose reads fail with errSlowBody when it arrives too slowly.
type pacedBody struct {
	io.ReadCloser
	control  *http.ResponseController
	began    time.Time
	received int64
	maxTime  time.Duration // for the whole body
}

// Read implements io.Reader. When the body has arrived, it restores the usual deadline, because the server
// continues to read in order to detect that the client disconnects.
func (p *pacedBody) Read(buffer []byte) (int, error) {
	allowed := bodyGrace + time.Duration(p.received)*time.Second/minBodyRate
	// The error is ignored: only ResponseWriters of tests do not support deadlines.
	_ = p.control.SetReadDeadline(p.began.Add(min(allowed, p.maxTime)))
	n, err := p.ReadCloser.Read(buffer)
	p.received += int64(n)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, errSlowBody
	case err != nil:
		_ = p.control.SetReadDeadline(time.Now().Add(connectionTimeout))
	}
	return n, err
}
