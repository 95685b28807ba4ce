package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
)

type userCommand struct {
	Add      userAdd      `cmd:"" help:"Make an account."`
	List     userList     `cmd:"" set:"made=" help:"Print all accounts."`
	Disable  userDisable  `cmd:"" set:"made=" help:"Take away the right to sign in."`
	Enable   userEnable   `cmd:"" set:"made=" help:"Give it back."`
	Admin    userAdmin    `cmd:"" set:"made=" help:"Make somebody an admin, or no longer."`
	Password userPassword `cmd:"" set:"made=" help:"Set a password and end every session."`
	Token    userToken    `cmd:"" set:"made=" help:"Print an access token, good for minutes."`
	Remove   userRemove   `cmd:"" set:"made=" help:"End an account and erase what only the user could read; what is public stays."`
}

// Help says what the one-line help of the flags cannot.
func (userCommand) Help() string {
	return `Works on the store itself. SQLite takes one process at a time: stop weft serve first, or use its /api/admin/users.`
}

// with runs something on the accounts of a store that is there.
func (f storeFlags) with(do func(context.Context, *account.Accounts) error) error {
	switch reader, err := f.openReader(context.Background()); {
	case err == nil:
		_ = reader.Close()
	case graph.KindOf(err) == graph.NotFound:
		return err
	}
	return f.withNew(do) // which says what else is wrong
}

// withNew runs something on the accounts of the store, which is made if it is not there.
func (f storeFlags) withNew(do func(context.Context, *account.Accounts) error) error {
	if strings.HasPrefix(f.Store, "memory:") {
		return misusef("--store %s would forget at once what is done to it; leave it out", f.Store)
	}
	ctx, stop := interruptible()
	defer stop()
	store, err := f.open(ctx)
	if err != nil {
		return err
	}
	a, err := account.New(ctx, store, account.Options{})
	if err == nil {
		err = do(ctx, a)
	}
	return errors.Join(err, store.Close())
}

// withUser runs something on the account with an e-mail.
func (f storeFlags) withUser(email string, do func(context.Context, *account.Accounts, account.User) error) error {
	return f.with(func(ctx context.Context, a *account.Accounts) error {
		u, err := a.ByEmail(ctx, email)
		if err != nil {
			return err
		}
		return do(ctx, a, u)
	})
}

// passwordFlags say where a new password comes from.
type passwordFlags struct {
	PasswordStdin bool `help:"Read the password from standard input, one line. Left out, one is made up and printed."`
}

// password also says whether it was made up, and has to be printed.
func (f passwordFlags) password() (password string, made bool, err error) {
	if !f.PasswordStdin {
		return rand.Text(), true, nil
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), false, err
}

type userAdd struct {
	storeFlags
	passwordFlags
	Email string `arg:"" help:"Whose account it is."`
	Admin bool   `help:"Make them an admin."`
}

// Run makes an account and prints its id.
func (c userAdd) Run() error {
	password, made, err := c.password()
	if err != nil {
		return err
	}
	return c.withNew(func(ctx context.Context, a *account.Accounts) error {
		u, err := a.Add(ctx, account.Person{Email: c.Email, Password: password}, c.Admin)
		if err != nil {
			return err
		}
		fmt.Println(u.ID)
		printMade(password, made)
		return nil
	})
}

func printMade(password string, made bool) {
	if made {
		fmt.Println("password:", password)
	}
}

type userList struct{ storeFlags }

// usersAtOnce is how many accounts are in memory while they are listed.
const usersAtOnce = 1_000

// Run prints a line for each account.
func (c userList) Run() error {
	return c.with(func(ctx context.Context, a *account.Accounts) error {
		out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, "ID\tE-MAIL\tMADE\tSTATE")
		for after := graph.ID(0); ; {
			users, err := a.Users(ctx, after, usersAtOnce)
			if err != nil || len(users) == 0 {
				return err
			}
			for _, u := range users {
				fmt.Fprintf(out, "%d\t%s\t%s\t%s\n", u.ID, u.Email, u.Created.Format(time.DateOnly), stateOf(u))
			}
			if err := out.Flush(); err != nil {
				return err
			}
			after = users[len(users)-1].ID
		}
	})
}

func stateOf(u account.User) string {
	var state []string
	if u.Admin {
		state = append(state, "admin")
	}
	if u.Disabled {
		state = append(state, "disabled")
	}
	if u.Confirmed.IsZero() {
		state = append(state, "unconfirmed")
	}
	return strings.Join(state, ", ")
}

type userDisable struct {
	storeFlags
	Email string `arg:"" help:"Whose account it is."`
}

// Run ends the sessions of the user too.
func (c userDisable) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a *account.Accounts, u account.User) error {
		_, err := a.SetDisabled(ctx, u.ID, true)
		return err
	})
}

type userEnable userDisable

// Run lets the user sign in again.
func (c userEnable) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a *account.Accounts, u account.User) error {
		_, err := a.SetDisabled(ctx, u.ID, false)
		return err
	})
}

type userAdmin struct {
	storeFlags
	Email string `arg:"" help:"Whose account it is."`
	Off   bool   `help:"Take the rights of an admin away."`
}

// Run gives or takes the rights of an admin.
func (c userAdmin) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a *account.Accounts, u account.User) error {
		_, err := a.SetAdmin(ctx, u.ID, !c.Off)
		return err
	})
}

type userPassword struct {
	storeFlags
	passwordFlags
	Email string `arg:"" help:"Whose account it is."`
}

// Run sets a password.
func (c userPassword) Run() error {
	password, made, err := c.password()
	if err != nil {
		return err
	}
	return c.withUser(c.Email, func(ctx context.Context, a *account.Accounts, u account.User) error {
		if err := a.SetPassword(ctx, u.ID, password); err != nil {
			return err
		}
		printMade(password, made)
		return nil
	})
}

type userToken struct {
	storeFlags
	Email string `arg:"" help:"Whose account it is."`
}

// Run prints a token for the header Authorization.
func (c userToken) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a *account.Accounts, u account.User) error {
		token, err := a.Token(ctx, u.ID)
		if err == nil {
			fmt.Println(token)
		}
		return err
	})
}

type userRemove struct {
	storeFlags
	Email string `arg:"" help:"Whose account it is."`
}

// Help says what the one-line help of the flags cannot.
func (userRemove) Help() string {
	return `The account ends at once. What was only the user's, such as private records and uploads, is erased by weft serve: when it starts, or within the hour.`
}

// Run ends an account.
func (c userRemove) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a *account.Accounts, u account.User) error {
		_, err := a.Remove(ctx, u.ID)
		return err
	})
}
