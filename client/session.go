package client

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
)

// Tokens are the credentials of a user's session.
type Tokens struct {
	Access  string    // for the header Authorization; short-lived
	Refresh string    // can be exchanged once for new tokens
	Expires time.Time // when Access expires
}

// A User is the user that a client acts as.
type User struct {
	ID      graph.ID // graph.Anonymous for a guest
	Email   string   // "" for a guest
	IsAdmin bool
}

// refreshBefore is how long before its expiry an access token is renewed.
const refreshBefore = 30 * time.Second

// A session holds the tokens of a client that has signed in.
type session struct {
	mu         sync.Mutex // guards the tokens
	tokens     Tokens
	refreshing sync.Mutex // held while tokens are exchanged
	listener   func(Tokens)
}

// OnTokens sets a function that is called with new tokens after SignIn and every renewal, and with zero Tokens when the session has
// ended. A program that stores the tokens can continue the session later with UseTokens. The function must not call the client.
func (c *Client) OnTokens(listener func(Tokens)) {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.listener = listener
}

// UseTokens continues a session with the last tokens that the function of OnTokens received. The client then
// ignores Token.
func (c *Client) UseTokens(t Tokens) {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.tokens = t
}

// setTokens stores tokens and notifies the listener.
func (c *Client) setTokens(t Tokens) {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.tokens = t
	if c.session.listener != nil {
		c.session.listener(t)
	}
}

// Tokens returns the tokens of the session, or zero Tokens without a session.
func (c *Client) Tokens() Tokens {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.session.tokens
}

// signedIn is the response to a sign-in and to a renewal.
type signedIn struct {
	Data struct {
		Token   string    `json:"token"`
		Refresh string    `json:"refreshtoken"`
		Expires time.Time `json:"expires"`
	} `json:"data"`
}

func (s signedIn) tokens() Tokens { return Tokens{s.Data.Token, s.Data.Refresh, s.Data.Expires} }

// SignUp creates an account. It does not sign in. If the server refuses the e-mail address or password, SignUp returns its error.
func (c *Client) SignUp(ctx context.Context, email, password string) error {
	body := map[string]any{"email": email, "password": password}
	return c.sendOnce(ctx, request{method: http.MethodPost, path: "/api/auth/signup", body: body}, &struct{}{}, "")
}

// SignIn starts a session. From then on the client acts for the user. It renews access tokens before they expire. The error is
// Unauthorized for a wrong e-mail address or password, and TooMany after too many attempts.
func (c *Client) SignIn(ctx context.Context, email, password string) error {
	var result signedIn
	body := map[string]any{"email": email, "password": password, "refresh": true}
	err := c.sendOnce(ctx, request{method: http.MethodPost, path: "/api/auth/login", body: body}, &result, "")
	if err == nil {
		c.setTokens(result.tokens())
	}
	return err
}

// SignOut ends the session on the server and discards its tokens. If the server cannot be reached, it returns an Unavailable error and
// keeps the tokens.
func (c *Client) SignOut(ctx context.Context) error {
	if c.Tokens().Refresh == "" {
		return nil
	}
	err := c.send(ctx, request{method: http.MethodPost, path: "/api/auth/logout"}, &struct{}{})
	if err == nil || graph.KindOf(err) == graph.Unauthorized {
		c.setTokens(Tokens{})
		return nil
	}
	return err
}

// User requests the client's user from the server.
func (c *Client) User(ctx context.Context) (User, error) {
	var me struct {
		UserID  graph.ID `json:"userId"`
		Profile struct {
			Email string   `json:"email"`
			Roles []string `json:"roles"`
		} `json:"profile"`
	}
	err := c.get(ctx, "/api/auth/me", &me)
	user := User{ID: me.UserID, Email: me.Profile.Email}
	for _, role := range me.Profile.Roles {
		user.IsAdmin = user.IsAdmin || role == "admin"
	}
	return user, err
}

// token returns the token for a request: the access token of the session, or Client.Token without a session. It first renews an
// access token that is about to expire. If the renewal fails, token returns the old access token, which may still be valid.
func (c *Client) token(ctx context.Context) string {
	t := c.Tokens()
	if t.Refresh == "" {
		return c.Token
	}
	if time.Until(t.Expires) < refreshBefore && c.renew(ctx, t) == nil {
		t = c.Tokens()
	}
	return t.Access
}

// renew exchanges tokens, unless another request has exchanged old in the meantime.
func (c *Client) renew(ctx context.Context, old Tokens) error {
	c.session.refreshing.Lock()
	defer c.session.refreshing.Unlock()
	if c.Tokens() != old {
		return nil
	}
	var result signedIn
	body := map[string]any{"refreshtoken": old.Refresh}
	err := c.sendOnce(ctx, request{method: http.MethodPost, path: "/api/auth/refresh", body: body}, &result, "")
	switch {
	case err == nil:
		c.setTokens(result.tokens())
	case graph.KindOf(err) == graph.Unauthorized:
		c.setTokens(Tokens{})
	}
	return err
}

// isSignedIn reports whether requests carry a token.
func (c *Client) isSignedIn() bool { return c.Token != "" || c.Tokens().Refresh != "" }
