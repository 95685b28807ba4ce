package wire

import (
	"github.com/weft-graph/weft/graph"
)

// DecodeIDs reads a JSON array of ids. Clients send long ones, and hardly ever anything but digits and
// commas, which need no general decoder.
func DecodeIDs(data []byte) ([]graph.ID, error) {
	if ids, ok := plainIDs(data); ok {
		return ids, nil
	}
	var list []Int
	err := Decode(data, &list)
	return ids(list), err
}

// plainIDs gives up on whatever is not as simple as [1,20,300].
func plainIDs(data []byte) ([]graph.ID, bool) {
	if len(data) < 3 || data[0] != '[' || data[len(data)-1] != ']' {
		return nil, false
	}
	list := make([]graph.ID, 0, len(data)/7)
	var id graph.ID
	digits := 0
	for i, c := range data[1:] {
		switch {
		case '0' <= c && c <= '9' && digits < 16 && (digits == 0 || id > 0):
			id = id*10 + graph.ID(c-'0')
			digits++
		case digits > 0 && (c == ',' || c == ']' && i == len(data)-2):
			list = append(list, id)
			id, digits = 0, 0
		default:
			return nil, false
		}
	}
	return list, true
}
