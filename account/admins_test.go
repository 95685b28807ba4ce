package account_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
)

func TestWhoIsAnAdmin(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w world) {
		elsewhere := w.another(t)
		check := func(on *account.Accounts, want ...graph.ID) {
			t.Helper()
			got, err := on.Admins(t.Context())
			if err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
				t.Errorf("the admins are %v, %v; want %v", got, err, want)
			}
		}
		check(w.Accounts)
		check(elsewhere.Accounts)
		boss, err := w.Add(t.Context(), account.Person{Email: "boss@example.org", Password: password}, true)
		if err != nil {
			t.Fatal(err)
		}
		u := w.person(t, ann)
		check(w.Accounts, boss.ID)
		for _, step := range []struct {
			name string
			do   func(context.Context) error
			want []graph.ID
		}{
			{"one more", func(ctx context.Context) error { _, err := w.SetAdmin(ctx, u.ID, true); return err }, []graph.ID{boss.ID, u.ID}},
			{"one is disabled", func(ctx context.Context) error { _, err := w.SetDisabled(ctx, u.ID, true); return err }, []graph.ID{boss.ID}},
			{"one may come back", func(ctx context.Context) error { _, err := w.SetDisabled(ctx, u.ID, false); return err }, []graph.ID{boss.ID, u.ID}},
			{"one is none any more", func(ctx context.Context) error { _, err := w.SetAdmin(ctx, u.ID, false); return err }, []graph.ID{boss.ID}},
			{"one is again", func(ctx context.Context) error { _, err := w.SetAdmin(ctx, u.ID, true); return err }, []graph.ID{boss.ID, u.ID}},
			{"one leaves", func(ctx context.Context) error { _, err := w.Remove(ctx, u.ID); return err }, []graph.ID{boss.ID}},
		} {
			if err := step.do(t.Context()); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			check(w.Accounts, step.want...)
			w.Move(account.Trust)
			check(elsewhere.Accounts, step.want...)
		}
	})
	if admins, err := (*account.Accounts)(nil).Admins(t.Context()); err != nil || len(admins) != 0 {
		t.Errorf("without accounts there are the admins %v, %v", admins, err)
	}
}
