package plan

import (
	"crypto/sha256"

	"github.com/weft-graph/weft/graph"
)

// A DirectoryKey identifies a type or a shared value: equal keys mean one concept. It holds a hash of the value
// that is long enough to rule out collisions.
type DirectoryKey struct {
	Hash                  [16]byte
	Category, Type, Scope graph.ID
}

// DirectoryKeyOf returns the key of a concept that the directory lists (see InDirectory).
func DirectoryKeyOf(c graph.Concept) DirectoryKey {
	return DirectoryKey{Hash(c.Value), c.Category, c.Type, c.Scope()}
}

// InDirectory reports whether the directory lists a concept: types and shared values.
func InDirectory(c graph.Concept) bool {
	return c.IsType() || !c.Composition && graph.IsShared(c.Value)
}

// Hash returns the first 16 bytes of the SHA-256 of a value.
func Hash(value string) [16]byte {
	sum := sha256.Sum256([]byte(value))
	return [16]byte(sum[:16])
}

// The fixed concepts exist in every store.
var fixedByID, fixedByKey = fixed()

func fixed() (map[graph.ID]graph.Concept, map[DirectoryKey]graph.Concept) {
	byID, byKey := map[graph.ID]graph.Concept{}, map[DirectoryKey]graph.Concept{}
	for _, c := range graph.Fixed() {
		byID[c.ID], byKey[DirectoryKeyOf(c)] = c, c
	}
	return byID, byKey
}
