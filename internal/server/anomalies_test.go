package server_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/validate"
)

func TestGuestsReadAnomalyParameters(t *testing.T) {
	s := servertest.Start(t)
	_, err := s.Store.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{
		{TypeName: "the_name", Value: "Ann", Access: graph.Public}, {TypeName: "the_name", Value: "a very long secret"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]validate.TypeNorms{"the_name": {MinLength: 2, MaxLength: 4, DataTypes: []validate.DataType{validate.TextOnly}}}
	for _, path := range []string{"/v1/get-frontend-anomaly-parameters", "/api/v1/get-frontend-anomaly-parameters"} {
		var got struct{ Data map[string]validate.TypeNorms }
		newCaller(t, s).get(path, &got)
		if diff := cmp.Diff(want, got.Data); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
}
