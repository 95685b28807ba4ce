package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
)

// recordFlags select the destination of an import of records, and how they are stored.
type recordFlags struct {
	adminFlags
	Type   string `required:"" placeholder:"the_x" help:"Type of the records."`
	As     string `placeholder:"NAME" help:"Name of the import. The default is the path of the file."`
	Owner  string `placeholder:"EMAIL" help:"User who owns the records. The default is the system; with --url, the owner is the user of the token."`
	Access string `default:"private" enum:"private,public" help:"Who may read the records: private (their owner and admins) or public (${default})."`
}

// checkType validates --type. It is stricter than a store, which accepts any text as the name of a type.
func (f recordFlags) checkType() error {
	isForbidden := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	if f.Type == "" || strings.ContainsFunc(f.Type, isForbidden) {
		return usageErrorf("--type %q is not a type name such as the_person", graph.Clip(f.Type))
	}
	if err := graph.CheckTypeName(f.Type); err != nil {
		return usageError{err}
	}
	return nil
}

// access returns the level of --access.
func (f recordFlags) access() graph.Access {
	if f.Access == "public" {
		return graph.Public
	}
	return graph.Private
}

// withWriter runs a task with a recordWriter for the import with the given name, and prints the cost. If the task was interrupted,
// the error says that the same command continues the task.
func (f recordFlags) withWriter(ctx context.Context, name string, task func(*recordWriter) error) error {
	if f.URL != "" {
		return f.withRemoteWriter(ctx, name, task)
	}
	start := time.Now()
	err := f.runResumable(ctx, func(store graph.Store) error {
		owner, err := f.findOwner(ctx, store)
		if err != nil {
			return err
		}
		return task(&recordWriter{store: store, typeName: f.Type, owner: owner, access: f.access(), sender: f.sender(name)})
	})
	if err == nil {
		fmt.Println(formatUsage(start, f.Data))
	}
	return err
}

// findOwner returns the user of --owner, or 0 for the system.
func (f recordFlags) findOwner(ctx context.Context, store graph.Store) (graph.ID, error) {
	if f.Owner == "" {
		return 0, nil
	}
	accounts, err := account.New(ctx, store, account.Options{})
	if err != nil {
		return 0, err
	}
	u, err := accounts.ByEmail(ctx, f.Owner)
	return u.ID, err
}

// sender returns the sender of an import, so that each import has its own namespace of local ids. An import with a different
// access or owner is a different import.
func (f recordFlags) sender(name string) graph.Sender {
	if f.access() == graph.Private || f.Owner != "" {
		name = fmt.Sprintf("%s %s %s", name, f.Access, f.Owner)
	}
	return senderOf(f.Type, name)
}

func (f recordFlags) withRemoteWriter(ctx context.Context, name string, task func(*recordWriter) error) error {
	if f.Owner != "" {
		return usageErrorf("--owner needs the data directory; with --url, the owner is the user of --token")
	}
	if _, err := f.server(); err != nil {
		return err
	}
	server := client.New(f.URL)
	server.Token = f.Token
	defer server.Close()
	sender := f.sender(name)
	sender.User = graph.Anonymous // the server replaces the user with the user of the token
	err := task(&recordWriter{store: server, typeName: f.Type, access: f.access(), sender: sender, isRemote: true})
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("stopped; run the same command again to continue")
	case graph.KindOf(err) == graph.Unauthorized || graph.KindOf(err) == graph.Forbidden:
		return fmt.Errorf("%w; set --token or WEFT_TOKEN to an access token or to an API key that may write", err)
	}
	return err
}

// runWriter imports the JSON records of a reader with a writer and prints their number.
func (f recordFlags) runWriter(ctx context.Context, w *recordWriter, in *recordStream) error {
	bar := newProgress(os.Stderr, "records")
	err := w.importAll(ctx, in.Reader, func(records int) { bar.show(records, in.total) })
	bar.end()
	if err != nil {
		return fmt.Errorf("%w; imported so far: %s, %d of them in this run", err, formatCount(w.imported, "record"), w.added)
	}
	if w.isRemote {
		fmt.Printf("%s of %s sent, %s\n", formatCount(w.imported, "record"), f.Type, f.Access)
		return nil
	}
	fmt.Printf("%s of %s, %d of them added in this run\n", formatCount(w.imported, "record"), f.Type, w.added)
	if f.access() == graph.Private && f.Owner == "" && w.added > 0 {
		fmt.Fprintln(os.Stderr, "The records are private and belong to the system: over HTTP, only admins see them. --owner or --access public changes that.")
	}
	return nil
}

// randomName returns a name for an import from standard input. Every call returns a new name.
func randomName() string { return fmt.Sprintf("standard input at %v, %d", time.Now(), rand.Int64()) }
