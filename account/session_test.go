package account_test

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
)

func TestSignIn(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u := w.person(t, "Ann@example.org")
		signed := w.signIn(t, "ann@EXAMPLE.org")
		who := w.knows(t, signed.Token)
		if who.User != u.ID || who.Admin || who.Scope != nil || who.SignedIn != signed.Session {
			t.Errorf("the token is %+v; want user %d in session %s", who, u.ID, signed.Session)
		}
	})
}

func TestAWrongPasswordIsLikeAnUnknownEMail(t *testing.T) {
	w := inMemory(t)
	w.person(t, "ann@example.org")
	_, wrong := w.SignIn(t.Context(), "ann@example.org", password+"!", "")
	want(t, graph.Unauthorized, wrong)
	for _, email := range []string{"bo@example.org", "", "no e-mail", "x\x00y@example.org", strings.Repeat("x", 1000) + "@example.org"} {
		if _, err := w.SignIn(t.Context(), email, password, ""); err == nil || err.Error() != wrong.Error() || graph.KindOf(err) != graph.Unauthorized {
			t.Errorf("%.20q: %v; want %v", email, err, wrong)
		}
	}
}

func TestATokenIsGoodForItsLife(t *testing.T) {
	w := inMemory(t)
	w.person(t, "ann@example.org")
	signed := w.signIn(t, "ann@example.org")
	if life := signed.Expires.Sub(w.Now()); life < 14*time.Minute || life > 15*time.Minute {
		t.Errorf("it is good for %v; want 15 minutes", life)
	}
	w.Move(14 * time.Minute)
	w.knows(t, signed.Token)
	w.Move(time.Minute)
	w.refuses(t, signed.Token)
}

func TestARefreshTokenIsGoodOnce(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u := w.person(t, "ann@example.org")
		first, other := w.signIn(t, "ann@example.org"), w.signIn(t, "ann@example.org")
		second, err := w.Refresh(t.Context(), first.Refresh)
		if err != nil {
			t.Fatal(err)
		}
		if second.Session != first.Session || second.Refresh == first.Refresh || second.User.ID != u.ID {
			t.Errorf("the new pair is %+v", second)
		}
		w.knows(t, second.Token)
		t.Run("used again, it ends the whole family, and no other", func(t *testing.T) {
			_, err := w.Refresh(t.Context(), first.Refresh)
			want(t, graph.Unauthorized, err)
			_, err = w.Refresh(t.Context(), second.Refresh)
			want(t, graph.Unauthorized, err)
			w.refuses(t, first.Token)
			w.refuses(t, second.Token)
			w.knows(t, other.Token)
		})
		t.Run("used twice at once, it ends the family", func(t *testing.T) {
			var good atomic.Int64
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					if _, err := w.Refresh(t.Context(), other.Refresh); err == nil {
						good.Add(1)
					}
				})
			}
			wait.Wait()
			if n := good.Load(); n > 1 {
				t.Errorf("%d of 8 were answered with tokens", n)
			}
			w.refuses(t, other.Token)
		})
	})
}

func TestTokensOfOneSecondDiffer(t *testing.T) {
	w := inMemory(t)
	w.person(t, "ann@example.org")
	first := w.signIn(t, "ann@example.org")
	second, err := w.Refresh(t.Context(), first.Refresh)
	if err != nil {
		t.Fatal(err)
	}
	if second.Token == first.Token {
		t.Error("a renewed token is the one that it renews")
	}
}

func TestRefreshTokensThatAreNotGood(t *testing.T) {
	w := inMemory(t)
	w.person(t, "ann@example.org")
	signed := w.signIn(t, "ann@example.org")
	for _, token := range []string{
		"", ".", "..", "x.y.z", signed.Token, "999." + strings.SplitN(signed.Refresh, ".", 2)[1], strings.Repeat("x", 10_000),
		"100000.\x00.x", "9999999999999999999.x.y",
	} {
		_, err := w.Refresh(t.Context(), token)
		want(t, graph.Unauthorized, err)
	}
	w.Move(31 * 24 * time.Hour)
	_, err := w.Refresh(t.Context(), signed.Refresh)
	want(t, graph.Unauthorized, err)
}

func TestASessionThatIsUsedGoesOn(t *testing.T) {
	w := inMemory(t)
	w.person(t, "ann@example.org")
	signed := w.signIn(t, "ann@example.org")
	for range 4 {
		w.Move(20 * 24 * time.Hour)
		var err error
		if signed, err = w.Refresh(t.Context(), signed.Refresh); err != nil {
			t.Fatal(err)
		}
		w.knows(t, signed.Token)
	}
}

func TestSigningOut(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		w.person(t, "ann@example.org")
		other := w.another(t)
		signed := w.signIn(t, "ann@example.org")
		w.knows(t, signed.Token)
		other.knows(t, signed.Token)
		if err := w.SignOut(t.Context(), signed.User.ID, signed.Session); err != nil {
			t.Fatal(err)
		}
		w.refuses(t, signed.Token)
		_, err := w.Refresh(t.Context(), signed.Refresh)
		want(t, graph.Unauthorized, err)
		w.Move(account.Trust)
		other.refuses(t, signed.Token)
	})
}

func TestSessionsAreListedAndBounded(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u := w.person(t, "ann@example.org")
		var all []account.Signed
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
		w.refuses(t, all[1].Token)
		w.knows(t, all[2].Token)
	})
}

func TestTokensOfOthers(t *testing.T) {
	w, elsewhere := inMemory(t), inMemory(t)
	w.person(t, "ann@example.org")
	elsewhere.person(t, "ann@example.org")
	good := w.signIn(t, "ann@example.org").Token
	parts := strings.Split(good, ".")
	for what, token := range map[string]string{
		"another server's":    elsewhere.signIn(t, "ann@example.org").Token,
		"unsigned":            "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + parts[1] + ".",
		"without a signature": parts[0] + "." + parts[1] + ".",
		"changed":             parts[0] + "." + parts[1][:10] + "A" + parts[1][11:] + "." + parts[2],
		"of an unknown key":   "eyJhbGciOiJIUzI1NiIsImtpZCI6IjEiLCJ0eXAiOiJKV1QifQ." + parts[1] + "." + parts[2],
		"no token":            "nonsense",
		"long":                strings.Repeat("x.", 10_000),
		"another scheme":      "Basic " + good,
	} {
		t.Run(what, func(t *testing.T) { w.refuses(t, token) })
	}
	for _, header := range []string{"", " ", "Bearer", "Bearer ", "bearer  "} {
		if who, err := w.Identify(t.Context(), header); err != nil || who.User != graph.Anonymous {
			t.Errorf("%q is %+v, %v; want anonymous", header, who, err)
		}
	}
	t.Run("nobody is known where there are no accounts", func(t *testing.T) {
		var none *account.Accounts
		_, err := none.Identify(t.Context(), "Bearer "+good)
		want(t, graph.Unauthorized, err)
		if who, err := none.Identify(t.Context(), ""); err != nil || who.User != graph.Anonymous {
			t.Errorf("without a token: %+v, %v", who, err)
		}
	})
}

func TestKeysThatSignAreReplaced(t *testing.T) {
	w := on(t, memory.New(), func(o *account.Options) { o.TokenLife = 24 * time.Hour })
	w.person(t, "ann@example.org")
	heads := map[string]bool{}
	for range 40 {
		token := w.signIn(t, "ann@example.org").Token
		w.knows(t, token)
		w.Move(23 * time.Hour)
		w.another(t).knows(t, token)
		heads[strings.Split(token, ".")[0]] = true
	}
	if n := len(heads); n != 2 && n != 3 {
		t.Errorf("%d keys in 40 days; want one for each 30", n)
	}
}

func TestKeys(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u, other := w.person(t, "ann@example.org"), w.person(t, "bo@example.org")
		k, secret, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "ci", Write: true, Types: []string{"the_note"}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(secret, "weft_") || len(secret) != len("weft_")+43 {
			t.Errorf("the key is %q", secret)
		}
		t.Run("it is its user, within its scope", func(t *testing.T) {
			who := w.knows(t, secret)
			if who.User != u.ID || who.SignedIn != "" || who.Scope == nil || !who.Scope.Write || !slices.Equal(who.Scope.Types, k.Types) {
				t.Errorf("the key is %+v", who)
			}
		})
		t.Run("its last use is kept, to the minute", func(t *testing.T) {
			used := w.Now().UTC().Truncate(time.Millisecond)
			for range 3 {
				w.Move(15 * time.Second)
				w.knows(t, secret)
			}
			if keys, err := w.Keys(t.Context(), u.ID); err != nil || len(keys) != 1 || !keys[0].Used.Equal(used) {
				t.Errorf("the keys are %+v, %v; want one used at %v", keys, err, used)
			}
			w.Move(time.Minute)
			w.knows(t, secret)
			if keys, err := w.Keys(t.Context(), u.ID); err != nil || !keys[0].Used.After(used) {
				t.Errorf("after a minute the keys are %+v, %v", keys, err)
			}
		})
		t.Run("only its user ends it, and then it is not good any more", func(t *testing.T) {
			want(t, graph.NotFound, w.RevokeKey(t.Context(), other.ID, k.ID))
			w.knows(t, secret)
			if err := w.RevokeKey(t.Context(), u.ID, k.ID); err != nil {
				t.Error(err)
			}
			w.refuses(t, secret)
			want(t, graph.NotFound, w.RevokeKey(t.Context(), u.ID, k.ID))
		})
		t.Run("it ends when it was meant to", func(t *testing.T) {
			_, secret, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "short", Expires: w.Now().Add(time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			w.Move(59 * time.Minute)
			w.knows(t, secret)
			w.Move(time.Minute)
			w.refuses(t, secret)
			if keys, err := w.Keys(t.Context(), u.ID); err != nil || len(keys) != 0 {
				t.Errorf("the keys are %+v, %v", keys, err)
			}
		})
	})
}

func TestKeysThatMakeNoSense(t *testing.T) {
	w := inMemory(t)
	u := w.person(t, "ann@example.org")
	for what, row := range map[string]struct {
		key  account.Key
		kind graph.ErrorKind
	}{
		"no name":        {account.Key{User: u.ID}, graph.Invalid},
		"a long name":    {account.Key{User: u.ID, Name: strings.Repeat("x", 101)}, graph.Invalid},
		"a name of NULs": {account.Key{User: u.ID, Name: "\x00"}, graph.Invalid},
		"a past end":     {account.Key{User: u.ID, Name: "x", Expires: w.Now().Add(-time.Second)}, graph.Invalid},
		"a bad type":     {account.Key{User: u.ID, Name: "x", Types: []string{"\x00"}}, graph.Invalid},
		"many types":     {account.Key{User: u.ID, Name: "x", Types: make([]string, 101)}, graph.Invalid},
		"nobody":         {account.Key{User: 404, Name: "x"}, graph.NotFound},
	} {
		t.Run(what, func(t *testing.T) {
			_, _, err := w.NewKey(t.Context(), row.key)
			want(t, row.kind, err)
		})
	}
	for range 100 {
		if _, _, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "one too many"})
	want(t, graph.TooLarge, err)
	w.refuses(t, "weft_nonsense")
}
