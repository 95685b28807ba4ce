package server_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A signInFixture is a server behind a trusted proxy, with an account for ann.
type signInFixture struct {
	caller
	box postbox
}

func newSignInFixture(t *testing.T) signInFixture {
	t.Helper()
	store := memory.New()
	box := postbox{make(chan account.Mail, 1000)}
	accounts, err := account.New(t.Context(), store, account.Options{Mailer: box, URL: "https://weft.test", InsecureHashes: true})
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Serve(t, store, func(o *server.Options) {
		o.Accounts, o.Attempts, o.TrustedProxies = accounts, 10, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	f := signInFixture{newCaller(t, s), box}
	f.from("192.0.2.250").mustPost("/api/auth/signup", credentials(ann, password))
	return f
}

// from returns a caller with an address.
func (f signInFixture) from(address string) caller {
	return caller{t: f.t, url: f.url, headers: map[string]string{"X-Forwarded-For": address}}
}

// signIn returns the status of a sign-in.
func (f signInFixture) signIn(address, email, password string) int {
	f.t.Helper()
	status, _ := f.from(address).send(http.MethodPost, "/api/auth/login", credentials(email, password))
	return status
}

// guess sends wrong passwords from a number of networks, ten from each. It returns how many the server
// checked, that is, refused with status 401.
func (f signInFixture) guess(networks int, email string) int {
	f.t.Helper()
	checked := 0
	for network := range networks {
		for range 10 {
			if f.signIn(fmt.Sprintf("198.18.%d.%d", network/256, network%256), email, "a guess") == http.StatusUnauthorized {
				checked++
			}
		}
	}
	return checked
}

// signInCookies signs in and returns the cookies of the response.
func (f signInFixture) signInCookies(address, cookies string) (status int, set []*http.Cookie) {
	f.t.Helper()
	body := strings.NewReader(fmt.Sprintf(`{"email":%q,"password":%q}`, ann, password))
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.url+"/api/auth/login", body)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", address)
	r.Header.Set("Cookie", cookies)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode, response.Cookies()
}

func TestWrongPasswordsFromOneNetworkDoNotKeepTheUserOut(t *testing.T) {
	f := newSignInFixture(t)
	for range 20 {
		f.signIn("198.51.100.1", ann, "a guess")
	}
	if got := f.signIn("203.0.113.7", ann, password); got != http.StatusOK {
		t.Errorf("the right password from another network: status %d; want 200", got)
	}
}

func TestWrongPasswordsFromManyNetworksDoNotKeepKnownClientsOut(t *testing.T) {
	f := newSignInFixture(t)
	if got := f.signIn("203.0.113.7", ann, password); got != http.StatusOK {
		t.Fatalf("signing in: status %d; want 200", got)
	}
	_, set := f.signInCookies("203.0.113.8", "")
	checked := f.guess(100, ann)
	t.Logf("%d of 1,000 guesses from 100 networks were checked", checked)
	if checked > 50 {
		t.Errorf("%d guesses were checked; want at most 50 an hour", checked)
	}
	for range 30 {
		if got := f.signIn("203.0.113.7", ann, password); got != http.StatusOK {
			t.Fatalf("the right password from the known network: status %d; want 200", got)
		}
	}
	if len(set) != 1 || !set[0].HttpOnly || set[0].SameSite != http.SameSiteStrictMode || set[0].MaxAge < 1 {
		t.Fatalf("the cookies of a sign-in are %v; want one cookie that scripts and other sites cannot use", set)
	}
	cookie := set[0].Name + "=" + set[0].Value
	if got, _ := f.signInCookies("203.0.113.9", cookie); got != http.StatusOK {
		t.Errorf("the known device on a new network: status %d; want 200", got)
	}
	if got, _ := f.signInCookies("203.0.113.10", set[0].Name+"=x"+set[0].Value); got != http.StatusNotAcceptable {
		t.Errorf("a forged device token: status %d; want 406", got)
	}
	f.box.token(t, "Confirm")
	f.from("203.0.113.11").mustPost("/api/auth/password/forgot", object{"email": ann})
	f.from("203.0.113.11").mustPost("/api/auth/password/reset", object{"token": f.box.token(t, "password"), "password": password + "!"})
	if got := f.signIn("203.0.113.11", ann, password+"!"); got != http.StatusOK {
		t.Errorf("after a reset, a new device on a new network: status %d; want 200", got)
	}
	if got, _ := f.signInCookies("203.0.113.9", cookie); got == http.StatusOK {
		t.Error("a device is known after the password has changed")
	}
}

func TestRightPasswordsDoNotCountAsAttempts(t *testing.T) {
	f := newSignInFixture(t)
	for i := range 60 {
		if got := f.signIn("203.0.113.7", ann, password); got != http.StatusOK {
			t.Fatalf("sign-in %d: status %d; want 200", i+1, got)
		}
	}
}

func TestTheLimitOfGuessesDoesNotRevealAccounts(t *testing.T) {
	f := newSignInFixture(t)
	statuses := func(email, network string) (all []int) {
		for i := range 120 {
			all = append(all, f.signIn(network+strconv.Itoa(i/10), email, "a guess"))
		}
		return all
	}
	known, unknown := statuses(ann, "198.51.100."), statuses("nobody@example.org", "192.0.2.")
	if fmt.Sprint(known) != fmt.Sprint(unknown) {
		t.Errorf("guesses for an account have the statuses %v\nand without an account %v; want the same", known, unknown)
	}
}

func TestOtherNetworksCannotBlockTheSignUpOrTheResetOfAnAddress(t *testing.T) {
	f := newSignInFixture(t)
	for network := range 4 {
		for range 5 {
			from := f.from("198.51.100." + strconv.Itoa(network))
			from.send(http.MethodPost, "/api/auth/signup", credentials("bo@example.org", "short"))
			from.send(http.MethodPost, "/api/auth/password/forgot", object{"email": ann})
		}
	}
	f.from("203.0.113.7").mustPost("/api/auth/signup", credentials("bo@example.org", password))
	f.from("203.0.113.7").mustPost("/api/auth/password/forgot", object{"email": ann})
	mails := len(f.box.mails)
	t.Logf("20 requests for a reset link sent %d e-mails", mails)
	if mails > 12 {
		t.Errorf("%d e-mails were sent; want at most 10 for the links and 2 for the confirmations of the accounts", mails)
	}
	token := f.box.token(t, "Confirm")
	f.from("203.0.113.7").mustPost("/api/auth/email/confirm", object{"token": token})
}

func TestWrongTokensDoNotBlockRightOnesOfTheSameNetwork(t *testing.T) {
	f := newSignInFixture(t)
	c := f.from("203.0.113.7")
	signedIn := c.mustPost("/api/auth/login", credentials(ann, password))["data"].(object)
	for range 50 {
		c.send(http.MethodPost, "/api/auth/refresh", object{"refreshtoken": "x"})
		c.send(http.MethodPost, "/api/auth/email/confirm", object{"token": "x"})
	}
	c.mustPost("/api/auth/refresh", object{"refreshtoken": signedIn["refreshtoken"]})
	c.mustPost("/api/auth/email/confirm", object{"token": f.box.token(t, "Confirm")})
}

func TestClientsOfTheContractShowARefusedSignIn(t *testing.T) {
	f := newSignInFixture(t)
	c := f.from("198.51.100.1")
	for range 10 {
		c.mustFailPost(http.StatusUnauthorized, "/api/auth/login", credentials(ann, "a guess"))
	}
	e := c.mustFailPost(http.StatusNotAcceptable, "/api/auth/login", credentials(ann, password))
	if e.Kind != graph.TooMany || !strings.HasPrefix(e.StatusText, "too many attempts; try again in ") {
		t.Errorf("the response = %+v; want the kind tooMany and the status text \"too many attempts; try again in …\"", e)
	}
}
