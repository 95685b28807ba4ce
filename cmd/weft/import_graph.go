package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/kv"
)

type importGraph struct {
	storeFlags
	File      string   `arg:"" help:"File written by weft export; - reads standard input."`
	As        string   `placeholder:"EMAIL" help:"User who owns the imported records, except those whose owner is kept."`
	SameUsers bool     `help:"Keep the owners of records of users: both graphs have the same users with the same ids."`
	Trust     []string `enum:"pages,scripts,system" placeholder:"WHAT" help:"What the file may install, a list: system (records of the system keep their owner), pages (pages of the system and of admins are served), scripts (code of their widgets runs in pages)."`
	Yes       bool     `help:"Import without asking."`
}

// Help implements kong.HelpProvider.
func (importGraph) Help() string {
	return `Imported records receive new ids. Existing types and values are reused; all other records are new and keep their ` +
		`access and date. (New types are public and have the date of the import.) Repeating an import adds nothing, repeating an ` +
		`interrupted one continues it, and a later export of the same graph adds its new records. To move a graph with its ` +
		`ids, use weft store copy.` +
		"\n\n" + `An owner in the file is a claim of the file's author. Records of the system and of users become records of the ` +
		`user of --as, unless --trust system and --same-users keep their owners. Pages of the system and of admins replace ` +
		`those of the same address, and the code of their widgets runs with the rights of visitors; a file with ` +
		`such pages and widgets is refused unless --trust names them. A summary is printed before anything is written.` +
		"\n\n" + `For example, a file from elsewhere: weft import graph foreign.jsonl --as ann@example.org. ` +
		`The export of your own graph: weft import graph graph.jsonl.zst --same-users --trust system,pages,scripts`
}

// An importTrust lists what --trust accepts: "system", "pages", "scripts".
type importTrust []string

func (t importTrust) has(what string) bool { return slices.Contains(t, what) }

// Run prints a summary of the file, asks for confirmation on a terminal, imports the file, and prints the number of records.
func (c importGraph) Run() error {
	ctx, stop := interruptible()
	defer stop()
	file, err := openSeekable(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	start := time.Now()
	err = c.runResumable(ctx, func(store graph.Store) error { return c.importFile(ctx, store, file) })
	if err == nil {
		fmt.Println(formatUsage(start, c.Data))
	}
	return err
}

// importFile surveys a file, asks for confirmation, and imports the file.
func (c importGraph) importFile(ctx context.Context, store graph.Store, file io.ReadSeeker) error {
	owners, policy, err := c.rules(ctx, store)
	if err != nil {
		return err
	}
	survey := newFileSurvey(owners, policy, c.Trust)
	if err := c.readWith(file, func(in io.Reader) error { return survey.readAll(ctx, in) }); err != nil {
		return err
	}
	summary, err := survey.summary(ctx, store)
	if err != nil {
		return err
	}
	fmt.Fprint(os.Stderr, summary)
	if err := survey.check(); err != nil {
		return err
	}
	if err := c.confirm(); err != nil {
		return err
	}
	bar := newProgress(os.Stderr, "records")
	r := &fileReader{store: store, owners: owners, report: func(records int) { bar.show(records, -1) }}
	guarded := guardedReader{newFileSurvey(owners, policy, c.Trust), r}
	err = c.readWith(file, func(in io.Reader) error { return readGraphFile(ctx, in, guarded) })
	if err == nil {
		err = r.flush(ctx)
	}
	bar.end()
	if err == nil {
		fmt.Println(formatCount(r.seen, "record"), "of the file are in the graph")
	}
	return err
}

// rules returns the rule for the owners of records, and a policy that trusts the pages and code of the admins of the graph.
func (c importGraph) rules(ctx context.Context, store graph.Store) (ownerRule, page.Policy, error) {
	owners := ownerRule{keepsSystem: importTrust(c.Trust).has("system"), keepsUsers: c.SameUsers}
	if kv.In(store) == nil {
		return owners, page.Policy{}, nil
	}
	accounts, err := account.New(ctx, store, account.Options{})
	if err != nil {
		return owners, page.Policy{}, err
	}
	admins, err := accounts.Admins(ctx)
	if err == nil && c.As != "" {
		var u account.User
		u, err = accounts.ByEmail(ctx, c.As)
		owners.importer = u.ID
		if err == nil && u.Disabled {
			err = graph.Errorf(graph.Forbidden, "the account %s is disabled, so nothing can be imported for it", u.Email)
		}
	}
	return owners, page.Policy{Admins: admins}, err
}

// confirm asks on a terminal whether to import. Elsewhere it requires --yes.
func (c importGraph) confirm() error {
	if c.Yes {
		return nil
	}
	refusal := usageErrorf("nothing was imported; set --yes to import the file")
	if c.File == "-" || !isTerminal(os.Stdin) {
		return refusal
	}
	fmt.Fprint(os.Stderr, "Import this? [y/N] ")
	reply, err := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(reply)) {
	case "y", "yes":
		return nil
	case "": // also the result at the end of an input such as /dev/null
		return refusal
	}
	return errors.Join(errors.New("nothing was imported"), err)
}

// readWith reads the whole file from its start, decompressed.
func (c importGraph) readWith(file io.ReadSeeker, read func(io.Reader) error) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(file, 1<<16)
	if first, err := in.Peek(len(byteOrderMark)); err == nil && string(first) == byteOrderMark {
		_, _ = in.Discard(len(byteOrderMark)) // cannot fail: the bytes are buffered
	}
	decompressed, err := decompressor(c.File, in)
	if err != nil {
		return err
	}
	return errors.Join(read(decompressed), decompressed.Close())
}

// openSeekable opens a file that is read twice. Standard input and pipes are copied to a temporary file, which is removed
// when it is closed.
func openSeekable(name string) (io.ReadSeekCloser, error) {
	in, err := openInput(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if name != "-" {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return os.Open(name)
		}
	}
	spool, err := os.CreateTemp("", "weft-import-*")
	if err != nil {
		return nil, err
	}
	copied := removedOnClose{spool}
	if _, err := io.Copy(spool, in); err != nil {
		return nil, errors.Join(err, copied.Close())
	}
	return copied, nil
}

type removedOnClose struct{ *os.File }

// Close closes and removes the file.
func (f removedOnClose) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

// decompressor returns a reader that decompresses in as the extension of name requires.
func decompressor(name string, in io.Reader) (io.ReadCloser, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewReader(in)
	case ".zst":
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	default:
		return io.NopCloser(in), nil
	}
}
