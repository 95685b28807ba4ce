package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/wire"
)

// prototypeLinks is the result of a prototype case: the prototype and the concepts linked with it, each by kind, type
// and value.
type prototypeLinks struct {
	Main  string      `json:"main"`
	Links [][3]string `json:"links"`
}

func TestPrototypeCases(t *testing.T) {
	spec.RunCases(t, "prototype", func(t *testing.T, c spec.Case) {
		var p wire.Prototype
		err := wire.Decode(spec.Given[json.RawMessage](t, c), &p)
		var b graph.Batch
		if err == nil {
			b, err = p.Batch(graph.Sender{User: 7}, -1)
		}
		if c.WantsError(t, err) {
			return
		}
		if diff := cmp.Diff(spec.Want[prototypeLinks](t, c), linksOfPrototype(b)); diff != "" {
			t.Error(diff)
		}
	})
}

// linksOfPrototype describes the drafts of a batch in the form of the cases.
func linksOfPrototype(b graph.Batch) prototypeLinks {
	names := map[graph.ID]string{}
	for _, d := range b.Concepts {
		kind := map[graph.DraftKind]string{
			graph.DraftValue: "value", graph.DraftComposition: "composition", graph.DraftType: "type",
			graph.DraftPrototype: "prototype",
		}[d.Kind]
		names[d.LocalID] = strings.TrimSpace(kind + " " + d.TypeName + " " + d.Value)
	}
	got := prototypeLinks{Main: names[b.Concepts[0].LocalID]}
	for _, c := range b.Connections {
		got.Links = append(got.Links, [3]string{names[c.From], c.TypeName, names[c.To]})
	}
	return got
}
