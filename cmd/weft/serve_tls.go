package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// tlsFlags say how the server proves who it is.
type tlsFlags struct {
	TLSCert       string   `env:"WEFT_TLS_CERT" type:"path" placeholder:"FILE" help:"Certificate, with those between it and the root behind it, in PEM. A file that is replaced is read again."`
	TLSKey        string   `env:"WEFT_TLS_KEY" type:"path" placeholder:"FILE" help:"Key of the certificate, in PEM."`
	ACME          []string `name:"acme" env:"WEFT_ACME" placeholder:"NAME" help:"Names to get certificates for by themselves, as in weft.example.org. Certificates are kept in --data."`
	ACMEEmail     string   `name:"acme-email" env:"WEFT_ACME_EMAIL" placeholder:"ADDRESS" help:"Where the authority may write about them."`
	ACMEDirectory string   `name:"acme-directory" env:"WEFT_ACME_DIRECTORY" placeholder:"URL" help:"The authority. Left out, it is Let's Encrypt, whose terms --acme accepts."`
	HTTPListen    string   `env:"WEFT_HTTP_LISTEN" placeholder:"ADDRESS" help:"With TLS, an address that sends those who come without it to https://; with --acme it is :80 unless it is set."`
}

// secure puts TLS on a listener, and says how addresses start. What it starts ends with the context.
func (f tlsFlags) secure(ctx context.Context, l net.Listener, data string, log *slog.Logger) (_ net.Listener, scheme string, err error) {
	switch {
	case (f.TLSCert == "") != (f.TLSKey == ""):
		return nil, "", misusef("--tls-cert and --tls-key need each other")
	case f.TLSCert != "" && len(f.ACME) > 0:
		return nil, "", misusef("--acme gets a certificate, and --tls-cert brings one; choose one of them")
	case f.TLSCert != "":
		return f.ownCertificate(ctx, l, log)
	case len(f.ACME) > 0:
		return f.gottenCertificate(ctx, l, data, log)
	case f.HTTPListen != "":
		return nil, "", misusef("--http-listen sends people to https://, which needs --tls-cert or --acme")
	default:
		return l, "http", nil
	}
}

func (f tlsFlags) ownCertificate(ctx context.Context, l net.Listener, log *slog.Logger) (net.Listener, string, error) {
	c := &certificate{cert: f.TLSCert, key: f.TLSKey, log: log}
	if err := c.read(); err != nil {
		return nil, "", fmt.Errorf("--tls-cert: %w", err)
	}
	if err := f.redirect(ctx, l, f.HTTPListen, nil, log); err != nil {
		return nil, "", err
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: c.get,
	}), "https", nil
}

func (f tlsFlags) gottenCertificate(ctx context.Context, l net.Listener, data string, log *slog.Logger) (net.Listener, string, error) {
	m := &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		HostPolicy: autocert.HostWhitelist(f.ACME...),
		Cache:      autocert.DirCache(filepath.Join(data, "acme")),
		Email:      f.ACMEEmail,
		Client:     &acme.Client{DirectoryURL: f.ACMEDirectory},
	}
	address := f.HTTPListen
	if address == "" {
		address = ":80"
	}
	if err := f.redirect(ctx, l, address, m.HTTPHandler, log); err != nil {
		return nil, "", err
	}
	config := m.TLSConfig()
	config.MinVersion = tls.VersionTLS12
	config.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		got, err := m.GetCertificate(hello)
		if err != nil && slices.Contains(f.ACME, hello.ServerName) { // strangers ask for any name
			log.Error("no certificate could be gotten", "name", hello.ServerName, "error", err)
		}
		return got, err
	}
	return tls.NewListener(l, config), "https", nil
}

// redirect sends those who come to an address without TLS to the listener with it. Challenges, if there are
// any, come first.
func (f tlsFlags) redirect(ctx context.Context, to net.Listener, address string, challenges func(http.Handler) http.Handler, log *slog.Logger) error {
	if address == "" {
		return nil
	}
	l, err := listen(address)
	if err != nil {
		return fmt.Errorf("--http-listen: %w", err)
	}
	_, port, err := net.SplitHostPort(to.Addr().String())
	if err != nil {
		return err
	}
	handler := http.Handler(toHTTPS(port))
	if challenges != nil {
		handler = challenges(handler)
	}
	serveAside(ctx, l, handler, log)
	return nil
}

// toHTTPS sends a reader to the same address with TLS. What was sent without is not taken over.
func toHTTPS(port string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Connection", "close")
			http.Error(w, "use https", http.StatusBadRequest)
			return
		}
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if port != "443" {
			host = net.JoinHostPort(host, port)
		}
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, "https://"+host+r.URL.RequestURI(), http.StatusMovedPermanently)
	}
}

// serveAside answers on a second listener until the context ends.
func serveAside(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) {
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("no longer listening", "address", l.Addr().String(), "error", err)
		}
	}()
}

// A certificate is read again when one of its files has changed. One that cannot be read leaves the one
// before it in use.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	now     *tls.Certificate
	changed [2]time.Time // of the files, when they were read
	looked  time.Time
}

// often enough to look whether a file has changed.
const lookAgain = time.Second

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) > lookAgain {
		c.looked = time.Now()
		if err := c.readChanged(); err != nil {
			c.log.Error("the certificate cannot be read again; the one before it stays", "error", err)
		}
	}
	return c.now, nil
}

func (c *certificate) read() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readChanged()
}

func (c *certificate) readChanged() error {
	var changed [2]time.Time
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		changed[i] = info.ModTime()
	}
	if c.now != nil && changed == c.changed {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	again := c.now != nil
	c.now, c.changed = &pair, changed
	if again {
		c.log.Info("read a new certificate", "until", pair.Leaf.NotAfter)
	}
	return nil
}
