package account

import (
	"context"
	"errors"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
)

func newAccounts(t *testing.T) *Accounts {
	t.Helper()
	a, err := New(t.Context(), memory.New(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestSignInRenewsHashesWithOutdatedCost(t *testing.T) {
	a := newAccounts(t)
	u, err := a.SignUp(t.Context(), Person{Email: "ann@example.org", Password: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	cheap, salt := cost{memory: 8, passes: 1, threads: 1}, randomBytes(saltBytes)
	sum, err := a.passwords.sum(t.Context(), cheap, "correct horse", salt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = a.updateAccount(t.Context(), u.ID, func(u *account) ([]kv.Op, error) {
		u.Password = cheap.text(salt, sum)
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"ann@example.org", "ANN@example.org"} {
		if _, err := a.SignIn(t.Context(), email, "correct horse", Client{}); err != nil {
			t.Fatal(err)
		}
		if now, err := a.account(t.Context(), u.ID); err != nil || a.passwords.isOutdated(now.Password) || a.passwords.cost != currentCost {
			t.Errorf("the hash is %s, %v; want the current cost", now.Password, err)
		}
	}
}

// Response times reveal nothing if every attempt must take a slot for the same work.
func TestSignInDoesTheSameWorkForUnknownUsers(t *testing.T) {
	a := newAccounts(t)
	if _, err := a.SignUp(t.Context(), Person{Email: "ann@example.org", Password: "correct horse"}); err != nil {
		t.Fatal(err)
	}
	if c, _, sum, err := parseHash(a.passwords.unknownUserHash); err != nil || c != currentCost || len(sum) != hashBytes {
		t.Errorf("the hash for unknown users has cost %+v, %v; want %+v", c, err, currentCost)
	}
	for range cap(a.passwords.slots) {
		a.passwords.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, email := range []string{"ann@example.org", "bo@example.org", "nonsense"} {
		if _, err := a.passwords.matches(ctx, a.passwords.unknownUserHash, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("the error of hashing without a free slot = %v; want context canceled", err)
		}
		_, err := a.SignIn(ctx, email, "correct horse", Client{})
		if kind := graph.KindOf(err); kind != graph.Unavailable {
			t.Errorf("the error of SignIn(%s) without a free slot = %v; want unavailable", email, err)
		}
	}
}

func TestParseHashRejectsMalformedHashes(t *testing.T) {
	for _, text := range []string{"", "x", "$argon2id$v=19$m=1,t=1,p=1$", "$argon2i$v=19$m=1,t=1,p=1$YQ$YQ", "$argon2id$v=19$m=1,t=1,p=1$?$YQ"} {
		if _, _, _, err := parseHash(text); err == nil {
			t.Errorf("the hash %q was accepted; want an error", text)
		}
	}
}

// While passwords are hashed, a processor stays free for other requests.
func TestHashingLeavesAProcessorFree(t *testing.T) {
	for processors, want := range map[int]int{1: 1, 2: 1, 4: 3, 64: 8} {
		if got := maxHashes(processors); got != want {
			t.Errorf("with %d processors, %d passwords are hashed at a time; want %d", processors, got, want)
		}
	}
}
