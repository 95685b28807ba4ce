package main

import (
	"image/jpeg"
	"strings"
	"testing"
)

// A bomb that decoders refuse as damaged would prove nothing. The complete bomb takes seconds to decode, so the test
// decodes a bomb with fewer scans.
func TestProgressiveBombIsAValidPicture(t *testing.T) {
	start := progressiveBomb(1)
	config, err := jpeg.DecodeConfig(strings.NewReader(start))
	if err != nil || config.Width*config.Height > 40_000_000 {
		t.Errorf("the bomb has %d × %d pixels, %v; want at most 40,000,000", config.Width, config.Height, err)
	}
	if _, err := jpeg.Decode(strings.NewReader(start)); err != nil {
		t.Errorf("the bomb is damaged: %v", err)
	}
}
