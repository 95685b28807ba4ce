package account_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/clock"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/postgres"
	"github.com/weft-graph/weft/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// A world is the accounts of a store, with its clock and what was mailed.
type world struct {
	*account.Accounts
	*clock.Clock
	*postbox
	store graph.Store
}

// A postbox keeps what accounts send.
type postbox struct {
	mu    sync.Mutex
	mails []account.Mail
}

// Send implements account.Mailer.
func (p *postbox) Send(_ context.Context, m account.Mail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mails = append(p.mails, m)
	return nil
}

// token is that of the last mail to somebody about something.
func (p *postbox) token(t *testing.T, to, subject string) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range slices.Backward(p.mails) {
		if _, rest, ok := strings.Cut(m.Text, "?token="); ok && m.To == to && strings.Contains(m.Subject, subject) {
			token, _, _ := strings.Cut(rest, "\n")
			return token
		}
	}
	t.Fatalf("%s got no mail about %q: %v", to, subject, p.mails)
	return ""
}

func (p *postbox) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.mails)
}

// onEveryStore runs a test on each kind of store.
func onEveryStore(t *testing.T, run func(*testing.T, world)) {
	t.Helper()
	for name, open := range map[string]func(*testing.T) (graph.Store, error){
		"memory":   func(*testing.T) (graph.Store, error) { return memory.New(), nil },
		"sqlite":   func(t *testing.T) (graph.Store, error) { return sqlite.Open(t.Context(), t.TempDir()) },
		"postgres": func(t *testing.T) (graph.Store, error) { return postgres.Open(t.Context(), pgtest.Database(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			store, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			run(t, on(t, store))
		})
	}
}

// inMemory is a world for what does not depend on the store.
func inMemory(t *testing.T) world {
	t.Helper()
	return on(t, memory.New())
}

func on(t *testing.T, store graph.Store, change ...func(*account.Options)) world {
	t.Helper()
	w := world{Clock: clock.At(time.Now()), postbox: &postbox{}, store: store}
	o := account.Options{Now: w.Now, Mailer: w.postbox, URL: "https://weft.test", Guessable: true}
	for _, f := range change {
		f(&o)
	}
	var err error
	if w.Accounts, err = account.New(t.Context(), store, o); err != nil {
		t.Fatal(err)
	}
	return w
}

// another server of the same store, with the same clock.
func (w world) another(t *testing.T) world {
	t.Helper()
	return on(t, w.store, func(o *account.Options) { o.Now = w.Now })
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

// knows wants a token to be good, and its user.
func (w world) knows(t *testing.T, token string) account.Identity {
	t.Helper()
	who, err := w.Identify(t.Context(), "Bearer "+token)
	if err != nil {
		t.Errorf("a token is not good: %v", err)
	}
	return who
}

// refuses wants a token not to be good.
func (w world) refuses(t *testing.T, token string) {
	t.Helper()
	_, err := w.Identify(t.Context(), "Bearer "+token)
	want(t, graph.Unauthorized, err)
}

func want(t *testing.T, kind graph.ErrorKind, err error) {
	t.Helper()
	if graph.KindOf(err) != kind {
		t.Errorf("the error is %v (%q); want %q", err, graph.KindOf(err), kind)
	}
}
