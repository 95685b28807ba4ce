package account_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/store/memory"
)

const ann = "ann@example.org"

func TestEachConfirmationLinkWorksOnce(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, ann)
		token := w.token(t, ann, "Confirm")
		if err := w.ResendConfirmation(t.Context(), u.ID); err != nil {
			t.Fatal(err)
		}
		second := w.token(t, ann, "Confirm")
		if got, err := w.ConfirmEmail(t.Context(), token); err != nil || got.Confirmed.IsZero() || got.ID != u.ID {
			t.Errorf("confirming the e-mail address = %+v, %v; want user %d with a time of confirmation", got, err, u.ID)
		}
		_, err := w.ConfirmEmail(t.Context(), token)
		expectKind(t, graph.Invalid, err)
		if _, err := w.ConfirmEmail(t.Context(), second); err != nil {
			t.Error(err)
		}
		expectKind(t, graph.Conflict, w.ResendConfirmation(t.Context(), u.ID))
	})
}

func TestAResetLinkSetsThePasswordOnceAndEndsSessions(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, ann)
		signed := w.signIn(t, ann)
		if err := w.SendResetLink(t.Context(), "ANN@example.org"); err != nil {
			t.Fatal(err)
		}
		token := w.token(t, ann, "password")
		_, err := w.ResetPassword(t.Context(), token, "short", account.Client{})
		expectKind(t, graph.Invalid, err)
		_, err = w.ConfirmEmail(t.Context(), token)
		expectKind(t, graph.Invalid, err)
		if got, err := w.ResetPassword(t.Context(), token, "battery staple", account.Client{}); err != nil || got.ID != u.ID || got.Confirmed.IsZero() {
			t.Errorf("the user is %+v, %v; want a confirmed user", got, err)
		}
		w.expectInvalidToken(t, signed.Token)
		_, err = w.SignIn(t.Context(), ann, password, account.Client{})
		expectKind(t, graph.Unauthorized, err)
		if _, err := w.SignIn(t.Context(), ann, "battery staple", account.Client{}); err != nil {
			t.Error(err)
		}
		_, err = w.ResetPassword(t.Context(), token, "once more", account.Client{})
		expectKind(t, graph.Invalid, err)
	})
}

func TestOnlyOneResetLinkWorks(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, ann)
		sendLink := func() string {
			if err := w.SendResetLink(t.Context(), ann); err != nil {
				t.Fatal(err)
			}
			return w.token(t, ann, "password")
		}
		first, second := sendLink(), sendLink()
		if _, err := w.ResetPassword(t.Context(), second, "battery staple", account.Client{}); err != nil {
			t.Fatal(err)
		}
		_, err := w.ResetPassword(t.Context(), first, "once more", account.Client{})
		expectKind(t, graph.Invalid, err)
		third := sendLink()
		if err := w.SetPassword(t.Context(), u.ID, "correct again"); err != nil {
			t.Fatal(err)
		}
		_, err = w.ResetPassword(t.Context(), third, "once more", account.Client{})
		expectKind(t, graph.Invalid, err)
	})
}

func TestSendResetLinkTakesEqualTimeForUnknownUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newMemoryFixture(t)
		w.addUser(t, ann)
		for _, email := range []string{ann, "bo@example.org"} {
			began := time.Now()
			if err := w.SendResetLink(t.Context(), email); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != 100*time.Millisecond {
				t.Errorf("SendResetLink(%s) took %s; want exactly 100ms", email, took)
			}
		}
	})
}

func TestSendResetLinkDoesNotRevealAccounts(t *testing.T) {
	w := newMemoryFixture(t)
	u := w.addUser(t, ann)
	if _, err := w.SetDisabled(t.Context(), u.ID, true); err != nil {
		t.Fatal(err)
	}
	before := w.count()
	for _, email := range []string{"bo@example.org", ann} {
		if err := w.SendResetLink(t.Context(), email); err != nil {
			t.Error(err)
		}
	}
	if n := w.count(); n != before {
		t.Errorf("%d e-mails were sent to unknown or disabled users; want none", n-before)
	}
}

func TestLinksExpire(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, ann)
	if err := w.SendResetLink(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	w.Move(time.Hour)
	_, err := w.ResetPassword(t.Context(), w.token(t, ann, "password"), "battery staple", account.Client{})
	expectKind(t, graph.Invalid, err)
	w.Move(7 * 24 * time.Hour)
	_, err = w.ConfirmEmail(t.Context(), w.token(t, ann, "Confirm"))
	expectKind(t, graph.Invalid, err)
	_, err = w.ConfirmEmail(t.Context(), "")
	expectKind(t, graph.Invalid, err)
}

func TestLinksNeedAMailer(t *testing.T) {
	w := newFixture(t, memory.New(), func(o *account.Options) { o.Mailer = nil })
	u := w.addUser(t, ann)
	expectKind(t, graph.Unavailable, w.SendResetLink(t.Context(), ann))
	expectKind(t, graph.Unavailable, w.ResendConfirmation(t.Context(), u.ID))
}
