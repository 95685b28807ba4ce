package sharecard

import (
	"image/color"
	"math/rand/v2"

	"git.sr.ht/~sbinet/gg"
)

// The dimensions of the cloth, in pixels.
const (
	clothLeft     = 820 // left edge of the cloth; the loose ends of the weft are to the left of it
	threadSpacing = 26  // distance between the centres of two threads
	threadWidth   = 8
	gapWidth      = 14 // width of the background strip around a thread that covers another thread
)

// drawCloth draws a cloth on the right with loose ends at its left edge. The warp is vertical, the weft is horizontal, and
// they alternately cover each other. It draws the warp, then the weft over it, then the warp again where it covers the
// weft.
func drawCloth(c *gg.Context, random *rand.Rand) {
	crossingsByColor := map[color.RGBA][]crossing{}
	var all []crossing
	for i, x := 0, clothLeft; x < Width+threadSpacing; i, x = i+1, x+threadSpacing {
		dye := randomColor(random)
		drawLine(c, dye, threadWidth, float64(x), -threadSpacing, float64(x), Height+threadSpacing)
		for row, y := 0, threadSpacing/2; y < Height+threadSpacing; row, y = row+1, y+threadSpacing {
			if (row+i)%2 == 0 {
				crossingsByColor[dye] = append(crossingsByColor[dye], crossing{float64(x), float64(y)})
				all = append(all, crossing{float64(x), float64(y)})
			}
		}
	}
	for y := threadSpacing / 2; y < Height+threadSpacing; y += threadSpacing {
		drawWeft(c, random, randomColor(random), float64(y))
	}
	drawCrossings(c, background, gapWidth, gapWidth, all)
	for dye, crossings := range crossingsByColor {
		drawCrossings(c, dye, threadWidth, threadSpacing, crossings)
	}
}

// A crossing is the centre of a point where the warp covers the weft, in pixels.
type crossing struct{ x, y float64 }

// drawCrossings draws short pieces of warp at the crossings.
func drawCrossings(c *gg.Context, dye color.RGBA, width, length float64, crossings []crossing) {
	for _, at := range crossings {
		c.MoveTo(at.x, at.y-length/2)
		c.LineTo(at.x, at.y+length/2)
	}
	c.SetColor(dye)
	c.SetLineWidth(width)
	c.SetLineCapButt()
	c.Stroke()
}

// randomColor returns the colour of a thread, which is undyed in two of three cases.
func randomColor(random *rand.Rand) color.RGBA {
	if random.IntN(3) > 0 {
		return undyed
	}
	return dyes[random.IntN(len(dyes))]
}

// drawWeft draws a weft thread at height y and its loose end.
func drawWeft(c *gg.Context, random *rand.Rand, dye color.RGBA, y float64) {
	length, drop := 20+random.Float64()*70, (random.Float64()-0.5)*32
	for _, stroke := range []struct {
		dye   color.RGBA
		width float64
	}{{background, gapWidth}, {dye, threadWidth}} {
		c.SetColor(stroke.dye)
		c.SetLineWidth(stroke.width)
		c.SetLineCapRound()
		c.MoveTo(Width+threadSpacing, y)
		c.LineTo(clothLeft-threadSpacing, y)
		c.CubicTo(clothLeft-threadSpacing-length/2, y, clothLeft-threadSpacing-length/2, y+drop, clothLeft-threadSpacing-length, y+drop)
		c.Stroke()
	}
}

func drawLine(c *gg.Context, dye color.RGBA, width, x1, y1, x2, y2 float64) {
	c.SetColor(dye)
	c.SetLineWidth(width)
	c.SetLineCapButt()
	c.DrawLine(x1, y1, x2, y2)
	c.Stroke()
}

// drawLogo draws the logo of Weft: two vertical threads woven with two horizontal threads.
func drawLogo(c *gg.Context) {
	const left, top, unit = margin, Height - margin - 52, 52.0 / 28
	thread := func(dye color.RGBA, x1, y1, x2, y2 float64) {
		drawLine(c, dye, 5*unit, left+(x1-2)*unit, top+(y1-2)*unit, left+(x2-2)*unit, top+(y2-2)*unit)
	}
	thread(indigo, 10, 2, 10, 7)
	thread(indigo, 10, 15, 10, 30)
	thread(indigo, 22, 2, 22, 17)
	thread(indigo, 22, 25, 22, 30)
	thread(madder, 2, 11, 17, 11)
	thread(madder, 25, 11, 30, 11)
	thread(madder, 2, 21, 5, 21)
	thread(madder, 15, 21, 30, 21)
}
