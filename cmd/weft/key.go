package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/weft-graph/weft/internal/account"
)

type keyCommand struct {
	Add    keyAdd    `cmd:"" help:"Create an API key and print it. It cannot be shown again."`
	List   keyList   `cmd:"" help:"List the API keys of a user."`
	Revoke keyRevoke `cmd:"" help:"Revoke an API key."`
}

// Help implements kong.HelpProvider.
func (keyCommand) Help() string {
	return `With --url, works on a running server, with the --token of an admin. Otherwise writes directly to the store, which only one process ` +
		`can do with SQLite: stop weft serve first.`
}

type keyAdd struct {
	adminFlags
	Email string        `arg:"" help:"E-mail address of the user for whom the key acts."`
	Name  string        `arg:"" help:"Description of the key."`
	Write bool          `help:"Allow writing as well as reading."`
	Type  []string      `placeholder:"NAME" help:"Restrict the key to instances of these types, e.g. the_note."`
	Life  time.Duration `placeholder:"DURATION" help:"Lifetime of the key, e.g. 720h. The default is no expiry."`
}

// Run prints the secret of the key.
func (c keyAdd) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a accountManager, u account.User) error {
		k := account.Key{User: u.ID, Name: c.Name, Write: c.Write, Types: c.Type}
		if c.Life != 0 {
			k.Expires = time.Now().Add(c.Life)
		}
		_, secret, err := a.NewKey(ctx, k)
		if err == nil {
			fmt.Println(secret)
		}
		return err
	})
}

type keyList struct {
	adminFlags
	Email string `arg:"" help:"E-mail address of the owner."`
}

// Run prints a line for each key.
func (c keyList) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a accountManager, u account.User) error {
		keys, err := a.Keys(ctx, u.ID)
		if err != nil {
			return err
		}
		out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, "ID\tNAME\tRIGHTS\tUSED\tEXPIRES")
		for _, k := range keys {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, formatRights(k), formatDay(k.Used), formatDay(k.Expires))
		}
		return out.Flush()
	})
}

// formatRights formats the rights of a key, followed by the types to which it is restricted.
func formatRights(k account.Key) string {
	rights := "read"
	if k.Write {
		rights = "read, write"
	}
	if len(k.Types) > 0 {
		rights += " " + strings.Join(k.Types, " ")
	}
	return rights
}

// formatDay returns the date of a time, or "never" for the zero time.
func formatDay(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.DateOnly)
}

type keyRevoke struct {
	adminFlags
	Email string `arg:"" help:"E-mail address of the owner."`
	ID    string `arg:"" name:"id" help:"Id of the key, as listed by weft key list."`
}

// Run revokes a key.
func (c keyRevoke) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a accountManager, u account.User) error {
		return a.RevokeKey(ctx, u.ID, c.ID)
	})
}
