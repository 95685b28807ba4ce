package server

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
)

func TestErrorCases(t *testing.T) {
	vectors.Each(t, "error", func(t *testing.T, c vectors.Case) {
		kind := vectors.Given[struct {
			Kind graph.ErrorKind `json:"kind"`
		}](t, c).Kind
		want := vectors.Want[struct {
			Status int `json:"status"`
		}](t, c).Status
		if got := status[kind]; got != want {
			t.Errorf("%s is answered with %d; want %d", kind, got, want)
		}
	})
}
