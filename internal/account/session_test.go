package account_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
)

func TestATokenIdentifiesTheUserWhoSignedIn(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, "Ann@example.org")
		signed := w.signIn(t, "ann@EXAMPLE.org")
		who := w.identify(t, signed.Token)
		if who.User != u.ID || who.Admin || who.Scope != nil || who.SessionID != signed.Session {
			t.Errorf("the token is %+v; want user %d in session %s", who, u.ID, signed.Session)
		}
	})
}

func TestWrongPasswordsAndUnknownEMailsHaveTheSameError(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	_, wrong := w.SignIn(t.Context(), "ann@example.org", password+"!", account.Client{})
	expectKind(t, graph.Unauthorized, wrong)
	for _, email := range []string{"bo@example.org", "", "not an e-mail", "x\x00y@example.org", strings.Repeat("x", 1000) + "@example.org"} {
		if _, err := w.SignIn(t.Context(), email, password, account.Client{}); err == nil || err.Error() != wrong.Error() || graph.KindOf(err) != graph.Unauthorized {
			t.Errorf("%.20q: %v; want %v", email, err, wrong)
		}
	}
}

func TestRefreshTokensWorkOnce(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, "ann@example.org")
		first, other := w.signIn(t, "ann@example.org"), w.signIn(t, "ann@example.org")
		second, err := w.Refresh(t.Context(), first.Refresh, account.Client{})
		if err != nil {
			t.Fatal(err)
		}
		if second.Session != first.Session || second.Refresh == first.Refresh || second.User.ID != u.ID {
			t.Errorf("refreshing = %+v; want the same session and user, and another refresh token", second)
		}
		w.identify(t, second.Token)
		t.Run("a second use ends the session, and no other session", func(t *testing.T) {
			_, err := w.Refresh(t.Context(), first.Refresh, account.Client{})
			expectKind(t, graph.Unauthorized, err)
			_, err = w.Refresh(t.Context(), second.Refresh, account.Client{})
			expectKind(t, graph.Unauthorized, err)
			w.expectInvalidToken(t, first.Token)
			w.expectInvalidToken(t, second.Token)
			w.identify(t, other.Token)
		})
		t.Run("two concurrent uses end the session", func(t *testing.T) {
			var succeeded atomic.Int64
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					if _, err := w.Refresh(t.Context(), other.Refresh, account.Client{}); err == nil {
						succeeded.Add(1)
					}
				})
			}
			wait.Wait()
			if n := succeeded.Load(); n > 1 {
				t.Errorf("%d of 8 concurrent requests returned tokens; want at most 1", n)
			}
			w.expectInvalidToken(t, other.Token)
		})
	})
}

func TestRefreshRejectsInvalidTokens(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	signed := w.signIn(t, "ann@example.org")
	for _, token := range []string{
		"", ".", "..", "x.y.z", signed.Token, "999." + strings.SplitN(signed.Refresh, ".", 2)[1], strings.Repeat("x", 10_000),
		"100000.\x00.x", "9999999999999999999.x.y",
	} {
		_, err := w.Refresh(t.Context(), token, account.Client{})
		expectKind(t, graph.Unauthorized, err)
	}
	w.Move(31 * 24 * time.Hour)
	_, err := w.Refresh(t.Context(), signed.Refresh, account.Client{})
	expectKind(t, graph.Unauthorized, err)
}

func TestRefreshExtendsASession(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	signed := w.signIn(t, "ann@example.org")
	for range 4 {
		w.Move(20 * 24 * time.Hour)
		var err error
		if signed, err = w.Refresh(t.Context(), signed.Refresh, account.Client{}); err != nil {
			t.Fatal(err)
		}
		w.identify(t, signed.Token)
	}
}

func TestSignOutRevokesTokensOnAllServers(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		w.addUser(t, "ann@example.org")
		other := w.another(t)
		signed := w.signIn(t, "ann@example.org")
		w.identify(t, signed.Token)
		other.identify(t, signed.Token)
		if err := w.SignOut(t.Context(), signed.User.ID, signed.Session); err != nil {
			t.Fatal(err)
		}
		w.expectInvalidToken(t, signed.Token)
		_, err := w.Refresh(t.Context(), signed.Refresh, account.Client{})
		expectKind(t, graph.Unauthorized, err)
		w.Move(account.IdentityCacheTime)
		other.expectInvalidToken(t, signed.Token)
	})
}

func TestSessionsAreListedAndLimited(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, "ann@example.org")
		var all []account.SignInResult
		for range 22 {
			w.Move(time.Second)
			all = append(all, w.signIn(t, "ann@example.org"))
		}
		found, err := w.Sessions(t.Context(), u.ID)
		if err != nil || len(found) != 20 {
			t.Fatalf("%d sessions, %v; want 20", len(found), err)
		}
		for i, s := range found {
			if s.ID != all[21-i].Session || s.Device != "a test" {
				t.Errorf("session %d is %+v; want %s", i, s, all[21-i].Session)
			}
		}
		w.expectInvalidToken(t, all[1].Token)
		w.identify(t, all[2].Token)
	})
}
