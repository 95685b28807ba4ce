package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/weft-graph/weft/internal/race"
)

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	first := certify(t, cert, key, 1)
	httpAddress := freeAddress(t)
	_, url := startProgram(t, build(t), "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--data", dir,
		"--tls-cert", cert, "--tls-key", key, "--http-listen", httpAddress)
	newClient := func(pool *x509.CertPool) *http.Client {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true, DisableKeepAlives: true}
		return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	client := newClient(first)

	t.Run("serves HTTP/2 with Strict-Transport-Security", func(t *testing.T) {
		response, err := client.Get(url + "/api/health")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK || response.ProtoMajor != 2 || !strings.HasPrefix(response.Header.Get("Strict-Transport-Security"), "max-age=") {
			t.Errorf("status %s by %s, headers %v; want 200 by HTTP/2.0 with Strict-Transport-Security: max-age=…", response.Status, response.Proto, response.Header)
		}
	})
	t.Run("redirects plain HTTP to HTTPS and refuses bodies", func(t *testing.T) {
		response, err := client.Get("http://" + httpAddress + "/about?a=b%20c")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if got := response.Header.Get("Location"); response.StatusCode != http.StatusMovedPermanently || got != url+"/about?a=b%20c" {
			t.Errorf("status %s, Location %q; want 301 to %s/about?a=b%%20c", response.Status, got, url)
		}
		refused, err := client.Post("http://"+httpAddress+"/api/getConcept", "", strings.NewReader("id=1"))
		if err != nil {
			t.Fatal(err)
		}
		defer refused.Body.Close()
		if refused.StatusCode != http.StatusBadRequest {
			t.Errorf("a POST without TLS got %s; want 400", refused.Status)
		}
	})
	t.Run("reloads a replaced certificate and ignores a broken one", func(t *testing.T) {
		second := newClient(certify(t, cert, key, 2))
		waitFor(t, "the server uses the new certificate", func() bool {
			response, err := second.Get(url + "/api/health")
			if err != nil {
				return false
			}
			_ = response.Body.Close()
			return response.TLS.PeerCertificates[0].SerialNumber.Int64() == 2
		})
		if err := os.WriteFile(key, []byte("not a key"), 0o600); err != nil {
			t.Fatal(err)
		}
		for until := time.Now().Add(2 * reloadInterval); time.Now().Before(until); {
			response, err := second.Get(url + "/api/health")
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
		}
	})
}

// The server obtains its certificate from an ACME authority that verifies the name of the server.
func TestServerObtainsItsCertificateFromAnACMEAuthority(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an ACME authority")
	}
	race.Skip(t, "another process does the work")
	const name = "weft.example.org"
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certify(t, cert, key, 1)
	address, httpAddress, authority := freeAddress(t), freeAddress(t), freeAddress(t)
	startAuthority(t, dir, authority, address, httpAddress)
	t.Setenv("SSL_CERT_FILE", cert)
	weft, _ := startProgram(t, build(t), "serve", "--listen", address, "--store", "memory:", "--data", dir,
		"--acme", name, "--acme-directory", "https://"+authority+"/dir", "--acme-email", "ann@example.org", "--http-listen", httpAddress)

	dial := func(name string) (*x509.Certificate, error) {
		d := tls.Dialer{Config: &tls.Config{ServerName: name, InsecureSkipVerify: true}} //nolint:gosec // the issuer is checked below
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c, err := d.DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		return c.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
	}
	got, err := dial(name)
	if err != nil {
		t.Fatalf("%v\n%s", err, weft.Stderr)
	}
	if err := got.VerifyHostname(name); err != nil || !strings.HasPrefix(got.Issuer.CommonName, "Pebble") {
		t.Errorf("the certificate is for %v by %v: %v; want %s by Pebble", got.DNSNames, got.Issuer, err, name)
	}
	if _, err := os.Stat(filepath.Join(dir, "acme", name)); err != nil {
		t.Errorf("the certificate is not stored: %v", err)
	}
	if next, err := dial(name); err != nil || next.SerialNumber.Cmp(got.SerialNumber) != 0 {
		t.Errorf("the next connection has another certificate, or failed with %v; want the same certificate", err)
	}
	if _, err := dial("other.example.org"); err == nil {
		t.Error("a name outside --acme got a certificate; want an error")
	}
}

// startAuthority starts a real ACME server at an address. It resolves every name to 127.0.0.1, and verifies names at the
// ports of the two other addresses. Its certificate is cert.pem in dir.
func startAuthority(t *testing.T, dir, address, tlsAddress, httpAddress string) {
	t.Helper()
	pebble := filepath.Join(dir, "pebble")
	runIn(t, "../..", "go", "build", "-modfile=tools/go.mod", "-o", pebble, "github.com/letsencrypt/pebble/v2/cmd/pebble")
	port := func(address string) json.RawMessage {
		return json.RawMessage(address[strings.LastIndexByte(address, ':')+1:])
	}
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": address, "certificate": filepath.Join(dir, "cert.pem"), "privateKey": filepath.Join(dir, "key.pem"),
		"httpPort": port(httpAddress), "tlsPort": port(tlsAddress), "retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles": map[string]any{"default": map[string]any{"description": "for a day", "validityPeriod": 86400}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(pebble, "-config", path, "-dnsserver", startDNS(t))
	c.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	lines, log := bufio.NewScanner(out), bytes.Buffer{}
	for lines.Scan() {
		log.Write(append(lines.Bytes(), '\n'))
		if strings.Contains(lines.Text(), "Listening on") {
			go func() { // drain the output, or the process would block
				for lines.Scan() {
				}
			}()
			return
		}
	}
	t.Fatalf("the authority did not start:\n%s", log.Bytes())
}

// startDNS starts a DNS server over TCP that resolves all names to 127.0.0.1 and has no other records.
func startDNS(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serveDNS(conn)
		}
	}()
	return l.Addr().String()
}

// serveDNS responds to the queries of a connection. Over TCP, the length of a message precedes it.
func serveDNS(conn net.Conn) {
	defer conn.Close()
	var length [2]byte
	for {
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		b := make([]byte, binary.BigEndian.Uint16(length[:]))
		var m dnsmessage.Message
		if _, err := io.ReadFull(conn, b); err != nil || m.Unpack(b) != nil || len(m.Questions) != 1 {
			return
		}
		q := m.Questions[0]
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		if q.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			}}
		}
		response, err := m.Pack()
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(response))), response...)); err != nil {
			return
		}
	}
}

// certify writes a certificate for 127.0.0.1 and its key, and returns a pool that trusts it.
func certify(t *testing.T, certFile, keyFile string, serial int64) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return pool
}
