// Package sharecard draws the image of a page for link previews (og:image): the title and the description of the page next
// to a woven pattern that depends on the title.
//
// Drawing is deterministic: equal titles and descriptions produce equal images. Text that does not fit is
// truncated. A title or description with letters that the fonts do not have is omitted.
package sharecard

import (
	"bytes"
	"hash/fnv"
	"image/color"
	"image/png"
	"math/rand/v2"

	"git.sr.ht/~sbinet/gg"
)

// The size of an image in pixels that link previews expect.
const (
	Width  = 1200
	Height = 630
)

// The colours of the site's light theme.
var (
	background = color.RGBA{0xf5, 0xf6, 0xf3, 0xff}
	ink        = color.RGBA{0x16, 0x1a, 0x2b, 0xff}
	inkSoft    = color.RGBA{0x4d, 0x53, 0x66, 0xff}
	undyed     = color.RGBA{0xc3, 0xc8, 0xc4, 0xff}
	madder     = color.RGBA{0xb3, 0x24, 0x3f, 0xff}
	indigo     = color.RGBA{0x2b, 0x3a, 0x8c, 0xff}
	weld       = color.RGBA{0xd9, 0x9a, 0x00, 0xff}
	verdigris  = color.RGBA{0x0e, 0x7a, 0x6d, 0xff}
	dyes       = []color.RGBA{madder, indigo, weld, verdigris}
)

// Draw returns the image of a page as a PNG.
func Draw(title, description string) ([]byte, error) {
	c := gg.NewContext(Width, Height)
	c.SetColor(background)
	c.Clear()
	sum := fnv.New64a()
	sum.Write([]byte(title))
	drawCloth(c, rand.New(rand.NewPCG(sum.Sum64(), 0))) //nolint:gosec // the pattern is decoration
	if err := drawTexts(c, title, description); err != nil {
		return nil, err
	}
	drawLogo(c)
	var b bytes.Buffer
	err := png.Encode(&b, c.Image())
	return b.Bytes(), err
}
