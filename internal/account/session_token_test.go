package account_test

import (
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/store/memory"
)

// signInWithoutRenewal signs in as a client that does not renew tokens.
func (w fixture) signInWithoutRenewal(t *testing.T, email string) account.SignInResult {
	t.Helper()
	signed, err := w.SignIn(t.Context(), email, password, account.Client{Name: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// expectEndedSessionToken checks that a token is refused as a session token that has ended.
func (w fixture) expectEndedSessionToken(t *testing.T, token string) {
	t.Helper()
	_, err := w.Identify(t.Context(), "Bearer "+token)
	expectKind(t, graph.Unauthorized, err)
	if !account.IsSessionTokenEnded(err) {
		t.Errorf("the error is %v; want that of a session token that has ended", err)
	}
}

const day = 24 * time.Hour

func TestASessionTokenIsValidAsLongAsItIsUsed(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, "ann@example.org")
		signed := w.signInWithoutRenewal(t, "ann@example.org")
		if got := signed.Expires.Sub(w.Now()); got < 29*day || got > 30*day {
			t.Errorf("the session ends after %v; want 30 days", got)
		}
		for range 4 { // for longer than the key that signed the token is stored
			w.Move(29 * day)
			if who := w.identify(t, signed.Token); who.User != u.ID || who.SessionID != signed.Session || !who.HasSessionToken {
				t.Errorf("the identity of the token = %+v; want user %d with session %s and a session token", who, u.ID, signed.Session)
			}
		}
		sessions, err := w.Sessions(t.Context(), u.ID)
		if err != nil || len(sessions) != 1 || w.Now().Sub(sessions[0].Used) > time.Hour {
			t.Errorf("the sessions are %+v, %v; want one session, used now", sessions, err)
		}
		w.Move(31 * day)
		w.expectEndedSessionToken(t, signed.Token)
	})
}

func TestASessionTokenEndsAYearAfterTheSignIn(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	signed := w.signInWithoutRenewal(t, "ann@example.org")
	for range 12 {
		w.Move(29 * day)
		w.identify(t, signed.Token)
	}
	w.Move(18 * day)
	w.expectEndedSessionToken(t, signed.Token)
}

func TestASessionTokenIsRevokedImmediately(t *testing.T) {
	for what, end := range map[string]func(w fixture, u account.User, session string) error{
		"by signing out": func(w fixture, u account.User, session string) error { return w.SignOut(t.Context(), u.ID, session) },
		"by disabling the account": func(w fixture, u account.User, _ string) error {
			_, err := w.SetDisabled(t.Context(), u.ID, true)
			return err
		},
		"by a new password": func(w fixture, u account.User, _ string) error {
			return w.ChangePassword(t.Context(), u.ID, account.PasswordChange{Old: password, New: "battery staple"})
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := newMemoryFixture(t)
			u := w.addUser(t, "ann@example.org")
			signed := w.signInWithoutRenewal(t, "ann@example.org")
			w.identify(t, signed.Token)
			if err := end(w, u, signed.Session); err != nil {
				t.Fatal(err)
			}
			w.expectEndedSessionToken(t, signed.Token)
		})
	}
}

func TestARefreshReplacesASessionToken(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	first := w.signInWithoutRenewal(t, "ann@example.org")
	w.identify(t, first.Token)
	second, err := w.Refresh(t.Context(), first.Refresh, account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	w.Move(10 * time.Second) // longer than identities are cached
	w.expectEndedSessionToken(t, first.Token)
	w.Move(29 * day)
	w.identify(t, second.Token)
}

func TestTheSessionTokenOfARemovedAccountMayRemoveItsEMailForAMinute(t *testing.T) {
	w := newMemoryFixture(t)
	u := w.addUser(t, "ann@example.org")
	signed := w.signInWithoutRenewal(t, "ann@example.org")
	if _, err := w.Remove(t.Context(), u.ID); err != nil {
		t.Fatal(err)
	}
	if who := w.identify(t, signed.Token); who.Scope == nil || !who.Scope.RemoveOnly {
		t.Errorf("the token is %+v; want an identity that may only remove records", who)
	}
	w.Move(2 * time.Minute)
	w.expectEndedSessionToken(t, signed.Token)
}

func TestSessionTokensCanBeSwitchedOff(t *testing.T) {
	w := newFixture(t, memory.New(), func(o *account.Options) { o.NoSessionTokens = true })
	w.addUser(t, "ann@example.org")
	signed := w.signInWithoutRenewal(t, "ann@example.org")
	w.Move(15 * time.Minute)
	_, err := w.Identify(t.Context(), "Bearer "+signed.Token)
	expectKind(t, graph.Unauthorized, err)
	if account.IsSessionTokenEnded(err) {
		t.Error("an access token is accepted as a session token; want a refusal")
	}
}
