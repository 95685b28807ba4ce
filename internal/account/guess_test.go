package account_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
)

// guess sends wrong passwords from a number of networks and returns how many were checked.
func (w fixture) guess(t *testing.T, email string, networks int) int {
	t.Helper()
	var checked atomic.Int64
	var wait sync.WaitGroup
	for i := range networks {
		wait.Go(func() {
			_, err := w.SignIn(t.Context(), email, "a guess", account.Client{Network: strconv.Itoa(i)})
			switch graph.KindOf(err) {
			case graph.Unauthorized:
				checked.Add(1)
			case graph.TooMany:
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	return int(checked.Load())
}

func TestGuessesAtAnAccountAreCountedOverAllServers(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		w.addUser(t, "ann@example.org")
		other := w.another(t)
		if got := w.guess(t, "ann@example.org", 40) + other.guess(t, "ANN@example.org", 40); got != 50 {
			t.Errorf("%d guesses were checked; want 50", got)
		}
		w.Move(2 * time.Hour)
		if got := other.guess(t, "ann@example.org", 10); got != 10 {
			t.Errorf("two hours later %d of 10 guesses were checked; want all", got)
		}
	})
}

func TestAKnownDeviceHasASeparateLimit(t *testing.T) {
	w := newMemoryFixture(t)
	w.addUser(t, "ann@example.org")
	w.addUser(t, "bo@example.org")
	client := account.Client{Network: "home"}
	signed, err := w.SignIn(t.Context(), "ann@example.org", password, client)
	if err != nil {
		t.Fatal(err)
	}
	client.DeviceTokens = []string{"x", signed.DeviceToken}
	again, err := w.SignIn(t.Context(), "ann@example.org", password, client)
	if err != nil || again.DeviceToken != signed.DeviceToken {
		t.Errorf("the second sign-in on the device has the token %q, %v; want the first token %q", again.DeviceToken, err, signed.DeviceToken)
	}
	client.Network = "a hotel"
	for i := range 11 {
		_, err = w.SignIn(t.Context(), "ann@example.org", "a guess", client)
		if want := []graph.ErrorKind{graph.Unauthorized, graph.TooMany}[i/10]; graph.KindOf(err) != want {
			t.Errorf("guess %d on the device: %v; want %s", i+1, err, want)
		}
	}
	if _, err = w.SignIn(t.Context(), "ann@example.org", password, account.Client{Network: "home"}); err != nil {
		t.Errorf("a sign-in from another device in the known network failed: %v", err)
	}
	w.guess(t, "bo@example.org", 60)
	_, err = w.SignIn(t.Context(), "bo@example.org", password, client)
	expectKind(t, graph.TooMany, err)
}

func TestANetworkBecomesUnknownAfterANewPasswordOr90Days(t *testing.T) {
	w := newMemoryFixture(t)
	u := w.addUser(t, "ann@example.org")
	home := account.Client{Network: "home"}
	isKnown := func() bool {
		w.guess(t, "ann@example.org", 100)
		_, err := w.SignIn(t.Context(), "ann@example.org", password, home)
		if kind := graph.KindOf(err); kind != "" && kind != graph.TooMany {
			t.Fatal(err)
		}
		return err == nil
	}
	if isKnown() {
		t.Error("the network is known before the first sign-in; want unknown")
	}
	w.Move(2 * time.Hour)
	if _, err := w.SignIn(t.Context(), "ann@example.org", password, home); err != nil {
		t.Fatal(err)
	}
	if !isKnown() {
		t.Error("the network of a sign-in is unknown; want known")
	}
	w.Move(91 * 24 * time.Hour)
	if isKnown() {
		t.Error("the network is known 91 days after the sign-in; want unknown")
	}
	w.Move(2 * time.Hour)
	if _, err := w.SignIn(t.Context(), "ann@example.org", password, home); err != nil {
		t.Fatal(err)
	}
	if err := w.SetPassword(t.Context(), u.ID, password); err != nil {
		t.Fatal(err)
	}
	if isKnown() {
		t.Error("the network is known after the password has changed; want unknown")
	}
}
