package graph

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A Seq numbers the changes of a store, from 1, without gaps in what a reader sees.
type Seq int64

// A Change is what one committed batch touched. Its ids ascend and stand there once.
type Change struct {
	Seq Seq
	At  time.Time // whole milliseconds, UTC
	// Concepts made or removed, and both ends of every connection made or removed.
	Concepts []ID
	// Connections made or removed.
	Connections []ID
	// Types of those concepts and connections. For an internal connection that is the composition.
	Types []ID
	// Wide says that more than MaxChangeIDs were touched and that Concepts and Connections are left out:
	// whoever watches one of Types must look again.
	Wide bool
	// Parts say the same by scope, in order of scope: who may not read in a scope must not hear its part.
	Parts []Part
}

// A Part is what a change touched for the sake of records in one scope, see ScopeOf. A private connection
// between two public concepts touches them in the scope of its owner, and so does a public one at a concept
// that is private; where scopes of several people meet, only admins are told.
type Part struct {
	Scope                        ID
	Concepts, Connections, Types []ID
}

// MaxChangeIDs is how many ids a change lists before it becomes Wide.
const MaxChangeIDs = 2_000

// KeepChanges is how long stores remember changes.
const KeepChanges = 7 * 24 * time.Hour

// Touched gathers what a batch touches while it is being written.
type Touched struct {
	parts map[ID]*Part
}

// Concept notes a concept made or removed.
func (t *Touched) Concept(c Concept) { t.in(c.Scope()).touch(c.ID, c.Type) }

// Connection notes a connection made or removed, and what it hangs on.
func (t *Touched) Connection(c Connection, from, to End) {
	p := t.in(together(together(ScopeOf(c.Owner, c.Access), from.Scope), to.Scope))
	p.Connections = append(p.Connections, c.ID)
	p.Types = append(p.Types, c.Type)
	p.touch(c.From, from.Type)
	p.touch(c.To, to.Type)
}

// An End is what a change must know of a concept at the end of a connection.
type End struct{ Type, Scope ID }

// EndOf is a concept as an end.
func EndOf(c Concept) End { return End{c.Type, c.Scope()} }

// together is the scope of those who may read in both.
func together(a, b ID) ID {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	default:
		return adminScope
	}
}

func (t *Touched) in(scope ID) *Part {
	p := t.parts[scope]
	if p == nil {
		if t.parts == nil {
			t.parts = map[ID]*Part{}
		}
		p = &Part{Scope: scope}
		t.parts[scope] = p
	}
	return p
}

func (p *Part) touch(id, typ ID) {
	p.Concepts = append(p.Concepts, id)
	p.Types = append(p.Types, typ)
}

// Nothing says that the batch changed nothing: it takes no number.
func (t *Touched) Nothing() bool { return len(t.parts) == 0 }

// Change is what was touched, under its number.
func (t *Touched) Change(seq Seq, at time.Time) Change {
	parts := make([]Part, 0, len(t.parts))
	for _, scope := range slices.Sorted(maps.Keys(t.parts)) {
		p := t.parts[scope]
		parts = append(parts, Part{scope, sorted(p.Concepts), sorted(p.Connections), sorted(p.Types)})
	}
	c := Change{Seq: seq, At: at}.Of(parts)
	if len(c.Concepts)+len(c.Connections) > MaxChangeIDs {
		c.Wide, c.Concepts, c.Connections = true, nil, nil
		for i := range parts {
			parts[i].Concepts, parts[i].Connections = nil, nil
		}
	}
	return c
}

// Of is the change when only these parts of it are told.
func (c Change) Of(parts []Part) Change {
	c.Parts, c.Concepts, c.Connections, c.Types = parts, nil, nil, nil
	if len(parts) == 1 {
		c.Concepts, c.Connections, c.Types = parts[0].Concepts, parts[0].Connections, parts[0].Types
		return c
	}
	for _, p := range parts {
		c.Concepts = append(c.Concepts, p.Concepts...)
		c.Connections = append(c.Connections, p.Connections...)
		c.Types = append(c.Types, p.Types...)
	}
	c.Concepts, c.Connections, c.Types = sorted(c.Concepts), sorted(c.Connections), sorted(c.Types)
	return c
}

func sorted(ids []ID) []ID {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Pack is what the change touched in few bytes: lists of ascending ids as their lengths and steps.
func (c Change) Pack() []byte {
	packed := []byte{inParts}
	if c.Wide {
		packed[0] |= wide
	}
	packed = binary.AppendUvarint(packed, uint64(len(c.Parts)))
	for _, p := range c.Parts {
		packed = binary.AppendVarint(packed, int64(p.Scope))
		for _, ids := range [][]ID{p.Concepts, p.Connections, p.Types} {
			packed = binary.AppendUvarint(packed, uint64(len(ids)))
			var last ID
			for _, id := range ids {
				packed = binary.AppendUvarint(packed, uint64(id-last))
				last = id
			}
		}
	}
	return packed
}

// The bits of the first byte. Changes packed without parts were told to everybody.
const (
	wide    = 1
	inParts = 2
)

// Unpack reads what Pack wrote.
func (c *Change) Unpack(packed []byte) error {
	from := bytes.NewReader(packed)
	flags, err := from.ReadByte()
	n := uint64(1)
	if err == nil && flags&inParts != 0 {
		n, err = binary.ReadUvarint(from)
	}
	var parts []Part
	for ; err == nil && n > 0; n-- {
		var p Part
		if err = p.unpack(from, flags&inParts != 0); err == nil {
			parts = append(parts, p)
		}
	}
	if err != nil {
		return Wrap(Internal, err, "change %d is damaged", c.Seq)
	}
	*c = c.Of(parts)
	c.Wide = flags&wide != 0
	return nil
}

func (p *Part) unpack(from *bytes.Reader, scoped bool) error {
	if scoped {
		scope, err := binary.ReadVarint(from)
		if err != nil {
			return err
		}
		p.Scope = ID(scope)
	}
	for _, ids := range []*[]ID{&p.Concepts, &p.Connections, &p.Types} {
		var err error
		if *ids, err = unpackIDs(from); err != nil {
			return err
		}
	}
	return nil
}

func unpackIDs(from *bytes.Reader) ([]ID, error) {
	n, err := binary.ReadUvarint(from)
	if err != nil || n == 0 {
		return nil, err
	}
	if n > uint64(from.Len()) {
		return nil, fmt.Errorf("a list of %d ids in %d bytes", n, from.Len())
	}
	ids := make([]ID, n)
	var last ID
	for i := range ids {
		step, err := binary.ReadUvarint(from)
		if err != nil {
			return nil, err
		}
		last += ID(step)
		ids[i] = last
	}
	return ids, nil
}
