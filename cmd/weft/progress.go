package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows a bar on a terminal. Elsewhere it prints a line every progressInterval.
type progress struct {
	out      io.Writer
	unit     string
	bar      *progressbar.ProgressBar
	nextLine time.Time // when the next line may be printed
}

func newProgress(out *os.File, unit string) *progress {
	p := &progress{out: out, unit: unit, nextLine: time.Now().Add(progressInterval)}
	if info, err := out.Stat(); err == nil && info.Mode()&fs.ModeCharDevice != 0 {
		p.bar = progressbar.NewOptions(-1,
			progressbar.OptionSetWriter(out), progressbar.OptionShowCount(), progressbar.OptionSetItsString(unit),
			progressbar.OptionShowIts(), progressbar.OptionFullWidth(), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

const progressInterval = 10 * time.Second

// show shows the progress. total is -1 if it is unknown.
func (p *progress) show(done, total int) {
	if p.bar != nil {
		p.bar.ChangeMax(total)
		_ = p.bar.Set(done)
		return
	}
	if time.Now().Before(p.nextLine) {
		return
	}
	p.nextLine = time.Now().Add(progressInterval)
	if total > 0 {
		fmt.Fprintf(p.out, "%d of %d %s\n", done, total, p.unit)
	} else {
		fmt.Fprintf(p.out, "%d %s\n", done, p.unit)
	}
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
