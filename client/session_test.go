package client_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/schema"
)

func TestASessionRenewsItsTokens(t *testing.T) {
	s := servertest.Start(t)
	c, ctx := newClient(t, s, ""), t.Context()
	var stored atomic.Value
	c.OnTokens(func(tokens client.Tokens) { stored.Store(tokens) })
	if err := c.SignUp(ctx, "ann@example.org", "correct horse"); err != nil {
		t.Fatal(err)
	}
	if err := c.SignIn(ctx, "ann@example.org", "wrong"); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("a wrong password: %v; want the kind unauthorized", err)
	}
	if err := c.SignIn(ctx, "ann@example.org", "correct horse"); err != nil {
		t.Fatal(err)
	}
	first := stored.Load().(client.Tokens)
	ann := must[client.User](t)(c.User(ctx))
	if ann.Email != "ann@example.org" || ann.ID == graph.Anonymous || ann.IsAdmin {
		t.Errorf("signed in as %+v; want ann@example.org, who is no admin", ann)
	}
	for name, changed := range map[string]func(client.Tokens) client.Tokens{
		"a token that is about to expire": func(t client.Tokens) client.Tokens { t.Expires = time.Now(); return t },
		"a refused token":                 func(t client.Tokens) client.Tokens { t.Access = "x"; return t },
	} {
		before := changed(stored.Load().(client.Tokens))
		other := newClient(t, s, "")
		other.OnTokens(func(tokens client.Tokens) { stored.Store(tokens) })
		other.UseTokens(before)
		var all sync.WaitGroup
		for range 8 { // a refresh token can be used only once
			all.Go(func() {
				if user, err := other.User(ctx); err != nil || user != ann {
					t.Errorf("%s: %+v, %v; want %+v", name, user, err, ann)
				}
			})
		}
		all.Wait()
		if after := stored.Load().(client.Tokens); after.Refresh == before.Refresh || after.Access == before.Access {
			t.Errorf("%s: not renewed", name)
		}
	}
	c.UseTokens(stored.Load().(client.Tokens))
	if err := c.SignOut(ctx); err != nil || stored.Load() != (client.Tokens{}) {
		t.Errorf("signed out: %v, %+v; want no error and no tokens", err, stored.Load())
	}
	if guest, err := c.User(ctx); err != nil || guest.ID != graph.Anonymous {
		t.Errorf("after signing out: %+v, %v; want a guest", guest, err)
	}
	c.UseTokens(client.Tokens{Access: "x", Refresh: first.Refresh, Expires: first.Expires})
	if _, err := c.User(ctx); graph.KindOf(err) != graph.Unauthorized || stored.Load() != (client.Tokens{}) {
		t.Errorf("an ended session: %v, %+v; want an Unauthorized error and no tokens", err, stored.Load())
	}
}

func TestATransactionIsWrittenAsAWholeOrNotAtAll(t *testing.T) {
	r := newCRM(t)
	ctx := t.Context()
	var globex, dee graph.ID
	write := func(name string) (*client.Tx, error) {
		return client.Transact(ctx, r, func(tx *client.Tx) (err error) {
			if globex, err = client.For[Company](tx).Create(ctx, Company{Name: name}); err != nil {
				return err
			}
			contacts := client.For[Contact](tx)
			if dee, err = contacts.Create(ctx, Contact{Name: "Dee", Email: new("ann@example.org"), Company: schema.To[Company](globex)}); err != nil {
				return err
			}
			return contacts.Increment(ctx, r.bo, "age", 1)
		})
	}
	if _, err := write("Globex"); graph.KindOf(err) != graph.Conflict { // Ann has this e-mail address
		t.Fatalf("writing an e-mail address that another record has: %v", err)
	}
	if n := must[int](t)(r.companies.Find().Count(ctx)); n != 2 {
		t.Errorf("after the refusal there are %d companies; want 2", n)
	}
	if err := r.contacts.Update(ctx, r.ann, client.Fields{"email": nil}); err != nil {
		t.Fatal(err)
	}
	tx, err := write("Globex")
	if err != nil {
		t.Fatal(err)
	}
	found := must[Contact](t)(r.contacts.Find(client.HasID(tx.RealID(dee))).With("company").First(ctx))
	if found.Company.ID != tx.RealID(globex) || !found.Company.ID.IsReal() || *must[Contact](t)(r.contacts.Get(ctx, r.bo)).Age != 21 {
		t.Errorf("written %+v", found)
	}
	failed := errors.New("stop")
	if _, err := client.Transact(ctx, r, func(tx *client.Tx) error {
		if _, err := client.For[Company](tx).Create(ctx, Company{Name: "Never"}); err != nil {
			return err
		}
		return failed
	}); !errors.Is(err, failed) || must[int](t)(r.companies.Find().Count(ctx)) != 3 {
		t.Errorf("a transaction that fails: %v; want %v, and nothing written", err, failed)
	}
}

// A gate is a proxy in front of a server. While it is closed, it drops all connections and refuses new ones.
type gate struct {
	url     string
	address string
	proxy   http.Handler
	server  *http.Server
	ended   chan struct{}
}

func newGate(t *testing.T, target string) *gate {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.FlushInterval = -1
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	transport := &http.Transport{}
	proxy.Transport = transport
	g := &gate{proxy: proxy, address: "127.0.0.1:0"}
	g.open(t)
	t.Cleanup(func() {
		g.close()
		transport.CloseIdleConnections()
	})
	return g
}

func (g *gate) open(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", g.address)
	if err != nil {
		t.Fatal(err)
	}
	g.address, g.url = l.Addr().String(), "http://"+l.Addr().String()
	g.server, g.ended = &http.Server{Handler: g.proxy}, make(chan struct{})
	go func(s *http.Server, ended chan struct{}) {
		defer close(ended)
		_ = s.Serve(l)
	}(g.server, g.ended)
}

func (g *gate) close() {
	_ = g.server.Close()
	<-g.ended
}

func TestALiveQueryFollowsChangesAcrossALostConnection(t *testing.T) {
	s := servertest.Start(t)
	pushSchema(t, s)
	g := newGate(t, s.URL)
	reader, writer := client.New(g.url), newClient(t, s, "")
	defer reader.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	contacts := client.For[Contact](writer)
	var id graph.ID
	steps := []func() (want string){
		func() string {
			id = must[graph.ID](t)(contacts.Create(ctx, Contact{Name: "Ann", Address: &Address{City: "Oslo"}}))
			return "Ann Oslo"
		},
		func() string { // changes a part of a nested record
			if err := contacts.Update(ctx, id, client.Fields{"address": Address{City: "Bergen"}}); err != nil {
				t.Fatal(err)
			}
			return "Ann Bergen"
		},
		func() string { // changes a record while the connection is lost
			g.close()
			if err := contacts.Update(ctx, id, client.Fields{"name": "Anna"}); err != nil {
				t.Fatal(err)
			}
			g.open(t)
			return "Anna Bergen"
		},
	}
	want := ""
	for page, err := range client.For[Contact](reader).Find().Live(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(page.Records) == 1 {
			got = page.Records[0].Name + " " + page.Records[0].Address.City
		}
		if got != want {
			t.Fatalf("the page has %q; want %q", got, want)
		}
		if len(steps) == 0 {
			break
		}
		want, steps = steps[0](), steps[1:]
	}
	if want != "Anna Bergen" {
		t.Errorf("the live query ended before a page with %q", want)
	}
}

func TestALiveQueryEndsWithAnError(t *testing.T) {
	r := newCRM(t)
	for _, err := range r.contacts.Find(client.Eq("nam", 1)).Live(t.Context()) {
		if graph.KindOf(err) != graph.Invalid {
			t.Fatalf("an unknown field: %v; want the kind invalid", err)
		}
	}
	r.Token = "x"
	for _, err := range r.Follow(t.Context(), 0) {
		if graph.KindOf(err) != graph.Unauthorized {
			t.Fatalf("a refused token: %v; want the kind unauthorized", err)
		}
	}
}

func TestUploadsAreStoredInFields(t *testing.T) {
	store := memory.New()
	s := servertest.Serve(t, store, servertest.TakeUploads(t, store))
	c := newClient(t, s, servertest.SignUp(t, s.URL, "ann@example.org"))
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	type Photo struct {
		ID   graph.ID
		File schema.StoredFile
	}
	photos := client.For[Photo](c)
	for kind, content := range map[string]string{"image/png": picture.String(), "text/plain": "hello"} {
		file, err := c.Upload(t.Context(), "möwe.bin", kind, strings.NewReader(content))
		if err != nil || file.Type != kind || file.Name != "möwe.bin" || file.Size == 0 {
			t.Fatalf("%s: %+v, %v; want a file with this type, the name möwe.bin and a size", kind, file, err)
		}
		id := must[graph.ID](t)(photos.Create(t.Context(), Photo{File: file}))
		if read := must[Photo](t)(photos.Get(t.Context(), id)); read.File != file {
			t.Errorf("read %+v; want %+v", read.File, file)
		}
		response, err := http.Get(file.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || kind == "text/plain" && string(body) != content {
			t.Errorf("%s: downloaded %q, %v; want %q", kind, body, err, content)
		}
	}
	if _, err := c.Upload(t.Context(), "a.png", "image/png", strings.NewReader("not a picture")); graph.KindOf(err) != graph.Invalid {
		t.Errorf("text uploaded as a picture: %v; want the kind invalid", err)
	}
	if _, err := c.Upload(t.Context(), "a.txt", "text/plain", io.MultiReader(strings.NewReader("a"), failingReader{})); !errors.Is(err, errRead) {
		t.Errorf("a file that cannot be read: %v; want %v", err, errRead)
	}
}

var errRead = errors.New("the disk is gone")

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errRead }
