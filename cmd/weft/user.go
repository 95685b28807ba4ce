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

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
)

type userCommand struct {
	Add      userAdd      `cmd:"" help:"Create an account."`
	List     userList     `cmd:"" set:"made=" help:"List all accounts."`
	Disable  userDisable  `cmd:"" set:"made=" help:"Block a user from signing in, and end their sessions."`
	Enable   userEnable   `cmd:"" set:"made=" help:"Permit a disabled user to sign in again."`
	Admin    userAdmin    `cmd:"" set:"made=" help:"Grant or revoke the rights of an admin."`
	Password userPassword `cmd:"" set:"made=" help:"Set a password and end all sessions of the user."`
	Token    userToken    `cmd:"" set:"made=" help:"Print an access token that is valid for minutes."`
	Remove   userRemove   `cmd:"" set:"made=" help:"Remove an account and erase the data that only its user could read; public data is kept."`
}

// Help implements kong.HelpProvider.
func (userCommand) Help() string {
	return `With --url, works on a running server, with the --token of an admin. Otherwise writes directly to the store, which only one process ` +
		`can do with SQLite: stop weft serve first.`
}

// An accountManager manages the accounts of a store (account.Accounts) or of a running server (adminServer). The contract of the
// methods is that of account.Accounts.
type accountManager interface {
	Add(ctx context.Context, p account.Person, admin bool) (account.User, error)
	Users(ctx context.Context, after graph.ID, limit int) ([]account.User, error)
	ByEmail(ctx context.Context, email string) (account.User, error)
	SetDisabled(ctx context.Context, user graph.ID, disabled bool) (account.User, error)
	SetAdmin(ctx context.Context, user graph.ID, admin bool) (account.User, error)
	SetPassword(ctx context.Context, user graph.ID, password string) error
	Token(ctx context.Context, user graph.ID) (string, error)
	Remove(ctx context.Context, user graph.ID) (account.User, error)
	NewKey(ctx context.Context, k account.Key) (account.Key, string, error)
	Keys(ctx context.Context, user graph.ID) ([]account.Key, error)
	RevokeKey(ctx context.Context, user graph.ID, id string) error
}

var _ accountManager = (*account.Accounts)(nil)

// withServer runs a function on the accounts of the server of --url.
func (f adminFlags) withServer(do func(context.Context, accountManager) error) error {
	server, err := f.server()
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	return do(ctx, server)
}

// withAccounts runs a function on the accounts of an existing store, or of a server.
func (f adminFlags) withAccounts(do func(context.Context, accountManager) error) error {
	if f.URL != "" {
		return f.withServer(do)
	}
	switch reader, err := f.openReader(context.Background()); {
	case err == nil:
		_ = reader.Close()
	case graph.KindOf(err) == graph.NotFound:
		return err
	}
	return f.withNewAccounts(do) // any other error occurs again when the store is opened for writing
}

// withNewAccounts is like withAccounts, and creates the store if it does not exist.
func (f adminFlags) withNewAccounts(do func(context.Context, accountManager) error) error {
	if f.URL != "" {
		return f.withServer(do)
	}
	if f.isMemory() {
		return usageErrorf("--store %s is discarded at exit; leave it out", f.Store)
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

// withUser runs a function on the account with an e-mail address.
func (f adminFlags) withUser(email string, do func(context.Context, accountManager, account.User) error) error {
	return f.withAccounts(func(ctx context.Context, a accountManager) error {
		u, err := a.ByEmail(ctx, email)
		if err != nil {
			return err
		}
		return do(ctx, a, u)
	})
}

// passwordFlags selects the source of a new password.
type passwordFlags struct {
	PasswordStdin bool `help:"Read the password from one line of standard input. The default is to generate one and print it."`
}

// password returns the new password, and whether it was generated and must therefore be printed.
func (f passwordFlags) password() (password string, isGenerated bool, err error) {
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
	adminFlags
	passwordFlags
	Email string `arg:"" help:"E-mail address of the account."`
	Admin bool   `help:"Make the user an admin."`
}

// Run creates an account and prints its id.
func (c userAdd) Run() error {
	password, isGenerated, err := c.password()
	if err != nil {
		return err
	}
	return c.withNewAccounts(func(ctx context.Context, a accountManager) error {
		u, err := a.Add(ctx, account.Person{Email: c.Email, Password: password}, c.Admin)
		if err != nil {
			return err
		}
		fmt.Println(u.ID)
		printGenerated(password, isGenerated)
		return nil
	})
}

// printGenerated prints a generated password.
func printGenerated(password string, isGenerated bool) {
	if isGenerated {
		fmt.Println("password:", password)
	}
}

type userList struct{ adminFlags }

// usersAtOnce is the number of accounts read at a time.
const usersAtOnce = 1_000

// Run prints a line for each account.
func (c userList) Run() error {
	return c.withAccounts(func(ctx context.Context, a accountManager) error {
		out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, "ID\tE-MAIL\tCREATED\tSTATE")
		for after := graph.ID(0); ; {
			users, err := a.Users(ctx, after, usersAtOnce)
			if err != nil || len(users) == 0 {
				return err
			}
			for _, u := range users {
				fmt.Fprintf(out, "%d\t%s\t%s\t%s\n", u.ID, u.Email, u.Created.Format(time.DateOnly), formatState(u))
			}
			if err := out.Flush(); err != nil {
				return err
			}
			after = users[len(users)-1].ID
		}
	})
}

// formatState returns the properties of an account in which the account differs from an account that is confirmed
// and active.
func formatState(u account.User) string {
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
	adminFlags
	Email string `arg:"" help:"E-mail address of the account."`
}

// Run disables the account, which also ends the sessions of the user.
func (c userDisable) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a accountManager, u account.User) error {
		_, err := a.SetDisabled(ctx, u.ID, true)
		return err
	})
}

type userEnable userDisable

// Run enables the account.
func (c userEnable) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a accountManager, u account.User) error {
		_, err := a.SetDisabled(ctx, u.ID, false)
		return err
	})
}

type userAdmin struct {
	adminFlags
	Email string `arg:"" help:"E-mail address of the account."`
	Off   bool   `help:"Revoke the rights."`
}

// Run grants or revokes the rights of an admin.
func (c userAdmin) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a accountManager, u account.User) error {
		_, err := a.SetAdmin(ctx, u.ID, !c.Off)
		return err
	})
}

type userPassword struct {
	adminFlags
	passwordFlags
	Email string `arg:"" help:"E-mail address of the account."`
}

// Run sets a password.
func (c userPassword) Run() error {
	password, isGenerated, err := c.password()
	if err != nil {
		return err
	}
	return c.withUser(c.Email, func(ctx context.Context, a accountManager, u account.User) error {
		if err := a.SetPassword(ctx, u.ID, password); err != nil {
			return err
		}
		printGenerated(password, isGenerated)
		return nil
	})
}

type userToken struct {
	adminFlags
	Email         string `arg:"" help:"E-mail address of the account."`
	PasswordStdin bool   `help:"With --url: sign in with the password in one line of standard input, instead of using the --token of an admin."`
}

// Help implements kong.HelpProvider.
func (userToken) Help() string {
	return `With --url and --password-stdin, the token belongs to a new session of the user, which lasts up to 30 days without use.`
}

// Run prints a token for the Authorization header.
func (c userToken) Run() error {
	if c.PasswordStdin {
		return c.signIn()
	}
	return c.withUser(c.Email, func(ctx context.Context, a accountManager, u account.User) error {
		token, err := a.Token(ctx, u.ID)
		if err == nil {
			fmt.Println(token)
		}
		return err
	})
}

// signIn prints the token of a new session on the server.
func (c userToken) signIn() error {
	if c.URL == "" {
		return usageErrorf("--password-stdin needs --url; without a server, no password is needed")
	}
	server, err := c.server()
	if err != nil {
		return err
	}
	password, _, err := passwordFlags{PasswordStdin: true}.password()
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	server.token = ""
	token, err := server.signIn(ctx, c.Email, password)
	if err == nil {
		fmt.Println(token)
	}
	return err
}

type userRemove struct {
	adminFlags
	Email string `arg:"" help:"E-mail address of the account."`
}

// Help implements kong.HelpProvider.
func (userRemove) Help() string {
	return `The account is removed immediately. Data that only the user could read, such as private records and uploads, is erased by weft serve, when it starts or within an hour.`
}

// Run removes an account.
func (c userRemove) Run() error {
	return c.withUser(c.Email, func(ctx context.Context, a accountManager, u account.User) error {
		_, err := a.Remove(ctx, u.ID)
		return err
	})
}
