package server

import (
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/shares"
	"github.com/weft-graph/weft/wire"
)

// uniqueAPI reports whether any record has a value, including records that the caller may not read. The response
// reveals that a user has the value, but never which user. The response and the work are the same whether the value is
// visible or hidden, and the rate of checks is limited; see docs/decisions/0031.
type uniqueAPI struct {
	addresses clientAddresses
	*uniqueLimits
}

// uniqueLimits limits how many taken values a caller can find, by checks and by refused writes together.
type uniqueLimits struct {
	rates shares.Rates // by user, or network of a guest
	// onlyVisible restricts the checks to values that the caller may read. Such checks reveal nothing and have no
	// limit.
	onlyVisible bool
}

const (
	// DefaultUniqueChecks is the default of Options.UniqueChecks and of the flag --unique-checks.
	DefaultUniqueChecks = 60
	// uniqueCheckInterval is the time in which a caller may make Options.UniqueChecks checks.
	uniqueCheckInterval = 5 * time.Minute
)

func newUniqueLimits(checks int) *uniqueLimits {
	if checks < 0 {
		return &uniqueLimits{onlyVisible: true}
	}
	return &uniqueLimits{rates: shares.Rates{Burst: checks, Interval: uniqueCheckInterval / time.Duration(checks)}}
}

// forSchemas returns the limits for writes of unique values.
func (l *uniqueLimits) forSchemas() schemas.UniqueLimits {
	return schemas.UniqueLimits{OnlyVisible: l.onlyVisible, Take: l.rates.Take, Return: l.rates.Return}
}

func (a *uniqueAPI) routes() []route {
	return []route{
		{"POST", "/api/v1/value-taken", smallBody, jsonEndpoint(a.isTaken), "Whether an instance of a type has a value, even one that the caller may not read", jsonBody[valueOfType]()},
	}
}

type valueOfType struct {
	Type  wire.Text `json:"type"`
	Value wire.Text `json:"value"`
}

// takenValue reports whether a value is taken.
type takenValue struct {
	Taken bool `json:"taken"`
}

func (a *uniqueAPI) isTaken(req *request) (takenValue, error) {
	var sent valueOfType
	if err := wire.Decode(req.body, &sent); err != nil {
		return takenValue{}, err
	}
	name, value := string(sent.Type), string(sent.Value)
	if err := graph.CheckTypeName(name); err != nil {
		return takenValue{}, err
	}
	if name == "" {
		return takenValue{}, graph.Errorf(graph.Invalid, "a check of a value needs the name of its type")
	}
	if !graph.IsShared(value) {
		return takenValue{}, graph.Errorf(graph.Invalid, "a value of 1 to %d characters can be checked", graph.MaxSharedValue)
	}
	if !a.onlyVisible {
		wait := a.rates.Take(a.addresses.userOrNetwork(req), time.Now())
		if err := waitError(req, wait); err != nil {
			return takenValue{}, err
		}
	}
	types, err := req.typesNamed([]wire.Text{sent.Type})
	if err != nil {
		return takenValue{}, err
	}
	typ, exists := types[name]
	if !exists {
		return takenValue{}, nil
	}
	taken, err := a.hasValue(req, typ.ID, value)
	return takenValue{taken}, err
}

func (a *uniqueAPI) hasValue(req *request, typ graph.ID, value string) (bool, error) {
	if checker, ok := graph.As[graph.ValueChecker](req.graph); ok && !a.onlyVisible {
		return checker.HasValue(req.Context(), typ, value)
	}
	found, err := req.graph.ConceptsByValue(req.Context(), []graph.ValueKey{{Value: value, Type: typ, Category: graph.CategoryInstance}})
	return len(found) > 0, err
}
