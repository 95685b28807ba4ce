package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A phase holds the observations during an attack, or during a quiet phase.
type phase struct {
	name   string
	peak   int64 // peak memory of the server in bytes
	honest honestResults
	quiet  honestResults // of the quiet phases before and after the attack
	attack attackResults
}

// add adds the observations of another quiet phase.
func (p *phase) add(other phase) {
	p.peak = max(p.peak, other.peak)
	p.honest = p.honest.and(other.honest)
}

// A report is the result of a run.
type report struct {
	options
	limit  int64 // --memory-limit in bytes
	quiet  phase // all quiet phases together
	phases []phase

	alive         bool // the server responded after the last phase
	written, lost int  // acknowledged writes of honest users, and acknowledged writes that cannot be read
	checkError    error
}

// brokenBounds returns a sentence for each bound that was broken.
func (r *report) brokenBounds() (broken []string) {
	for _, p := range r.allPhases() {
		allowed := time.Duration(maxSlowdown * float64(p.quiet.percentile(0.99)))
		if float64(p.peak) > maxPeakShare*float64(r.limit) {
			broken = append(broken, fmt.Sprintf("%s: the peak memory is %s; the bound is %s", p.name, mebibytes(p.peak), mebibytes(int64(maxPeakShare*float64(r.limit)))))
		}
		if p99 := p.honest.percentile(0.99); p99 > allowed {
			broken = append(broken, fmt.Sprintf("%s: the p99 of honest requests is %s; the bound is %s", p.name, milliseconds(p99), milliseconds(allowed)))
		}
		if p.honest.refused+p.honest.failed > 0 {
			broken = append(broken, fmt.Sprintf("%s: %d honest requests were refused and %d failed, the first: %s",
				p.name, p.honest.refused, p.honest.failed, firstLine(p.honest.first)))
		}
		if len(p.honest.times) == 0 {
			broken = append(broken, p.name+": no honest request was completed")
		}
	}
	if !r.alive {
		broken = append(broken, "the server does not respond at the end")
	}
	if r.lost > 0 {
		broken = append(broken, fmt.Sprintf("%d of %d acknowledged writes cannot be read at the end", r.lost, r.written))
	}
	if r.checkError != nil {
		broken = append(broken, r.checkError.Error())
	}
	return broken
}

// allPhases returns the quiet phases, combined into one, followed by the attacks.
func (r *report) allPhases() []phase {
	quiet := r.quiet
	quiet.name, quiet.quiet = "quiet", quiet.honest
	return append([]phase{quiet}, r.phases...)
}

// write writes the report as Markdown to a file, or to standard output for "".
func (r *report) write(file string) error {
	text := r.markdown()
	if file == "" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644) //nolint:gosec // the report is public
}

func (r *report) markdown() string {
	var b strings.Builder
	store := "SQLite"
	if r.store != "" {
		store = "PostgreSQL"
	}
	fmt.Fprintf(&b, about, r.users, r.memory, store, runtime.NumCPU(), r.duration, r.addresses, r.strength, r.priority)
	b.WriteString("| attack | peak memory | honest p50 | honest p99 | quiet p99 | refused | failed | attack served | refused | cut off | held open | attackers' processor time |\n" +
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, p := range r.allPhases() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d | %d | %d | %d | %d | %d | %.1f s |\n", p.name, mebibytes(p.peak),
			milliseconds(p.honest.percentile(0.5)),
			milliseconds(p.honest.percentile(0.99)), milliseconds(p.quiet.percentile(0.99)), p.honest.refused, p.honest.failed,
			p.attack.Served, p.attack.Refused, p.attack.Cut, p.attack.Held, p.attack.CPU.Seconds())
	}
	fmt.Fprintf(&b, "\nAt the end: server responds: %t; acknowledged writes: %d, of them lost: %d; `weft store check`: %s.\n",
		r.alive, r.written, r.lost, verdict(r.checkError))
	if broken := r.brokenBounds(); len(broken) > 0 {
		b.WriteString("\nBroken bounds:\n\n")
		for _, text := range broken {
			fmt.Fprintf(&b, "- %s\n", text)
		}
	} else {
		b.WriteString("\nAll bounds hold.\n")
	}
	return b.String()
}

const about = `# A server under attack

Written by ` + "`make abuse`" + `. %d honest users sign in, write, read, list, query and hold a change stream, from one address each, while attacks run
in phases against the real program with ` + "`--memory-limit %s`" + `, %s and %d processors. All phases together took %s. The attackers come from
%d addresses; their usual number is multiplied by %g.

- The server and the users have the nice value %d among the programs of the machine, and the attackers one that is higher by 10.
- The attackers run in a separate process with one processor and a low priority (nice 10), so that they do not take processor time
  that the server needs. Their processor time is in the last column. Users and server share the same machine.
- Peak memory is the resident memory of the server as the kernel counts it (VmHWM), reset before each phase. Memory that the runtime has
  not returned since the previous phase is included. The server is killed at three times the limit.
- Times are those of single requests of honest users, without sign-ins, whose hash is expensive on purpose. Refusals and failures
  include sign-ins and change streams.
- The quiet p99 is that of the same users in the quiet phases before and after the attack.
- "Refused" attacks got a status of 400 or more, "cut off" ones lost their connection, and "held open" ones were still waiting.
- Bounds: peak memory at most 1.25 times the memory limit, p99 at most three times the quiet p99, no honest request refused or failed, a sound
  store with every acknowledged write. ` + "`make abuse`" + ` fails if one is broken.

`

func verdict(err error) string {
	if err != nil {
		return firstLine(err.Error())
	}
	return "sound"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + " ms"
}

// parseBytes parses a size such as 2GiB or 512MiB.
func parseBytes(text string) (int64, error) {
	for unit, size := range map[string]int64{"GiB": 1 << 30, "MiB": 1 << 20} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseInt(number, 10, 64)
			return n * size, err
		}
	}
	return 0, fmt.Errorf("%q is not a size such as 2GiB", text)
}
