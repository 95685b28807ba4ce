package account_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/clock"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// A fixture is the accounts of a store, with its clock and the e-mails that it has sent.
type fixture struct {
	*account.Accounts
	*clock.Clock
	*mailRecorder
	store graph.Store
}

// A mailRecorder collects e-mails.
type mailRecorder struct {
	mu    sync.Mutex
	mails []account.Mail
}

// Send implements account.Mailer.
func (p *mailRecorder) Send(_ context.Context, m account.Mail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mails = append(p.mails, m)
	return nil
}

// token returns the token in the last e-mail with the given recipient and subject.
func (p *mailRecorder) token(t *testing.T, to, subject string) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range slices.Backward(p.mails) {
		if _, rest, ok := strings.Cut(m.Text, "?token="); ok && m.To == to && strings.Contains(m.Subject, subject) {
			token, _, _ := strings.Cut(rest, "\n")
			return token
		}
	}
	t.Fatalf("%s received no e-mail about %q; all e-mails: %v", to, subject, p.mails)
	return ""
}

func (p *mailRecorder) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.mails)
}

// onEveryStore runs a test on each kind of store.
func onEveryStore(t *testing.T, run func(*testing.T, fixture)) {
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
			run(t, newFixture(t, store))
		})
	}
}

// newMemoryFixture returns a fixture for tests that do not depend on the store.
func newMemoryFixture(t *testing.T) fixture {
	t.Helper()
	return newFixture(t, memory.New())
}

func newFixture(t *testing.T, store graph.Store, change ...func(*account.Options)) fixture {
	t.Helper()
	w := fixture{Clock: clock.At(time.Now()), mailRecorder: &mailRecorder{}, store: store}
	o := account.Options{Now: w.Now, Mailer: w.mailRecorder, URL: "https://weft.test", InsecureHashes: true}
	for _, f := range change {
		f(&o)
	}
	var err error
	if w.Accounts, err = account.New(t.Context(), store, o); err != nil {
		t.Fatal(err)
	}
	return w
}

// another returns another server of the same store, with the same clock.
func (w fixture) another(t *testing.T) fixture {
	t.Helper()
	return newFixture(t, w.store, func(o *account.Options) { o.Now = w.Now })
}

const password = "correct horse"

func (w fixture) addUser(t *testing.T, email string) account.User {
	t.Helper()
	u, err := w.SignUp(t.Context(), account.Person{Email: email, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (w fixture) signIn(t *testing.T, email string) account.SignInResult {
	t.Helper()
	signed, err := w.SignIn(t.Context(), email, password, account.Client{Name: "a test", RenewsTokens: true})
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// identify checks that a token is valid, and returns its identity.
func (w fixture) identify(t *testing.T, token string) account.Identity {
	t.Helper()
	who, err := w.Identify(t.Context(), "Bearer "+token)
	if err != nil {
		t.Errorf("a token is invalid: %v", err)
	}
	return who
}

// expectInvalidToken checks that a token is invalid.
func (w fixture) expectInvalidToken(t *testing.T, token string) {
	t.Helper()
	_, err := w.Identify(t.Context(), "Bearer "+token)
	expectKind(t, graph.Unauthorized, err)
}

func expectKind(t *testing.T, kind graph.ErrorKind, err error) {
	t.Helper()
	if graph.KindOf(err) != kind {
		t.Errorf("the error is %v (%q); want %q", err, graph.KindOf(err), kind)
	}
}
