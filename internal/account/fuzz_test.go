package account_test

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/store/memory"
)

// No string other than a token of this server may identify a user, renew a session or redeem a link.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"", "Bearer ", "Bearer null", "Basic YTpi", "bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIyIn0.",
		"Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjAifQ.eyJzdWIiOiIxMDAwMDAiLCJleHAiOjk5OTk5OTk5OTl9.AAAA",
		"Bearer weft_key_AAAA", "\x00", "Bearer a.b.c.d",
	} {
		f.Add(seed)
	}
	accounts, err := account.New(f.Context(), memory.New(), account.Options{InsecureHashes: true})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := accounts.Add(f.Context(), account.Person{Email: "ann@example.org", Password: password}, true); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		identity, err := accounts.Identify(t.Context(), text)
		if err == nil && (identity.User != graph.Anonymous && identity.User != 0 || identity.Admin) {
			t.Errorf("the text %q identifies %+v; want a guest or an error", text, identity)
		}
		expectRefusal(t, text, err)
		if _, err := accounts.Refresh(t.Context(), text, account.Client{}); graph.KindOf(err) != graph.Unauthorized {
			t.Errorf("Refresh(%q) = %v; want unauthorized", text, err)
		}
		if _, err := accounts.ResetPassword(t.Context(), text, "another password", account.Client{}); graph.KindOf(err) != graph.Invalid {
			t.Errorf("ResetPassword(%q) = %v; want invalid", text, err)
		}
		if _, err := accounts.ConfirmEmail(t.Context(), text); graph.KindOf(err) != graph.Invalid {
			t.Errorf("ConfirmEmail(%q) = %v; want invalid", text, err)
		}
	})
}

func expectRefusal(t *testing.T, text string, err error) {
	t.Helper()
	if kind := graph.KindOf(err); err != nil && kind != graph.Unauthorized && kind != graph.Invalid {
		t.Errorf("%q: %v is %q; want unauthorized or invalid", text, err, kind)
	}
}
