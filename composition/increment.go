package composition

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// maxSafeInteger is the largest integer up to which JavaScript represents all integers exactly.
const maxSafeInteger = 1<<53 - 1

// number matches a number in the syntax of JSON.
var number = regexp.MustCompile(`^-?(0|[1-9]\d{0,400})(\.\d{1,400})?([eE][+-]?\d{1,3})?$`)

// Increment adds two numbers, given as text, and returns the sum as JavaScript writes it. If text is "" or
// "null", it counts as 0.
//
// The sum of two integers is exact. Decimals are added exactly, and the sum is rounded once to the nearest double: 0.1 plus 0.2 is
// 0.3. The browser library has a twin of this function; the cases in spec/increment verify both.
//
// The error is Invalid if an argument is not a number, and for a sum that is too large: beyond 2^53-1 if both arguments are integers,
// otherwise 1e21 or more. The sign does not matter.
func Increment(text, by string) (string, error) {
	if text == "" || text == "null" {
		text = "0"
	}
	sum := new(big.Rat)
	isInteger := true
	for _, term := range []string{text, by} {
		if !number.MatchString(term) {
			return "", graph.Errorf(graph.Invalid, "cannot add %q and %q: they must both be numbers", graph.Clip(text), graph.Clip(by))
		}
		n, ok := new(big.Rat).SetString(term)
		if !ok {
			return "", graph.Errorf(graph.Invalid, "%q is not a number", graph.Clip(term))
		}
		isInteger = isInteger && n.IsInt()
		sum.Add(sum, n)
	}
	limit := 1e21
	if isInteger {
		limit = maxSafeInteger + 1
	}
	f, _ := sum.Float64()
	if math.Abs(f) >= limit {
		return "", graph.Errorf(graph.Invalid, "the sum of %q and %q is too large", graph.Clip(text), graph.Clip(by))
	}
	return formatNumber(f), nil
}

// formatNumber writes a number below 1e21 as JavaScript does.
func formatNumber(f float64) string {
	if f == 0 {
		return "0"
	}
	if math.Abs(f) >= 1e-6 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e-")
	return mantissa + "e-" + strings.TrimLeft(exponent, "0")
}
