package account_test

import (
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
)

// The clock of a server may jump, because it was wrong at boot or is set by hand. Tokens may then be refused. But no
// token may become valid again that had expired for longer than the jump, and users must always be able to sign in
// and to renew their sessions.
func TestUsersCanSignInWheneverTheClockJumps(t *testing.T) {
	for name, jump := range map[string]time.Duration{
		"two hours forward": 2 * time.Hour, "two hours back": -2 * time.Hour, "forty days forward": 40 * 24 * time.Hour,
		"ten years forward": 10 * 365 * 24 * time.Hour,
		// After a longer jump, entries would have expired for the kv store, which uses the clock of the machine.
		"twenty days back": -20 * 24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			w := newMemoryFixture(t)
			w.addUser(t, "ann@example.org")
			before := w.signIn(t, "ann@example.org")
			w.Move(jump)
			if _, err := w.Identify(t.Context(), "Bearer "+before.Token); err != nil {
				expectKind(t, graph.Unauthorized, err)
			}
			after := w.signIn(t, "ann@example.org")
			w.identify(t, after.Token)
			if _, err := w.Refresh(t.Context(), after.Refresh, account.Client{}); err != nil {
				t.Errorf("a session that began after the jump cannot be renewed: %v", err)
			}
			w.Move(-jump) // the clock is corrected
			if _, err := w.Identify(t.Context(), "Bearer "+after.Token); err != nil {
				expectKind(t, graph.Unauthorized, err)
			}
			w.identify(t, w.signIn(t, "ann@example.org").Token)
		})
	}
}

// A token that has expired stays expired when the clock goes back by less than the time since.
func TestAnExpiredTokenStaysInvalidWhenTheClockGoesBack(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	token := w.signIn(t, "ann@example.org").Token
	w.Move(2 * time.Hour)
	w.expectInvalidToken(t, token)
	w.Move(-time.Hour)
	w.expectInvalidToken(t, token)
}
