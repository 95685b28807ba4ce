package sqlite

import (
	"regexp"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
)

// TestPlans sees that what is small is found without reading what is large, and before it: no table is read whole, and what is
// gathered is not put aside.
func TestPlans(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	is := func(op graph.Op, text string) graph.Instances {
		return graph.Instances{Type: 7, Where: &graph.Predicate{Op: op, Text: text}}
	}
	of := func(field graph.Field, op graph.Op) graph.Instances {
		return graph.Instances{Where: &graph.Predicate{Field: field, Op: op, Number: 9}}
	}
	hop := func(far graph.Set) graph.Linked { return graph.Linked{Types: []graph.ID{8}, Far: far} }
	back := func(far graph.Set) graph.Linked {
		return graph.Linked{Types: []graph.ID{8, 9}, Far: far, Direction: graph.In}
	}
	deep := graph.Linked{Types: []graph.ID{8}, Far: is(graph.Equal, "Ann"), Depth: 5}
	const (
		byKey      = "value_key USING PRIMARY KEY (type=? AND key=?"
		byInstance = "concept_instance (type=?"
	)
	for name, row := range map[string]struct {
		set   graph.Set
		first string // what is read first
	}{
		"ids":                        {graph.These{1, 2}, "concept USING INTEGER PRIMARY KEY"},
		"instances":                  {graph.Instances{Type: 7}, byInstance},
		"equal":                      {is(graph.Equal, "Ann"), byKey},
		"equal, long":                {is(graph.Equal, strings.Repeat("x", 200)), byKey},
		"equal, any type":            {graph.Instances{Where: &graph.Predicate{Op: graph.Equal, Text: "Ann"}}, "size"},
		"a range":                    {is(graph.GreaterOrEqual, "12"), "value_key USING PRIMARY KEY (type=? AND key>? AND key<?"},
		"a range that has the empty": {is(graph.Less, "B"), "value_key USING PRIMARY KEY (type=? AND key>? AND key<?"},
		"like":                       {is(graph.Like, "%nna%"), "value_text"},
		"like, any type":             {graph.Instances{Where: &graph.Predicate{Op: graph.Like, Text: "%nna%"}}, "value_text"},
		"the type":                   {of(graph.FieldType, graph.Equal), byInstance},
		"the id":                     {of(graph.FieldID, graph.Equal), "concept USING INTEGER PRIMARY KEY"},
		"one hop":                    {hop(is(graph.Equal, "Ann")), byKey},
		"one hop from all":           {hop(graph.Instances{Type: 7}), byInstance},
		"one hop from anything":      {hop(nil), "connection_type (type=?)"},
		"one hop back":               {back(is(graph.Equal, "Ann")), byKey},
		"three hops":                 {hop(back(hop(is(graph.Equal, "Ann")))), byKey},
		"deep":                       {deep, byKey},
		"a composition":              {graph.Holders{Of: is(graph.Equal, "Ann")}, byKey},
		"either":                     {graph.Either{hop(is(graph.Equal, "Ann")), hop(is(graph.Like, "Anna"))}, byKey},
		"checks": {graph.Both{
			hop(is(graph.Equal, "Ann")),
			graph.Instances{Type: 7},
			is(graph.Less, "B"), hop(back(is(graph.Greater, "3"))),
			graph.Except{Of: deep},
			graph.Either{graph.Holders{Of: is(graph.Equal, "Ann")}, hop(graph.These{5})},
			hop(graph.Both{is(graph.Like, "x"), back(graph.These{5})}),
		}, byKey},
	} {
		for _, selection := range []graph.Selection{
			{Set: row.set, Unordered: true, Page: graph.Page{Limit: 10}},
			{Set: row.set, Unordered: true, Page: graph.Page{Limit: 10}, Viewer: 1001},
			{Set: row.set, Page: graph.Page{Limit: 10, After: 5}},
			{Set: row.set, Page: graph.Page{Limit: 10, After: 5, Descending: true}, Viewer: 1001},
		} {
			plan := planOf(t, s.Reader, selection)
			if first := firstRead(plan); !strings.Contains(first, row.first) {
				t.Errorf("%s, viewer %d, unordered %v: first %s, not %s\n%s", name, selection.Viewer, selection.Unordered, first, row.first, plan)
			}
			if found := wholeTable.FindString(plan); found != "" {
				t.Errorf("%s, viewer %d, unordered %v: %s\n%s", name, selection.Viewer, selection.Unordered, found, plan)
			}
			if selection.Unordered && strings.Contains(plan, "MATERIALIZE") {
				t.Errorf("%s, viewer %d: something is put aside\n%s", name, selection.Viewer, plan)
			}
		}
	}
}

// wholeTable finds the reading of all rows of a table that may be large.
var wholeTable = regexp.MustCompile(`SCAN (c|l|v)\d+( USING .*(concept_instance|PRIMARY KEY|connection_\w+))?\n`)

// firstRead is the first line of a plan that reads a table.
func firstRead(plan string) string {
	for line := range strings.Lines(plan) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "SEARCH ") || strings.HasPrefix(line, "SCAN ") {
			return tableNames.ReplaceAllStringFunc(line, func(name string) string {
				return map[byte]string{'c': "concept", 'l': "connection", 'v': "value_key", 'x': "value_text", 't': "size"}[name[0]]
			})
		}
	}
	return ""
}

var tableNames = regexp.MustCompile(`\b[clvxt]\d+\b`)

// planOf is a plan as an outline.
func planOf(t *testing.T, r *Reader, s graph.Selection) string {
	t.Helper()
	text, args, err := sqlstore.Compile(dialect{}, s)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := r.db.QueryContext(t.Context(), "explain query plan "+text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	var plan strings.Builder
	depth := map[int]int{}
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		depth[id] = depth[parent] + 1
		plan.WriteString(strings.Repeat("  ", depth[id]) + detail + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
