// Command abuse attacks a real server while honest users work, and writes a Markdown table with the results of the
// attackers and of the users:
//
//	go run ./bench/abuse -weft bin/weft -duration 10m -into bench/ABUSE.md
//	go run ./bench/abuse -weft bin/weft -duration 1m -only pictures
//
// The files:
//
//	main.go       starts the parts in order, and compares the results with the bounds
//	server.go     runs the server; reads its peak memory from the kernel; checks the store at the end
//	honest.go     users who sign in, write, read, list, query and hold a change stream, with times and refusals
//	attackers.go  runs one attack in a child process with one processor at a low priority, and counts its responses
//	attack_*.go   the attacks
//	priority.go   gives the run priority over other programs of the machine
//	jpeg.go       the picture that costs the most to decode
//	table.go      the report
//
// The course of a run: start the server; sign up the honest users; measure them alone (a quiet phase); then for each
// attack set it up, reset the peak memory, run the attack while the users work, wait until the server is idle, and measure the users
// alone again. An attack is compared with the quiet phases before and after it, because other programs on the machine and the size of
// the store change during a run. At the end the server must respond, every write that was acknowledged must be readable, and weft
// store check must succeed.
//
// Each user, and each attacker or group of attackers, has a separate loopback address (127.0.x.y), so that limits per
// address apply as on a network. The exit status is 1 if a bound is broken, and 2 if the run itself failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// Bounds of a run.
const (
	maxPeakShare = 1.25 // peak memory of the server, as a share of --memory-limit
	maxSlowdown  = 3.0  // p99 of honest requests, as a multiple of their quiet p99
)

// quietShare divides the duration of an attack; the result is the duration of each quiet phase.
const quietShare = 2

// options holds the flags.
type options struct {
	weft      string // path of the program
	store     string // URL of a PostgreSQL database, ownPostgres, or "" for SQLite
	duration  time.Duration
	only      *regexp.Regexp
	memory    string // --memory-limit
	users     int
	addresses int     // number of source addresses of the attackers
	strength  float64 // factor by which the number of attackers is multiplied
	priority  int     // nice value of the server and the honest users relative to other programs of the machine; 0 changes nothing
	into      string  // file for the report
}

func main() {
	var o options
	only := flag.String("only", "", "regular expression of the attacks to run")
	flag.StringVar(&o.weft, "weft", "bin/weft", "path of the program")
	flag.StringVar(&o.store, "store", "", "URL of an empty PostgreSQL database, or postgres to start a PostgreSQL server; the default is SQLite")
	flag.DurationVar(&o.duration, "duration", 10*time.Minute, "how long all phases together take")
	flag.StringVar(&o.memory, "memory-limit", "2GiB", "memory limit of the server")
	flag.IntVar(&o.users, "users", 20, "number of honest users")
	flag.IntVar(&o.addresses, "addresses", 8, "number of addresses from which attackers come")
	flag.Float64Var(&o.strength, "strength", 1, "multiplies the number of attackers; 0.5 halves it")
	flag.IntVar(&o.priority, "priority", 0, "nice value, such as -15, of the server and the honest users; requires root")
	flag.StringVar(&o.into, "into", "", "file for the report; the default is standard output")
	attack, target := flag.String("attack", "", "internal: run this attack against -target until standard input ends"), flag.String("target", "", "internal")
	flag.Parse()
	if *attack != "" {
		os.Exit(attackUntilEOF(attackerOptions{name: *attack, target: *target, addresses: o.addresses, strength: o.strength}))
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		fmt.Fprintln(os.Stderr, "abuse:", err)
		os.Exit(2)
	}
	os.Exit(runAndWrite(o))
}

// runAndWrite runs all phases and writes the report. It returns the exit status.
func runAndWrite(o options) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := raisePriority(o.priority)
	var report *report
	if err == nil {
		report, err = run(ctx, o)
	}
	if err == nil {
		err = report.write(o.into)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "abuse:", err)
		return 2
	}
	if broken := report.brokenBounds(); len(broken) > 0 {
		fmt.Fprintln(os.Stderr, "abuse: "+strings.Join(broken, "\nabuse: "))
		return 1
	}
	return 0
}

// run runs all phases.
func run(ctx context.Context, o options) (*report, error) {
	limit, err := parseBytes(o.memory)
	if err != nil {
		return nil, err
	}
	s, err := startServer(ctx, o, limit)
	if err != nil {
		return nil, err
	}
	defer s.close()
	users := newCrowd(s.url, o.users)
	if err := users.signUp(ctx); err != nil {
		return nil, fmt.Errorf("honest users cannot sign up: %w", err)
	}
	r := &report{options: o, limit: limit}
	selected := selectAttacks(o.only)
	share := o.duration * quietShare / time.Duration(len(selected)*(quietShare+1)+1)
	users.start(ctx)
	before, err := r.measure(ctx, s, users, share/quietShare)
	if err != nil {
		return nil, err
	}
	for _, a := range selected {
		fmt.Fprintf(os.Stderr, "%s …\n", a.name)
		phase, err := r.attackPhase(ctx, s, users, attackPlan{a.name, share, o})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		s.settle(ctx)
		after, err := r.measure(ctx, s, users, share/quietShare)
		if err != nil {
			return nil, err
		}
		phase.quiet = before.honest.and(after.honest)
		r.quiet.add(before)
		r.phases = append(r.phases, phase)
		before = after
		if !s.isAlive() {
			break
		}
	}
	r.quiet.add(before)
	users.stop()
	r.finish(ctx, s, users)
	return r, ctx.Err()
}

// An attackPlan is one attack with its duration.
type attackPlan struct {
	name  string
	share time.Duration // duration of the attack, as a share of options.duration
	options
}

// measure observes the honest users and the memory of the server for the duration share.
func (r *report) measure(ctx context.Context, s *server, users *crowd, share time.Duration) (phase, error) {
	users.reset()
	if err := s.resetPeak(); err != nil {
		return phase{}, err
	}
	s.watchMemory(ctx, share)
	p := phase{honest: users.results()}
	p.peak = s.peak()
	return p, ctx.Err()
}

// attackPhase sets up an attack, and then observes the honest users during the attack.
func (r *report) attackPhase(ctx context.Context, s *server, users *crowd, plan attackPlan) (phase, error) {
	a, err := startAttackers(ctx, s.url, plan)
	if err != nil {
		return phase{}, err
	}
	p, err := r.measure(ctx, s, users, plan.share)
	p.name = plan.name
	p.attack = a.stop()
	return p, err
}

// finish checks the server, its store and the honest users' writes after all phases.
func (r *report) finish(ctx context.Context, s *server, users *crowd) {
	if r.alive = s.isAlive(); r.alive {
		r.written, r.lost = users.checkWrites(ctx)
	}
	r.checkError = s.stopAndCheck(ctx)
}
