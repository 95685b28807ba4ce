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
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/storetest"
)

// A remote store is a client without a token. It turns users into guests with different sessions, and forwards
// operations that the wire contract lacks to the store of the server.
type remote struct {
	*client.Client
	store graph.Store
}

// asGuest returns a guest sender whose session consists of the user and the session of the given sender.
func asGuest(s graph.Sender) graph.Sender {
	return graph.Sender{User: graph.Anonymous, Session: fmt.Sprint(s.User, s.Session), Randomizer: s.Randomizer}
}

func (r remote) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	b.Sender = asGuest(b.Sender)
	return r.Client.Write(ctx, b)
}

func (r remote) ResolveIDs(ctx context.Context, sender graph.Sender, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	return r.Client.ResolveIDs(ctx, asGuest(sender), ids)
}

func (r remote) ResolveConnections(ctx context.Context, sender graph.Sender, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	return r.store.ResolveConnections(ctx, asGuest(sender), ids)
}

func (r remote) Check(ctx context.Context) error { return r.store.Check(ctx) }

func (r remote) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	return r.store.Changes(ctx, after, limit)
}

// The reasons for skipping tests of storetest.
const (
	noOwners      = "the client sends batches as a guest"
	oneMatch      = "ConceptsByValue finds one concept per key"
	noTypeRemoval = "the server does not remove types"
	notFound      = "the server reports unknown ids as not found instead of invalid"
	noReservedIDs = "batches over the wire cannot use reserved ids"
	noRules       = "batches over the wire have no condition, and no drafts that become existing records"
)

// skipped lists the tests of storetest that a client cannot pass, with the reason.
var skipped = map[string]string{
	"a type and a value with the same text are different concepts":                           oneMatch,
	"ConceptsByValue finds values by any of several keys, in order of id":                    oneMatch,
	"ConceptsByValue with a viewer finds public values and those of the viewer":              oneMatch,
	"a value keeps its type, category, owner, access, time and position":                     noOwners,
	"a draft without owner, access and time is owned by the sender, private and created now": noOwners,
	"a private value is never merged with one in another scope":                              noOwners,
	"a connection keeps its ends, type, order, owner, access and time":                       noOwners,
	"the session of a signed-in sender does not matter":                                      noOwners,
	"refuses drafts that Batch.Check rejects":                                                noOwners, // owners are not sent, for example
	"a change lists what was touched by scope":                                               noOwners,
	"a connection is in the scope of the users who can read both its ends":                   noOwners,
	"a draft that requires its owner never becomes a concept of another user":                noOwners,
	"random batches have the same effect as in memory":                                       noOwners,
	"refuses a reference to an id that does not exist, and names the id":                     notFound,
	"refuses to remove a type in use, and removes one that is not":                           noTypeRemoval,
	"removes a type together with everything that used it":                                   noTypeRemoval,
	"refuses a batch if a concept of its condition was touched since":                        noRules,
	"refuses a batch if a value of its condition exists":                                     noRules,
	"a draft becomes an existing composition of its type":                                    noRules,
}

func TestAClientPassesTheTestsOfStores(t *testing.T) {
	storetest.Run(t, func(t *testing.T) graph.Store {
		for name, reason := range skipped { // t.Name has underscores for spaces
			if strings.HasSuffix(t.Name(), "/"+strings.ReplaceAll(name, " ", "_")) {
				t.Skip(reason)
			}
		}
		if strings.Contains(t.Name(), "/reserved/") {
			t.Skip(noReservedIDs)
		}
		s := servertest.Start(t)
		c := client.New(s.URL)
		t.Cleanup(func() { _ = c.Close() })
		return remote{c, s.Store}
	})
}

func TestTokenIdentifiesTheUser(t *testing.T) {
	s := servertest.Start(t)
	secret := graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{{LocalID: -1, TypeName: "the_secret", Value: "hush"}}}
	ann, guest := client.New(s.URL), client.New(s.URL)
	ann.Token = servertest.SignUp(t, s.URL, "ann@example.org")
	defer ann.Close()
	defer guest.Close()
	receipt, err := ann.Write(t.Context(), secret)
	if err != nil || len(receipt.Concepts) != 1 || receipt.Concepts[0].Owner == graph.Anonymous {
		t.Fatalf("writing a private concept as Ann: %+v, %v; want one concept whose owner is Ann's user", receipt, err)
	}
	id := receipt.Concepts[0].ID
	for caller, c := range map[string]*client.Client{"Ann": ann, "a guest": guest} {
		found, err := c.Concepts(t.Context(), []graph.ID{id})
		if err != nil || (len(found) == 1) != (c == ann) {
			t.Errorf("%s reads %v, %v", caller, found, err)
		}
	}
	realIDs, err := ann.ResolveIDs(t.Context(), secret.Sender, []graph.ID{-1})
	if err != nil || realIDs[-1] != id {
		t.Errorf("the local id resolves to %v, %v; want %d", realIDs, err, id)
	}
	ann.Token = "invalid"
	if _, err := ann.Write(t.Context(), secret); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("with an invalid token: %v; want %s", err, graph.Unauthorized)
	}
}

func TestBatchesThatTheContractCannotExpressAreUnavailable(t *testing.T) {
	c := client.New("http://127.0.0.1:1")
	b := graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{{ID: 100123, TypeName: "the_name", Value: "Ann"}}}
	if _, err := c.Write(t.Context(), b); graph.KindOf(err) != graph.Unavailable || !strings.Contains(err.Error(), "reserved ids") {
		t.Errorf("Write with a reserved id: %v; want an Unavailable error about reserved ids", err)
	}
	b.Concepts[0].ID, b.Concepts[0].RequireOwner = 0, true
	if _, err := c.Write(t.Context(), b); graph.KindOf(err) != graph.Unavailable || !strings.Contains(err.Error(), "owner") {
		t.Errorf("Write with RequireOwner: %v; want an Unavailable error about the owner", err)
	}
	b.Concepts[0] = graph.ConceptDraft{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_person", Becomes: 100123}
	if _, err := c.Write(t.Context(), b); graph.KindOf(err) != graph.Unavailable || !strings.Contains(err.Error(), "existing record") {
		t.Errorf("Write with Becomes: %v; want an Unavailable error about an existing record", err)
	}
	b.Concepts[0].Becomes, b.Unchanged = 0, &graph.Unchanged{Since: 1}
	if _, err := c.Write(t.Context(), b); graph.KindOf(err) != graph.Unavailable || !strings.Contains(err.Error(), "condition") {
		t.Errorf("Write with Unchanged: %v; want an Unavailable error about a condition", err)
	}
	if _, err := c.Reserve(t.Context(), graph.Anonymous, 1); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("Reserve: %v; want the kind unavailable", err)
	}
	if _, err := c.ResolveConnections(t.Context(), b.Sender, []graph.ID{-1}); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("ResolveConnections: %v; want the kind unavailable", err)
	}
}

func TestServerErrorsKeepKindAndMessage(t *testing.T) {
	s := servertest.Start(t)
	c := client.New(s.URL)
	defer c.Close()
	_, err := c.Write(t.Context(), graph.Batch{
		Sender:      graph.Sender{User: graph.Anonymous},
		Connections: []graph.ConnectionDraft{{From: 1, To: -77, TypeName: "the_a"}},
	})
	if graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "-77") {
		t.Errorf("writing a connection to the unknown local id -77: %q, %v; want invalid, with the id in the message", graph.KindOf(err), err)
	}
	_, err = c.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: graph.Anonymous}, RemoveConcepts: []graph.ID{51}})
	if graph.KindOf(err) != graph.Forbidden {
		t.Errorf("removing a fixed concept as a guest: %q, %v; want forbidden", graph.KindOf(err), err)
	}
}

func TestUnreachableServerIsUnavailable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	_, err = client.New(url).Concepts(t.Context(), []graph.ID{1})
	if graph.KindOf(err) != graph.Unavailable || !strings.Contains(err.Error(), url) {
		t.Errorf("reading from an address at which no server listens: %q, %v; want unavailable, with the address in the message", graph.KindOf(err), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.New(url).Concepts(ctx, []graph.ID{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v; want %v", err, context.Canceled)
	}
}

func TestUnsupportedOperationsFail(t *testing.T) {
	c := client.New(servertest.Start(t).URL)
	defer c.Close()
	_, changes := c.Changes(t.Context(), 0, 1)
	_, write := c.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: 7}})
	for _, err := range []error{changes, c.Check(t.Context()), write} {
		if err == nil || graph.KindOf(err) == graph.Internal {
			t.Errorf("a call of the client: %v; want an error of a kind other than internal", err)
		}
	}
}

// The server returns at most 10,000 records in a response that the contract does not divide into pages.
func TestLongListsAreReadCompletely(t *testing.T) {
	s := servertest.Start(t)
	c := client.New(s.URL)
	defer c.Close()
	const n = 10_001
	b := graph.Batch{
		Sender:   graph.Sender{User: graph.Anonymous},
		Concepts: []graph.ConceptDraft{{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_hub"}},
	}
	for i := range n {
		id := graph.ID(-2 - i)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, Kind: graph.DraftComposition, TypeName: "the_leaf"})
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: -1, To: id, TypeName: "the_hub_s_leaf"})
	}
	receipt, err := s.Store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	leaf := receipt.Concepts[1].Type
	if got, err := c.CountByType(t.Context(), leaf, 0); err != nil || got != n {
		t.Errorf("counts %d, %v; want %d", got, err, n)
	}
	if got, err := c.CountByType(t.Context(), leaf, 7); err != nil || got != 7 {
		t.Errorf("counts %d, %v; want 7", got, err)
	}
	newest, err := c.ConceptsByType(t.Context(), leaf, graph.Page{Descending: true, Limit: 1})
	if err != nil || len(newest) != 1 || newest[0].ID != receipt.Concepts[n].ID {
		t.Errorf("the newest instance is %v, %v; want %d", newest, err, receipt.Concepts[n].ID)
	}
	next, err := c.ConceptsByType(t.Context(), leaf, graph.Page{After: receipt.Concepts[n-2].ID, Limit: 1})
	if err != nil || len(next) != 1 || next[0].ID != receipt.Concepts[n-1].ID {
		t.Errorf("the next instance is %v, %v; want %d", next, err, receipt.Concepts[n-1].ID)
	}
	links, err := c.Links(t.Context(), graph.Links{Of: []graph.ID{receipt.Concepts[0].ID}})
	if err != nil || len(links) != n || links[0].ID != receipt.Connections[0].ID {
		t.Errorf("%d links, %v; want %d", len(links), err, n)
	}
}
