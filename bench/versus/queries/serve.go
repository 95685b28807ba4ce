package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/weft-graph/weft/bench/versus/child"
)

// A service is the real program on a dataset, with a signed-in user.
type service struct {
	process *child.Process
	token   string
}

const credentials = `{"email":"bench@example.org","password":"correct horse battery staple"}`

func (d dataset) serve(ctx context.Context, weft string) (*service, error) {
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", d.dir}
	if d.url != "" {
		args = append(args, "--store", d.url)
	}
	process, err := child.Start(ctx, weft, args...)
	if err != nil {
		return nil, err
	}
	s := &service{process: process}
	_, _ = s.post("/api/auth/signup", []byte(credentials)) // fails if the account exists
	response, err := s.post("/api/auth/login", []byte(credentials))
	var session struct{ Data struct{ Token string } }
	if err == nil {
		err = json.Unmarshal(response, &session)
	}
	if s.token = session.Data.Token; err != nil || s.token == "" {
		return nil, errors.Join(fmt.Errorf("cannot sign in: %w", err), process.Stop())
	}
	return s, nil
}

func (s *service) post(path string, body []byte) ([]byte, error) {
	r, err := http.NewRequest(http.MethodPost, s.process.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %.200s", path, response.Status, text)
	}
	return text, err
}
