package account

import (
	"testing"

	"github.com/weft-graph/weft/graph"
)

// Somebody who knows the old password is at the door while it is replaced.
func TestASignInThatANewPasswordOvertakesIsNone(t *testing.T) {
	a := accounts(t)
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
	if _, err := a.start(t.Context(), before, ""); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("a session began: %v", err)
	}
	old := before
	old.Records = Records{}
	if _, err := a.mended(t.Context(), old, "correct horse"); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("the old password was put back: %v", err)
	}
	if err := a.setPassword(t.Context(), u.ID, "", "a thief's", before.Password); graph.KindOf(err) != graph.Unauthorized {
		t.Errorf("the old password set a new one: %v", err)
	}
	if all, err := a.Sessions(t.Context(), u.ID); err != nil || len(all) != 0 {
		t.Errorf("the sessions are %v, %v", all, err)
	}
	if _, err := a.SignIn(t.Context(), "ann@example.org", "battery staple", ""); err != nil {
		t.Error(err)
	}
}
