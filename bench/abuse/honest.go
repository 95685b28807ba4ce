package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A crowd holds the honest users and their results.
type crowd struct {
	users []*user
	stops context.CancelFunc
	done  sync.WaitGroup

	mu      sync.Mutex
	current honestResults
}

// honestResults holds the results of the honest users' requests in a phase.
type honestResults struct {
	times   []time.Duration // duration of each request except sign-ins and change streams
	refused int             // responses with status 429 or 503
	failed  int             // other failures, including lost connections
	first   string          // the first refusal or failure
}

// and returns the combined results of two phases.
func (r honestResults) and(other honestResults) honestResults {
	return honestResults{
		times: slices.Concat(r.times, other.times), refused: r.refused + other.refused, failed: r.failed + other.failed,
		first: cmp.Or(r.first, other.first),
	}
}

// percentile returns the time that a share of the requests did not exceed.
func (r honestResults) percentile(share float64) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(r.times))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// A user is one honest user, who has an address, an account and notes.
type user struct {
	crowd  *crowd
	number int
	url    string
	client *http.Client
	random *rand.Rand
	token  string
	notes  []note // notes that the server has acknowledged
}

// A note is an acknowledged write.
type note struct {
	id   int64 // id of the concept that holds the text
	text string
}

const password = "correct horse battery staple"

func newCrowd(url string, n int) *crowd {
	c := &crowd{}
	for i := range n {
		c.users = append(c.users, &user{
			crowd: c, number: i, url: url, client: clientFrom(net.IPv4(127, 0, 1, byte(i+1))), random: rand.New(rand.NewPCG(1, uint64(i))),
		})
	}
	return c
}

// clientFrom returns a client whose connections come from a loopback address.
func clientFrom(address net.IP) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: address}, Timeout: 30 * time.Second}
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: dialer.DialContext, DisableCompression: true, MaxIdleConnsPerHost: 100}}
}

func (u *user) email() string { return fmt.Sprintf("user%d@example.org", u.number) }

// signUp creates an account for each user and signs the user in.
func (c *crowd) signUp(ctx context.Context) error {
	for _, u := range c.users {
		credentials := map[string]string{"email": u.email(), "password": password}
		if _, err := u.send(ctx, "POST", "/api/auth/signup", credentials); err != nil {
			return err
		}
		if err := u.signIn(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (u *user) signIn(ctx context.Context) error {
	body, err := u.send(ctx, "POST", "/api/auth/login", map[string]string{"email": u.email(), "password": password})
	var session struct{ Data struct{ Token string } }
	if err == nil {
		err = json.Unmarshal(body, &session)
	}
	if err == nil {
		u.token = session.Data.Token
	}
	return err
}

// start makes all users work until stop is called.
func (c *crowd) start(ctx context.Context) {
	ctx, c.stops = context.WithCancel(ctx)
	for _, u := range c.users {
		c.done.Go(func() { u.work(ctx) })
		c.done.Go(func() { u.listen(ctx) })
	}
}

func (c *crowd) stop() {
	c.stops()
	c.done.Wait()
}

// reset starts a new phase.
func (c *crowd) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = honestResults{}
}

func (c *crowd) results() honestResults {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// signInEvery is the mean number of requests between two sign-ins of a user.
const signInEvery = 60

// work sends requests in sequence, with pauses as a person makes them.
func (u *user) work(ctx context.Context) {
	for ctx.Err() == nil {
		var what string
		started := time.Now()
		var err error
		switch n := u.random.IntN(signInEvery); {
		case n == 0:
			u.record(ctx, "sign in", -1, u.signIn(ctx))
			continue
		case n < 2:
			what, err = "upload", u.upload(ctx)
		case n < 4:
			what, err = "online write", u.writeOnline(ctx)
		case n < 15:
			what, err = "write", u.write(ctx)
		case n < 35 && len(u.notes) > 0:
			what, err = "read", u.read(ctx, u.notes[u.random.IntN(len(u.notes))])
		case n < 50:
			what, err = "query", u.query(ctx)
		default:
			what, err = "list", u.list(ctx)
		}
		u.record(ctx, what, time.Since(started), err)
		pause(ctx, time.Duration(100+u.random.IntN(400))*time.Millisecond)
	}
}

// record adds the result of a request. Of a result with a negative duration, only the error is counted. Change streams and sign-ins
// pass -1: a stream has no duration, and hashing a password takes longer than everything else.
func (u *user) record(ctx context.Context, what string, took time.Duration, err error) {
	if ctx.Err() != nil {
		return
	}
	c := u.crowd
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.current
	if took >= 0 {
		r.times = append(r.times, took)
	}
	if err == nil {
		return
	}
	var refusal refusalError
	if errors.As(err, &refusal) && refusal.isLoad() {
		r.refused++
	} else {
		r.failed++
	}
	if r.first == "" {
		r.first = what + ": " + err.Error()
	}
}

// One in longNoteEvery notes is long: the body of a long note counts towards the limit on the memory of all
// bodies.
const (
	longNoteEvery = 8
	longNoteBytes = 200_000
)

// write writes a note. It sends the same batch again after a failure, as the client library does, and returns the errors of the failed
// attempts.
func (u *user) write(ctx context.Context) (failures error) {
	text := fmt.Sprintf("note %d of user %d, %x", len(u.notes), u.number, u.random.Uint64())
	if u.random.IntN(longNoteEvery) == 0 {
		text += strings.Repeat(" and so on", longNoteBytes/10)
	}
	batch := map[string]any{
		"concepts": []any{
			map[string]any{"id": -1, "categoryId": 4, "typeCharacter": "the_note", "isComposition": true},
			map[string]any{"id": -2, "categoryId": 4, "typeCharacter": "the_text", "characterValue": text},
		},
		"connections": []any{map[string]any{"id": -11, "ofTheConceptId": -1, "toTheConceptId": -2, "typeId": -1}},
	}
	randomizer := fmt.Sprint(u.random.Int64N(1 << 50))
	for ctx.Err() == nil {
		body, err := u.sendWith(ctx, request{"POST", "/api/v1/local-concepts", batch, http.Header{"Randomizer": {randomizer}}})
		var written struct {
			Concepts []struct{ ID, GhostID int64 }
		}
		if err == nil {
			err = json.Unmarshal(body, &written)
		}
		for _, c := range written.Concepts {
			if err == nil && c.GhostID == -2 {
				u.notes = append(u.notes, note{c.ID, text})
				return failures
			}
		}
		if failures = errors.Join(failures, err); err == nil {
			return errors.New("the response to a write has no id")
		}
		pause(ctx, time.Second)
	}
	return failures
}

// writeOnline creates a tag under a reserved id, as online clients do. It sends the connection to the tag before
// the tag, so that the connection must wait.
func (u *user) writeOnline(ctx context.Context) error {
	if len(u.notes) == 0 {
		return nil
	}
	body, err := u.send(ctx, "GET", "/api/get_reserved_ids", nil)
	var ids []int64
	if err == nil {
		err = json.Unmarshal(body, &ids)
	}
	if err != nil || len(ids) == 0 {
		return errors.Join(err, errors.New("no id was reserved"))
	}
	connected := make(chan error, 1)
	go func() {
		_, err := u.send(ctx, "POST", "/api/create_the_connection", []any{map[string]any{
			"id": 0, "ofTheConceptId": u.notes[0].id, "toTheConceptId": ids[0], "typeCharacter": "the_note_s_tag", "orderId": 1000,
		}})
		connected <- err
	}()
	_, err = u.send(ctx, "POST", "/api/create_the_concept", []any{map[string]any{
		"id": ids[0], "categoryId": 4, "typeCharacter": "the_tag", "characterValue": fmt.Sprintf("tag %d of user %d", ids[0], u.number),
	}})
	return errors.Join(err, <-connected)
}

// upload uploads a small file.
func (u *user) upload(ctx context.Context) error {
	const form = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nHello.\r\n--X--\r\n"
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.url+"/api/Image/UploadFile", strings.NewReader(form))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "multipart/form-data; boundary=X")
	_, err = u.do(r)
	return err
}

// read reads a note and compares it with the text that was written.
func (u *user) read(ctx context.Context, n note) error {
	body, err := u.send(ctx, "POST", "/api/get_concept_bulk", []int64{n.id})
	if err == nil && !strings.Contains(string(body), n.text) {
		err = fmt.Errorf("note %d is %.200s; want %q", n.id, body, n.text)
	}
	return err
}

func (u *user) query(ctx context.Context) error {
	_, err := u.send(ctx, "POST", "/api/freeschema-query", map[string]any{"type": "the_note", "inpage": 10, "selectors": []string{"self"}})
	return err
}

func (u *user) list(ctx context.Context) error {
	_, err := u.send(ctx, "GET", "/api/search-compositions?type=the_note&inpage=10&page=1&search=user", nil)
	return err
}

// listen holds a change stream open. A stream that ends before ctx is cancelled is a failure.
func (u *user) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := u.readStream(ctx)
		u.record(ctx, "stream", -1, err)
		pause(ctx, time.Second)
	}
}

func (u *user) readStream(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.url+"/api/v1/events", nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: u.client.Transport}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return refusalError{response.StatusCode, "stream"}
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
	}
	return errors.Join(errors.New("the stream ended"), lines.Err())
}

// checkWrites reads all acknowledged notes of all users, and returns the number of notes and the number of missing
// notes.
func (c *crowd) checkWrites(ctx context.Context) (written, lost int) {
	for _, u := range c.users {
		_ = u.signIn(ctx) // without a token the notes are counted as lost
		for _, n := range u.notes {
			written++
			if err := u.read(ctx, n); err != nil {
				lost++
			}
		}
	}
	return written, lost
}

// A request is a request of an honest user; body is encoded as JSON.
type request struct {
	method, path string
	body         any
	header       http.Header
}

func (u *user) send(ctx context.Context, method, path string, body any) ([]byte, error) {
	return u.sendWith(ctx, request{method, path, body, http.Header{}})
}

func (u *user) sendWith(ctx context.Context, q request) ([]byte, error) {
	text, err := json.Marshal(q.body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, q.method, u.url+q.path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header = q.header
	r.Header.Set("Content-Type", "application/json")
	return u.do(r)
}

// do sends a request with the token of the user and returns the body of the response. The error is a refusalError for a
// status other than 200.
func (u *user) do(r *http.Request) ([]byte, error) {
	if u.token != "" {
		r.Header.Set("Authorization", "Bearer "+u.token)
	}
	response, err := u.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = refusalError{response.StatusCode, fmt.Sprintf("%s %s: %.200s", r.Method, r.URL.Path, content)}
	}
	return content, err
}

// A refusalError is a response with a status other than 200.
type refusalError struct {
	status int
	text   string
}

// Error implements error.
func (e refusalError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.text) }

// isLoad reports whether the request may be sent again later.
func (e refusalError) isLoad() bool {
	return e.status == http.StatusTooManyRequests || e.status == http.StatusServiceUnavailable
}

// pause waits for a duration, or until ctx is cancelled.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
