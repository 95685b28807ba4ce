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

// Limits of passwords: the minimum in characters, the maximum in bytes.
const (
	minPasswordChars = 6
	maxPasswordBytes = 1_000
)

func checkPassword(password string) error {
	switch n := utf8.RuneCountInString(password); {
	case n < minPasswordChars:
		return graph.Errorf(graph.Invalid, "the password has %[2]d characters; it needs at least %[1]d, better 8 or more", minPasswordChars, n)
	case len(password) > maxPasswordBytes:
		return graph.Errorf(graph.Invalid, "the password has %d bytes; the maximum is %d", len(password), maxPasswordBytes)
	}
	return graph.CheckText("password", password)
}

// cost is the cost of a hash: memory in KiB, passes over the memory, and threads. It is stored with each hash, so
// that the cost of new hashes can be raised later.
type cost struct {
	memory, passes uint32
	threads        uint8
}

// currentCost is the current cost, recommended by OWASP for argon2id.
var currentCost = cost{memory: 19 << 10, passes: 2, threads: 1}

func (o Options) cost() cost {
	if o.InsecureHashes {
		return cost{memory: 8, passes: 1, threads: 1}
	}
	return currentCost
}

const (
	saltBytes = 16
	hashBytes = 32
)

// A hasher hashes a limited number of passwords concurrently, to limit the memory used.
type hasher struct {
	cost            cost
	slots           chan struct{}
	unknownUserHash string // a hash without a password, to verify against for unknown users
}

func newHasher(c cost) *hasher {
	h := &hasher{cost: c, slots: make(chan struct{}, maxHashes(runtime.GOMAXPROCS(0)))}
	h.unknownUserHash = c.text(randomBytes(saltBytes), randomBytes(hashBytes))
	return h
}

// maxHashes returns the number of passwords that are hashed concurrently: one less than the number of processors, but at
// most eight and at least one. A hash occupies a processor for tens of milliseconds, and other requests need a processor,
// too.
func maxHashes(processors int) int { return max(1, min(processors-1, 8)) }

// hash returns the hash of a password in the standard text format for argon2.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := randomBytes(saltBytes)
	sum, err := h.sum(ctx, h.cost, password, salt)
	return h.cost.text(salt, sum), err
}

// matches reports whether a password has the given hash, in constant time.
func (h *hasher) matches(ctx context.Context, hash, password string) (bool, error) {
	c, salt, want, err := parseHash(hash)
	if err != nil {
		return false, err
	}
	got, err := h.sum(ctx, c, password, salt)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

// isOutdated reports whether the cost of a hash differs from the current cost.
func (h *hasher) isOutdated(hash string) bool {
	c, _, _, err := parseHash(hash)
	return err == nil && c != h.cost
}

func (h *hasher) sum(ctx context.Context, c cost, password string, salt []byte) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.slots }()
	return argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.threads, hashBytes), nil
}

const hashFormat = "$argon2id$v=19$m=%d,t=%d,p=%d$"

var hashEncoding = base64.RawStdEncoding

func (c cost) text(salt, sum []byte) string {
	return fmt.Sprintf(hashFormat, c.memory, c.passes, c.threads) + hashEncoding.EncodeToString(salt) + "$" + hashEncoding.EncodeToString(sum)
}

func parseHash(text string) (c cost, salt, sum []byte, err error) {
	if _, err = fmt.Sscanf(text, hashFormat, &c.memory, &c.passes, &c.threads); err != nil {
		return c, nil, nil, graph.Wrap(graph.Internal, err, "cannot parse a stored password hash")
	}
	parts := strings.Split(text, "$")
	if salt, err = hashEncoding.DecodeString(parts[len(parts)-2]); err == nil {
		sum, err = hashEncoding.DecodeString(parts[len(parts)-1])
	}
	return c, salt, sum, err
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never returns an error
	return b
}
