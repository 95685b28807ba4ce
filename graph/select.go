package graph

import (
	"context"
	"errors"
)

// A Selector is a reader that can pick concepts by what they are, hold and are linked with, all in one go. It is
// optional: whoever asks must be able to do without, with the methods of Reader, and find the same. Stores offer it where
// their engine does it better than many small questions; what it picks is then checked against that plain way.
type Selector interface {
	// Select returns the ids of the members of a set, each once, in order of id; one page of them. The work
	// is bounded by the page where the set allows it: members are found one after the other and not all first.
	// In order of id that is so of Instances without a predicate on values; of the rest, see Selection.Unordered.
	//
	// The error is errors.ErrUnsupported for a set that this reader does not select from. One that selects at all does
	// so from every set without Depth in which up to sixteen Linked and Holders stand in each other, and three where they are checked,
	// and up to five thousand predicates beside each other.
	Select(ctx context.Context, s Selection) ([]ID, error)
}

// A Selection is a page of a set as somebody sees it.
type Selection struct {
	Set  Set
	Page Page
	// Viewer sees a concept if it is a type or its Scope is 0 or the viewer; a connection if its scope is one of these
	// and both its ends are seen. Whatever else there is is not there. Zero sees everything.
	Viewer ID
	// Unordered takes members in whatever order they are found, so that finding a few costs little however many
	// there are. Of the page it is then only the limit that counts.
	Unordered bool
}

// A Set is a description of concepts: one of These, Instances, Linked, Holders, Both, Either and Except.
type Set interface{ set() }

// These are the concepts among some ids that exist.
type These []ID

// Instances are the instances of a type of which a predicate is true, if there is one. Type 0 stands for every type, and then
// for every concept.
type Instances struct {
	Type  ID
	Where *Predicate
}

// Linked are the concepts that a connection of one of some types joins with a concept of another set, directly or over
// others.
type Linked struct {
	Types []ID // without any there are no such connections
	// Direction leads from the members to Far: with Out they are sources.
	Direction Direction
	Far       Set // nil is any concept
	// Depth is how many connections, one after the other, may lie between a member and Far; 0 is one.
	Depth int
}

// Holders are the compositions, by Concept.Composition, inside of which a concept of another set stands: it is the target
// of a connection whose type is the composition.
type Holders struct {
	Of Set // nil is any concept
}

// Both are the concepts in each of several sets. The first is where to look: the others are only checked, one member
// after the other. Whoever builds it puts the smallest first. There is at least one.
type Both []Set

// Either are the concepts in any of several sets.
type Either []Set

// Except are the concepts that are not in a set. It stands only in a Both, and not first.
type Except struct{ Of Set }

func (These) set()     {}
func (Instances) set() {}
func (Linked) set()    {}
func (Holders) set()   {}
func (Both) set()      {}
func (Either) set()    {}
func (Except) set()    {}

// A Sizer knows about how large a type is without looking at each of its instances. It is optional, and tells what only
// planning may use: the numbers count what a caller may not see.
type Sizer interface {
	// Sizes are those of types, in their order.
	Sizes(ctx context.Context, types []ID) ([]Size, error)
}

// A Size is how many instances a type has and how many connections are of it.
type Size struct{ Instances, Links int }

// Sets are what the store behind a front tells of sets. The front embeds them, so that it is a Selector and a Sizer as much
// as the store is: where that is none, the error is errors.ErrUnsupported.
type Sets struct {
	selector Selector
	sizer    Sizer
}

// SetsOf returns the sets of a store.
func SetsOf(store Store) Sets {
	var s Sets
	s.selector, _ = Behind[Selector](store)
	s.sizer, _ = Behind[Sizer](store)
	return s
}

// Select implements Selector.
func (s Sets) Select(ctx context.Context, selection Selection) ([]ID, error) {
	if s.selector == nil {
		return nil, errors.ErrUnsupported
	}
	return s.selector.Select(ctx, selection)
}

// Sizes implements Sizer.
func (s Sets) Sizes(ctx context.Context, types []ID) ([]Size, error) {
	if s.sizer == nil {
		return nil, errors.ErrUnsupported
	}
	return s.sizer.Sizes(ctx, types)
}
