package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// An attack is one kind of abuse. Its workers repeat run until the phase ends; setUp runs once before the phase and is
// not part of it.
type attack struct {
	name    string
	workers int
	setUp   func(context.Context, *arena) error // may be nil
	run     func(context.Context, *attacker)
}

func allAttacks() []attack {
	return []attack{
		{"slow bodies", 400, nil, slowBody},
		{"slow readers", 200, writeLargeTexts, slowReader},
		{"connections", 4000, nil, halfRequest},
		{"bombs", 8, nil, bomb},
		{"widget trees", 48, writeWidgets, readWidget},
		{"large answers", 20, writeLargeTexts, readLargeTexts},
		{"queries", 16, writeMesh, explosiveQuery},
		{"streams", 800, nil, churnStream},
		{"sign-in guessing", 32, nil, guessPassword},
		{"pictures", 8, signUpAttacker, uploadPicture},
		{"upload places", 300, signUpAttacker, slowUpload},
		{"waiting places", 200, reserveIDs, waitForConcept},
		{"hidden records", 20, writeHiddenNotes, countHiddenNotes},
	}
}

func selectAttacks(only *regexp.Regexp) (selected []attack) {
	for _, a := range allAttacks() {
		if only.MatchString(a.name) {
			selected = append(selected, a)
		}
	}
	return selected
}

// attackResults counts the responses to an attack.
type attackResults struct {
	Served  int64         // status below 400
	Refused int64         // any other status
	Cut     int64         // connections that failed or that the server closed, or on which no response arrived in time
	Held    int64         // connections still open at the end
	CPU     time.Duration // processor time of the attackers
}

// attackers is the child process that runs an attack.
type attackers struct {
	cmd    *exec.Cmd
	in     io.Closer
	output *bufio.Scanner
}

// attackersNice is the nice value of the attackers relative to the server.
const attackersNice = 10

// startAttackers starts an attack in a process with one processor and a low priority, so that the generator never
// deprives the server of processor time. It returns when the attack is set up.
func startAttackers(ctx context.Context, target string, plan attackPlan) (*attackers, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "nice", "-n", strconv.Itoa(attackersNice), program, "-attack", plan.name, "-target", target, //nolint:gosec // this program
		"-addresses", fmt.Sprint(plan.addresses), "-strength", fmt.Sprint(plan.strength))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: plan.priority != 0}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	if plan.priority != 0 {
		if err := setSessionPriority(cmd.Process.Pid, plan.priority+attackersNice); err != nil {
			return nil, errors.Join(err, in.Close(), cmd.Wait())
		}
	}
	a := &attackers{cmd, in, bufio.NewScanner(out)}
	if !a.output.Scan() || a.output.Text() != "ready" {
		return nil, errors.Join(errors.New("the attack cannot be set up"), in.Close(), cmd.Wait())
	}
	return a, nil
}

// stop ends the attack and returns its results.
func (a *attackers) stop() (r attackResults) {
	_ = a.in.Close() // the process ends when its input ends
	if a.output.Scan() {
		_ = json.Unmarshal(a.output.Bytes(), &r) // missing results are shown as zeros
	}
	_ = a.cmd.Wait()
	return r
}

// attackerOptions holds the flags of the child process.
type attackerOptions struct {
	name, target string
	addresses    int
	strength     float64
}

// An arena holds the data that all attackers of an attack share.
type arena struct {
	target  string
	clients []*http.Client // one for each source address
	prepare *http.Client   // for setUp, from an address that no attack uses
	hosts   []net.IP
	token   string  // access token of the attackers' account
	ids     []int64 // records that setUp created
	results attackResults
}

// An attacker is one worker.
type attacker struct {
	*arena
	number, round int
}

// attackUntilEOF runs an attack until standard input ends, and prints the results. It returns the exit status.
func attackUntilEOF(o attackerOptions) int {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	selected := selectAttacks(regexp.MustCompile("^" + regexp.QuoteMeta(o.name) + "$"))
	if len(selected) != 1 {
		fmt.Fprintf(os.Stderr, "abuse: there is no attack %q\n", o.name)
		return 2
	}
	a := newArena(o)
	if f := selected[0].setUp; f != nil {
		if err := f(ctx, a); err != nil {
			fmt.Fprintf(os.Stderr, "abuse: setting up %q: %v\n", o.name, err)
			return 2
		}
	}
	before := processorTime()
	fmt.Println("ready")
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the input
		stop()
	}()
	var done sync.WaitGroup
	for i := range max(1, int(float64(selected[0].workers)*o.strength)) {
		done.Go(func() {
			for w := (&attacker{arena: a, number: i}); ctx.Err() == nil; w.round++ {
				selected[0].run(ctx, w)
				pause(ctx, time.Millisecond) // otherwise a worker that is refused at once would repeat without a pause
			}
		})
	}
	<-ctx.Done()
	done.Wait()
	a.results.CPU = processorTime() - before
	text, err := json.Marshal(&a.results)
	if err != nil {
		return 2
	}
	fmt.Println(string(text))
	return 0
}

func newArena(o attackerOptions) *arena {
	a := &arena{target: o.target, prepare: clientFrom(net.IPv4(127, 0, 3, byte(1+rand.IntN(250))))}
	for i := range o.addresses {
		host := net.IPv4(127, 0, 2, byte(i+1))
		a.hosts, a.clients = append(a.hosts, host), append(a.clients, clientFrom(host))
	}
	return a
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// An attackRequest is one request of an attacker.
type attackRequest struct {
	method, path string
	header       http.Header // may be nil
	body         io.Reader   // may be nil
}

// send sends a request from the address of the attacker, reads the whole response and counts it, unless the phase has ended.
func (a *attacker) send(ctx context.Context, q attackRequest) {
	r, err := http.NewRequestWithContext(ctx, q.method, a.target+q.path, q.body)
	if err != nil {
		panic(err) // a mistake in this program
	}
	if q.header != nil {
		r.Header = q.header
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	response, err := a.clients[a.number%len(a.clients)].Do(r)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		atomic.AddInt64(&a.results.Cut, 1)
	default:
		a.countStatus(response.StatusCode)
	}
}

func (a *arena) countStatus(status int) {
	if status < 400 {
		atomic.AddInt64(&a.results.Served, 1)
	} else {
		atomic.AddInt64(&a.results.Refused, 1)
	}
}

// dial opens a connection from the address of the attacker. The caller must close it; the end of the phase also closes it.
func (a *attacker) dial(ctx context.Context) (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: a.hosts[a.number%len(a.hosts)]}}
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(a.target, "http://"))
	if err != nil {
		a.countEnd(ctx)
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	return conn, nil
}

// countEnd counts a connection that ended without a response: as Held if the end of the phase closed it, otherwise as Cut.
func (a *attacker) countEnd(ctx context.Context) {
	if ctx.Err() != nil {
		atomic.AddInt64(&a.results.Held, 1)
	} else {
		atomic.AddInt64(&a.results.Cut, 1)
	}
}

// hold writes one byte per second until the server responds or closes the connection or the phase ends, and counts the outcome.
func (a *attacker) hold(ctx context.Context, conn net.Conn, filler byte) {
	status := make(chan int, 1)
	go func() {
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			status <- 0
			return
		}
		_ = response.Body.Close()
		status <- response.StatusCode
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_, _ = conn.Write([]byte{filler}) // an error can be ignored, because the reader notices that the connection is closed
		case code := <-status:
			if code == 0 {
				a.countEnd(ctx)
			} else {
				a.countStatus(code)
			}
			return
		case <-ctx.Done():
			a.countEnd(ctx)
			return
		}
	}
}

// setUpTries is the maximum number of times that a request of setUp is sent if the server is busy.
const setUpTries = 30

// post sends JSON with the attackers' token during setUp and decodes the response. If the server refuses the request because of
// load, post sends it again, as every client should.
func (a *arena) post(ctx context.Context, path, body string, into any) error {
	header := jsonHeader()
	header.Set("Randomizer", fmt.Sprint(time.Now().UnixNano()>>10)) // a separate sender for each batch
	if a.token != "" {
		header.Set("Authorization", "Bearer "+a.token)
	}
	var status int
	var text []byte
	for range setUpTries {
		var err error
		if status, text, err = a.postOnce(ctx, path, body, header); err != nil {
			return err
		}
		if status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests {
			break
		}
		pause(ctx, time.Second)
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s: status %d: %.300s", path, status, text)
	}
	return json.Unmarshal(text, into)
}

func (a *arena) postOnce(ctx context.Context, path, body string, header http.Header) (status int, text []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.target+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header = header
	response, err := a.prepare.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	return response.StatusCode, text, err
}
