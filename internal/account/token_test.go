package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestIdentifyRejectsInvalidTokens(t *testing.T) {
	w, elsewhere := newMemoryFixture(t), newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	elsewhere.addUser(t, "ann@example.org")
	valid := w.signIn(t, "ann@example.org").Token
	parts := strings.Split(valid, ".")
	for what, token := range map[string]string{
		"another server's":           elsewhere.signIn(t, "ann@example.org").Token,
		"unsigned":                   "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + parts[1] + ".",
		"without a signature":        parts[0] + "." + parts[1] + ".",
		"changed":                    parts[0] + "." + parts[1][:10] + "A" + parts[1][11:] + "." + parts[2],
		"signed with an unknown key": "eyJhbGciOiJIUzI1NiIsImtpZCI6IjEiLCJ0eXAiOiJKV1QifQ." + parts[1] + "." + parts[2],
		"not a token":                "nonsense",
		"long":                       strings.Repeat("x.", 10_000),
		"another scheme":             "Basic " + valid,
	} {
		t.Run(what, func(t *testing.T) { w.expectInvalidToken(t, token) })
	}
	for _, header := range []string{"", " ", "Bearer", "Bearer ", "bearer  "} {
		if who, err := w.Identify(t.Context(), header); err != nil || who.User != graph.Anonymous {
			t.Errorf("%q has identity %+v, %v; want anonymous", header, who, err)
		}
	}
	t.Run("a nil Accounts rejects all tokens", func(t *testing.T) {
		var none *account.Accounts
		_, err := none.Identify(t.Context(), "Bearer "+valid)
		expectKind(t, graph.Unauthorized, err)
		if who, err := none.Identify(t.Context(), ""); err != nil || who.User != graph.Anonymous {
			t.Errorf("the identity without a token = %+v, %v; want a guest", who, err)
		}
	})
}

func TestSigningKeysAreReplaced(t *testing.T) {
	w := newFixture(t, memory.New(), func(o *account.Options) { o.TokenLife = 24 * time.Hour })
	w.addUser(t, "ann@example.org")
	heads := map[string]bool{}
	for range 40 {
		token := w.signIn(t, "ann@example.org").Token
		w.identify(t, token)
		w.Move(23 * time.Hour)
		w.another(t).identify(t, token)
		heads[strings.Split(token, ".")[0]] = true
	}
	if n := len(heads); n != 2 && n != 3 {
		t.Errorf("%d keys in 40 days; want one per 30 days", n)
	}
}

func TestAccessTokensExpire(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	signed := w.signIn(t, "ann@example.org")
	if life := signed.Expires.Sub(w.Now()); life < 14*time.Minute || life > 15*time.Minute {
		t.Errorf("the lifetime is %v; want 15 minutes", life)
	}
	w.Move(14 * time.Minute)
	w.identify(t, signed.Token)
	w.Move(time.Minute)
	w.expectInvalidToken(t, signed.Token)
}

func TestTokensOfTheSameSecondDiffer(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	first := w.signIn(t, "ann@example.org")
	second, err := w.Refresh(t.Context(), first.Refresh, account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	if second.Token == first.Token {
		t.Error("a renewed token equals the previous token")
	}
}
