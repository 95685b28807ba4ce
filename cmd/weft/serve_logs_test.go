package main

import (
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 30 * 24 * time.Hour, "1h30m": 90 * time.Minute, "0": 0, "0d": 0, "1d": 24 * time.Hour,
	} {
		var s, again span
		if err := s.UnmarshalText([]byte(text)); err != nil || time.Duration(s) != want {
			t.Errorf("%q is %v, %v; want %v", text, time.Duration(s), err, want)
		}
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Errorf("%v is written %q and read as %v, %v", s, s.String(), again, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "-1h", "1.5d", "99999999d", "a month"} {
		var s span
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}
