package graph

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A Seq is the number of a change in a store. Numbers start at 1; readers see no gaps.
type Seq int64

// A Change lists what one committed batch touched. Its ids are in ascending order and unique.
type Change struct {
	Seq Seq
	At  time.Time // whole milliseconds, UTC
	// Concepts created or removed, and both ends of every connection created or removed.
	Concepts []ID
	// Connections created or removed.
	Connections []ID
	// The types of Concepts and Connections. The type of an internal connection is its composition.
	Types []ID
	// Wide means that the batch touched more than MaxChangeIDs concepts and connections. Concepts and
	// Connections are then empty, so a subscriber to one of Types must read its data again.
	Wide bool
	// Parts lists the same ids per scope, in order of scope. A part must only reach users who may read its scope.
	Parts []ChangePart
}

// A ChangePart lists what a change touched in one scope (see ScopeOf). A connection and its two ends are in the
// scope of the users who may read all three: a private connection between public concepts is in the scope of its
// owner, with both concepts, and so is a public connection at a private concept. If the private scopes of two
// users are involved, the part is in the scope of the admins.
type ChangePart struct {
	Scope                        ID
	Concepts, Connections, Types []ID
}

// MaxChangeIDs is the maximum number of concepts and connections that a change lists. A change of more is Wide.
const MaxChangeIDs = 2_000

// ChangeRetention is how long stores keep changes.
const ChangeRetention = 7 * 24 * time.Hour

// A ChangeBuilder collects what a batch touches while it is being written.
type ChangeBuilder struct {
	parts map[ID]*ChangePart
}

// AddConcept adds a concept that was created or removed.
func (b *ChangeBuilder) AddConcept(c Concept) { b.part(c.Scope()).touch(c.ID, c.Type) }

// AddConnection adds a connection that was created or removed, and its two ends.
func (b *ChangeBuilder) AddConnection(c Connection, from, to Endpoint) {
	p := b.part(c.ScopeBetween(from, to))
	p.Connections = append(p.Connections, c.ID)
	p.Types = append(p.Types, c.Type)
	p.touch(c.From, from.Type)
	p.touch(c.To, to.Type)
}

// An Endpoint holds the type and scope of the concept at one end of a connection.
type Endpoint struct{ Type, Scope ID }

// EndpointOf returns the Endpoint of a concept. Every user may read a type, whatever its owner and access are.
func EndpointOf(c Concept) Endpoint {
	if c.IsType() {
		return Endpoint{Type: c.Type}
	}
	return Endpoint{c.Type, c.Scope()}
}

// ScopeBetween returns the scope of the users who may read the connection and the concepts at both its ends.
func (c Connection) ScopeBetween(from, to Endpoint) ID {
	return commonScope(commonScope(ScopeOf(c.Owner, c.Access), from.Scope), to.Scope)
}

// commonScope returns the scope of the users who may read both scopes.
func commonScope(a, b ID) ID {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	default:
		return adminScope
	}
}

// part returns the part of a scope and creates it if necessary.
func (b *ChangeBuilder) part(scope ID) *ChangePart {
	p := b.parts[scope]
	if p == nil {
		if b.parts == nil {
			b.parts = map[ID]*ChangePart{}
		}
		p = &ChangePart{Scope: scope}
		b.parts[scope] = p
	}
	return p
}

// touch adds a concept and its type.
func (p *ChangePart) touch(id, typ ID) {
	p.Concepts = append(p.Concepts, id)
	p.Types = append(p.Types, typ)
}

// IsEmpty reports whether the batch changed nothing. Such a batch has no change number.
func (b *ChangeBuilder) IsEmpty() bool { return len(b.parts) == 0 }

// Build returns the change with its number and time.
func (b *ChangeBuilder) Build(seq Seq, at time.Time) Change {
	parts := make([]ChangePart, 0, len(b.parts))
	for _, scope := range slices.Sorted(maps.Keys(b.parts)) {
		p := b.parts[scope]
		parts = append(parts, ChangePart{scope, sortedUnique(p.Concepts), sortedUnique(p.Connections), sortedUnique(p.Types)})
	}
	c := Change{Seq: seq, At: at}.WithParts(parts)
	if len(c.Concepts)+len(c.Connections) > MaxChangeIDs {
		c.Wide, c.Concepts, c.Connections = true, nil, nil
		for i := range parts {
			parts[i].Concepts, parts[i].Connections = nil, nil
		}
	}
	return c
}

// WithParts returns the change reduced to the given parts; its other lists are recomputed from them.
func (c Change) WithParts(parts []ChangePart) Change {
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
	c.Concepts, c.Connections, c.Types = sortedUnique(c.Concepts), sortedUnique(c.Connections), sortedUnique(c.Types)
	return c
}

// sortedUnique returns the distinct ids in ascending order.
func sortedUnique(ids []ID) []ID {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Pack encodes the parts of the change compactly; Seq and At are not included. Format: a byte of flags, the
// number of parts, then per part the scope and three lists of ids. A list is its length followed by the
// differences between consecutive ids. All numbers are varints.
func (c Change) Pack() []byte {
	packed := []byte{flagParts}
	if c.Wide {
		packed[0] |= flagWide
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

// The flags in the first byte of a packed change. An older change without flagParts is one public part
// without a scope.
const (
	flagWide  = 1
	flagParts = 2
)

// Unpack decodes the output of Pack into the change. The error is Internal if the data is damaged.
func (c *Change) Unpack(packed []byte) error {
	from := bytes.NewReader(packed)
	flags, err := from.ReadByte()
	n := uint64(1)
	if err == nil && flags&flagParts != 0 {
		n, err = binary.ReadUvarint(from)
	}
	var parts []ChangePart
	for ; err == nil && n > 0; n-- {
		var p ChangePart
		if err = p.unpack(from, flags&flagParts != 0); err == nil {
			parts = append(parts, p)
		}
	}
	if err != nil {
		return Wrap(Internal, err, "change %d is damaged", c.Seq)
	}
	*c = c.WithParts(parts)
	c.Wide = flags&flagWide != 0
	return nil
}

// unpack reads a part. Parts of the older format have no scope.
func (p *ChangePart) unpack(from *bytes.Reader, scoped bool) error {
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

// unpackIDs reads a list of ids. It checks the length first, so that damaged data cannot cause a large allocation.
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
