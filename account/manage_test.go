package account_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

func TestChangingAPassword(t *testing.T) {
	w := inMemory(t)
	u := w.person(t, ann)
	here, there := w.signIn(t, ann), w.signIn(t, ann)
	want(t, graph.Unauthorized, w.ChangePassword(t.Context(), u.ID, here.Session, "wrong", "battery staple"))
	want(t, graph.Invalid, w.ChangePassword(t.Context(), u.ID, here.Session, password, "short"))
	w.knows(t, there.Token)
	if err := w.ChangePassword(t.Context(), u.ID, here.Session, password, "battery staple"); err != nil {
		t.Fatal(err)
	}
	w.knows(t, here.Token)
	w.refuses(t, there.Token)
	if _, err := w.SignIn(t.Context(), ann, "battery staple", ""); err != nil {
		t.Error(err)
	}
	if err := w.SetPassword(t.Context(), u.ID, "set by an admin"); err != nil {
		t.Fatal(err)
	}
	w.refuses(t, here.Token)
}

func TestSomebodyDisabled(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u := w.person(t, ann)
		signed := w.signIn(t, ann)
		_, key, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "ci"})
		if err != nil {
			t.Fatal(err)
		}
		w.knows(t, key)
		if _, err := w.SetDisabled(t.Context(), u.ID, true); err != nil {
			t.Fatal(err)
		}
		w.refuses(t, signed.Token)
		w.refuses(t, key)
		_, err = w.SignIn(t.Context(), ann, password, "")
		want(t, graph.Unauthorized, err)
		if _, err := w.SetDisabled(t.Context(), u.ID, false); err != nil {
			t.Fatal(err)
		}
		w.knows(t, key)
		w.refuses(t, signed.Token)
		w.signIn(t, ann)
	})
}

func TestAdmins(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		link, err := w.SetupLink(t.Context())
		if err != nil || !strings.HasPrefix(link, "https://weft.test/setup?token=") {
			t.Fatal(link, err)
		}
		other, err := w.SetupLink(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		token, unused := after(link, "token="), after(other, "token=")
		_, err = w.SetUp(t.Context(), "nonsense", account.Person{Email: "boss@example.org", Password: password})
		want(t, graph.Invalid, err)
		_, err = w.SetUp(t.Context(), token, account.Person{Email: "boss", Password: password})
		want(t, graph.Invalid, err)
		boss, err := w.SetUp(t.Context(), token, account.Person{Email: "boss@example.org", Password: password})
		if err != nil || !boss.Admin {
			t.Fatal(boss, err)
		}
		if who := w.knows(t, w.signIn(t, "boss@example.org").Token); !who.Admin {
			t.Errorf("the admin is %+v", who)
		}
		_, err = w.SetUp(t.Context(), token, account.Person{Email: "thief@example.org", Password: password})
		want(t, graph.Conflict, err)
		_, err = w.SetUp(t.Context(), unused, account.Person{Email: "thief@example.org", Password: password})
		want(t, graph.Conflict, err)

		t.Run("the last one stays", func(t *testing.T) {
			_, err := w.SetAdmin(t.Context(), boss.ID, false)
			want(t, graph.Conflict, err)
			_, err = w.SetDisabled(t.Context(), boss.ID, true)
			want(t, graph.Conflict, err)
			_, err = w.Remove(t.Context(), boss.ID)
			want(t, graph.Conflict, err)
		})
		t.Run("others come and go, at once", func(t *testing.T) {
			u := w.person(t, ann)
			signed := w.signIn(t, ann)
			for _, admin := range []bool{true, false, true} {
				if _, err := w.SetAdmin(t.Context(), u.ID, admin); err != nil {
					t.Fatal(err)
				}
				if who := w.knows(t, signed.Token); who.Admin != admin {
					t.Errorf("the user is %+v; want admin %v", who, admin)
				}
			}
			if _, err := w.SetAdmin(t.Context(), boss.ID, false); err != nil {
				t.Error(err)
			}
		})
		t.Run("a key of an admin is none", func(t *testing.T) {
			u, err := w.ByEmail(t.Context(), ann)
			if err != nil {
				t.Fatal(err)
			}
			_, key, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "ci", Write: true})
			if err != nil {
				t.Fatal(err)
			}
			if who := w.knows(t, key); who.Admin {
				t.Errorf("the key is %+v", who)
			}
		})
	})
}

func after(text, mark string) string { return text[strings.Index(text, mark)+len(mark):] }

func TestASetupLinkEnds(t *testing.T) {
	w := inMemory(t)
	link, err := w.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Move(24 * time.Hour)
	_, err = w.SetUp(t.Context(), after(link, "token="), account.Person{Email: "boss@example.org", Password: password})
	want(t, graph.Invalid, err)
}

func TestAnAccountEnds(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		u := w.person(t, ann)
		signed := w.signIn(t, ann)
		_, key, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "ci"})
		if err != nil {
			t.Fatal(err)
		}
		gate := auth.New(w.store, auth.Rules{})
		receipt, err := gate.As(auth.Caller{User: u.ID}).Write(t.Context(), graph.Batch{
			Concepts: []graph.ConceptDraft{{TypeName: "the_note", Value: "for everybody", Access: graph.Public}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := w.ByConcept(t.Context(), u.Records.User); err != nil || found.ID != u.ID {
			t.Errorf("by concept it is %+v, %v", found, err)
		}
		if _, err := w.Remove(t.Context(), u.ID); err != nil {
			t.Fatal(err)
		}
		t.Run("nothing of it gives access any more", func(t *testing.T) {
			w.refuses(t, key)
			_, err := w.SignIn(t.Context(), ann, password, "")
			want(t, graph.Unauthorized, err)
			_, err = w.Refresh(t.Context(), signed.Refresh)
			want(t, graph.Unauthorized, err)
			_, err = w.User(t.Context(), u.ID)
			want(t, graph.NotFound, err)
			_, err = w.Remove(t.Context(), u.ID)
			want(t, graph.NotFound, err)
		})
		t.Run("for a minute its token removes the concept of its e-mail, and does nothing else", func(t *testing.T) {
			who := w.knows(t, signed.Token)
			if who.User != u.ID || who.SignedIn != "" || who.Scope == nil || strings.Join(who.Scope.Types, " ") != "the_email" {
				t.Errorf("the caller is %+v", who)
			}
			leaving := gate.As(who.Caller)
			if _, err := leaving.Write(t.Context(), graph.Batch{RemoveConcepts: []graph.ID{u.Records.Email}}); err != nil {
				t.Errorf("removing the e-mail: %v", err)
			}
			w.Move(time.Minute)
			w.refuses(t, signed.Token)
		})
		t.Run("its records are gone, and what it made public is there", func(t *testing.T) {
			gone, err := w.store.Concepts(t.Context(), []graph.ID{u.Records.User, u.Records.Entity, u.Records.Email})
			if err != nil || len(gone) != 0 {
				t.Errorf("there are %v, %v", gone, err)
			}
			public, err := w.store.Concepts(t.Context(), []graph.ID{receipt.Concepts[0].ID})
			if err != nil || len(public) != 1 {
				t.Errorf("what was public is %v, %v", public, err)
			}
			left, err := kv.In(w.store).List(t.Context(), kv.Range{Prefix: "account/"})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range left {
				if strings.Contains(e.Key+string(e.Value), ann) {
					t.Errorf("%s is %s", e.Key, e.Value)
				}
			}
			if err := w.store.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
		t.Run("somebody else can have the e-mail", func(t *testing.T) {
			if again := w.person(t, ann); again.ID == u.ID {
				t.Errorf("the new user has the old id %d", u.ID)
			}
		})
	})
}

func TestAdminsAtOnceLeaveOne(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		boss, u := w.person(t, "boss@example.org"), w.person(t, ann)
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
			want(t, graph.Conflict, cmp.Or(<-refusals, <-refusals))
			admins, err := w.Admins(t.Context())
			if err != nil || len(admins) != 1 {
				t.Fatalf("round %d leaves the admins %v, %v", round, admins, err)
			}
			if !admins[boss.ID] {
				boss, u = u, boss
			}
		}
	})
}
