// Package picture draws what stands for a page where people share its address: its title and description beside a
// piece of cloth, woven differently for each title.
package picture

import (
	"bytes"
	"hash/fnv"
	"image/color"
	"image/png"
	"math/rand/v2"

	"git.sr.ht/~sbinet/gg"
)

// The size of a picture in pixels, as those who show links want it.
const (
	Width  = 1200
	Height = 630
)

// The colours are those of the site by day.
var (
	cloth   = color.RGBA{0xf5, 0xf6, 0xf3, 0xff}
	ink     = color.RGBA{0x16, 0x1a, 0x2b, 0xff}
	inkSoft = color.RGBA{0x4d, 0x53, 0x66, 0xff}
	undyed  = color.RGBA{0xc3, 0xc8, 0xc4, 0xff}
	madder  = color.RGBA{0xb3, 0x24, 0x3f, 0xff}
	indigo  = color.RGBA{0x2b, 0x3a, 0x8c, 0xff}
	weld    = color.RGBA{0xd9, 0x9a, 0x00, 0xff}
	verdi   = color.RGBA{0x0e, 0x7a, 0x6d, 0xff}
	dyes    = []color.RGBA{madder, indigo, weld, verdi}
)

// Draw returns a PNG.
func Draw(title, description string) ([]byte, error) {
	c := gg.NewContext(Width, Height)
	c.SetColor(cloth)
	c.Clear()
	sum := fnv.New64a()
	sum.Write([]byte(title))
	weave(c, rand.New(rand.NewPCG(sum.Sum64(), 0))) //nolint:gosec // nothing depends on which pattern it is
	if err := write(c, title, description); err != nil {
		return nil, err
	}
	mark(c)
	var b bytes.Buffer
	err := png.Encode(&b, c.Image())
	return b.Bytes(), err
}
