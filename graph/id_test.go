package graph_test

import (
	"strconv"
	"testing"

	"github.com/weft-graph/weft/graph"
)

func TestParseIDAcceptsDecimalIDs(t *testing.T) {
	for text, want := range map[string]graph.ID{
		"0": 0, "-0": 0, "1": 1, "-101": -101, "007": 7,
		"9007199254740991": graph.MaxID, "-9007199254740991": -graph.MaxID,
	} {
		if got, err := graph.ParseID(text); got != want || err != nil {
			t.Errorf("ParseID(%q) is %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseIDRejectsMalformedIDs(t *testing.T) {
	for _, text := range []string{
		"", " ", "1 ", " 1", "+1", "1.0", "1e3", "0x10", "1_000", "--1", "-", "ten", "١", "1\x00",
		"9007199254740992", "-9007199254740992", "9223372036854775808",
	} {
		if got, err := graph.ParseID(text); graph.KindOf(err) != graph.Invalid || got != 0 {
			t.Errorf("ParseID(%q) is %d, %v; want an invalid error", text, got, err)
		}
	}
}

func TestIDIsRealLocalOrNone(t *testing.T) {
	for id, want := range map[graph.ID][2]bool{5: {true, false}, -5: {false, true}, 0: {false, false}} {
		if got := [2]bool{id.IsReal(), id.IsLocal()}; got != want {
			t.Errorf("%d is [real local] %v; want %v", id, got, want)
		}
	}
}

func FuzzParseID(f *testing.F) {
	for _, text := range []string{"", "0", "-101", "+1", "1e3", "9007199254740991", "9007199254740992", "-9223372036854775809", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := graph.ParseID(text)
		if err != nil {
			if graph.KindOf(err) != graph.Invalid || id != 0 {
				t.Errorf("ParseID(%q) is %d, %v; want 0 and an invalid error", text, id, err)
			}
			return
		}
		if id < -graph.MaxID || id > graph.MaxID {
			t.Errorf("ParseID(%q) = %d; want an id that JavaScript can represent", text, id)
		}
		if reparsed, err := graph.ParseID(id.String()); reparsed != id || err != nil {
			t.Errorf("ParseID(%q) = %d, formatted and parsed again = %d, %v; want the same id", text, id, reparsed, err)
		}
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || graph.ID(n) != id {
			t.Errorf("ParseID(%q) = %d; want %d, %v, as strconv returns", text, id, n, err)
		}
	})
}
