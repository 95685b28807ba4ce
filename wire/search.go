package wire

import (
	"encoding/json"

	"github.com/weft-graph/weft/graph"
)

// A SearchQuery is a step of a search: from the concepts found so far along linkers.
type SearchQuery struct {
	Composition    Int    `json:"composition"`    // where the first step starts
	OfCompositions []Int  `json:"ofCompositions"` // and where else
	Type           Text   `json:"type"`
	Linker         Text   `json:"linker"`
	ListLinkers    []Text `json:"listLinkers"` // what names of connection types end in
	FullLinkers    []Text `json:"fullLinkers"` // whole names of connection types
	Reverse        Bool   `json:"reverse"`
	Inpage         Int    `json:"inpage"`
	Page           Int    `json:"page"`
	TextSearch     Text   `json:"textSearch"` // what a composition must hold to be found
	DoFilter       Bool   `json:"doFilter"`
	// FilterSearches are refused: nobody knows what they mean.
	FilterSearches []json.RawMessage `json:"filterSearches"`
}

// A Found answers a search with ids. Its lists are never null.
type Found struct {
	CompositionIDs      []graph.ID `json:"compositionIds"` // all that were found, those it started from first
	InternalConnections []graph.ID `json:"internalConnections"`
	Linkers             []graph.ID `json:"linkers"`
	Reverse             []graph.ID `json:"reverse"` // those linkers that were walked backwards
	MainCompositionIDs  []graph.ID `json:"mainCompositionIds"`
}

// A FoundAround answers a recursive search. Its lists are never null.
type FoundAround struct {
	CompositionIDs      []graph.ID `json:"compositionIds"`
	InternalConnections []graph.ID `json:"internalConnections"`
	ExternalConnections []graph.ID `json:"externalConnections"`
}

// Inside is what a composition is made of.
type Inside struct {
	ID          graph.ID     `json:"id"`
	Concepts    []graph.ID   `json:"concepts"`
	Connections []Connection `json:"connections"`
}
