package server

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/shares"
)

// attemptLimits limits how often clients try actions that are expensive or could reveal a secret. Each server process has
// its own counts. Sign-ins are limited by package account, which counts password guesses for an account and e-mails to an
// address in the store, for all servers together.
type attemptLimits struct {
	addresses clientAddresses
	calls     shares.Rates // keys: an action, and a network or user
	guesses   shares.Rates // keys: an action, and the guessed secret or the guessing user
	failures  shares.Rates // uses of invalid tokens, by action and network
}

// The intervals of the limits. In each interval, Options.Attempts attempts are permitted.
const (
	callInterval    = time.Minute
	guessInterval   = 10 * time.Minute
	failureInterval = 6 * time.Second
)

// newAttemptLimits returns limits that permit the given number of attempts at once, and as many more in each interval.
func newAttemptLimits(attempts int, addresses clientAddresses) *attemptLimits {
	per := func(interval time.Duration) shares.Rates {
		return shares.Rates{Burst: attempts, Interval: interval / time.Duration(attempts)}
	}
	return &attemptLimits{addresses: addresses, calls: per(callInterval), guesses: per(guessInterval), failures: per(failureInterval)}
}

// countCall counts a call of an expensive action by the network of the client. A TooMany error means that the client
// must wait; the response header Retry-After states how long.
func (a *attemptLimits) countCall(req *request, action string) error {
	return waitError(req, a.calls.Take(action+" from "+a.addresses.network(req.Request), time.Now()))
}

// countUserCall is like countCall, but counts by the user or, for a guest, by the network.
func (a *attemptLimits) countUserCall(req *request, action string) error {
	return waitError(req, a.calls.Take(action+" of "+a.addresses.userOrNetwork(req), time.Now()))
}

// countGuess counts the use of a secret by a possible guesser, such as a session. The caller must call succeed if the
// secret was right.
func (a *attemptLimits) countGuess(req *request, action, guesser string) (succeed func(), err error) {
	key := action + " of " + guesser
	err = waitError(req, a.guesses.Take(key, time.Now()))
	return func() { a.guesses.Return(key) }, err
}

// countFailure counts an Invalid or Unauthorized error, which means that a token was invalid. It returns the error
// for the response: TooMany beyond the limit, otherwise err. Tokens are too long to guess, so a valid token is
// never refused, even after failures of other clients in the same network.
func (a *attemptLimits) countFailure(req *request, action string, err error) error {
	if kind := graph.KindOf(err); kind == graph.Invalid || kind == graph.Unauthorized {
		if wait := a.failures.Take(action+" from "+a.addresses.network(req.Request), time.Now()); wait > 0 {
			return waitError(req, wait)
		}
	}
	return err
}

// client returns the device and the network of a request.
func (a *attemptLimits) client(req *request) account.Client {
	return account.Client{
		Name: req.UserAgent(), Network: a.addresses.network(req.Request), DeviceTokens: deviceTokens(req.Request),
	}
}

// waitError returns nil if wait is 0. Otherwise it sets the header Retry-After and returns a TooMany error.
func waitError(req *request, wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	return graph.Errorf(graph.TooMany, "too many attempts; try again in %d seconds", setRetryAfter(req, wait))
}

// setRetryAfter sets the header Retry-After and returns its value in seconds.
func setRetryAfter(req *request, wait time.Duration) int {
	seconds := int(math.Ceil(wait.Seconds()))
	req.responseHeader.Set("Retry-After", strconv.Itoa(seconds))
	return seconds
}

// retryAfterWait sets the header Retry-After if an error of package account states how long to wait. It returns the
// error.
func retryAfterWait(req *request, err error) error {
	if limit, ok := errors.AsType[*account.WaitError](err); ok {
		setRetryAfter(req, limit.Wait)
	}
	return err
}

const (
	// deviceCookie starts the name of the cookie that holds a device token; the id of the user follows.
	deviceCookie = "weft_device_"
	// deviceCookieAge is in seconds. Browsers keep no cookie for longer than 400 days.
	deviceCookieAge  = 400 * 24 * 60 * 60
	maxDeviceCookies = 20
	signInPath       = "/api/auth/login"
	signUpPath       = "/api/auth/signup"
	namedSignUpPath  = "/api/v1/entity/signup"
)

// deviceTokens returns the device tokens of the accounts that signed in with the browser of a request, at most
// maxDeviceCookies of them.
func deviceTokens(r *http.Request) []string {
	var all []string
	for _, c := range r.Cookies() {
		if len(all) < maxDeviceCookies && len(c.Name) > len(deviceCookie) && c.Name[:len(deviceCookie)] == deviceCookie {
			all = append(all, c.Value)
		}
	}
	return all
}

// newDeviceCookie returns the cookie that makes a browser known to an account. The cookie does not authenticate the
// browser. It gives the browser its own limit, which wrong passwords from unknown clients do not use up.
func newDeviceCookie(user graph.ID, token string, isSecure bool) *http.Cookie {
	return &http.Cookie{
		Name: deviceCookie + user.String(), Value: token, Path: signInPath, MaxAge: deviceCookieAge,
		HttpOnly: true, Secure: isSecure, SameSite: http.SameSiteStrictMode,
	}
}
