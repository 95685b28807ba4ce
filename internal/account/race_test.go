package account

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A sign-in has verified the old password when another request replaces this password.
func TestSignInFailsIfThePasswordChangesMeanwhile(t *testing.T) {
	a := newAccounts(t)
	u, err := a.SignUp(t.Context(), Person{Email: "ann@example.org", Password: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	before, err := a.account(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetPassword(t.Context(), u.ID, "battery staple"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.startSession(t.Context(), before, Client{}); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("starting a session with the account as read before the new password: %v; want unauthorized", err)
	}
	old := before
	old.Records = Records{}
	if _, err := a.upgradeAccount(t.Context(), old, "correct horse"); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("upgrading the account as read before the new password: %v; want unauthorized", err)
	}
	if err := a.setPassword(t.Context(), u.ID, passwordUpdate{text: "a thief's", replacesHash: before.Password}); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("replacing the old hash after the new password: %v; want unauthorized", err)
	}
	if all, err := a.Sessions(t.Context(), u.ID); err != nil || len(all) != 0 {
		t.Errorf("the sessions = %v, %v; want none", all, err)
	}
	if _, err := a.SignIn(t.Context(), "ann@example.org", "battery staple", Client{}); err != nil {
		t.Error(err)
	}
}

func TestUpdateAccountReturnsTheConflictOfAnOccupiedEntry(t *testing.T) {
	a := newAccounts(t)
	u, err := a.SignUp(t.Context(), Person{Email: "ann@example.org", Password: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.SignUp(t.Context(), Person{Email: "ben@example.org", Password: "correct horse"}); err != nil {
		t.Fatal(err)
	}
	attempts := 0
	_, err = a.updateAccount(t.Context(), u.ID, func(u *account) ([]kv.Op, error) {
		attempts++
		u.Email = "ben@example.org"
		return []kv.Op{put(emailKey(u.Email), u.ID).If(kv.Absent)}, nil
	})
	if graph.KindOf(err) != graph.Conflict || attempts != 2 {
		t.Errorf("%d attempts, %v; want a Conflict after 2", attempts, err)
	}
	if now, err := a.User(t.Context(), u.ID); err != nil || now.Email != "ann@example.org" {
		t.Errorf("the e-mail of the account = %q, %v; want ann@example.org", now.Email, err)
	}
}

func TestUpdateAccountRepeatsWhileTheAccountChanges(t *testing.T) {
	a := newAccounts(t)
	u, err := a.SignUp(t.Context(), Person{Email: "ann@example.org", Password: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	attempts := 0
	_, err = a.updateAccount(t.Context(), u.ID, func(u *account) ([]kv.Op, error) {
		attempts++
		u.Name.First = "Ann"
		if attempts > 3 {
			return nil, nil
		}
		_, err := a.SetDisabled(t.Context(), u.ID, attempts%2 == 1)
		return nil, err
	})
	if err != nil || attempts != 4 {
		t.Errorf("%d attempts, %v; want success after 4", attempts, err)
	}
	if now, err := a.User(t.Context(), u.ID); err != nil || now.Name.First != "Ann" || !now.Disabled {
		t.Errorf("the account is %+v, %v; want both changes", now, err)
	}
}
