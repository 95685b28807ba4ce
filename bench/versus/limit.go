package main

import (
	"bytes"
	"net"
	"net/http"
	"strconv"
)

// A bare server answers every request with the bytes it was given: what is left is the price of HTTP.
type bare struct {
	answer []byte
	url    string
	close  func() error
}

func newBare() (*bare, error) {
	b := &bare{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		w.Header().Set("Content-Type", asJSON)
		w.Header().Set("Content-Length", strconv.Itoa(len(b.answer)))
		_, _ = w.Write(b.answer)
	})}
	go s.Serve(l) //nolint:errcheck // closed at the end
	b.url, b.close = "http://"+l.Addr().String(), s.Close
	return b, nil
}

// like asks the bare server what a question asks another, and lets it answer what that one answers.
func (b *bare) like(q question) (question, error) {
	answer, err := ask(q(1))
	b.answer = answer
	return func(n int) *http.Request {
		r := q(n)
		r.URL.Scheme, r.URL.Host = "http", b.url[len("http://"):]
		return r
	}, err
}
