package query

import (
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A Format is a form of the records that Shape returns. The numbers are part of the wire contract.
type Format int

// The formats. DataIDDate, AllID and ListNormal return the same records as Normal.
const (
	Normal     Format = 1
	DataID     Format = 2
	JustData   Format = 3
	DataIDDate Format = 4
	Raw        Format = 5
	AllID      Format = 6
	ListNormal Format = 7
	DataV2     Format = 8
)

var formats = []string{"", "NORMAL", "DATAID", "JUSTDATA", "DATAIDDATE", "RAW", "ALLID", "LISTNORMAL", "DATAV2"}

// ParseFormat returns the format with a name, in any case. It returns an Invalid error for any other text.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formats, strings.ToUpper(name)); i > 0 {
		return Format(i), nil
	}
	return 0, graph.Errorf(graph.Invalid, "unknown format %.20q; want one of %s", name, strings.Join(formats[1:], ", "))
}

func (f Format) String() string {
	if f < 1 || int(f) >= len(formats) {
		return "format " + graph.ID(f).String()
	}
	return formats[f]
}

// ReturnsRecords reports whether clients receive records in this format. In the formats Raw and AllID they receive
// ids.
func (f Format) ReturnsRecords() bool { return f >= Normal && f <= DataV2 && f != Raw && f != AllID }

// wrapsIDs reports whether the format wraps every record with its id.
func (f Format) wrapsIDs() bool { return f == DataID || f == DataV2 }
