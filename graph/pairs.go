package graph

import "context"

// A LinkPair selects the connections with a source and a type.
type LinkPair struct{ From, Type ID }

// LinkPairs selects the connections of distinct pairs. For Viewer see Selection.
type LinkPairs struct {
	Pairs  []LinkPair
	Viewer ID
}

// A PairReader reads connections by pairs. Reader.Links reads the connections of every type in a list at every concept in
// another list, so for n pairs it looks up n² combinations. The capability is optional and serves speed only: without it,
// callers must obtain the same result from Reader.Links. The error is errors.ErrUnsupported if a wrapped reader lacks the capability.
type PairReader interface {
	// PairLinks returns the connections of the pairs, in any order. The work depends on the number of pairs and of the
	// connections that the viewer sees.
	PairLinks(ctx context.Context, p LinkPairs) ([]Connection, error)
}
