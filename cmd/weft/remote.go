package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/wire"
)

// adminFlags select the target of an operator's command: a data directory, a database, or a running server.
type adminFlags struct {
	storeFlags
	URL   string `env:"WEFT_URL" placeholder:"URL" help:"Running server to use instead of the data directory, e.g. http://127.0.0.1:8080."`
	Token string `secret:"" env:"WEFT_TOKEN" placeholder:"TOKEN" help:"Access token of an admin for --url; weft user token prints one."`
}

// server returns the server of --url.
func (f adminFlags) server() (*adminServer, error) {
	if u, err := url.Parse(f.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usageErrorf("--url %s is not a URL such as https://weft.example.org", graph.Clip(f.URL))
	}
	return &adminServer{url: strings.TrimRight(f.URL, "/"), token: f.Token}, nil
}

// An adminServer is a running server, used with the token of an admin. It implements accountManager.
type adminServer struct{ url, token string }

var _ accountManager = (*adminServer)(nil)

// maxAdminResponse is the maximum size of a JSON response, in bytes.
const maxAdminResponse = 64 << 20

// sendJSON sends a request with an optional JSON body, decodes the response into result and returns its header. If the server
// responds with an error, sendJSON returns an error of the same kind.
func (s *adminServer) sendJSON(ctx context.Context, method, path string, body, result any) (http.Header, error) {
	response, err := s.send(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAdminResponse)).Decode(result); err != nil {
		return nil, graph.Wrap(graph.Unavailable, err, "cannot read the response of %s%s", s.url, path)
	}
	return response.Header, nil
}

// send is like sendJSON, but returns a successful response undecoded. The caller closes its body.
func (s *adminServer) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var content io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, content)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, graph.Wrap(graph.Unavailable, err, "%s does not respond", s.url)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	var refusal wire.Error
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&refusal); err != nil || refusal.Message == "" {
		return nil, graph.Errorf(graph.Unavailable, "%s%s: status %s", s.url, path, response.Status)
	}
	err = graph.Errorf(refusal.Kind, "%s", refusal.Message)
	if refusal.Kind == graph.Unauthorized || refusal.Kind == graph.Forbidden {
		err = fmt.Errorf("%w; set --token or WEFT_TOKEN to the access token of an admin, which weft user token prints", err)
	}
	return nil, err
}

// remoteUser is an account in a response.
type remoteUser struct {
	ID        graph.ID   `json:"id"`
	Email     string     `json:"email"`
	Admin     bool       `json:"admin"`
	Disabled  bool       `json:"disabled"`
	Created   time.Time  `json:"created"`
	Confirmed *time.Time `json:"confirmed"`
}

func (u remoteUser) user() account.User {
	found := account.User{ID: u.ID, Email: u.Email, Admin: u.Admin, Disabled: u.Disabled, Created: u.Created}
	if u.Confirmed != nil {
		found.Confirmed = *u.Confirmed
	}
	return found
}

// changeAccount sends a change of an account and returns the changed account.
func (s *adminServer) changeAccount(ctx context.Context, method, path string, body any) (account.User, error) {
	var changed remoteUser
	_, err := s.sendJSON(ctx, method, path, body, &changed)
	return changed.user(), err
}

// Add implements accountManager.
func (s *adminServer) Add(ctx context.Context, p account.Person, admin bool) (account.User, error) {
	return s.changeAccount(ctx, http.MethodPost, "/api/admin/users", map[string]any{"email": p.Email, "password": p.Password, "admin": admin})
}

// Users implements accountManager.
func (s *adminServer) Users(ctx context.Context, after graph.ID, limit int) ([]account.User, error) {
	users, _, err := s.findUsers(ctx, url.Values{"after": {formatCursor(after)}, "inpage": {strconv.Itoa(limit)}})
	return users, err
}

func formatCursor(id graph.ID) string {
	if id == 0 {
		return ""
	}
	return id.String()
}

// findUsers returns a page of accounts, and the cursor of the next page, which is "" after the last page.
func (s *adminServer) findUsers(ctx context.Context, wanted url.Values) ([]account.User, string, error) {
	var found []remoteUser
	header, err := s.sendJSON(ctx, http.MethodGet, "/api/admin/users?"+wanted.Encode(), nil, &found)
	if err != nil {
		return nil, "", err
	}
	users := make([]account.User, len(found))
	for i, u := range found {
		users[i] = u.user()
	}
	return users, header.Get("X-Weft-After"), nil
}

// ByEmail implements accountManager.
func (s *adminServer) ByEmail(ctx context.Context, email string) (account.User, error) {
	for wanted := (url.Values{"text": {email}, "inpage": {strconv.Itoa(usersAtOnce)}}); ; {
		users, next, err := s.findUsers(ctx, wanted)
		if err != nil {
			return account.User{}, err
		}
		for _, u := range users {
			if strings.EqualFold(u.Email, email) {
				return u, nil
			}
		}
		if next == "" {
			return account.User{}, graph.Errorf(graph.NotFound, "no user has the e-mail %q", graph.Clip(email))
		}
		wanted.Set("after", next)
	}
}

// SetDisabled implements accountManager.
func (s *adminServer) SetDisabled(ctx context.Context, user graph.ID, disabled bool) (account.User, error) {
	return s.changeAccount(ctx, http.MethodPost, "/api/admin/users/disable", map[string]any{"id": user, "on": disabled})
}

// SetAdmin implements accountManager.
func (s *adminServer) SetAdmin(ctx context.Context, user graph.ID, admin bool) (account.User, error) {
	return s.changeAccount(ctx, http.MethodPost, "/api/admin/users/admin", map[string]any{"id": user, "on": admin})
}

// SetPassword implements accountManager.
func (s *adminServer) SetPassword(ctx context.Context, user graph.ID, password string) error {
	_, err := s.sendJSON(ctx, http.MethodPost, "/api/admin/users/password", map[string]any{"id": user, "password": password}, &struct{}{})
	return err
}

// Token implements accountManager.
func (s *adminServer) Token(ctx context.Context, user graph.ID) (string, error) {
	var issued struct {
		Token string `json:"token"`
	}
	_, err := s.sendJSON(ctx, http.MethodPost, "/api/admin/users/token", map[string]any{"id": user}, &issued)
	return issued.Token, err
}

// signIn returns an access token for an e-mail address and a password.
func (s *adminServer) signIn(ctx context.Context, email, password string) (string, error) {
	var signedIn struct {
		Data struct {
			Token string `json:"token"`
		} `json:"data"`
	}
	_, err := s.sendJSON(ctx, http.MethodPost, "/api/auth/login", map[string]any{"email": email, "password": password}, &signedIn)
	return signedIn.Data.Token, err
}

// Remove implements accountManager.
func (s *adminServer) Remove(ctx context.Context, user graph.ID) (account.User, error) {
	return s.changeAccount(ctx, http.MethodDelete, "/api/admin/users?id="+user.String(), nil)
}

// remoteKey is an API key in a response.
type remoteKey struct {
	Key     string     `json:"key"`
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Write   bool       `json:"write"`
	Types   []string   `json:"types"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires"`
	Used    *time.Time `json:"used"`
}

func (k remoteKey) key(user graph.ID) account.Key {
	found := account.Key{ID: k.ID, User: user, Name: k.Name, Write: k.Write, Types: k.Types, Created: k.Created}
	if k.Expires != nil {
		found.Expires = *k.Expires
	}
	if k.Used != nil {
		found.Used = *k.Used
	}
	return found
}

// NewKey implements accountManager.
func (s *adminServer) NewKey(ctx context.Context, k account.Key) (account.Key, string, error) {
	body := map[string]any{"user": k.User, "name": k.Name, "write": k.Write, "types": k.Types}
	if !k.Expires.IsZero() {
		body["expires"] = k.Expires
	}
	var created remoteKey
	_, err := s.sendJSON(ctx, http.MethodPost, "/api/admin/keys", body, &created)
	return created.key(k.User), created.Key, err
}

// Keys implements accountManager.
func (s *adminServer) Keys(ctx context.Context, user graph.ID) ([]account.Key, error) {
	var found struct {
		Keys []remoteKey `json:"keys"`
	}
	_, err := s.sendJSON(ctx, http.MethodGet, "/api/admin/keys?user="+user.String(), nil, &found)
	keys := make([]account.Key, len(found.Keys))
	for i, k := range found.Keys {
		keys[i] = k.key(user)
	}
	return keys, err
}

// RevokeKey implements accountManager.
func (s *adminServer) RevokeKey(ctx context.Context, user graph.ID, id string) error {
	wanted := url.Values{"user": {user.String()}, "id": {id}}
	_, err := s.sendJSON(ctx, http.MethodDelete, "/api/admin/keys?"+wanted.Encode(), nil, &struct{}{})
	return err
}
