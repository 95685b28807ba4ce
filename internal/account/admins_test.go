package account_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
)

func TestAdminsReflectChangesOfAccounts(t *testing.T) {
	onEveryStore(t, func(t *testing.T, w fixture) {
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
		u := w.addUser(t, ann)
		check(w.Accounts, boss.ID)
		for _, step := range []struct {
			name string
			do   func(context.Context) error
			want []graph.ID
		}{
			{"a user becomes an admin", func(ctx context.Context) error { _, err := w.SetAdmin(ctx, u.ID, true); return err }, []graph.ID{boss.ID, u.ID}},
			{"an admin is disabled", func(ctx context.Context) error { _, err := w.SetDisabled(ctx, u.ID, true); return err }, []graph.ID{boss.ID}},
			{"an admin is enabled again", func(ctx context.Context) error { _, err := w.SetDisabled(ctx, u.ID, false); return err }, []graph.ID{boss.ID, u.ID}},
			{"an admin is demoted", func(ctx context.Context) error { _, err := w.SetAdmin(ctx, u.ID, false); return err }, []graph.ID{boss.ID}},
			{"a demoted admin is promoted again", func(ctx context.Context) error { _, err := w.SetAdmin(ctx, u.ID, true); return err }, []graph.ID{boss.ID, u.ID}},
			{"an admin is removed", func(ctx context.Context) error { _, err := w.Remove(ctx, u.ID); return err }, []graph.ID{boss.ID}},
		} {
			if err := step.do(t.Context()); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			check(w.Accounts, step.want...)
			w.Move(account.IdentityCacheTime)
			check(elsewhere.Accounts, step.want...)
		}
	})
	if admins, err := (*account.Accounts)(nil).Admins(t.Context()); err != nil || len(admins) != 0 {
		t.Errorf("without accounts the admins = %v, %v; want none", admins, err)
	}
}
