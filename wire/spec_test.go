package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/wire"
)

// A syncEffect is the result of a sync case: the drafts of a request, and their effect on a store when the request
// arrives twice. Ends sent in the request appear as local ids, types as names.
type syncEffect struct {
	Drafts []draft `json:"drafts"`
	Links  []link  `json:"links"`
	Stored stored  `json:"stored"`
}

type draft struct {
	Ghost graph.ID `json:"ghost"`
	Kind  string   `json:"kind"`
	Type  string   `json:"type"`
	Value string   `json:"value,omitempty"`
}

type link struct {
	Ghost    graph.ID `json:"ghost"`
	From     graph.ID `json:"from"`
	To       graph.ID `json:"to"`
	Type     graph.ID `json:"type,omitempty"`
	TypeName string   `json:"typeName,omitempty"`
}

type stored struct {
	Concepts    int `json:"concepts"` // number of created concepts, without types
	Connections int `json:"connections"`
	// Types are the names of the types of the drafts' concepts and of the links, in order: "" for a link inside a
	// composition, "-" for a skipped connection.
	Types []string `json:"types"`
}

func TestSyncCases(t *testing.T) {
	spec.RunCases(t, "sync", func(t *testing.T, c spec.Case) {
		given := spec.Given[struct {
			Request json.RawMessage `json:"request"`
		}](t, c)
		var s wire.Sync
		err := wire.Decode(given.Request, &s)
		var b graph.Batch
		if err == nil {
			b, err = s.Batch(graph.Sender{User: 7}, nil)
		}
		store := memory.New()
		var first, again graph.Receipt
		if err == nil {
			first, err = store.Write(t.Context(), b)
		}
		if c.WantsError(t, err) {
			return
		}
		if again, err = store.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.Concepts, again.Concepts); diff != "" || again.Seq != 0 {
			t.Errorf("the second write is change %d with another result:\n%s", again.Seq, diff)
		}
		got := syncEffect{Drafts: draftsOf(b), Links: linksOf(b), Stored: storedOf(t, store, b, first)}
		if diff := cmp.Diff(spec.Want[syncEffect](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}

func draftsOf(b graph.Batch) []draft {
	kinds := map[graph.DraftKind]string{
		graph.DraftValue: "value", graph.DraftComposition: "composition", graph.DraftType: "type",
		graph.DraftPrototype: "prototype",
	}
	drafts := []draft{}
	for _, d := range b.Concepts {
		drafts = append(drafts, draft{d.LocalID, kinds[d.Kind], d.TypeName, d.Value})
	}
	return drafts
}

func linksOf(b graph.Batch) []link {
	links := []link{}
	for _, d := range b.Connections {
		links = append(links, link{d.LocalID, d.From, d.To, d.Type, d.TypeName})
	}
	return links
}

// storedOf describes the stored records of a receipt.
func storedOf(t *testing.T, r graph.Reader, b graph.Batch, receipt graph.Receipt) stored {
	t.Helper()
	got := stored{Types: []string{}}
	concepts, connections := map[graph.ID]bool{}, map[graph.ID]bool{}
	name := func(id graph.ID) string {
		found, err := r.Concepts(t.Context(), []graph.ID{id})
		if err != nil || len(found) != 1 {
			t.Fatalf("type %d: %v, %v; want one concept", id, found, err)
		}
		return found[0].Value
	}
	for i, c := range receipt.Concepts {
		if b.Concepts[i].Kind == graph.DraftType {
			got.Types = append(got.Types, c.Value)
			continue
		}
		concepts[c.ID] = true
		got.Types = append(got.Types, name(c.Type))
	}
	for _, c := range receipt.Connections {
		if c.ID == 0 {
			got.Types = append(got.Types, "-")
			continue
		}
		connections[c.ID] = true
		got.Types = append(got.Types, name(c.Type))
	}
	got.Concepts, got.Connections = len(concepts), len(connections)
	return got
}
