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

// A service is the real program on a place, and somebody signed in to it.
type service struct {
	process *child.Process
	token   string
}

const person = `{"email":"bench@example.org","password":"correct horse battery staple"}`

func (p place) serve(ctx context.Context, weft string) (*service, error) {
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", p.dir}
	if p.url != "" {
		args = append(args, "--store", p.url)
	}
	process, err := child.Start(ctx, weft, args...)
	if err != nil {
		return nil, err
	}
	s := &service{process: process}
	_, _ = s.post("/api/auth/signup", []byte(person)) // who is there already signs in
	answer, err := s.post("/api/auth/login", []byte(person))
	var in struct{ Data struct{ Token string } }
	if err == nil {
		err = json.Unmarshal(answer, &in)
	}
	if s.token = in.Data.Token; err != nil || s.token == "" {
		return nil, errors.Join(fmt.Errorf("nobody could sign in: %w", err), process.Stop())
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
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %.200s", path, response.Status, answer)
	}
	return answer, err
}
