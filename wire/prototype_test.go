package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/wire"
)

// A prototype, and what is linked with it, each by its kind, its type and its text.
type prototyped struct {
	Main  string      `json:"main"`
	Links [][3]string `json:"links"`
}

func TestPrototypeCases(t *testing.T) {
	vectors.Each(t, "prototype", func(t *testing.T, c vectors.Case) {
		var p wire.Prototype
		err := wire.Decode(vectors.Given[json.RawMessage](t, c), &p)
		var b graph.Batch
		if err == nil {
			b, err = p.Batch(graph.Sender{User: 7}, -1)
		}
		if c.Refused(t, err) {
			return
		}
		if diff := cmp.Diff(vectors.Want[prototyped](t, c), prototypedOf(b)); diff != "" {
			t.Error(diff)
		}
	})
}

func prototypedOf(b graph.Batch) prototyped {
	names := map[graph.ID]string{}
	for _, d := range b.Concepts {
		kind := map[graph.DraftKind]string{
			graph.DraftValue: "value", graph.DraftComposition: "composition", graph.DraftType: "type",
			graph.DraftPrototype: "prototype",
		}[d.Kind]
		names[d.Ghost] = strings.TrimSpace(kind + " " + d.TypeName + " " + d.Value)
	}
	got := prototyped{Main: names[b.Concepts[0].Ghost]}
	for _, c := range b.Connections {
		got.Links = append(got.Links, [3]string{names[c.From], c.TypeName, names[c.To]})
	}
	return got
}
