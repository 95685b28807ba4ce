package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/weft-graph/weft/account"
)

type keyCommand struct {
	Add    keyAdd    `cmd:"" help:"Make an API key and print it, this once."`
	List   keyList   `cmd:"" help:"Print the API keys of a user."`
	Revoke keyRevoke `cmd:"" help:"End an API key."`
}

// Help says what the one-line help of the flags cannot.
func (keyCommand) Help() string {
	return `Works on the store itself. SQLite takes one process at a time: stop weft serve first, or use its /api/auth/keys.`
}

type keyAdd struct {
	storeFlags
	Email string        `arg:"" help:"Whom the key acts for."`
	Name  string        `arg:"" help:"What the key is for."`
	Write bool          `help:"Let it write as well as read."`
	Type  []string      `placeholder:"NAME" help:"Let it see only instances of these types, as in the_note."`
	Life  time.Duration `placeholder:"DURATION" help:"How long it is good, as in 720h; for ever when left out."`
}

// Run prints the text of the key.
func (c keyAdd) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a *account.Accounts, u account.User) error {
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
	storeFlags
	Email string `arg:"" help:"Whose keys they are."`
}

// Run prints a line for each key.
func (c keyList) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a *account.Accounts, u account.User) error {
		keys, err := a.Keys(ctx, u.ID)
		if err != nil {
			return err
		}
		out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, "ID\tNAME\tMAY\tUSED\tENDS")
		for _, k := range keys {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, rights(k), day(k.Used), day(k.Expires))
		}
		return out.Flush()
	})
}

func rights(k account.Key) string {
	may := "read"
	if k.Write {
		may = "read, write"
	}
	if len(k.Types) > 0 {
		may += " " + strings.Join(k.Types, " ")
	}
	return may
}

func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.DateOnly)
}

type keyRevoke struct {
	storeFlags
	Email string `arg:"" help:"Whose key it is."`
	ID    string `arg:"" name:"id" help:"Which one, as listed."`
}

// Run ends a key.
func (c keyRevoke) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a *account.Accounts, u account.User) error {
		return a.RevokeKey(ctx, u.ID, c.ID)
	})
}
