package account_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
)

func TestKeysIdentifyTheirUserUntilTheyEnd(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u, other := w.addUser(t, "ann@example.org"), w.addUser(t, "bo@example.org")
		k, secret, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "ci", Write: true, Types: []string{"the_note"}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(secret, "weft_") || len(secret) != len("weft_")+43 {
			t.Errorf("the secret of the key = %q; want weft_ and 43 characters", secret)
		}
		t.Run("a key identifies its user, within its scope", func(t *testing.T) {
			who := w.identify(t, secret)
			if who.User != u.ID || who.SessionID != "" || who.Scope == nil || !who.Scope.Write || !slices.Equal(who.Scope.Types, k.Types) {
				t.Errorf("the identity of the key = %+v; want its user without a session, and the scope that allows writing types %v", who, k.Types)
			}
		})
		t.Run("the last use is stored to the minute", func(t *testing.T) {
			used := w.Now().UTC().Truncate(time.Millisecond)
			for range 3 {
				w.Move(15 * time.Second)
				w.identify(t, secret)
			}
			if keys, err := w.Keys(t.Context(), u.ID); err != nil || len(keys) != 1 || !keys[0].Used.Equal(used) {
				t.Errorf("the keys are %+v, %v; want one key, used at %v", keys, err, used)
			}
			w.Move(time.Minute)
			w.identify(t, secret)
			if keys, err := w.Keys(t.Context(), u.ID); err != nil || !keys[0].Used.After(used) {
				t.Errorf("a minute later the keys = %+v, %v; want a use after %v", keys, err, used)
			}
		})
		t.Run("only its user can revoke a key", func(t *testing.T) {
			expectKind(t, graph.NotFound, w.RevokeKey(t.Context(), other.ID, k.ID))
			w.identify(t, secret)
			if err := w.RevokeKey(t.Context(), u.ID, k.ID); err != nil {
				t.Error(err)
			}
			w.expectInvalidToken(t, secret)
			expectKind(t, graph.NotFound, w.RevokeKey(t.Context(), u.ID, k.ID))
		})
		t.Run("a key expires", func(t *testing.T) {
			_, secret, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "short", Expires: w.Now().Add(time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			w.Move(59 * time.Minute)
			w.identify(t, secret)
			w.Move(time.Minute)
			w.expectInvalidToken(t, secret)
			if keys, err := w.Keys(t.Context(), u.ID); err != nil || len(keys) != 0 {
				t.Errorf("the keys = %+v, %v; want none", keys, err)
			}
		})
	})
}

func TestNewKeyRejectsInvalidKeys(t *testing.T) {
	w := newMemoryFixture(t)
	u := w.addUser(t, "ann@example.org")
	for what, row := range map[string]struct {
		key  account.Key
		kind graph.ErrorKind
	}{
		"no name":          {account.Key{User: u.ID}, graph.Invalid},
		"a long name":      {account.Key{User: u.ID, Name: strings.Repeat("x", 101)}, graph.Invalid},
		"a name of NULs":   {account.Key{User: u.ID, Name: "\x00"}, graph.Invalid},
		"a past expiry":    {account.Key{User: u.ID, Name: "x", Expires: w.Now().Add(-time.Second)}, graph.Invalid},
		"a malformed type": {account.Key{User: u.ID, Name: "x", Types: []string{"\x00"}}, graph.Invalid},
		"many types":       {account.Key{User: u.ID, Name: "x", Types: make([]string, 101)}, graph.Invalid},
		"an unknown user":  {account.Key{User: 404, Name: "x"}, graph.NotFound},
	} {
		t.Run(what, func(t *testing.T) {
			_, _, err := w.NewKey(t.Context(), row.key)
			expectKind(t, row.kind, err)
		})
	}
	for range 100 {
		if _, _, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "one too many"})
	expectKind(t, graph.TooLarge, err)
	w.expectInvalidToken(t, "weft_nonsense")
}
