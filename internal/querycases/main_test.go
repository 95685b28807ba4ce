package main

import (
	"bytes"
	"testing"
)

func TestSameSeedGeneratesSameLines(t *testing.T) {
	var first, again, other bytes.Buffer
	for _, c := range []struct {
		out  *bytes.Buffer
		seed int
	}{{&first, 1}, {&again, 1}, {&other, 2}} {
		if err := run(t.Context(), c.out, 3, c.seed); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != again.String() || first.String() == other.String() {
		t.Errorf("seed 1 gave\n%s and then\n%s, seed 2\n%s", first.String(), again.String(), other.String())
	}
	if lines := bytes.Count(first.Bytes(), []byte("\n")); lines != 3 {
		t.Errorf("%d lines; want 3", lines)
	}
}
