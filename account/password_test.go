package account

import (
	"context"
	"errors"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/store/memory"
)

func accounts(t *testing.T) *Accounts {
	t.Helper()
	a, err := New(t.Context(), memory.New(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAHashOfAnotherCostIsRenewedAtSignIn(t *testing.T) {
	a := accounts(t)
	u, err := a.SignUp(t.Context(), Person{Email: "ann@example.org", Password: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	cheap, salt := cost{memory: 8, passes: 1, threads: 1}, random(saltBytes)
	sum, err := a.passwords.sum(t.Context(), cheap, "correct horse", salt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = a.change(t.Context(), u.ID, func(u *account) ([]kv.Op, error) {
		u.Password = cheap.text(salt, sum)
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"ann@example.org", "ANN@example.org"} {
		if _, err := a.SignIn(t.Context(), email, "correct horse", ""); err != nil {
			t.Fatal(err)
		}
		if now, err := a.account(t.Context(), u.ID); err != nil || a.passwords.dated(now.Password) || a.passwords.cost != today {
			t.Errorf("the hash is %s, %v; want today's cost", now.Password, err)
		}
	}
}

// Whoever looks at the clock learns nothing when every attempt takes a turn at the same work.
func TestAnUnknownEMailIsAsMuchWork(t *testing.T) {
	a := accounts(t)
	if _, err := a.SignUp(t.Context(), Person{Email: "ann@example.org", Password: "correct horse"}); err != nil {
		t.Fatal(err)
	}
	if c, _, sum, err := parseHash(a.passwords.nobody); err != nil || c != today || len(sum) != hashBytes {
		t.Errorf("the hash of nobody costs %+v, %v; want %+v", c, err, today)
	}
	for range cap(a.passwords.turns) {
		a.passwords.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, email := range []string{"ann@example.org", "bo@example.org", "nonsense"} {
		if _, err := a.passwords.matches(ctx, a.passwords.nobody, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("without a turn a hash ends with %v", err)
		}
		_, err := a.SignIn(ctx, email, "correct horse", "")
		if kind := graph.KindOf(err); kind != graph.Unavailable {
			t.Errorf("%s was answered without a turn: %v", email, err)
		}
	}
}

func TestHashesThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"", "x", "$argon2id$v=19$m=1,t=1,p=1$", "$argon2i$v=19$m=1,t=1,p=1$YQ$YQ", "$argon2id$v=19$m=1,t=1,p=1$?$YQ"} {
		if _, _, _, err := parseHash(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
