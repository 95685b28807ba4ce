package main

import (
	"cmp"
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
	{"  depth", "follow it again from what it finds, up to so many times in a row"},
	{"  aggregate", `count: only how many each has; group: what all lead to, the most frequent first; distinct: only how many`},
	{"  name", "what filters call the results"},
	{"  includeInFilter", "true brings them although no filter is on them"},
	{"  filterAncestor", "the name of the node under which EXAND looks for both its sides"},
	{"after", "go on behind the record with this id"},
	{"countAll", "true counts all records, at whatever cost"},
	{"explain", "true adds the plan to the answer of a server; see --explain"},
	{"filterLogic", "how filters go together: ( a AND b ) OR NOT c; EXAND binds both to one record"},
	{"filters", "what must hold, each with:"},
}

var filterMembers = [][2]string{
	{"  name", "what filterLogic calls it"},
	{"  operateon", "the name of the query whose results it is about; the record itself if left out"},
	{"  type", "the type of what is compared, or id, entry_timestamp, user_id or type_concept"},
	{"  logicoperator", "=, !=, >, >=, <, <=, exists, or like with % for any text; = if left out"},
	{"  search", "what is compared with"},
}

// ignored are members that clients send and that mean nothing here.
var ignored = []string{"cache", "composition", "index", "isSecure"}

// strict refuses members that nobody knows. A server ignores them, as the contract says, but whoever
// wrote a query by hand wants to hear of a slip.
func strict(text []byte) error { return strictly(text, reflect.TypeFor[wire.Query](), members) }

func strictly(text []byte, t reflect.Type, members [][2]string) error {
	var node map[string]json.RawMessage
	if err := json.Unmarshal(text, &node); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(node)) {
		var err error
		switch known(name, t) {
		case "":
			err = unknown(name, members)
		case "freeschemaQueries":
			err = eachStrictly(node[name], t, members)
		case "filters":
			err = eachStrictly(node[name], reflect.TypeFor[wire.Filter](), filterMembers)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func eachStrictly(list json.RawMessage, t reflect.Type, members [][2]string) error {
	var nodes []json.RawMessage
	err := json.Unmarshal(list, &nodes)
	for _, node := range nodes {
		err = cmp.Or(err, strictly(node, t, members))
	}
	return err
}

// known is the name of a member as the contract spells it, whatever the case it was written in, or "".
func known(name string, t reflect.Type) string {
	for field := range t.Fields() {
		if tag := field.Tag.Get("json"); strings.EqualFold(tag, name) {
			return tag
		}
	}
	for _, member := range ignored {
		if strings.EqualFold(member, name) {
			return member
		}
	}
	return ""
}

func unknown(name string, members [][2]string) error {
	meant, distance := elsewhere[name], 0
	if meant == "" {
		meant, distance = closest(name, members)
	}
	if 2*distance > len(name) {
		return graph.Errorf(graph.Invalid, "a query has no member %q; weft query --help lists them", graph.Clip(name))
	}
	return graph.Errorf(graph.Invalid, "a query has no member %q; did you mean %q?", graph.Clip(name), meant)
}

// elsewhere are names by which Weft itself knows members, outside the contract.
var elsewhere = map[string]string{
	"pageSize": "inpage", "hops": "freeschemaQueries", "connection": "typeConnection",
	"legacy": "isOldConnectionType", "logic": "filterLogic", "include": "includeInFilter", "ancestor": "filterAncestor",
	"on": "operateon", "op": "logicoperator",
}

func closest(name string, members [][2]string) (best string, distance int) {
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
	for _, m := range slices.Concat(members, filterMembers) {
		fmt.Fprintf(&list, "    %-18s %s\n", m[0], m[1])
	}
	return list.String()
}
