package account

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/shares"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A sign-in with a wrong password is a guess. The limits on guesses must not prevent the user from signing in
// while another client guesses; docs/decisions/0022 has the calculation.
//
//	limit                                        default          counted in     applies to
//	guesses of one network, all accounts         10 a minute      the process    clients that the account does not know
//	guesses of one source at one account         10 an hour       the process    all clients; a source is a device or a network
//	guesses at one account, unknown clients      50 an hour       the kv store   clients that the account does not know
//	guesses at one account, known clients        50 an hour       the kv store   clients that the account knows
//
// An account knows a client if the client has a device token of the account, or comes from one of the networks from
// which its user last signed in (device.go). An attempt is counted before the password is checked, so that parallel
// attempts do not exceed a limit. If the password is right, the attempt is subtracted again. E-mail addresses without
// an account have the same limits, at the cost of the same reads and writes.
const (
	// guessWindow is the period of the limits of accounts.
	guessWindow = time.Hour
	// guessStep is the period of one counter: a guess counts for a time between guessWindow and guessWindow +
	// guessStep.
	guessStep = 5 * time.Minute
	// classFactor is the limit of all known, or all unknown, clients of an account as a multiple of Options.Attempts.
	classFactor = 5
	// defaultAttempts is the default of Options.Attempts.
	defaultAttempts = 10
	guessPrefix     = "account/guess/" // followed by the hash of the address, the class and the number of the step
)

// A guessClass is a group of attempts at one account that share a limit for all clients and all servers.
type guessClass string

const (
	guessKnown   guessClass = "known"
	guessUnknown guessClass = "unknown"
	guessReset   guessClass = "reset" // e-mails with reset links
)

// A WaitError is the cause of a TooMany error of this package. Wait is the time until another attempt may succeed.
type WaitError struct{ Wait time.Duration }

func (e *WaitError) Error() string { return "the limit is reached for " + e.Wait.String() }

func tooManyGuesses(wait time.Duration) error {
	seconds := int64((wait + time.Second - 1) / time.Second)
	return graph.Wrap(graph.TooMany, &WaitError{wait}, "too many attempts; try again in %d seconds", seconds)
}

// guessLimits limits the sign-ins with a wrong password.
type guessLimits struct {
	perAccount int // maximum number of guesses of a class in a guessWindow
	networks   shares.Rates
	sources    shares.Rates
	// accountLocks serialise counting for an account. The start of the hash of the account's e-mail selects the
	// lock.
	accountLocks [accountLockCount]sync.Mutex
	kv           kv.Store
}

const accountLockCount = 16

func newGuessLimits(attempts int, store kv.Store) *guessLimits {
	if attempts == 0 {
		attempts = defaultAttempts
	}
	return &guessLimits{
		perAccount: attempts * classFactor,
		networks:   shares.Rates{Burst: attempts, Interval: time.Minute / time.Duration(attempts)},
		sources:    shares.Rates{Burst: attempts, Interval: guessWindow / time.Duration(attempts)},
		kv:         store,
	}
}

// An attempt is a sign-in that is counted as a guess until its password proves to be right.
type attempt struct {
	limits          *guessLimits
	network, source string // keys; the network is "" for a known client
	counter         string
}

// begin counts an attempt at an account. At a limit it returns a TooMany error.
func (g *guessLimits) begin(ctx context.Context, email string, from knownClient, now time.Time) (attempt, error) {
	account := emailHash(email)
	t := attempt{limits: g, source: account + from.source}
	class := guessKnown
	if !from.isKnown {
		class, t.network = guessUnknown, from.source
		if wait := g.networks.Take(t.network, now); wait > 0 {
			return t, tooManyGuesses(wait)
		}
	}
	if wait := g.sources.Take(t.source, now); wait > 0 {
		return t, tooManyGuesses(wait)
	}
	var err error
	if t.counter, err = g.count(ctx, account, class, now); err != nil {
		g.sources.Return(t.source)
	}
	return t, err
}

// succeed subtracts the attempt from the counters in memory, and returns the operation that subtracts it in the kv
// store.
func (t attempt) succeed() kv.Op {
	if t.network != "" {
		t.limits.networks.Return(t.network)
	}
	t.limits.sources.Return(t.source)
	return t.limits.uncount(t.counter)
}

func (g *guessLimits) uncount(counter string) kv.Op {
	return kv.Add(counter, -1).Until(time.Now().Add(2 * guessWindow))
}

// count adds one to the guesses of a class at an account, and returns the key of the counter. At the limit it adds
// nothing and returns a TooMany error. The number of guesses is the sum of the counters of the current step and of
// the steps in the guessWindow before it. One process counts the attempts at an account one at a time. With several processes, each process
// after the first may exceed the limit by one.
func (g *guessLimits) count(ctx context.Context, account string, class guessClass, now time.Time) (string, error) {
	limit := g.perAccount
	if class == guessReset {
		limit /= classFactor
	}
	prefix, step := guessPrefix+account+"/"+string(class)+"/", now.UnixMilli()/guessStep.Milliseconds()
	counter := fmt.Sprintf("%s%010d", prefix, step)
	first := fmt.Sprintf("%s%010d", prefix, step-int64(guessWindow/guessStep))
	lock := &g.accountLocks[(account[0]+account[1])%accountLockCount]
	lock.Lock()
	defer lock.Unlock()
	switch guesses, err := g.sum(ctx, prefix, first); {
	case err != nil:
		return "", err
	case guesses >= limit:
		return "", tooManyGuesses(guessStep)
	}
	return counter, g.kv.Commit(ctx, kv.Add(counter, 1).Until(time.Now().Add(2*guessWindow)))
}

// sum returns the sum of the counters with a prefix, starting at the key first.
func (g *guessLimits) sum(ctx context.Context, prefix, first string) (int, error) {
	counters, err := g.kv.List(ctx, kv.Range{Prefix: prefix})
	total := 0
	for _, c := range counters {
		if c.Key < first {
			continue
		}
		var n int
		if err := decode(c, &n); err != nil {
			return 0, err
		}
		total += n
	}
	return total, err
}

// emailHash returns a key of fixed length for an e-mail address, whether or not an account has it.
func emailHash(email string) string { return hex.EncodeToString(digest(strings.ToLower(email))[:16]) }
