package account_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
)

const ann = "ann@example.org"

func TestConfirming(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u := w.person(t, ann)
		token := w.token(t, ann, "Confirm")
		if err := w.AskToConfirm(t.Context(), u.ID); err != nil {
			t.Fatal(err)
		}
		again := w.token(t, ann, "Confirm")
		if got, err := w.Confirm(t.Context(), token); err != nil || got.Confirmed.IsZero() || got.ID != u.ID {
			t.Errorf("confirmed is %+v, %v", got, err)
		}
		_, err := w.Confirm(t.Context(), token)
		want(t, graph.Invalid, err)
		if _, err := w.Confirm(t.Context(), again); err != nil {
			t.Error(err)
		}
		want(t, graph.Conflict, w.AskToConfirm(t.Context(), u.ID))
	})
}

func TestAForgottenPassword(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u := w.person(t, ann)
		signed := w.signIn(t, ann)
		if err := w.Forgot(t.Context(), "ANN@example.org"); err != nil {
			t.Fatal(err)
		}
		token := w.token(t, ann, "password")
		_, err := w.Reset(t.Context(), token, "short")
		want(t, graph.Invalid, err)
		_, err = w.Confirm(t.Context(), token)
		want(t, graph.Invalid, err)
		if got, err := w.Reset(t.Context(), token, "battery staple"); err != nil || got.ID != u.ID || got.Confirmed.IsZero() {
			t.Errorf("the user is %+v, %v; want them confirmed", got, err)
		}
		w.refuses(t, signed.Token)
		_, err = w.SignIn(t.Context(), ann, password, "")
		want(t, graph.Unauthorized, err)
		if _, err := w.SignIn(t.Context(), ann, "battery staple", ""); err != nil {
			t.Error(err)
		}
		_, err = w.Reset(t.Context(), token, "once more")
		want(t, graph.Invalid, err)
	})
}

func TestOnlyOneLinkSetsAPassword(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u := w.person(t, ann)
		forget := func() string {
			if err := w.Forgot(t.Context(), ann); err != nil {
				t.Fatal(err)
			}
			return w.token(t, ann, "password")
		}
		first, second := forget(), forget()
		if _, err := w.Reset(t.Context(), second, "battery staple"); err != nil {
			t.Fatal(err)
		}
		_, err := w.Reset(t.Context(), first, "once more")
		want(t, graph.Invalid, err)
		third := forget()
		if err := w.SetPassword(t.Context(), u.ID, "correct again"); err != nil {
			t.Fatal(err)
		}
		_, err = w.Reset(t.Context(), third, "once more")
		want(t, graph.Invalid, err)
	})
}

func TestForgettingTakesAsLongForAnybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inMemory(t)
		w.person(t, ann)
		for _, email := range []string{ann, "bo@example.org"} {
			began := time.Now()
			if err := w.Forgot(t.Context(), email); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != 100*time.Millisecond {
				t.Errorf("%s took %s", email, took)
			}
		}
	})
}

func TestForgettingTellsNobodyWhoIsHere(t *testing.T) {
	w := inMemory(t)
	u := w.person(t, ann)
	if _, err := w.SetDisabled(t.Context(), u.ID, true); err != nil {
		t.Fatal(err)
	}
	before := w.count()
	for _, email := range []string{"bo@example.org", ann} {
		if err := w.Forgot(t.Context(), email); err != nil {
			t.Error(err)
		}
	}
	if n := w.count(); n != before {
		t.Errorf("%d mails were sent", n-before)
	}
}

func TestLinksEnd(t *testing.T) {
	w := inMemory(t)
	w.person(t, ann)
	if err := w.Forgot(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	w.Move(time.Hour)
	_, err := w.Reset(t.Context(), w.token(t, ann, "password"), "battery staple")
	want(t, graph.Invalid, err)
	w.Move(7 * 24 * time.Hour)
	_, err = w.Confirm(t.Context(), w.token(t, ann, "Confirm"))
	want(t, graph.Invalid, err)
	_, err = w.Confirm(t.Context(), "")
	want(t, graph.Invalid, err)
}

func TestWithoutMail(t *testing.T) {
	w := on(t, memory.New(), func(o *account.Options) { o.Mailer = nil })
	u := w.person(t, ann)
	want(t, graph.Unavailable, w.Forgot(t.Context(), ann))
	want(t, graph.Unavailable, w.AskToConfirm(t.Context(), u.ID))
}
