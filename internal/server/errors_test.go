package server

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
)

func TestErrorKindHasStatus(t *testing.T) {
	spec.RunCases(t, "error", func(t *testing.T, c spec.Case) {
		kind := spec.Given[struct {
			Kind graph.ErrorKind `json:"kind"`
		}](t, c).Kind
		want := spec.Want[struct {
			Status int `json:"status"`
		}](t, c).Status
		if got := statusOf[kind]; got != want {
			t.Errorf("%s has status %d; want %d", kind, got, want)
		}
	})
}
