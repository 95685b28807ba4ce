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

// tlsFlags configure TLS: a certificate from files, or from an ACME authority.
type tlsFlags struct {
	TLSCert       string   `env:"WEFT_TLS_CERT" type:"path" placeholder:"FILE" help:"Certificate chain in PEM, the server's certificate first. The file is reloaded when it changes."`
	TLSKey        string   `env:"WEFT_TLS_KEY" type:"path" placeholder:"FILE" help:"Private key of the certificate in PEM."`
	ACME          []string `name:"acme" env:"WEFT_ACME" placeholder:"NAME" help:"Host names to obtain certificates for by ACME, e.g. weft.example.org. Certificates are stored in --data."`
	ACMEEmail     string   `name:"acme-email" env:"WEFT_ACME_EMAIL" placeholder:"ADDRESS" help:"E-mail address that the ACME authority may use for notices."`
	ACMEDirectory string   `name:"acme-directory" env:"WEFT_ACME_DIRECTORY" placeholder:"URL" help:"Directory URL of the ACME authority. The default is Let's Encrypt; --acme accepts its terms."`
	HTTPListen    string   `env:"WEFT_HTTP_LISTEN" placeholder:"ADDRESS" help:"Address that redirects plain HTTP to https://, if TLS is used. The default with --acme is :80."`
}

// secure wraps the listener with TLS as configured, and returns it with the scheme of its URLs. If configured, it also
// starts the redirect from plain HTTP, which ends when ctx is cancelled.
func (f tlsFlags) secure(ctx context.Context, l net.Listener, data string, log *slog.Logger) (_ net.Listener, scheme string, err error) {
	switch {
	case (f.TLSCert == "") != (f.TLSKey == ""):
		return nil, "", usageErrorf("--tls-cert and --tls-key must be set together")
	case f.TLSCert != "" && len(f.ACME) > 0:
		return nil, "", usageErrorf("--acme and --tls-cert cannot be combined")
	case f.TLSCert != "":
		return f.fileCertificate(ctx, l, log)
	case len(f.ACME) > 0:
		return f.acmeCertificate(ctx, l, data, log)
	case f.HTTPListen != "":
		return nil, "", usageErrorf("--http-listen redirects to https://, so it needs --tls-cert or --acme")
	default:
		return l, "http", nil
	}
}

// fileCertificate wraps the listener with TLS that uses the certificate in --tls-cert.
func (f tlsFlags) fileCertificate(ctx context.Context, l net.Listener, log *slog.Logger) (net.Listener, string, error) {
	c := &certificate{cert: f.TLSCert, key: f.TLSKey, log: log}
	if err := c.load(); err != nil {
		return nil, "", fmt.Errorf("--tls-cert: %w", err)
	}
	if err := f.redirect(ctx, l, f.HTTPListen, nil, log); err != nil {
		return nil, "", err
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: c.current,
	}), "https", nil
}

// acmeCertificate wraps the listener with TLS that obtains certificates by ACME and stores them in data/acme.
func (f tlsFlags) acmeCertificate(ctx context.Context, l net.Listener, data string, log *slog.Logger) (net.Listener, string, error) {
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
		// Errors for other names are not logged: clients may send any name.
		if err != nil && slices.Contains(f.ACME, hello.ServerName) {
			log.Error("could not obtain a certificate", "name", hello.ServerName, "error", err)
		}
		return got, err
	}
	return tls.NewListener(l, config), "https", nil
}

// redirect starts a plain HTTP server at address that redirects to the TLS listener. If challenges is not nil, it wraps
// the redirect with the handler of ACME challenges. If address is empty, no server is started.
func (f tlsFlags) redirect(ctx context.Context, tlsListener net.Listener, address string, challenges func(http.Handler) http.Handler, log *slog.Logger) error {
	if address == "" {
		return nil
	}
	l, err := listen(address)
	if err != nil {
		return fmt.Errorf("--http-listen: %w", err)
	}
	_, port, err := net.SplitHostPort(tlsListener.Addr().String())
	if err != nil {
		return err
	}
	handler := http.Handler(toHTTPS(port))
	if challenges != nil {
		handler = challenges(handler)
	}
	serveInBackground(ctx, l, handler, log)
	return nil
}

// toHTTPS returns a handler that redirects GET and HEAD to the same URL with https, at the given port. The response to
// other methods is 400, because their body was already sent unencrypted.
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

// serveInBackground serves h on an additional listener until ctx is cancelled. It returns immediately.
func serveInBackground(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) {
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("listener stopped", "address", l.Addr().String(), "error", err)
		}
	}()
}

// A certificate is read from files and reloaded when one of them changes. If reloading fails, the previous certificate
// stays in use.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu       sync.Mutex
	loaded   *tls.Certificate
	modified [2]time.Time // modification times of the files when they were read
	checked  time.Time    // when the files were last checked for changes
}

// reloadInterval is the minimum time between two checks of the files for changes.
const reloadInterval = time.Second

// current implements tls.Config.GetCertificate. It checks the files for changes at most once per reloadInterval.
func (c *certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) > reloadInterval {
		c.checked = time.Now()
		if err := c.reload(); err != nil {
			c.log.Error("cannot reload the certificate; the previous one stays in use", "error", err)
		}
	}
	return c.loaded, nil
}

func (c *certificate) load() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reload()
}

// reload reads the files if they changed. The caller holds mu.
func (c *certificate) reload() error {
	var modified [2]time.Time
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		modified[i] = info.ModTime()
	}
	if c.loaded != nil && modified == c.modified {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	isReload := c.loaded != nil
	c.loaded, c.modified = &pair, modified
	if isReload {
		c.log.Info("reloaded the certificate", "until", pair.Leaf.NotAfter)
	}
	return nil
}
