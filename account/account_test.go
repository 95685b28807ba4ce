package account_test

import (
	"context"
	"testing"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/sqlite"
)

// A clock is moved by hand.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time       { return c.now }
func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }
func newClock() *clock                { return &clock{now: time.Now()} }

// A world is the accounts of a store, with its clock and what was mailed.
type world struct {
	*account.Accounts
	*clock
	store graph.Store
	mails *[]account.Mail
}

type mailbox struct{ mails *[]account.Mail }

func (m mailbox) Send(_ context.Context, mail account.Mail) error {
	*m.mails = append(*m.mails, mail)
	return nil
}

// onEveryStore runs a test on each kind of store there is without a server.
func onEveryStore(t *testing.T, run func(*testing.T, world), change ...func(*account.Options)) {
	t.Helper()
	for name, open := range map[string]func(*testing.T) graph.Store{
		"memory": func(*testing.T) graph.Store { return memory.New() },
		"sqlite": func(t *testing.T) graph.Store {
			store, err := sqlite.Open(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			return store
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			t.Cleanup(func() { store.Close() })
			run(t, on(t, store, change...))
		})
	}
}

func on(t *testing.T, store graph.Store, change ...func(*account.Options)) world {
	t.Helper()
	clock, mails := newClock(), &[]account.Mail{}
	o := account.Options{Now: clock.Now, Mailer: mailbox{mails}, URL: "https://weft.test"}
	for _, f := range change {
		f(&o)
	}
	a, err := account.New(t.Context(), store, o)
	if err != nil {
		t.Fatal(err)
	}
	return world{a, clock, store, mails}
}

const password = "correct horse"

func (w world) person(t *testing.T, email string) account.User {
	t.Helper()
	u, err := w.SignUp(t.Context(), account.Person{Email: email, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (w world) signIn(t *testing.T, email string) account.Signed {
	t.Helper()
	signed, err := w.SignIn(t.Context(), email, password, "a test")
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func want(t *testing.T, kind graph.ErrorKind, err error) {
	t.Helper()
	if graph.KindOf(err) != kind {
		t.Errorf("the error is %v (%s); want %s", err, graph.KindOf(err), kind)
	}
}

func TestSignUpAndIn(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u := w.person(t, "Ann@example.org")
		signed := w.signIn(t, "ann@EXAMPLE.org")
		who, err := w.Identify(t.Context(), "Bearer "+signed.Token)
		if err != nil || who.User != u.ID || who.Admin || who.Scope != nil || who.SignedIn != signed.Session {
			t.Errorf("the token is %+v, %v; want user %d", who, err, u.ID)
		}
		_, err = w.SignUp(t.Context(), account.Person{Email: "ANN@example.org", Password: password})
		want(t, graph.Conflict, err)
	})
}
