package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/storetest"
)

// A remote store is a client for which everybody is anonymous and known by session. What only the
// operator may do, it asks of the store itself.
type remote struct {
	*client.Client
	behind graph.Store
}

func anonymous(s graph.Sender) graph.Sender {
	return graph.Sender{User: graph.Anonymous, Session: fmt.Sprint(s.User, s.Session), Randomizer: s.Randomizer}
}

func (r remote) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	b.Sender = anonymous(b.Sender)
	return r.Client.Write(ctx, b)
}

func (r remote) Ghosts(ctx context.Context, sender graph.Sender, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	return r.Client.Ghosts(ctx, anonymous(sender), ids)
}

func (r remote) Check(ctx context.Context) error { return r.behind.Check(ctx) }

func (r remote) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	return r.behind.Changes(ctx, after, limit)
}

// The promises that a store over the wire does not keep, and why.
const (
	owners  = "over the wire everybody is anonymous"
	several = "a look-up over the wire tells of one concept"
	types   = "types are not removed over the wire"
	absent  = "over the wire what does not exist is not found, rather than invalid"
	ids     = "over the wire reserved ids go in requests that are not a batch"
)

var skipped = map[string]string{
	"a type and a value of the same text stay apart":                              several,
	"values are found by any of several keys, in order of id":                     several,
	"a viewer finds what is everybody's and their own":                            several,
	"a value is whole: type, category, owner, access, time":                       owners,
	"what a draft leaves out is the sender's, private and now":                    owners,
	"a private value is never merged with one that others see":                    owners,
	"a connection is whole: ends, type, order, owner, access, time":               owners,
	"the session of somebody signed in does not matter":                           owners,
	"what no store could keep is refused":                                         owners, // an owner below 0, for one, is not sent
	"a change says in which scope it touched what":                                owners,
	"a connection is in the scope of who can read both its ends":                  owners,
	"a draft that must be the sender's own never becomes somebody else's concept": owners,
	"random batches become what they become in memory":                            owners,
	"a reference to an id that does not exist is refused by name":                 absent,
	"a type in use cannot be removed, one without use can":                        types,
	"a type is free once what used it is gone":                                    types,
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) graph.Store {
		for name, why := range skipped { // t.Name has underscores for spaces
			if strings.HasSuffix(t.Name(), "/"+strings.ReplaceAll(name, " ", "_")) {
				t.Skip(why)
			}
		}
		if strings.Contains(t.Name(), "/reserved/") {
			t.Skip(ids)
		}
		s := servertest.Start(t)
		c := client.New(s.URL)
		t.Cleanup(func() { _ = c.Close() })
		return remote{c, s.Store}
	})
}

func TestATokenSignsIn(t *testing.T) {
	s := servertest.Start(t)
	secret := graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{{Ghost: -1, TypeName: "the_secret", Value: "hush"}}}
	ann, guest := client.New(s.URL), client.New(s.URL)
	ann.Token = servertest.SignUp(t, s.URL, "ann@example.org")
	defer ann.Close()
	defer guest.Close()
	made, err := ann.Write(t.Context(), secret)
	if err != nil || len(made.Concepts) != 1 || made.Concepts[0].Owner == graph.Anonymous {
		t.Fatalf("what Ann wrote is %+v, %v", made, err)
	}
	id := made.Concepts[0].ID
	for who, c := range map[string]*client.Client{"Ann": ann, "a guest": guest} {
		found, err := c.Concepts(t.Context(), []graph.ID{id})
		if err != nil || (len(found) == 1) != (c == ann) {
			t.Errorf("%s reads %v, %v", who, found, err)
		}
	}
	known, err := ann.Ghosts(t.Context(), secret.Sender, []graph.ID{-1})
	if err != nil || known[-1] != id {
		t.Errorf("Ann's ghost is %v, %v; want %d", known, err, id)
	}
	ann.Token = "no token of hers"
	if _, err := ann.Write(t.Context(), secret); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("with a bad token: %v; want %s", err, graph.Unauthorized)
	}
}

func TestReservedIDsAreRefused(t *testing.T) {
	c := client.New("http://127.0.0.1:1")
	b := graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{{ID: 100123, TypeName: "the_name", Value: "Ann"}}}
	if _, err := c.Write(t.Context(), b); graph.KindOf(err) != graph.Unavailable || !strings.Contains(err.Error(), "reserved ids") {
		t.Errorf("writing: %v", err)
	}
	b.Concepts[0].ID, b.Concepts[0].Own = 0, true
	if _, err := c.Write(t.Context(), b); graph.KindOf(err) != graph.Unavailable || !strings.Contains(err.Error(), "owner") {
		t.Errorf("insisting: %v", err)
	}
	if _, err := c.Reserve(t.Context(), graph.Anonymous, 1); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("reserving: %v", err)
	}
}

func TestErrorsArriveAsTheyWere(t *testing.T) {
	s := servertest.Start(t)
	c := client.New(s.URL)
	defer c.Close()
	_, err := c.Write(t.Context(), graph.Batch{
		Sender:      graph.Sender{User: graph.Anonymous},
		Connections: []graph.ConnectionDraft{{From: 1, To: -77, TypeName: "the_a"}},
	})
	if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "-77") {
		t.Errorf("a ghost nobody sent is %q: %v", graph.KindOf(err), err)
	}
	_, err = c.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, RemoveConcepts: []graph.ID{51}})
	if graph.KindOf(err) != graph.Forbidden {
		t.Errorf("the end of a fixed concept is %q: %v", graph.KindOf(err), err)
	}
}

func TestAServerThatIsNotThereIsUnavailable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	_, err = client.New(url).Concepts(t.Context(), []graph.ID{1})
	if graph.KindOf(err) != graph.Unavailable || !strings.Contains(err.Error(), url) {
		t.Errorf("it is %q: %v", graph.KindOf(err), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.New(url).Concepts(ctx, []graph.ID{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("after giving up: %v", err)
	}
}

func TestWhatTheWireCannotSayIsRefused(t *testing.T) {
	c := client.New(servertest.Start(t).URL)
	defer c.Close()
	_, changes := c.Changes(t.Context(), 0, 1)
	_, write := c.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: 7}})
	for _, err := range []error{changes, c.Check(t.Context()), write} {
		if err == nil || graph.KindOf(err) == graph.Internal {
			t.Errorf("it is %v", err)
		}
	}
}

// The server lists 10,000 at once where the contract has no pages.
func TestListsAreReadToTheirEnd(t *testing.T) {
	s := servertest.Start(t)
	c := client.New(s.URL)
	defer c.Close()
	const n = 10_001
	b := graph.Batch{
		Sender:   graph.Sender{User: graph.Anonymous},
		Concepts: []graph.ConceptDraft{{Ghost: -1, Kind: graph.DraftComposition, TypeName: "the_hub"}},
	}
	for i := range n {
		ghost := graph.ID(-2 - i)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: ghost, Kind: graph.DraftComposition, TypeName: "the_leaf"})
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: ghost, TypeName: "the_hub_s_leaf"})
	}
	made, err := s.Store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	leaf := made.Concepts[1].Type
	if got, err := c.CountByType(t.Context(), leaf, 0); err != nil || got != n {
		t.Errorf("counts %d, %v; want %d", got, err, n)
	}
	if got, err := c.CountByType(t.Context(), leaf, 7); err != nil || got != 7 {
		t.Errorf("counts %d, %v; want 7", got, err)
	}
	newest, err := c.ConceptsByType(t.Context(), leaf, graph.Page{Descending: true, Limit: 1})
	if err != nil || len(newest) != 1 || newest[0].ID != made.Concepts[n].ID {
		t.Errorf("the newest is %v, %v; want %d", newest, err, made.Concepts[n].ID)
	}
	next, err := c.ConceptsByType(t.Context(), leaf, graph.Page{After: made.Concepts[n-2].ID, Limit: 1})
	if err != nil || len(next) != 1 || next[0].ID != made.Concepts[n-1].ID {
		t.Errorf("the next is %v, %v; want %d", next, err, made.Concepts[n-1].ID)
	}
	links, err := c.Links(t.Context(), graph.Links{Of: []graph.ID{made.Concepts[0].ID}})
	if err != nil || len(links) != n || links[0].ID != made.Connections[0].ID {
		t.Errorf("%d links, %v; want %d", len(links), err, n)
	}
}
