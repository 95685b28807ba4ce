package wire

import (
	"encoding/json"

	"github.com/weft-graph/weft/graph"
)

// A SearchQuery is one step of a legacy search. It follows linkers from the concepts that the previous step found.
type SearchQuery struct {
	Composition    Int    `json:"composition"`    // the concept at which the first step starts
	OfCompositions []Int  `json:"ofCompositions"` // further concepts at which the first step starts
	Type           Text   `json:"type"`
	Linker         Text   `json:"linker"`
	ListLinkers    []Text `json:"listLinkers"` // suffixes of names of connection types
	FullLinkers    []Text `json:"fullLinkers"` // complete names of connection types
	Reverse        Bool   `json:"reverse"`
	Inpage         Int    `json:"inpage"`
	Page           Int    `json:"page"`
	TextSearch     Text   `json:"textSearch"` // text that compositions must contain
	DoFilter       Bool   `json:"doFilter"`
	Logic          Text   `json:"logic"` // combines FilterSearches: "or" or "and"
	// Selectors are rejected, and so are FilterSearches with DoFilter, because their meaning is undocumented.
	Selectors      []Text            `json:"selectors"`
	FilterSearches []json.RawMessage `json:"filterSearches"`
}

// A SearchResult is the result of a search. Its lists are never null.
type SearchResult struct {
	CompositionIDs      []graph.ID `json:"compositionIds"` // all compositions, starting with those of the first step
	InternalConnections []graph.ID `json:"internalConnections"`
	Linkers             []graph.ID `json:"linkers"`
	Reverse             []graph.ID `json:"reverse"` // the linkers that were followed from target to source
	MainCompositionIDs  []graph.ID `json:"mainCompositionIds"`
}

// A RecursiveSearchResult is the result of a recursive search. Its lists are never null.
type RecursiveSearchResult struct {
	CompositionIDs      []graph.ID `json:"compositionIds"`
	InternalConnections []graph.ID `json:"internalConnections"`
	ExternalConnections []graph.ID `json:"externalConnections"`
}

// A CompositionContent is the content of a composition.
type CompositionContent struct {
	ID          graph.ID     `json:"id"`
	Concepts    []graph.ID   `json:"concepts"`
	Connections []Connection `json:"connections"`
}
