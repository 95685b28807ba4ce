package picture

import (
	"image/color"
	"math/rand/v2"

	"git.sr.ht/~sbinet/gg"
)

// The measures of the cloth, in pixels.
const (
	selvedge = 820 // where the loose ends of the weft become cloth
	step     = 26  // from one thread to the next
	thread   = 8
	gap      = 14 // what a thread that lies above covers
)

// weave draws a cloth at the right whose weft hangs out to the left: warp from top to bottom, weft across, each
// above and below in turn.
func weave(c *gg.Context, dice *rand.Rand) {
	over := map[color.RGBA][]crossing{}
	var all []crossing
	for i, x := 0, selvedge; x < Width+step; i, x = i+1, x+step {
		dye := dyed(dice)
		line(c, dye, thread, float64(x), -step, float64(x), Height+step)
		for row, y := 0, step/2; y < Height+step; row, y = row+1, y+step {
			if (row+i)%2 == 0 {
				over[dye] = append(over[dye], crossing{float64(x), float64(y)})
				all = append(all, crossing{float64(x), float64(y)})
			}
		}
	}
	for y := step / 2; y < Height+step; y += step {
		pull(c, dice, dyed(dice), float64(y))
	}
	cross(c, cloth, gap, gap, all)
	for dye, crossings := range over {
		cross(c, dye, thread, step, crossings)
	}
}

// A crossing is where a warp thread lies above the weft.
type crossing struct{ x, y float64 }

// cross draws pieces of warp.
func cross(c *gg.Context, dye color.RGBA, width, length float64, crossings []crossing) {
	for _, at := range crossings {
		c.MoveTo(at.x, at.y-length/2)
		c.LineTo(at.x, at.y+length/2)
	}
	c.SetColor(dye)
	c.SetLineWidth(width)
	c.SetLineCapButt()
	c.Stroke()
}

// dyed is the colour of a thread: two of three are as they grew.
func dyed(dice *rand.Rand) color.RGBA {
	if dice.IntN(3) > 0 {
		return undyed
	}
	return dyes[dice.IntN(len(dyes))]
}

// pull draws a weft thread and its loose end.
func pull(c *gg.Context, dice *rand.Rand, dye color.RGBA, y float64) {
	length, fall := 20+dice.Float64()*70, (dice.Float64()-0.5)*32
	for _, stroke := range []struct {
		dye   color.RGBA
		width float64
	}{{cloth, gap}, {dye, thread}} {
		c.SetColor(stroke.dye)
		c.SetLineWidth(stroke.width)
		c.SetLineCapRound()
		c.MoveTo(Width+step, y)
		c.LineTo(selvedge-step, y)
		c.CubicTo(selvedge-step-length/2, y, selvedge-step-length/2, y+fall, selvedge-step-length, y+fall)
		c.Stroke()
	}
}

func line(c *gg.Context, dye color.RGBA, width, x1, y1, x2, y2 float64) {
	c.SetColor(dye)
	c.SetLineWidth(width)
	c.SetLineCapButt()
	c.DrawLine(x1, y1, x2, y2)
	c.Stroke()
}

// mark draws the sign of Weft, two threads over and under two others.
func mark(c *gg.Context) {
	const left, top, unit = margin, Height - margin - 52, 52.0 / 28
	at := func(dye color.RGBA, x1, y1, x2, y2 float64) {
		line(c, dye, 5*unit, left+(x1-2)*unit, top+(y1-2)*unit, left+(x2-2)*unit, top+(y2-2)*unit)
	}
	at(indigo, 10, 2, 10, 7)
	at(indigo, 10, 15, 10, 30)
	at(indigo, 22, 2, 22, 17)
	at(indigo, 22, 25, 22, 30)
	at(madder, 2, 11, 17, 11)
	at(madder, 25, 11, 30, 11)
	at(madder, 2, 21, 5, 21)
	at(madder, 15, 21, 30, 21)
}
