package wire_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

func TestSyncBatchClassifiesConcepts(t *testing.T) {
	for _, c := range []struct {
		what, concept string
		want          graph.ConceptDraft
	}{
		{
			"a bare word", `{"id":-1,"ghostId":-1,"typeId":51,"categoryId":1,"typeCharacter":"the","characterValue":"person"}`,
			graph.ConceptDraft{LocalID: -1, Kind: graph.DraftType, TypeName: "person"},
		},
		{
			"a composed type whose parts were not sent", `{"id":-9,"typeId":-6,"categoryId":-3,"typeCharacter":"name","characterValue":"the_person_name"}`,
			graph.ConceptDraft{LocalID: -9, Kind: graph.DraftType, TypeName: "the_person_name"},
		},
		{
			"a value whose type was not sent", `{"id":-8,"typeId":-7,"categoryId":4,"typeCharacter":"the_name","characterValue":"Ann","accessId":5}`,
			graph.ConceptDraft{LocalID: -8, TypeName: "the_name", Value: "Ann", Access: graph.Public},
		},
		{
			"a composition", `{"id":-4,"typeId":-3,"categoryId":4,"typeCharacter":"the_person","characterValue":"","isComposition":true,"accessId":999}`,
			graph.ConceptDraft{LocalID: -4, Kind: graph.DraftComposition, TypeName: "the_person"},
		},
		{
			"an empty value", `{"id":-4,"typeId":-3,"categoryId":4,"typeCharacter":"the_name","characterValue":""}`,
			graph.ConceptDraft{LocalID: -4, TypeName: "the_name"},
		},
		{
			"a value with only a real type id", `{"id":-4,"typeId":77,"categoryId":4,"characterValue":"Ann"}`,
			graph.ConceptDraft{LocalID: -4, TypeName: "type 77", Value: "Ann"},
		},
		{
			"a local id only in ghostId", `{"id":0,"ghostId":-5,"categoryId":4,"typeCharacter":"the_name","characterValue":"Ann"}`,
			graph.ConceptDraft{LocalID: -5, TypeName: "the_name", Value: "Ann"},
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := batch(t, `{"concepts":[`+c.concept+`]}`)
			if diff := cmp.Diff([]graph.ConceptDraft{c.want}, b.Concepts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSyncBatch(t *testing.T) {
	t.Run("takes the name of a type from a record of the same request", func(t *testing.T) {
		b := batch(t, `{"concepts":[{"id":-2,"categoryId":1,"characterValue":"the_name"},{"id":-1,"typeId":-2,"categoryId":4,"characterValue":"Ann"}]}`)
		if got := b.Concepts[1].TypeName; got != "the_name" {
			t.Errorf("the type is %q; want the_name", got)
		}
	})
	t.Run("creates no drafts for records with real ids", func(t *testing.T) {
		var s wire.Sync
		decode(t, `{"concepts":[{"id":7}],"connections":[{"id":8,"ofTheConceptId":1,"toTheConceptId":2}]}`, &s)
		b, err := s.Batch(graph.Sender{}, nil)
		if err != nil || len(b.Concepts)+len(b.Connections) != 0 {
			t.Errorf("the batch is %+v, %v; want no drafts", b, err)
		}
		concepts, connections := s.Existing()
		if diff := cmp.Diff([]graph.ID{7, 8}, append(concepts, connections...)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("skips an all-zero connection", func(t *testing.T) {
		if b := batch(t, `{"connections":[{"id":0,"ofTheConceptId":0,"toTheConceptId":0}]}`); len(b.Connections) != 0 {
			t.Errorf("the batch has %+v; want no connections", b.Connections)
		}
	})
	t.Run("keeps order, type name and local ids of a connection", func(t *testing.T) {
		b := batch(t, `{"connections":[{"id":-211,"ghostId":-211,"ofTheConceptId":-104,"toTheConceptId":108,"typeId":-109,"orderId":1000,"typeCharacter":"the_person_name","userId":5}]}`)
		want := []graph.ConnectionDraft{{LocalID: -211, From: -104, To: 108, Type: -109, TypeName: "the_person_name", Order: 1000}}
		if diff := cmp.Diff(want, b.Connections); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("contains removals", func(t *testing.T) {
		b := batch(t, `{"removeConcepts":[1,"-2"],"removeConnections":[3]}`)
		if diff := cmp.Diff([]graph.ID{1, -2, 3}, append(b.RemoveConcepts, b.RemoveConnections...)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("reports the position of a concept without a type name", func(t *testing.T) {
		var s wire.Sync
		decode(t, `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_a"},{"id":-2,"categoryId":4,"typeId":-9}]}`, &s)
		_, err := s.Batch(graph.Sender{}, nil)
		want := "concept 1 of the request (id -2): it names no type: typeCharacter is empty and typeId is -9"
		if graph.KindOf(err) != graph.Invalid || err.Error() != want {
			t.Errorf("the error is %v; want %s", err, want)
		}
	})
}

func batch(t *testing.T, text string) graph.Batch {
	t.Helper()
	var s wire.Sync
	decode(t, text, &s)
	b, err := s.Batch(graph.Sender{}, func(id graph.ID) (string, error) { return "type " + id.String(), nil })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := wire.Decode([]byte(text), v); err != nil {
		t.Fatal(err)
	}
}

func FuzzSync(f *testing.F) {
	f.Add(`{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_name","characterValue":"Ann"}],"connections":[{"id":-2,"ofTheConceptId":-1,"toTheConceptId":5,"typeId":-1}]}`)
	f.Add(`{"removeConcepts":["-1"],"connections":[{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var s wire.Sync
		err := wire.Decode([]byte(text), &s)
		if err == nil {
			var b graph.Batch
			if b, err = s.Batch(graph.Sender{}, func(graph.ID) (string, error) { return "t", nil }); err == nil {
				err = b.Check()
			}
		}
		if kind := graph.KindOf(err); err != nil && kind != graph.Invalid && kind != graph.TooLarge {
			t.Errorf("%v is %q; want invalid or tooLarge", err, kind)
		}
	})
}

func FuzzQuery(f *testing.F) {
	f.Add(`{"type":"the_person","inpage":10,"freeschemaQueries":[{"typeConnection":"self","limit":true}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var q wire.Query
		err := wire.Decode([]byte(text), &q)
		if err == nil {
			err = q.Graph().Check()
		}
		if kind := graph.KindOf(err); err != nil && kind != graph.Invalid && kind != graph.TooLarge {
			t.Errorf("%v is %q; want invalid or tooLarge", err, kind)
		}
	})
}

func TestSyncLooksUpEachTypeOnce(t *testing.T) {
	var s wire.Sync
	for i := range 100 {
		s.Concepts = append(s.Concepts, wire.Concept{ID: wire.Int(-1 - i), CategoryID: 4, TypeID: 77})
	}
	lookups := 0
	b, err := s.Batch(graph.Sender{}, func(graph.ID) (string, error) { lookups++; return "the_name", nil })
	if err != nil || lookups != 1 || b.Concepts[99].TypeName != "the_name" {
		t.Errorf("%d lookups, %v; want 1", lookups, err)
	}
}

func TestDecodeRejectsTooManyObjects(t *testing.T) {
	var s wire.Sync
	braces := `{"concepts":[` + strings.Repeat("{},", 10) + `{"characterValue":"\"` + strings.Repeat("{", wire.MaxObjects) + `"}]}`
	if err := wire.Decode([]byte(braces), &s); err != nil || len(s.Concepts) != 11 {
		t.Errorf("a value full of braces: %d concepts, %v", len(s.Concepts), err)
	}
	objects := `{"concepts":[` + strings.Repeat("{},", wire.MaxObjects) + `{}]}`
	if err := wire.Decode([]byte(objects), &s); graph.KindOf(err) != graph.TooLarge {
		t.Errorf("too many objects: %v; want the kind tooLarge", err)
	}
}
