package account_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestSignUpAcceptsAnEMailOnceInAnyCase(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, "Ann@example.org")
		if u.ID < graph.FirstFree || u.Admin || u.Disabled || !u.Confirmed.IsZero() {
			t.Errorf("the new user = %+v; want a free id, and no admin, not disabled and not confirmed", u)
		}
		_, err := w.SignUp(t.Context(), account.Person{Email: "ANN@example.org", Password: password})
		expectKind(t, graph.Conflict, err)
		found, err := w.ByEmail(t.Context(), "ann@EXAMPLE.org")
		if err != nil || found.ID != u.ID || found.Email != "Ann@example.org" {
			t.Errorf("ByEmail = %+v, %v; want user %d with the e-mail Ann@example.org", found, err, u.ID)
		}
	})
}

func TestSignUpRejectsInvalidData(t *testing.T) {
	w := newMemoryFixture(t)
	for what, p := range map[string]account.Person{
		"no e-mail":                    {Password: password},
		"a name instead of an e-mail":  {Email: "ann", Password: password},
		"a display name":               {Email: "Ann <ann@example.org>", Password: password},
		"a space":                      {Email: "ann @example.org", Password: password},
		"a quoted local part":          {Email: `"ann ann"@example.org`, Password: password},
		"a line break":                 {Email: "ann@example.org\nBcc: bo@example.org", Password: password},
		"invalid UTF-8":                {Email: "ann\xff@example.org", Password: password},
		"a NUL":                        {Email: "ann\x00@example.org", Password: password},
		"the kelvin sign":              {Email: "fran\u212a@example.org", Password: password}, // the lower case of this letter is k
		"a right-to-left override":     {Email: "ann\u202e@example.org", Password: password},
		"a very long e-mail":           {Email: strings.Repeat("a", 250) + "@example.org", Password: password},
		"no password":                  {Email: "ann@example.org"},
		"five characters":              {Email: "ann@example.org", Password: "ÄÖÜäö"},
		"1,001 bytes":                  {Email: "ann@example.org", Password: strings.Repeat("x", 1001)},
		"a password that is not UTF-8": {Email: "ann@example.org", Password: "123456\xff"},
		"a name of 300 letters":        {Email: "ann@example.org", Password: password, Name: account.Name{First: strings.Repeat("n", 300)}},
		"a name that is not UTF-8":     {Email: "ann@example.org", Password: password, Name: account.Name{Last: "\xff"}},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := w.SignUp(t.Context(), p)
			expectKind(t, graph.Invalid, err)
		})
	}
	t.Run("passwords of 6 characters and of 1,000 bytes are accepted", func(t *testing.T) {
		for email, p := range map[string]string{"short@example.org": "ÄÖÜäöü", "long@example.org": strings.Repeat("x", 1000)} {
			if _, err := w.SignUp(t.Context(), account.Person{Email: email, Password: p}); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("sign-up is refused if Options.Closed is set", func(t *testing.T) {
		w := newFixture(t, memory.New(), func(o *account.Options) { o.Closed = true })
		_, err := w.SignUp(t.Context(), account.Person{Email: "ann@example.org", Password: password})
		expectKind(t, graph.Forbidden, err)
		if _, err := w.Add(t.Context(), account.Person{Email: "ann@example.org", Password: password}, false); err != nil {
			t.Error(err)
		}
	})
}

func TestConcurrentSignUpsCreateOneAccount(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		const requests = 50
		var created atomic.Int64
		var wait sync.WaitGroup
		for i := range requests {
			email := "ann@example.org"
			if i%2 == 1 {
				email = "ANN@Example.org"
			}
			wait.Go(func() {
				_, err := w.SignUp(t.Context(), account.Person{Email: email, Password: password})
				switch graph.KindOf(err) {
				case "":
					created.Add(1)
				case graph.Conflict:
				default:
					t.Error(err)
				}
			})
		}
		wait.Wait()
		users, err := w.Users(t.Context(), 0, requests)
		if err != nil || len(users) != 1 || created.Load() != 1 {
			t.Errorf("%d sign-ups succeeded, and the users = %v, %v; want 1 of each", created.Load(), users, err)
		}
		if err := w.store.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestSignUpCreatesRecordsInTheGraph(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u, err := w.SignUp(t.Context(), account.Person{
			Email: "ann@example.org", Password: password, Name: account.Name{Type: "person", First: "Ann", Last: "Lee"},
		})
		if err != nil {
			t.Fatal(err)
		}
		asUser := access.New(w.store, access.Rules{}).As(access.Caller{User: u.ID})
		links, err := asUser.Links(t.Context(), graph.Links{Of: []graph.ID{u.Records.Entity}, Types: []graph.ID{u.Records.Entity}})
		if err != nil {
			t.Fatal(err)
		}
		ids := []graph.ID{u.Records.User, u.Records.Entity}
		for _, c := range links {
			ids = append(ids, c.To)
		}
		concepts, err := asUser.Concepts(t.Context(), ids)
		if err != nil || len(concepts) != 6 {
			t.Fatalf("the records = %v, %v; want 6", concepts, err)
		}
		var values []string
		for _, c := range concepts {
			if c.Owner != u.ID || c.Scope() != u.ID {
				t.Errorf("the owner of %+v = %d, its scope = %d; want user %d for both", c, c.Owner, c.Scope(), u.ID)
			}
			values = append(values, c.Value)
		}
		if want := []string{"", "", "ann@example.org", "person", "Ann", "Lee"}; !slices.Equal(values, want) {
			t.Errorf("the values are %q; want %q", values, want)
		}
		if concepts[2].ID != u.Records.Email {
			t.Errorf("the e-mail is %d; want %d", u.Records.Email, concepts[2].ID)
		}
		if to, err := asUser.Links(t.Context(), graph.Links{Of: ids[:1]}); err != nil || len(to) != 1 || to[0].To != u.Records.Entity {
			t.Errorf("the connections of the user = %v, %v; want one to the entity %d", to, err, u.Records.Entity)
		}
		if others, err := access.New(w.store, access.Rules{}).As(access.Caller{User: graph.Anonymous}).Concepts(t.Context(), ids); err != nil || len(others) != 0 {
			t.Errorf("a guest reads the records %v, %v; want none", others, err)
		}
	})
}

func TestSignInCreatesMissingRecords(t *testing.T) {
	w := newMemoryFixture(t)
	u := w.addUser(t, "ann@example.org")
	before := lastSeq(t, w.store)
	removeRecordIDs(t, w, u.ID)
	if got := w.signIn(t, "ann@example.org").User.Records; got != u.Records {
		t.Errorf("the records are %+v; want %+v", got, u.Records)
	}
	if after := lastSeq(t, w.store); after != before {
		t.Errorf("the graph went from change %d to %d; want the same records", before, after)
	}
}

// removeRecordIDs restores the state of an account after a crash between creating it and storing the ids of its
// records.
func removeRecordIDs(t *testing.T, w fixture, id graph.ID) {
	t.Helper()
	entries := kv.In(w.store)
	found, err := entries.Get(t.Context(), "account/user/"+id.String())
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	text := string(found[0].Value)
	at := strings.Index(text, `,"records":{`)
	end := at + strings.Index(text[at:], "}") + 1
	if err := entries.Commit(t.Context(), kv.Put(found[0].Key, []byte(text[:at]+text[end:]))); err != nil {
		t.Fatal(err)
	}
}

func lastSeq(t *testing.T, r graph.Reader) graph.Seq {
	t.Helper()
	seq, err := r.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func TestSecretsAreStoredOnlyAsHashes(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
		u := w.addUser(t, "ann@example.org")
		signed := w.signIn(t, "ann@example.org")
		_, key, err := w.NewKey(t.Context(), account.Key{User: u.ID, Name: "ci"})
		if err = errors.Join(err, w.SendResetLink(t.Context(), "ann@example.org")); err != nil {
			t.Fatal(err)
		}
		secrets := []string{
			password, signed.Token, signed.Refresh, strings.Split(signed.Refresh, ".")[2], key,
			w.token(t, "ann@example.org", "password"), w.token(t, "ann@example.org", "Confirm"),
		}
		entries, err := kv.In(w.store).List(t.Context(), kv.Range{})
		if err != nil || len(entries) < 6 {
			t.Fatalf("the store has %d entries, %v; want at least 6", len(entries), err)
		}
		for _, e := range entries {
			for _, secret := range secrets {
				if strings.Contains(e.Key, secret) || strings.Contains(string(e.Value), secret) {
					t.Errorf("the entry %s contains the secret %q: %s", e.Key, secret, e.Value)
				}
			}
		}
	})
}
