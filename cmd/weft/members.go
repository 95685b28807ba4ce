package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// members are what one writes in a query; those that only older clients send are left out.
var members = [][2]string{
	{"type", "start from every record of this type: the_person"},
	{"conceptIds", "start from these ids instead: [100042]"},
	{"inpage", "how many records to print; 10 if left out"},
	{"page", "which page of them, from 1"},
	{"order", "DESC, newest first, or ASC"},
	{"selectors", `connections to show and not follow; "self" is the record's own data`},
	{"freeschemaQueries", "queries that go on from each result, each with:"},
	{"  typeConnection", "the connection to follow, or self"},
	{"  reverse", "true follows it backwards"},
	{"  limit", "true cuts what it finds by inpage and page"},
	{"  name", "what filters, once there are any, call the results"},
}

// strict refuses members that nobody knows. A server ignores them, as the contract says, but whoever
// wrote a query by hand wants to hear of a slip.
func strict(text []byte) error {
	var node map[string]json.RawMessage
	if err := json.Unmarshal(text, &node); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(node)) {
		if known(name) == "" {
			return unknown(name)
		}
		if known(name) != "freeschemaQueries" {
			continue
		}
		var hops []json.RawMessage
		if err := json.Unmarshal(node[name], &hops); err != nil {
			return err
		}
		for _, hop := range hops {
			if err := strict(hop); err != nil {
				return err
			}
		}
	}
	return nil
}

// known is the name of a member as the contract spells it, whatever the case it was written in, or "".
func known(name string) string {
	for field := range reflect.TypeFor[wire.Query]().Fields() {
		if tag := field.Tag.Get("json"); strings.EqualFold(tag, name) {
			return tag
		}
	}
	return ""
}

func unknown(name string) error {
	meant, distance := elsewhere[name], 0
	if meant == "" {
		meant, distance = closest(name)
	}
	if 2*distance > len(name) {
		return graph.Errorf(graph.Invalid, "a query has no member %q; weft query --help lists them", graph.Clip(name))
	}
	return graph.Errorf(graph.Invalid, "a query has no member %q; did you mean %q?", graph.Clip(name), meant)
}

// elsewhere are names by which Weft itself knows members, outside the contract.
var elsewhere = map[string]string{
	"pageSize": "inpage", "hops": "freeschemaQueries", "connection": "typeConnection",
	"legacy": "isOldConnectionType", "logic": "filterLogic",
}

func closest(name string) (best string, distance int) {
	distance = len(name) + 1
	for _, m := range members {
		candidate := strings.TrimSpace(m[0])
		if d := edits(strings.ToLower(name), strings.ToLower(candidate)); d < distance {
			best, distance = candidate, d
		}
	}
	return best, distance
}

// edits is how many bytes must be added, taken away or changed to make one text of the other.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

func memberList() string {
	var list strings.Builder
	for _, m := range members {
		fmt.Fprintf(&list, "    %-18s %s\n", m[0], m[1])
	}
	return list.String()
}
