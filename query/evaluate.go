package query

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/longwork"
)

// An evaluator evaluates sets on a reader. It uses the reader's Selector, and the fallback if the reader has none or
// the selector does not support a set. It also enforces the limits on rows read and connections held.
type evaluator struct {
	graph.Reader
	selector           graph.Selector  // nil if the reader does not implement it
	keys               graph.KeyReader // nil if the reader does not implement it
	rowsLeft           int             // rows that may still be read
	heldLinks          int             // connections in memory that are needed again
	maxHeldLinks       int             // see limits
	maxSimilarSets     int             // see limits
	deepSelectTimedOut bool            // from now on, deep sets are evaluated by the fallback
	account            *budget.Account
	chargedLinks       int // held connections that are charged to the account
}

func newEvaluator(ctx context.Context, r graph.Reader, l limits) *evaluator {
	selector, _ := r.(graph.Selector)
	keys, _ := r.(graph.KeyReader)
	return &evaluator{account: budget.Of(ctx), Reader: r, selector: selector, keys: keys, rowsLeft: l.maxRows, maxHeldLinks: l.maxHeldLinks, maxSimilarSets: l.maxSimilarSets}
}

// spendRows counts rows that were read. It returns a TooLarge error if the query has read too many rows or holds
// too many connections, and the error of ctx if ctx has ended. A long query pauses here to let others run; see
// package longwork.
func (e *evaluator) spendRows(ctx context.Context, rows int) error {
	e.rowsLeft -= rows
	switch {
	case e.rowsLeft < 0:
		return graph.Errorf(graph.TooLarge,
			"the query reads more than %d concepts and connections; start from fewer, or filter by something rarer", MaxRows)
	case e.heldLinks > e.maxHeldLinks:
		return graph.Errorf(graph.TooLarge, "the query holds more than %d connections in memory; start from fewer", MaxLinks)
	}
	if more := e.heldLinks - e.chargedLinks; more > 0 {
		if err := e.account.Grow(int64(more) * BytesPerLink); err != nil {
			return err
		}
		e.chargedLinks = e.heldLinks
	}
	return longwork.Of(ctx).Pause(ctx, 0)
}

// BytesPerLink is the memory, in bytes, of a connection that a query holds in a list and in a map.
const BytesPerLink = 256

// releaseHeld resets the number of held connections to an earlier value, after the query has released the
// connections that it read since then.
func (e *evaluator) releaseHeld(held int) {
	e.heldLinks = held
	if fewer := e.chargedLinks - held; fewer > 0 {
		e.account.Shrink(int64(fewer) * BytesPerLink)
		e.chargedLinks = held
	}
}

// Concepts implements graph.Reader. A query compares the values and then drops them, so their memory is charged to the
// account only while they are read.
func (e *evaluator) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	before := e.account.Charged()
	found, err := e.Reader.Concepts(ctx, ids)
	e.account.Shrink(e.account.Charged() - before)
	return found, err
}

// ConceptsByType implements graph.Reader, and charges the memory of values as Concepts does.
func (e *evaluator) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	before := e.account.Charged()
	found, err := e.Reader.ConceptsByType(ctx, typ, page)
	e.account.Shrink(e.account.Charged() - before)
	return found, err
}

// gather finds the members of a set, in no particular order. If there are more than limit, whole is false and ids holds
// some members or none. The ids are charged to the account until the query ends, or dropIDs is called.
func (e *evaluator) gather(ctx context.Context, set graph.Set, limit int) (ids []graph.ID, whole bool, err error) {
	if ids, whole, err = e.gatherUncharged(ctx, set, limit); err == nil {
		err = e.account.Grow(int64(len(ids)) * bytesPerID)
	}
	return ids, whole, err
}

// bytesPerID is the memory, in bytes, of an id of a gathered set: it is in the selector's list, in a second list
// and in a map.
const bytesPerID = 48

// dropIDs returns the memory of unused ids from gather to the account.
func (e *evaluator) dropIDs(ids []graph.ID) { e.account.Shrink(int64(len(ids)) * bytesPerID) }

func (e *evaluator) gatherUncharged(ctx context.Context, set graph.Set, limit int) (ids []graph.ID, whole bool, err error) {
	if e.selector != nil {
		ids, err = e.trySelect(ctx, graph.Selection{Set: set, Page: graph.Page{Limit: limit + 1}, Unordered: true})
		if err == nil {
			return ids, len(ids) <= limit, e.spendRows(ctx, len(ids))
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return nil, false, err
		}
	}
	found, err := fallback{e, limit}.members(ctx, set)
	if errors.Is(err, errWide) {
		return nil, false, nil
	}
	return found.sorted(), err == nil, err
}

// deepSelectTimeout limits a selection that checks sets over more than one connection. A selector may follow every
// path separately, and through a hub there are too many paths. The fallback follows one level at a time, from all
// concepts together.
const deepSelectTimeout = time.Second

// trySelect evaluates a selection with the selector. The error is errors.ErrUnsupported if the selector does not
// support the set, or if a deep set exceeded deepSelectTimeout in this query.
func (e *evaluator) trySelect(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	if !checksDeep(s.Set) {
		return e.selector.Select(ctx, s)
	}
	if e.deepSelectTimedOut {
		return nil, errors.ErrUnsupported
	}
	limited, cancel := context.WithTimeout(ctx, deepSelectTimeout)
	defer cancel()
	found, err := e.selector.Select(limited, s)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		e.deepSelectTimedOut = true
		return nil, errors.ErrUnsupported
	}
	return found, err
}

// checksDeep reports whether a set has a checked operand whose depth is more than one connection.
func checksDeep(set graph.Set) bool {
	switch set := set.(type) {
	case graph.Linked:
		return checksDeep(set.Far)
	case graph.Holders:
		return checksDeep(set.Of)
	case graph.Union:
		return slices.ContainsFunc(set, checksDeep)
	case graph.Intersection:
		return checksDeep(set[0]) || slices.ContainsFunc(set[1:], func(operand graph.Set) bool { return setDepth(operand) > 1 })
	default:
		return false
	}
}

// maxIDsPerCheck is the number of ids that one selection checks.
const maxIDsPerCheck = 50_000

// check returns the given ids that are members of a set, in their order.
func (e *evaluator) check(ctx context.Context, ids []graph.ID, set graph.Set) ([]graph.ID, error) {
	var kept []graph.ID
	for chunk := range slices.Chunk(ids, maxIDsPerCheck) {
		members, err := e.membersAmong(ctx, chunk, set)
		if err != nil {
			return nil, err
		}
		for _, id := range chunk {
			if members[id] {
				kept = append(kept, id)
			}
		}
		if err := e.spendRows(ctx, len(chunk)); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// membersAmong returns the members of a set among the given ids.
func (e *evaluator) membersAmong(ctx context.Context, ids []graph.ID, set graph.Set) (idSet, error) {
	if found, ok := set.(graph.IDs); ok {
		return setOf(ids).intersect(setOf(found)), nil
	}
	if e.selector != nil {
		if !hasManySimilar(set, e.maxSimilarSets) {
			found, err := e.trySelect(ctx, graph.Selection{Set: restrictTo(ids, set), Unordered: true})
			if !errors.Is(err, errors.ErrUnsupported) {
				return setOf(found), err
			}
		}
		if intersection, ok := set.(graph.Intersection); ok {
			return e.checkByKind(ctx, ids, intersection)
		}
	}
	return fallback{e, MaxSetMembers}.check(ctx, setOf(ids), set)
}

// checkByKind checks the operands of an intersection one kind at a time (see groupSimilar). The fallback checks
// kinds with many similar sets; the selector checks the others.
func (e *evaluator) checkByKind(ctx context.Context, ids []graph.ID, sets graph.Intersection) (idSet, error) {
	members := setOf(ids)
	for _, kind := range groupSimilar(sets) {
		if hasManySimilar(graph.Intersection(kind), e.maxSimilarSets) {
			found, err := fallback{e, MaxSetMembers}.check(ctx, members, graph.Intersection(kind))
			if err != nil {
				return nil, err
			}
			members = found
			continue
		}
		for _, set := range kind {
			found, err := e.membersAmong(ctx, members.sorted(), set)
			if err != nil {
				return nil, err
			}
			members = found
		}
	}
	return members, nil
}

// restrictTo returns the intersection of a set with the given ids.
func restrictTo(ids []graph.ID, set graph.Set) graph.Set {
	if intersection, ok := set.(graph.Intersection); ok {
		if isEverything(intersection[0]) {
			intersection = intersection[1:]
		}
		return append(graph.Intersection{graph.IDs(ids)}, intersection...)
	}
	return graph.Intersection{graph.IDs(ids), set}
}
