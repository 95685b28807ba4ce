package servertest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/weft-graph/weft/internal/account"
)

const password = "correct horse"

// SignUp creates an account on a server and returns an access token for it, for the header Authorization.
func SignUp(t testing.TB, url, email string) (token string) {
	t.Helper()
	credentials := map[string]any{"email": email, "password": password, "refresh": true}
	post(t, url+"/api/auth/signup", credentials, &struct{}{})
	var signedIn struct {
		Data struct {
			Token string `json:"token"`
		} `json:"data"`
	}
	post(t, url+"/api/auth/login", credentials, &signedIn)
	return signedIn.Data.Token
}

// Admin creates an admin account and returns an access token for it.
func Admin(t testing.TB, s *Server, email string) (token string) {
	t.Helper()
	u, err := s.Accounts.Add(t.Context(), account.Person{Email: email, Password: password}, true)
	if err != nil {
		t.Fatal(err)
	}
	if token, err = s.Accounts.Token(t.Context(), u.ID); err != nil {
		t.Fatal(err)
	}
	return token
}

func post(t testing.TB, url string, body, into any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %s", url, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}
