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

// members lists the members of a query with their descriptions, for --help. Members that only old clients send are left out.
var members = [][2]string{
	{"type", "start from every record of this type: the_person"},
	{"conceptIds", "start from these ids instead: [100042]"},
	{"inpage", "how many records to print; 10 if left out"},
	{"page", "which page of the records to print, from 1"},
	{"order", "DESC, newest first, or ASC"},
	{"orderBy", "sort by values instead; one or more keys, each with:"},
	{"selectors", `connections to show without following them; "self" is the record's own data`},
	{"freeschemaQueries", "nested queries from each result, each with:"},
	{"  typeConnection", "the connection to follow, or self"},
	{"  reverse", "true follows the connection backwards"},
	{"  direct", "with self: true shows only the fields of the record itself, not those of nested records"},
	{"  limit", "true limits its results by inpage and page"},
	{"  depth", "follow the connection repeatedly, up to this many times"},
	{"  aggregate", `count: number of results per record; group: values of all records, most frequent first; distinct: number of values`},
	{"  name", "name of the results, for filters"},
	{"  includeInFilter", "true includes the results although no filter uses them"},
	{"  filterAncestor", "name of the node under which both sides of EXAND must match"},
	{"after", `cursor: continue after the record with this id; with orderBy, after the "next" of the last response`},
	{"countAll", "true counts all records, at any cost"},
	{"warnings", "true adds warnings to a server's response, which weft query always prints"},
	{"explain", "true adds the query plan to a server's response; see --explain"},
	{"filterLogic", "combination of filters: ( a AND b ) OR NOT c; EXAND requires both in one record"},
	{"filters", "conditions, each with:"},
}

var orderMembers = [][2]string{
	{"  field", "a field of the record: the_name"},
	{"  connection", "or a connection from it: the_person_city"},
	{"  direction", "ASC, or DESC; records without a value come last"},
	{"  kind", "number or time sorts only such values; text, the default, sorts all"},
}

var filterMembers = [][2]string{
	{"  name", "name of the filter, for filterLogic"},
	{"  operateon", "name of the nested query whose results are compared; the record itself if left out"},
	{"  type", "type of the compared value, or id, entry_timestamp, user_id or type_concept"},
	{"  logicoperator", "=, !=, >, >=, <, <=, exists, or like, where % matches any text; = if left out"},
	{"  search", "value to compare with"},
}

// ignoredMembers lists members that clients send although they have no effect.
var ignoredMembers = []string{"cache", "composition", "index", "isSecure"}

// checkMembers rejects unknown members. A server ignores unknown members, as the contract requires, but in a query
// written by hand they are probably mistakes.
func checkMembers(text []byte) error { return checkNode(text, reflect.TypeFor[wire.Query](), members) }

// checkNode checks the members of a query or filter, which decodes into t, and of the nodes below the query.
func checkNode(text []byte, t reflect.Type, members [][2]string) error {
	var node map[string]json.RawMessage
	if err := json.Unmarshal(text, &node); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(node)) {
		var err error
		switch contractName(name, t) {
		case "":
			err = unknownMemberError(name, members)
		case "freeschemaQueries":
			err = checkNodes(node[name], t, members)
		case "orderBy":
			err = checkNodes(node[name], reflect.TypeFor[wire.OrderBy](), orderMembers)
		case "filters":
			err = checkNodes(node[name], reflect.TypeFor[wire.Filter](), filterMembers)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkNodes(list json.RawMessage, t reflect.Type, members [][2]string) error {
	var nodes []json.RawMessage
	err := json.Unmarshal(list, &nodes)
	for _, node := range nodes {
		err = cmp.Or(err, checkNode(node, t, members))
	}
	return err
}

// contractName returns the name of a member in the spelling of the contract, ignoring case, or "" if the member does not exist.
func contractName(name string, t reflect.Type) string {
	for field := range t.Fields() {
		if tag := field.Tag.Get("json"); strings.EqualFold(tag, name) {
			return tag
		}
	}
	for _, member := range ignoredMembers {
		if strings.EqualFold(member, name) {
			return member
		}
	}
	return ""
}

// unknownMemberError returns the error for an unknown member. It suggests a member with the same meaning or a similar name.
func unknownMemberError(name string, members [][2]string) error {
	suggestion, distance := memberAliases[name], 0
	if suggestion == "" {
		suggestion, distance = closestMember(name, members)
	}
	if 2*distance > len(name) {
		return graph.Errorf(graph.Invalid, "a query has no member %q; weft query --help lists them", graph.Clip(name))
	}
	return graph.Errorf(graph.Invalid, "a query has no member %q; did you mean %q?", graph.Clip(name), suggestion)
}

// memberAliases maps names of members in Go and TypeScript to their names in the contract.
var memberAliases = map[string]string{
	"pageSize": "inpage", "hops": "freeschemaQueries", "connection": "typeConnection",
	"legacy": "isOldConnectionType", "logic": "filterLogic", "include": "includeInFilter", "ancestor": "filterAncestor",
	"on": "operateon", "op": "logicoperator",
}

// closestMember returns the member with the smallest edit distance from a name.
func closestMember(name string, members [][2]string) (best string, distance int) {
	distance = len(name) + 1
	for _, m := range members {
		candidate := strings.TrimSpace(m[0])
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate)); d < distance {
			best, distance = candidate, d
		}
	}
	return best, distance
}

// editDistance returns the number of bytes that must be inserted, removed or replaced to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

func memberList() string {
	var list strings.Builder
	nested := map[string][][2]string{"orderBy": orderMembers, "filters": filterMembers}
	for _, m := range members {
		for _, m := range append([][2]string{m}, nested[m[0]]...) {
			fmt.Fprintf(&list, "    %-18s %s\n", m[0], m[1])
		}
	}
	return list.String()
}
