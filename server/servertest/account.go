package servertest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/weft-graph/weft/account"
)

const password = "correct horse"

// SignUp makes an account on a server and signs in to it. The token is for the header Authorization, as in
// "Bearer …".
func SignUp(t testing.TB, url, email string) (token string) {
	t.Helper()
	credentials := map[string]string{"email": email, "password": password}
	post(t, url+"/api/auth/signup", credentials, &struct{}{})
	var in struct {
		Data struct {
			Token string `json:"token"`
		} `json:"data"`
	}
	post(t, url+"/api/auth/login", credentials, &in)
	return in.Data.Token
}

// Admin makes an account of an admin and signs in to it.
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
		t.Fatalf("%s answered %s", url, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}
