package outbox_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/client/outbox"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/schema"
)

type Contact struct {
	ID      graph.ID
	Name    string  `weft:",required"`
	Email   *string `weft:",unique"`
	Age     int
	Tags    []string
	Address *Address
	Company schema.One[Company]
}

type Address struct{ City string }

type Company struct {
	ID   graph.ID
	Name string
}

// A network is a proxy in front of a server. It can lose requests or responses.
type network struct {
	*httptest.Server
	isDown        atomic.Bool
	losesResponse atomic.Bool // drops the response to the next batch
	batches       atomic.Int64
}

func newNetwork(t *testing.T, target string) *network {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	n := &network{}
	proxy := httputil.NewSingleHostReverseProxy(u)
	transport := &http.Transport{}
	proxy.Transport = transport
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isBatch := strings.HasSuffix(r.URL.Path, "local-concepts")
		if isBatch {
			n.batches.Add(1)
		}
		if n.isDown.Load() {
			panic(http.ErrAbortHandler)
		}
		if isBatch && n.losesResponse.CompareAndSwap(true, false) {
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		n.Close()
		transport.CloseIdleConnections()
	})
	return n
}

// An office is a server with the schema of Contact, and a network to it.
type office struct {
	*network
	server *servertest.Server
	token  string
	path   string
}

func newOffice(t *testing.T) *office {
	t.Helper()
	s := servertest.Start(t)
	defined, err := schema.Define(schema.WithLinked(Contact{})...)
	if err != nil {
		t.Fatal(err)
	}
	admin := client.New(s.URL)
	defer admin.Close()
	admin.Token = servertest.Admin(t, s, "admin@example.org")
	if _, err := admin.PushSchema(t.Context(), defined, false, false); err != nil {
		t.Fatal(err)
	}
	return &office{
		network: newNetwork(t, s.URL), server: s, token: servertest.SignUp(t, s.URL, "ann@example.org"), path: filepath.Join(t.TempDir(), "outbox.db"),
	}
}

// open opens the outbox of the office. It is closed by the caller or at the end of the test.
func (o *office) open(t *testing.T) *outbox.Outbox {
	t.Helper()
	c := client.New(o.URL)
	c.Token = o.token
	box, err := outbox.Open(t.Context(), o.path, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = box.Close()
		_ = c.Close()
	})
	return box
}

// direct returns a client of the server that does not use the network.
func (o *office) direct(t *testing.T) *client.Client {
	t.Helper()
	c := client.New(o.server.URL)
	c.Token = o.token
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWritesWithoutAServerAreReadableImmediatelyAndSentLater(t *testing.T) {
	o := newOffice(t)
	o.isDown.Store(true)
	box, ctx := o.open(t), t.Context()
	contacts := client.For[Contact](box)
	acme := must[graph.ID](t)(client.For[Company](box).Create(ctx, Company{Name: "Acme"}))
	ann := must[graph.ID](t)(contacts.Create(ctx, Contact{Name: "Ann", Age: 30, Tags: []string{"a", "b"}, Company: schema.To[Company](acme)}))
	check(t, contacts.Update(ctx, ann, client.Fields{"name": "Anna", "tags": []string{"c"}, "address": Address{City: "Oslo"}}))
	check(t, contacts.Increment(ctx, ann, "age", 2))
	check(t, contacts.SetLink(ctx, ann, "company", 0))
	check(t, contacts.SetLink(ctx, ann, "company", acme))
	gone := must[graph.ID](t)(contacts.Create(ctx, Contact{Name: "Gone"}))
	must[*client.Removal](t)(contacts.Remove(ctx, gone))
	if _, err := contacts.Get(ctx, gone); graph.KindOf(err) != graph.NotFound {
		t.Errorf("a removed record: %v; want the kind notFound", err)
	}
	want := Contact{ID: ann, Name: "Anna", Age: 32, Tags: []string{"c"}, Address: &Address{City: "Oslo"}}
	for _, reopened := range []bool{false, true} {
		if reopened {
			check(t, box.Close())
			box = o.open(t)
			contacts = client.For[Contact](box)
		}
		if diff := cmp.Diff(want, must[Contact](t)(contacts.Get(ctx, ann))); diff != "" {
			t.Errorf("reopened %v: %s", reopened, diff)
		}
	}
	for box.Status().Err == nil {
		<-box.Changed()
	}
	if s := box.Status(); len(s.Writes) != 8 || graph.KindOf(s.Err) != graph.Unavailable {
		t.Errorf("the status = %+v; want 8 writes and the error unavailable", s)
	}
	o.isDown.Store(false)
	check(t, box.Flush(ctx))
	if box.RealID(ann) == ann || !box.RealID(ann).IsReal() {
		t.Errorf("the real id of the local id %d = %d; want a real id after the flush", ann, box.RealID(ann))
	}
	want.ID, want.Company = box.RealID(ann), schema.To[Company](box.RealID(acme))
	stored := must[Contact](t)(client.For[Contact](o.direct(t)).Find(client.Eq("name", "Anna")).With("company").First(ctx))
	want.Company.Record = &Company{ID: box.RealID(acme), Name: "Acme"}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Error(diff)
	}
	o.isDown.Store(true) // from now on, reads use the cache
	want.Company = schema.One[Company]{}
	for _, id := range []graph.ID{ann, want.ID} {
		if diff := cmp.Diff(want, must[Contact](t)(contacts.Get(ctx, id))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestRecordsThatWereReadCanBeChangedWithoutAServer(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	bo := must[graph.ID](t)(client.For[Contact](o.direct(t)).Create(ctx, Contact{Name: "Bo", Age: 20, Address: &Address{City: "Oslo"}}))
	unread := must[graph.ID](t)(client.For[Contact](o.direct(t)).Create(ctx, Contact{Name: "Cleo"}))
	box := o.open(t)
	contacts := client.For[Contact](box)
	must[Contact](t)(contacts.Get(ctx, bo))
	o.isDown.Store(true)
	check(t, contacts.Update(ctx, bo, client.Fields{"name": "Bob", "address": nil}))
	check(t, contacts.Increment(ctx, bo, "age", 5))
	want := Contact{ID: bo, Name: "Bob", Age: 25, Tags: []string{}}
	if diff := cmp.Diff(want, must[Contact](t)(contacts.Get(ctx, bo))); diff != "" {
		t.Error(diff)
	}
	if err := contacts.Update(ctx, unread, client.Fields{"name": "X"}); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("a record that was never read: %v; want the kind unavailable", err)
	}
	check(t, client.For[Contact](o.direct(t)).Increment(ctx, bo, "age", 100))
	o.isDown.Store(false)
	check(t, box.Flush(ctx))
	want.Age = 125
	if diff := cmp.Diff(want, must[Contact](t)(client.For[Contact](o.direct(t)).Get(ctx, bo))); diff != "" {
		t.Error(diff)
	}
}

// sendingSource is an outbox that sends its pending writes before it reads connections, which is the second step of reading a record.
type sendingSource struct{ *outbox.Outbox }

func (s sendingSource) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	if err := s.Flush(ctx); err != nil {
		return nil, err
	}
	return s.Outbox.Links(ctx, links)
}

func TestARecordIsReadWholeWhileItIsSent(t *testing.T) {
	o := newOffice(t)
	o.isDown.Store(true)
	box, ctx := o.open(t), t.Context()
	ann := must[graph.ID](t)(client.For[Contact](box).Create(ctx, Contact{Name: "Ann", Tags: []string{"new"}}))
	o.isDown.Store(false)
	contacts := client.For[Contact](sendingSource{box})
	if got := must[Contact](t)(contacts.Get(ctx, ann)); got.Name != "Ann" {
		t.Errorf("name of the record = %q, want Ann", got.Name)
	}
	o.isDown.Store(true)
	check(t, client.For[Contact](box).Update(ctx, ann, client.Fields{"name": "Anna"}))
	o.isDown.Store(false)
	check(t, contacts.Update(ctx, ann, client.Fields{"name": "Anne"}))
	check(t, box.Flush(ctx))
	if got := must[Contact](t)(client.For[Contact](o.direct(t)).Get(ctx, box.RealID(ann))); got.Name != "Anne" {
		t.Errorf("name after two updates = %q, want Anne", got.Name)
	}
}

func TestALinkThatIsSentMeanwhileIsFound(t *testing.T) {
	o := newOffice(t)
	o.isDown.Store(true)
	box, ctx := o.open(t), t.Context()
	acme := must[graph.ID](t)(client.For[Company](box).Create(ctx, Company{Name: "Acme"}))
	ann := must[graph.ID](t)(client.For[Contact](box).Create(ctx, Contact{Name: "Ann", Company: schema.To[Company](acme)}))
	o.isDown.Store(false)
	check(t, client.For[Contact](sendingSource{box}).AddLink(ctx, ann, "company", acme))
	if writes := box.Status().Writes; len(writes) != 0 {
		t.Errorf("writes after adding a link that exists = %+v, want none", writes)
	}
}

func TestALostResponseDoublesNothing(t *testing.T) {
	o := newOffice(t)
	box, ctx := o.open(t), t.Context()
	contacts := client.For[Contact](box)
	id := must[graph.ID](t)(contacts.Create(ctx, Contact{Name: "Ann", Age: 1}))
	check(t, box.Flush(ctx))
	o.losesResponse.Store(true)
	check(t, contacts.Increment(ctx, id, "age", 1))
	check(t, box.Flush(ctx))
	o.losesResponse.Store(true)
	must[graph.ID](t)(contacts.Create(ctx, Contact{Name: "Bo"}))
	check(t, box.Flush(ctx))
	if n := must[int](t)(contacts.Find().Count(ctx)); n != 2 {
		t.Errorf("%d contacts; want 2", n)
	}
	if ann := must[Contact](t)(contacts.Get(ctx, id)); ann.Age != 2 {
		t.Errorf("the age of Ann = %d; want 2", ann.Age)
	}
	if o.losesResponse.Load() || o.batches.Load() != 5 {
		t.Errorf("%d batches were sent; want 5", o.batches.Load())
	}
}

func TestARefusedWriteIsKeptAndBlocksOnlyDependentWrites(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	must[graph.ID](t)(client.For[Contact](o.direct(t)).Create(ctx, Contact{Name: "Ann", Email: new("ann@example.org")}))
	o.isDown.Store(true)
	box := o.open(t)
	contacts := client.For[Contact](box)
	second := must[graph.ID](t)(contacts.Create(ctx, Contact{Name: "Ann 2", Email: new("ann@example.org")}))
	check(t, contacts.Update(ctx, second, client.Fields{"age": 5}))
	bo := must[graph.ID](t)(contacts.Create(ctx, Contact{Name: "Bo"}))
	o.isDown.Store(false)
	err := box.Flush(ctx)
	refused, ok := errors.AsType[*client.RefusedError](err)
	if !ok || graph.KindOf(err) != graph.Conflict || refused.Field != "email" || refused.Rule != "unique" {
		t.Fatalf("the error of the flush = %v; want a conflict of the field email by the rule unique", err)
	}
	for !box.RealID(bo).IsReal() {
		<-box.Changed()
	}
	status := box.Status()
	if len(status.Writes) != 2 || status.Writes[0].Err == nil || status.Writes[1].Err != nil {
		t.Fatalf("the status = %+v; want two writes, of which only the first has an error", status)
	}
	check(t, box.Close())
	box = o.open(t) // the refusal is stored
	contacts = client.For[Contact](box)
	failed := box.Status().Writes[0]
	if _, ok := errors.AsType[*client.RefusedError](failed.Err); !ok {
		t.Errorf("after reopening: %v; want a RefusedError", failed.Err)
	}
	if err := box.Discard(ctx, status.Writes[1].Key); graph.KindOf(err) != graph.Conflict {
		t.Errorf("discarding a pending write: %v; want the kind conflict", err)
	}
	ann := must[Contact](t)(client.For[Contact](o.direct(t)).Find(client.Eq("name", "Ann")).First(ctx))
	check(t, client.For[Contact](o.direct(t)).Update(ctx, ann.ID, client.Fields{"email": nil}))
	check(t, box.Retry(ctx, failed.Key))
	check(t, box.Flush(ctx))
	if got := must[Contact](t)(contacts.Get(ctx, second)); got.Name != "Ann 2" || got.Age != 5 {
		t.Errorf("after the retry: %+v; want the name Ann 2 and the age 5", got)
	}
	must[graph.ID](t)(contacts.Create(ctx, Contact{Name: "Ann 3", Email: new("ann@example.org")}))
	if err := box.Flush(ctx); graph.KindOf(err) != graph.Conflict {
		t.Fatalf("creating another contact with the same address: %v; want the kind conflict", err)
	}
	check(t, box.Discard(ctx, box.Status().Writes[0].Key))
	check(t, box.Flush(ctx))
	if err := box.Retry(ctx, 1); graph.KindOf(err) != graph.NotFound {
		t.Errorf("retrying an unknown write: %v; want the kind notFound", err)
	}
}

func TestWritesOfOneUserAreNotSentAsAnother(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	box := o.open(t)
	must[graph.ID](t)(client.For[Contact](box).Create(ctx, Contact{Name: "Ann"}))
	check(t, box.Flush(ctx))
	o.isDown.Store(true)
	must[graph.ID](t)(client.For[Contact](box).Create(ctx, Contact{Name: "Bo"}))
	check(t, box.Close())
	o.isDown.Store(false)
	annsToken := o.token
	o.token = servertest.SignUp(t, o.server.URL, "eve@example.org")
	box = o.open(t)
	for graph.KindOf(box.Status().Err) != graph.Forbidden {
		<-box.Changed()
	}
	if n := must[int](t)(client.For[Contact](o.direct(t)).Find().Count(ctx)); n != 0 {
		t.Errorf("Eve has %d contacts; want 0", n)
	}
	check(t, box.Close())
	o.token = annsToken
	box = o.open(t)
	check(t, box.Flush(ctx))
	if n := must[int](t)(client.For[Contact](o.direct(t)).Find().Count(ctx)); n != 2 {
		t.Errorf("Ann has %d contacts; want 2", n)
	}
}

func TestAFileIsOpenOnlyOnce(t *testing.T) {
	o := newOffice(t)
	o.open(t)
	if box, err := outbox.Open(t.Context(), o.path, client.New(o.URL)); graph.KindOf(err) != graph.Conflict {
		t.Errorf("opened again: %v, %v; want a Conflict error", box, err)
	}
}

func TestATransactionIsOneWrite(t *testing.T) {
	o := newOffice(t)
	o.isDown.Store(true)
	box, ctx := o.open(t), t.Context()
	var ann graph.ID
	_, err := client.Transact(ctx, box, func(tx *client.Tx) error {
		acme, err := client.For[Company](tx).Create(ctx, Company{Name: "Acme"})
		if err != nil {
			return err
		}
		ann, err = client.For[Contact](tx).Create(ctx, Contact{Name: "Ann", Company: schema.To[Company](acme)})
		return err
	})
	check(t, err)
	if n := len(box.Status().Writes); n != 1 {
		t.Errorf("%d writes; want 1", n)
	}
	o.isDown.Store(false)
	check(t, box.Flush(ctx))
	found := must[Contact](t)(client.For[Contact](box).Find(client.HasID(box.RealID(ann))).With("company").First(ctx))
	if found.Company.Record.Name != "Acme" {
		t.Errorf("found %+v; want the company Acme", found)
	}
}
