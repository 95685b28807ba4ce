package sqlite

import (
	"regexp"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// TestSelectPlans checks the query plans of selections: the first table that is read must be the expected table, no large
// table may be scanned, and unordered results may not be materialized.
func TestSelectPlans(t *testing.T) {
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
		byKey      = "value_key USING PRIMARY KEY (type=? AND scope=? AND key=?"
		byInstance = "concept_instance (type=?"
		byRange    = "value_key USING PRIMARY KEY (type=? AND scope=? AND key>? AND key<?"
	)
	for name, row := range map[string]struct {
		set   graph.Set
		first string // substring of the line that reads the first table
	}{
		"ids":                          {graph.IDs{1, 2}, "concept USING INTEGER PRIMARY KEY"},
		"instances":                    {graph.Instances{Type: 7}, byInstance},
		"equal":                        {is(graph.Equal, "Ann"), byKey},
		"equal, a cut key":             {is(graph.Equal, strings.Repeat("x", 200)), byKey},
		"equal, any type":              {graph.Instances{Where: &graph.Predicate{Op: graph.Equal, Text: "Ann"}}, "size"},
		"a range":                      {is(graph.GreaterOrEqual, "12"), byRange},
		"a range with the empty value": {is(graph.Less, "B"), byRange},
		"like":                         {is(graph.Like, "%nna%"), "value_text"},
		"like, any type":               {graph.Instances{Where: &graph.Predicate{Op: graph.Like, Text: "%nna%"}}, "value_text"},
		"the type":                     {of(graph.FieldType, graph.Equal), byInstance},
		"the id":                       {of(graph.FieldID, graph.Equal), "concept USING INTEGER PRIMARY KEY"},
		"one hop":                      {hop(is(graph.Equal, "Ann")), byKey},
		"one hop from all":             {hop(graph.Instances{Type: 7}), byInstance},
		"one hop from anything":        {hop(nil), "connection_type_scope (type=?"},
		"one hop back":                 {back(is(graph.Equal, "Ann")), byKey},
		"three hops":                   {hop(back(hop(is(graph.Equal, "Ann")))), byKey},
		"links of depth 5":             {deep, byKey},
		"a composition":                {graph.Holders{Of: is(graph.Equal, "Ann")}, byKey},
		"a union":                      {graph.Union{hop(is(graph.Equal, "Ann")), hop(is(graph.Like, "Anna"))}, byKey},
		"checked sets": {graph.Intersection{
			hop(is(graph.Equal, "Ann")),
			graph.Instances{Type: 7},
			is(graph.Less, "B"), hop(back(is(graph.Greater, "3"))),
			graph.Complement{Of: deep},
			graph.Union{graph.Holders{Of: is(graph.Equal, "Ann")}, hop(graph.IDs{5})},
			hop(graph.Intersection{is(graph.Like, "x"), back(graph.IDs{5})}),
		}, byKey},
	} {
		for _, selection := range []graph.Selection{
			{Set: row.set, Unordered: true, Page: graph.Page{Limit: 10}},
			{Set: row.set, Unordered: true, Page: graph.Page{Limit: 10}, Viewer: 1001},
			{Set: row.set, Page: graph.Page{Limit: 10, After: 5}},
			{Set: row.set, Page: graph.Page{Limit: 10, After: 5, Descending: true}, Viewer: 1001},
		} {
			plan := planOf(t, s.Reader, selection)
			expected := row.first
			if selection.Viewer != 0 {
				expected = asViewer.Replace(expected)
				if hidden := hiddenRows.FindString(plan); hidden != "" {
					t.Errorf("%s, viewer %d: reads hidden rows: %s\n%s", name, selection.Viewer, hidden, plan)
				}
			}
			if first := firstRead(plan); !strings.Contains(first, expected) {
				t.Errorf("%s, viewer %d, unordered %v: first %s, not %s\n%s", name, selection.Viewer, selection.Unordered, first, expected, plan)
			}
			if found := wholeTable.FindString(plan); found != "" {
				t.Errorf("%s, viewer %d, unordered %v: %s\n%s", name, selection.Viewer, selection.Unordered, found, plan)
			}
			if selection.Unordered && materialized.MatchString(plan) {
				t.Errorf("%s, viewer %d: a result is materialized\n%s", name, selection.Viewer, plan)
			}
		}
	}
}

// A statement must find a page of the connections of a concept once, and then read these connections by their ids.
func TestPagesOfVisibleLinksAreFoundOnce(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, direction := range []graph.Direction{graph.In, graph.Out} {
		text := visibleLinksQuery(graph.Links{Direction: direction, Page: graph.Page{Limit: 50, Descending: true}})
		plan := explain(t, s.Reader, text, "[9]", "[]", 0, 50, 7)
		if !strings.Contains(plan, "SEARCH c USING INDEX connection_id (id=?)") {
			t.Errorf("the connections are not read by their ids:\n%s", plan)
		}
	}
}

// wholeTable matches a scan of a table that may be large.
var wholeTable = regexp.MustCompile(`SCAN (c|l|v)\d+( USING .*(concept_instance|PRIMARY KEY|connection_\w+))?\n`)

// materialized matches a materialized result other than the two scopes of a viewer.
var materialized = regexp.MustCompile(`MATERIALIZE [^s]`)

// asViewer replaces an index of all rows with the index of the rows in a scope.
var asViewer = strings.NewReplacer("concept_instance (type=?", "concept_type_scope (type=? AND scope=?",
	"connection_type_scope (type=?", "connection_type_scope (type=? AND scope=?")

// hiddenRows matches a read of rows in all scopes. Values that are not indexed yet are few.
var hiddenRows = regexp.MustCompile(`(SEARCH|SCAN) (l\d+ USING [^(]*\((source|target|type)=\?(\)| AND [^s]).*|` +
	`c\d+ USING (COVERING )?INDEX concept_instance \(type=\?\))`)

// firstRead returns the first line of a plan that reads a table.
func firstRead(plan string) string {
	for line := range strings.Lines(plan) {
		if line = strings.TrimSpace(line); (strings.HasPrefix(line, "SEARCH ") || strings.HasPrefix(line, "SCAN ")) && !scopes.MatchString(line) {
			return tableNames.ReplaceAllStringFunc(line, func(name string) string {
				return map[byte]string{'c': "concept", 'l': "connection", 'v': "value_key", 'x': "value_text", 't': "size"}[name[0]]
			})
		}
	}
	return ""
}

// scopes matches a read of the two scopes of a viewer.
var scopes = regexp.MustCompile(`SCAN (CONSTANT ROW|s\d+)$`)

var tableNames = regexp.MustCompile(`\b[clvxt]\d+\b`)

// planOf returns the query plan of a selection, indented.
func planOf(t *testing.T, r *Reader, s graph.Selection) string {
	t.Helper()
	text, args, err := sqlstore.Compile(dialect{}, s)
	if err != nil {
		t.Fatal(err)
	}
	return explain(t, r, text, args...)
}

// explain returns the query plan of a statement, indented.
func explain(t *testing.T, r *Reader, text string, args ...any) string {
	t.Helper()
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

// A part of a composition must be looked up among the connections to the part, where the type is the composition.
func TestOnePartOfACompositionIsLookedUpByItsTarget(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	set := graph.Intersection{graph.IDs{1, 2}, graph.Holders{Of: graph.IDs{5}, Direct: true}}
	for viewer, index := range map[graph.ID]string{0: "connection_target (target=? AND type=?", 1001: "connection_target_scope (target=? AND scope=? AND type=?"} {
		if plan := planOf(t, s.Reader, graph.Selection{Set: set, Unordered: true, Viewer: viewer}); !strings.Contains(plan, index) {
			t.Errorf("viewer %d: the plan does not use %s:\n%s", viewer, index, plan)
		}
	}
}

// The connections of pairs must be found by source, type and, for a viewer, scope.
func TestConnectionsOfPairsAreSought(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all, visible := explain(t, s.Reader, pairLinks(false), "[[1,1]]"), explain(t, s.Reader, pairLinks(true), "[[1,1]]", 7)
	if !strings.Contains(all, "USING PRIMARY KEY (source=? AND type=?)") || !strings.Contains(visible, "connection_source_scope (source=? AND scope=? AND type=?)") {
		t.Errorf("the plans do not find connections by source, type and, for a viewer, scope:\n%s\n%s", all, visible)
	}
}
