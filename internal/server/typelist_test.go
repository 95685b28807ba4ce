package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every caller must receive the number of records that this caller may see, not the number of records in the
// store.
func TestTypeListCountsWhatTheCallerSees(t *testing.T) {
	f := newAccessFixture(t, nil)
	f.addLimitedCallers()
	type row struct {
		Count int
		Kind  string
	}
	of := map[string]map[string]row{}
	for _, caller := range []string{guest, owner, otherUser, admin, noteReadKey, noteKey} {
		of[caller] = map[string]row{}
		status, body := f.send(caller, "GET", "/api/v1/types", "")
		if status != http.StatusOK {
			t.Fatalf("%s: status %d: %s; want 200", caller, status, body)
		}
		var list struct {
			Types []struct {
				Name, Kind string
				Count      int
				Counted    bool
			}
			Complete bool
		}
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatalf("%s: %v: %s", caller, err, body)
		}
		if !list.Complete {
			t.Errorf("%s: the list is not complete", caller)
		}
		for _, l := range list.Types {
			of[caller][l.Name] = row{l.Count, l.Kind}
			if !l.Counted {
				t.Errorf("%s: %s is estimated", caller, l.Name)
			}
		}
	}
	if _, ok := of[noteKey]["the_widget"]; ok {
		t.Error("a key for notes sees the type the_widget; want it hidden")
	}
	if diff := cmp.Diff(of[noteKey], of[noteReadKey]); diff != "" {
		t.Errorf("a key for notes that only reads sees other types: %s", diff)
	}
	if guests, owners, admins := of[guest]["the_note"].Count, of[owner]["the_note"].Count, of[admin]["the_note"].Count; guests == 0 || owners <= guests || admins < owners {
		t.Errorf("a guest sees %d notes, the owner %d, an admin %d; want at least 1, more than the guest, at least as many as the owner", guests, owners, admins)
	}
}
