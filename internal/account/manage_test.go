package account_test

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/store/kv"
)

func TestANewPasswordEndsTheOtherSessions(t *testing.T) {
	w := newMemoryFixture(t)
	u := w.addUser(t, ann)
	current, other := w.signIn(t, ann), w.signIn(t, ann)
	expectKind(t, graph.Unauthorized, w.ChangePassword(t.Context(), u.ID, account.PasswordChange{Old: "wrong", New: "battery staple", Session: current.Session}))
	expectKind(t, graph.Invalid, w.ChangePassword(t.Context(), u.ID, account.PasswordChange{Old: password, New: "short", Session: current.Session}))
	w.identify(t, other.Token)
	if err := w.ChangePassword(t.Context(), u.ID, account.PasswordChange{Old: password, New: "battery staple", Session: current.Session}); err != nil {
		t.Fatal(err)
	}
	w.identify(t, current.Token)
	w.expectInvalidToken(t, other.Token)
	if _, err := w.SignIn(t.Context(), ann, "battery staple", account.Client{}); err != nil {
		t.Error(err)
	}
	if err := w.SetPassword(t.Context(), u.ID, "set by an admin"); err != nil {
		t.Fatal(err)
	}
	w.expectInvalidToken(t, current.Token)
}

func TestTheAccountOfAChangedPasswordMayHaveBeenRemoved(t *testing.T) {
	w := newMemoryFixture(t)
	u := w.addUser(t, ann)
	if _, err := w.Remove(t.Context(), u.ID); err != nil {
		t.Fatal(err)
	}
	expectKind(t, graph.NotFound, w.ChangePassword(t.Context(), u.ID, account.PasswordChange{Old: password, New: "battery staple"}))
}

func TestDisablingEndsSessionsAndSuspendsKeys(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, ann)
		signed := w.signIn(t, ann)
		_, key, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "ci"})
		if err != nil {
			t.Fatal(err)
		}
		w.identify(t, key)
		if _, err := w.SetDisabled(t.Context(), u.ID, true); err != nil {
			t.Fatal(err)
		}
		w.expectInvalidToken(t, signed.Token)
		w.expectInvalidToken(t, key)
		_, err = w.SignIn(t.Context(), ann, password, account.Client{})
		expectKind(t, graph.Unauthorized, err)
		if _, err := w.SetDisabled(t.Context(), u.ID, false); err != nil {
			t.Fatal(err)
		}
		w.identify(t, key)
		w.expectInvalidToken(t, signed.Token)
		w.signIn(t, ann)
	})
}

func TestASetupLinkCreatesOnlyTheFirstAdmin(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		link, err := w.SetupLink(t.Context())
		if err != nil || !strings.HasPrefix(link, "https://weft.test/setup?token=") {
			t.Fatal(link, err)
		}
		other, err := w.SetupLink(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		token, unused := textAfter(link, "token="), textAfter(other, "token=")
		_, err = w.SetUp(t.Context(), "nonsense", account.Person{Email: "boss@example.org", Password: password})
		expectKind(t, graph.Invalid, err)
		_, err = w.SetUp(t.Context(), token, account.Person{Email: "boss", Password: password})
		expectKind(t, graph.Invalid, err)
		boss, err := w.SetUp(t.Context(), token, account.Person{Email: "boss@example.org", Password: password})
		if err != nil || !boss.Admin {
			t.Fatal(boss, err)
		}
		if who := w.identify(t, w.signIn(t, "boss@example.org").Token); !who.Admin {
			t.Errorf("the identity of boss@example.org = %+v; want an admin", who)
		}
		_, err = w.SetUp(t.Context(), token, account.Person{Email: "thief@example.org", Password: password})
		expectKind(t, graph.Conflict, err)
		_, err = w.SetUp(t.Context(), unused, account.Person{Email: "thief@example.org", Password: password})
		expectKind(t, graph.Conflict, err)

		t.Run("the last admin cannot be demoted, disabled or removed", func(t *testing.T) {
			_, err := w.SetAdmin(t.Context(), boss.ID, false)
			expectKind(t, graph.Conflict, err)
			_, err = w.SetDisabled(t.Context(), boss.ID, true)
			expectKind(t, graph.Conflict, err)
			_, err = w.Remove(t.Context(), boss.ID)
			expectKind(t, graph.Conflict, err)
		})
		t.Run("changes to other admins have immediate effect", func(t *testing.T) {
			u := w.addUser(t, ann)
			signed := w.signIn(t, ann)
			for _, admin := range []bool{true, false, true} {
				if _, err := w.SetAdmin(t.Context(), u.ID, admin); err != nil {
					t.Fatal(err)
				}
				if who := w.identify(t, signed.Token); who.Admin != admin {
					t.Errorf("the user is %+v; want admin %v", who, admin)
				}
			}
			if _, err := w.SetAdmin(t.Context(), boss.ID, false); err != nil {
				t.Error(err)
			}
		})
		t.Run("a key of an admin has no admin rights", func(t *testing.T) {
			u, err := w.ByEmail(t.Context(), ann)
			if err != nil {
				t.Fatal(err)
			}
			_, key, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "ci", Write: true})
			if err != nil {
				t.Fatal(err)
			}
			if who := w.identify(t, key); who.Admin {
				t.Errorf("the identity of the key = %+v; want no admin", who)
			}
		})
	})
}

// A server that was started several times has printed several links, which are all valid.
func TestSetupLinksUsedConcurrentlyCreateOneAdmin(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		const requests = 4
		tokens := make([]string, requests)
		for i := range tokens {
			link, err := w.SetupLink(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tokens[i] = textAfter(link, "token=")
		}
		var all sync.WaitGroup
		failures := make([]error, requests)
		for i, token := range tokens {
			all.Go(func() {
				_, failures[i] = w.SetUp(t.Context(), token, account.Person{Email: fmt.Sprintf("boss%d@example.org", i), Password: password})
			})
		}
		all.Wait()
		created := 0
		for _, err := range failures {
			if err == nil {
				created++
			} else {
				expectKind(t, graph.Conflict, err)
			}
		}
		admins, err := w.Admins(t.Context())
		if created != 1 || len(admins) != 1 || err != nil {
			t.Errorf("%d requests succeeded, and the admins are %v, %v; want one of each", created, admins, err)
		}
	})
}

func textAfter(text, mark string) string { return text[strings.Index(text, mark)+len(mark):] }

func TestSetupLinksExpire(t *testing.T) {
	w := newMemoryFixture(t)
	link, err := w.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Move(24 * time.Hour)
	_, err = w.SetUp(t.Context(), textAfter(link, "token="), account.Person{Email: "boss@example.org", Password: password})
	expectKind(t, graph.Invalid, err)
}

func TestRemoveRevokesTokensAndKeepsPublicData(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, ann)
		signed := w.signIn(t, ann)
		_, key, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "ci"})
		if err != nil {
			t.Fatal(err)
		}
		gate := access.New(w.store, access.Rules{})
		receipt, err := gate.As(access.Caller{User: u.ID}).Write(t.Context(), graph.Batch{
			Concepts: []graph.ConceptDraft{{TypeName: "the_note", Value: "for everybody", Access: graph.Public}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := w.ByConcept(t.Context(), u.Records.User); err != nil || found.ID != u.ID {
			t.Errorf("ByConcept = %+v, %v; want user %d", found, err, u.ID)
		}
		if _, err := w.Remove(t.Context(), u.ID); err != nil {
			t.Fatal(err)
		}
		t.Run("tokens and keys of a removed user are invalid", func(t *testing.T) {
			w.expectInvalidToken(t, key)
			_, err := w.SignIn(t.Context(), ann, password, account.Client{})
			expectKind(t, graph.Unauthorized, err)
			_, err = w.Refresh(t.Context(), signed.Refresh, account.Client{})
			expectKind(t, graph.Unauthorized, err)
			_, err = w.User(t.Context(), u.ID)
			expectKind(t, graph.NotFound, err)
			_, err = w.Remove(t.Context(), u.ID)
			expectKind(t, graph.NotFound, err)
		})
		t.Run("for a minute the token may remove the concept of the e-mail, and nothing else", func(t *testing.T) {
			who := w.identify(t, signed.Token)
			if who.User != u.ID || who.SessionID != "" || who.Scope == nil || strings.Join(who.Scope.Types, " ") != "the_email" {
				t.Errorf("the identity of the token = %+v; want user %d without a session, and the scope the_email", who, u.ID)
			}
			leaving := gate.As(who.Caller)
			if _, err := leaving.Write(t.Context(), graph.Batch{RemoveConcepts: []graph.ID{u.Records.Email}}); err != nil {
				t.Errorf("the user cannot remove the record of the e-mail: %v", err)
			}
			w.Move(time.Minute)
			w.expectInvalidToken(t, signed.Token)
		})
		t.Run("the account's records are removed, and public data is kept", func(t *testing.T) {
			records, err := w.store.Concepts(t.Context(), []graph.ID{u.Records.User, u.Records.Entity, u.Records.Email})
			if err != nil || len(records) != 0 {
				t.Errorf("the records of the removed account = %v, %v; want none", records, err)
			}
			public, err := w.store.Concepts(t.Context(), []graph.ID{receipt.Concepts[0].ID})
			if err != nil || len(public) != 1 {
				t.Errorf("the public concepts = %v, %v; want the one that was written", public, err)
			}
			entries, err := kv.In(w.store).List(t.Context(), kv.Range{Prefix: "account/"})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if strings.Contains(e.Key+string(e.Value), ann) {
					t.Errorf("the entry %s still has the e-mail of the removed account: %s", e.Key, e.Value)
				}
			}
			if err := w.store.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
		t.Run("the e-mail can be used for a new account", func(t *testing.T) {
			if newUser := w.addUser(t, ann); newUser.ID == u.ID {
				t.Errorf("the new user has the id %d of the removed user; want another id", u.ID)
			}
		})
	})
}

func TestConcurrentDemotionsLeaveOneAdmin(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		boss, u := w.addUser(t, "boss@example.org"), w.addUser(t, ann)
		if _, err := w.SetAdmin(t.Context(), boss.ID, true); err != nil {
			t.Fatal(err)
		}
		for round := range 20 {
			if _, err := w.SetAdmin(t.Context(), u.ID, true); err != nil {
				t.Fatal(err)
			}
			refusals := make(chan error, 2)
			for _, id := range []graph.ID{boss.ID, u.ID} {
				go func() {
					_, err := w.SetAdmin(t.Context(), id, false)
					refusals <- err
				}()
			}
			expectKind(t, graph.Conflict, cmp.Or(<-refusals, <-refusals))
			admins, err := w.Admins(t.Context())
			if err != nil || len(admins) != 1 {
				t.Fatalf("the admins after round %d = %v, %v; want one", round, admins, err)
			}
			if !admins[boss.ID] {
				boss, u = u, boss
			}
		}
	})
}
