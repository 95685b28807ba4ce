package graph

import (
	"math"
	"strconv"
	"strings"
)

// A Position is the place of a concept in a drawing, in the units of the application that set it. The zero Position means that the
// concept has none.
type Position struct{ X, Y float64 }

// String returns "X Y" in the shortest digits that have the same value, or "" for the zero Position. Stores keep this text.
func (p Position) String() string {
	if p == (Position{}) {
		return ""
	}
	return strconv.FormatFloat(p.X, 'g', -1, 64) + " " + strconv.FormatFloat(p.Y, 'g', -1, 64)
}

// ParsePosition parses the text of a Position. The error for any other text is Invalid.
func ParsePosition(text string) (Position, error) {
	if text == "" {
		return Position{}, nil
	}
	first, second, isPair := strings.Cut(text, " ")
	x, errX := strconv.ParseFloat(first, 64)
	y, errY := strconv.ParseFloat(second, 64)
	p := Position{x, y}
	if !isPair || errX != nil || errY != nil || p.check() != nil {
		return Position{}, Errorf(Invalid, "%q is not a position, such as \"120 -45.5\"", Clip(text))
	}
	return p, nil
}

// check returns an Invalid error for coordinates that are not numbers.
func (p Position) check() error {
	for _, n := range []float64{p.X, p.Y} {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return Errorf(Invalid, "a position has the coordinate %v", n)
		}
	}
	return nil
}
