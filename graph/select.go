package graph

import (
	"context"
	"errors"
)

// A Selector is a Reader that finds the members of a Set in one request. The capability is optional: without it,
// callers must obtain the same result with the methods of Reader. A store implements Selector if its engine is
// faster than many small requests. Tests compare Select with an evaluation of the set by the methods of Reader.
type Selector interface {
	// Select returns one page of the members of a set, each id once, in order of id.
	//
	// For Instances without a value predicate, members are found one at a time, so that the page bounds the
	// work. For other sets use Selection.Unordered.
	//
	// The error is errors.ErrUnsupported for a set that this reader cannot select from. A selector supports
	// at least every set without Depth that has up to sixteen nested Linked and Holders (three in the checked
	// operands of an Intersection) and up to five thousand predicates.
	Select(ctx context.Context, s Selection) ([]ID, error)
}

// A Selection asks for a page of a set as one viewer sees it.
type Selection struct {
	Set  Set
	Page Page
	// Viewer sees a concept if it is a type, or if its scope is 0 or the viewer. It sees a connection if the
	// scope of the connection is 0 or the viewer and both ends are visible. Everything else is invisible.
	// A zero Viewer sees everything.
	Viewer ID
	// Unordered returns members in the order in which they are found, so that a few members cost little
	// even if the set is large. Of the page, only Limit then applies.
	Unordered bool
}

// A VisibleReader is a Reader that reads as one viewer and does not read the records that the viewer may not see. The
// work depends on the number of records that the viewer sees, not on the number of others. The capability is
// optional. Callers must be able to obtain the same result from Reader, by leaving out the records that the viewer
// may not see according to Selection.Viewer. A viewer is never 0.
type VisibleReader interface {
	// VisibleByType returns the concepts of Reader.ConceptsByType that the viewer may see.
	VisibleByType(ctx context.Context, typ, viewer ID, page Page) ([]Concept, error)

	// CountVisible returns the number of instances of a type that the viewer may see.
	CountVisible(ctx context.Context, typ, viewer ID) (int, error)

	// VisibleLinks returns the connections of Reader.Links that the viewer may see.
	VisibleLinks(ctx context.Context, viewer ID, links Links) ([]Connection, error)

	// CountVisibleLinks counts the connections that VisibleLinks would return without a page. The counts have the
	// form and order of Reader.CountLinks.
	CountVisibleLinks(ctx context.Context, viewer ID, links Links) ([]LinkCount, error)

	// VisibleSizes returns the sizes of Sizer.Sizes, counting only the records that the viewer may see.
	VisibleSizes(ctx context.Context, viewer ID, types []ID) ([]Size, error)
}

// A ValueChecker reports whether a value exists in any record, including those that the caller may not read. The
// capability is optional: Reader.ConceptsByValue without a viewer has the same result, but reads the concepts of all
// users that have the value.
type ValueChecker interface {
	// HasValue reports whether any instance of a type has a value, in any scope. It never finds a value for which
	// IsShared is false. The work does not depend on how many instances have the value, nor on who may read them.
	HasValue(ctx context.Context, typ ID, value string) (bool, error)
}

// A Set describes a set of concepts. It is one of IDs, Instances, Linked, Holders, Intersection, Union and
// Complement.
type Set interface{ set() }

// IDs is the set of the existing concepts among some ids.
type IDs []ID

// Instances is the set of the instances of a type that satisfy a predicate, if there is one. Type 0 means
// all concepts, of any type, including the types themselves.
type Instances struct {
	Type  ID
	Where *Predicate
}

// Linked is the set of the concepts that a connection of one of the given types links to a concept of another set.
type Linked struct {
	Types []ID // without types the set is empty
	// Direction is the direction from the members to Far: with Out the members are the sources, with In the
	// targets.
	Direction Direction
	Far       Set // nil is any concept
	// Depth is the maximum number of consecutive connections between a member and Far; 0 means one.
	Depth int
}

// Holders is the set of the compositions that contain a concept of another set: the concept is the target of
// a connection whose type is the composition, and Concept.Composition is true for the composition.
type Holders struct {
	Of Set // nil is any concept
	// Direct selects only the compositions that are also the source of such a connection.
	Direct bool
}

// Intersection is the set of the concepts that are in every operand. The members of the first operand are
// enumerated and the others are checked for each member, so the smallest operand should come first. There is
// at least one operand.
type Intersection []Set

// Union is the set of the concepts that are in any operand.
type Union []Set

// Complement is the set of the concepts that are not in another set. It may only occur in an Intersection,
// and not as the first operand.
type Complement struct{ Of Set }

func (IDs) set()          {}
func (Instances) set()    {}
func (Linked) set()       {}
func (Holders) set()      {}
func (Intersection) set() {}
func (Union) set()        {}
func (Complement) set()   {}

// A Sizer estimates the size of types without counting instances. The capability is optional. The numbers
// include records that the caller may not read, so they may only be used for planning.
type Sizer interface {
	// Sizes returns the size of each type, in the order given.
	Sizes(ctx context.Context, types []ID) ([]Size, error)
}

// A TypeLister lists the types in use. The capability is optional. The list includes types whose instances are all hidden
// from the caller. Before a caller receives the name of a type, count the instances that the caller may see.
type TypeLister interface {
	// UsedTypes returns up to limit ids of types that have instances, in order of id. The work depends on the number of
	// types, not on the number of their instances.
	UsedTypes(ctx context.Context, limit int) ([]ID, error)
}

// A Size is the approximate number of instances of a type, and of connections of that type.
type Size struct{ Instances, Links int }

// A SetForwarder implements Selector, Sizer, KeyReader and PairReader by forwarding to a wrapped store. A wrapper embeds it. If the
// wrapped store lacks a capability, the error is errors.ErrUnsupported.
type SetForwarder struct {
	selector Selector
	sizer    Sizer
	keys     KeyReader
	pairs    PairReader
}

// ForwardSets returns a SetForwarder to a store.
func ForwardSets(store Store) SetForwarder {
	var s SetForwarder
	s.selector, _ = As[Selector](store)
	s.sizer, _ = As[Sizer](store)
	s.keys, _ = As[KeyReader](store)
	s.pairs, _ = As[PairReader](store)
	return s
}

// Select implements Selector.
func (s SetForwarder) Select(ctx context.Context, selection Selection) ([]ID, error) {
	if s.selector == nil {
		return nil, errors.ErrUnsupported
	}
	return s.selector.Select(ctx, selection)
}

// Sizes implements Sizer.
func (s SetForwarder) Sizes(ctx context.Context, types []ID) ([]Size, error) {
	if s.sizer == nil {
		return nil, errors.ErrUnsupported
	}
	return s.sizer.Sizes(ctx, types)
}

// ValueKeys implements KeyReader.
func (s SetForwarder) ValueKeys(ctx context.Context, r KeyRange) ([]ValueSortKey, error) {
	if s.keys == nil {
		return nil, errors.ErrUnsupported
	}
	return s.keys.ValueKeys(ctx, r)
}

// Containers implements KeyReader.
func (s SetForwarder) Containers(ctx context.Context, c Containers) ([]ID, error) {
	if s.keys == nil {
		return nil, errors.ErrUnsupported
	}
	return s.keys.Containers(ctx, c)
}

// PartKeys implements KeyReader.
func (s SetForwarder) PartKeys(ctx context.Context, p Parts) ([]PartSortKey, error) {
	if s.keys == nil {
		return nil, errors.ErrUnsupported
	}
	return s.keys.PartKeys(ctx, p)
}

// PairLinks implements PairReader.
func (s SetForwarder) PairLinks(ctx context.Context, p LinkPairs) ([]Connection, error) {
	if s.pairs == nil {
		return nil, errors.ErrUnsupported
	}
	return s.pairs.PairLinks(ctx, p)
}
