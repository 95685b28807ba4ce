package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/weft-graph/weft/graph"
)

// What a password must be. The longest is in bytes.
const (
	shortestPassword = 6
	longestPassword  = 1_000
)

func checkPassword(password string) error {
	switch n := utf8.RuneCountInString(password); {
	case n < shortestPassword:
		return graph.Errorf(graph.Invalid, "a password needs at least %d characters, and this one has %d; 8 or more are better", shortestPassword, n)
	case len(password) > longestPassword:
		return graph.Errorf(graph.Invalid, "a password may have %d bytes, and this one has %d", longestPassword, len(password))
	}
	return graph.CheckText("password", password)
}

// cost is what a hash takes: memory in KiB, passes over it, and threads. It is kept with each hash, so that
// it can be raised.
type cost struct {
	memory, passes uint32
	threads        uint8
}

// today's cost is the one OWASP recommends for argon2id.
var today = cost{memory: 19 << 10, passes: 2, threads: 1}

func (o Options) cost() cost {
	if o.Guessable {
		return cost{memory: 8, passes: 1, threads: 1}
	}
	return today
}

const (
	saltBytes = 16
	hashBytes = 32
)

// A hasher hashes a few passwords at a time, which bounds the memory that takes.
type hasher struct {
	cost   cost
	turns  chan struct{}
	nobody string // a hash that no password has, for those who have no account
}

func newHasher(c cost) *hasher {
	h := &hasher{cost: c, turns: make(chan struct{}, min(runtime.GOMAXPROCS(0), 8))}
	h.nobody = c.text(random(saltBytes), random(hashBytes))
	return h
}

// hash returns a text in the format that other programs use for argon2 too.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := random(saltBytes)
	sum, err := h.sum(ctx, h.cost, password, salt)
	return h.cost.text(salt, sum), err
}

// matches takes the same time whether the password is right or not.
func (h *hasher) matches(ctx context.Context, hash, password string) (bool, error) {
	c, salt, want, err := parseHash(hash)
	if err != nil {
		return false, err
	}
	got, err := h.sum(ctx, c, password, salt)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

// dated says that a hash was made at another cost than today's.
func (h *hasher) dated(hash string) bool {
	c, _, _, err := parseHash(hash)
	return err == nil && c != h.cost
}

func (h *hasher) sum(ctx context.Context, c cost, password string, salt []byte) ([]byte, error) {
	select {
	case h.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.turns }()
	return argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.threads, hashBytes), nil
}

const hashFormat = "$argon2id$v=19$m=%d,t=%d,p=%d$"

var inHash = base64.RawStdEncoding

func (c cost) text(salt, sum []byte) string {
	return fmt.Sprintf(hashFormat, c.memory, c.passes, c.threads) + inHash.EncodeToString(salt) + "$" + inHash.EncodeToString(sum)
}

func parseHash(text string) (c cost, salt, sum []byte, err error) {
	if _, err = fmt.Sscanf(text, hashFormat, &c.memory, &c.passes, &c.threads); err != nil {
		return c, nil, nil, graph.Wrap(graph.Internal, err, "a kept password cannot be read")
	}
	parts := strings.Split(text, "$")
	if salt, err = inHash.DecodeString(parts[len(parts)-2]); err == nil {
		sum, err = inHash.DecodeString(parts[len(parts)-1])
	}
	return c, salt, sum, err
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // it never fails
	return b
}
