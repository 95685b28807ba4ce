package wire_test

import (
	"slices"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

func TestDecodeIDsDecodesTheSameAsDecode(t *testing.T) {
	for text, want := range map[string][]graph.ID{
		"[]": nil, "[1]": {1}, "[1,20,300]": {1, 20, 300}, "[0]": {0}, "[ 1, 2 ]": {1, 2}, `["1",-2,null]`: {1, -2, 0},
		"[9007199254740991]": {graph.MaxID}, "[12345678901234567]": {12345678901234567}, "null": nil,
	} {
		got, err := wire.DecodeIDs([]byte(text))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "[", "]", "[1", "1]", "[1,]", "[,1]", "[1]]", "[1]2]", "[01]", "[1.5]", "{}", "[99999999999999999999]", "[[1]]"} {
		if got, err := wire.DecodeIDs([]byte(text)); graph.KindOf(err) != graph.Invalid {
			t.Errorf("%s is %v, %v; want an error", text, got, err)
		}
	}
}

func FuzzDecodeIDs(f *testing.F) {
	f.Add("[1,20,300]")
	f.Add("[01]")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := wire.DecodeIDs([]byte(text))
		var list []wire.Int
		wantErr := wire.Decode([]byte(text), &list)
		if (err == nil) != (wantErr == nil) || len(got) != len(list) {
			t.Fatalf("%q is %v, %v; the general decoder returns %v, %v", text, got, err, list, wantErr)
		}
		for i, n := range list {
			if got[i] != graph.ID(n) {
				t.Errorf("%q: number %d is %d; want %d", text, i, got[i], n)
			}
		}
	})
}
