package sqlstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// plain is a database that has an index for "=" only.
type plain struct{}

func (plain) Parameter(n int) string                { return fmt.Sprint("?", n) }
func (plain) IDs(ids []graph.ID) any                { return ids }
func (plain) Among(column, parameter string) string { return column + " in " + parameter }
func (plain) Exists(selected string) string         { return "exists (" + selected + ")" }

func (plain) Join(table, _ string, on []string) string {
	return " join " + table + " on " + strings.Join(on, " and ")
}

func (plain) Visible(c *sqlstore.Compiler, table, name string, where sqlstore.Column) sqlstore.VisibleTable {
	scopes := c.Name("s")
	v := sqlstore.VisibleTable{Scopes: "scopes(" + c.Viewer() + ") " + scopes, Table: table + " " + name, On: []string{name + ".scope = " + scopes + ".id"}, Type: name + ".type"}
	if where.Value != "" {
		v.On = append(v.On, name+"."+where.Name+" = "+where.Value)
	}
	return v
}

func (plain) InScope(concept, typ, scope string) []string {
	return []string{concept + ".type = " + typ, concept + ".scope = " + scope}
}

func (plain) Scope(concept string) string { return concept + ".scope" }

func (plain) Page(_ *sqlstore.Compiler, limit, skip int) string {
	return fmt.Sprintf(" limit %d offset %d", limit, skip)
}

func (plain) Values(c *sqlstore.Compiler, typ graph.ID, p graph.Predicate, _ []graph.Predicate) []sqlstore.Source {
	if p.Op != graph.Equal {
		return nil
	}
	v := c.Name("v")
	return []sqlstore.Source{{
		From: "value " + v, Where: []string{v + ".type = " + c.Arg(typ), v + ".key = " + c.Arg(p.Text)}, ID: v + ".id", Scope: v + ".scope",
	}}
}

func (plain) Holds(c *sqlstore.Compiler, concept string, p graph.Predicate) string {
	return fmt.Sprintf("holds(%s, '%s', %s)", concept, p.Op, c.Arg(p.Text))
}

func TestCompile(t *testing.T) {
	equal := &graph.Predicate{Op: graph.Equal, Text: "Ann"}
	less := &graph.Predicate{Op: graph.Less, Text: "B"}
	out := func(far graph.Set, types ...graph.ID) graph.Linked { return graph.Linked{Types: types, Far: far} }
	for _, row := range []struct {
		name      string
		selection graph.Selection
		want      string
	}{
		{
			"a page of instances",
			graph.Selection{Set: graph.Instances{Type: 7}, Page: graph.Page{After: 9, Skip: 2, Limit: 3}},
			"select c1.id as id from concept c1 where c1.type = ?1 and c1.category = 4 and c1.id > ?2 order by 1 limit 3 offset 2",
		},
		{
			"a list of ids, descending",
			graph.Selection{Set: graph.IDs{1, 2}, Page: graph.Page{After: 9, Descending: true}},
			"select c1.id as id from concept c1 where c1.id in ?1 and c1.id < ?2 order by 1 desc limit 0 offset 0",
		},
		{
			"a small limit, unordered",
			graph.Selection{Set: out(graph.Instances{Type: 7, Where: equal}, 5), Page: graph.Page{Limit: 3, Skip: 1}, Unordered: true},
			"select distinct l3.source as id from (select distinct v1.id as id from value v1 where v1.type = ?1 and v1.key = ?2) f2" +
				" join connection l3 on l3.target = f2.id and l3.type = ?3 limit 3 offset 0",
		},
		{
			"a set as one viewer sees it",
			graph.Selection{Set: graph.Instances{Type: 7, Where: equal}, Viewer: 1001},
			"select distinct v1.id as id from value v1 where v1.type = ?2 and v1.key = ?3 and v1.scope in (0, ?1) order by 1 limit 0 offset 0",
		},
		{
			"a page of instances as one viewer sees them",
			graph.Selection{Set: graph.Instances{Type: 7}, Page: graph.Page{After: 9, Skip: 2, Limit: 3}, Viewer: 1001},
			"select id from (select id from (select c1.id as id from concept c1 where c1.type = ?2 and c1.scope = 0 and c1.category = 4 and c1.id > ?3" +
				" order by 1 limit 5 offset 0) f2" +
				" union all select id from (select c3.id as id from concept c3 where c3.type = ?4 and c3.scope = ?1 and c3.category = 4 and c3.id > ?5" +
				" order by 1 limit 5 offset 0) f4) f5 order by 1 limit 3 offset 2",
		},
		{
			"links as one viewer sees them",
			graph.Selection{Set: out(graph.IDs{3}, 5), Viewer: 1001, Unordered: true},
			"select distinct l2.source as id from concept c1 cross join scopes(?1) s3" +
				" join connection l2 on l2.scope = s3.id and l2.target = c1.id and l2.type = ?3" +
				" where c1.id in ?2 and (c1.category <> 4 and not c1.composition or c1.scope in (0, ?1)) limit 0 offset 0",
		},
		{
			"an intersection, whose later sets are checked",
			graph.Selection{Set: graph.Intersection{
				graph.Instances{Type: 7, Where: less}, out(graph.IDs{3}, 5, 6), graph.Complement{Of: graph.Linked{Types: []graph.ID{8}, Direction: graph.In, Far: graph.Instances{Type: 9}}},
			}, Unordered: true},
			"select c1.id as id from concept c1 where c1.type = ?1 and c1.category = 4 and holds(c1, '<', ?2)" +
				" and exists (select 1 from connection l2 where l2.source = c1.id and l2.type in ?3 and l2.target in ?4)" +
				" and not (exists (select 1 from connection l3 join concept c4 on c4.id = l3.source where l3.target = c1.id and l3.type = ?5" +
				" and c4.type = ?6 and c4.category = 4)) limit 0 offset 0",
		},
		{
			"links of a depth above 1",
			graph.Selection{Set: graph.Linked{Types: []graph.ID{5}, Far: graph.IDs{3}, Depth: 4}, Unordered: true},
			"select f3.id as id from (with recursive w2(id, n) as (select c1.id, 0 from concept c1 where c1.id in ?1" +
				" union select l4.source, w2.n + 1 from w2 join connection l4 on l4.target = w2.id and l4.type = ?3 where w2.n < ?2)" +
				" select distinct id from w2 where n > 0) f3 limit 0 offset 0",
		},
		{
			"compositions that hold concepts",
			graph.Selection{Set: graph.Holders{Of: graph.IDs{3}}, Unordered: true},
			"select distinct c3.id as id from concept c1 join connection l2 on l2.target = c1.id join concept c3 on c3.id = l2.type and c3.composition" +
				" where c1.id in ?1 limit 0 offset 0",
		},
		{
			"a union",
			graph.Selection{Set: graph.Union{graph.IDs{1}, out(nil, 5)}, Unordered: true},
			"select distinct f3.id as id from (select c1.id as id from concept c1 where c1.id in ?1" +
				" union all select l2.source as id from connection l2 where l2.type = ?2) f3 limit 0 offset 0",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, _, err := sqlstore.Compile(plain{}, row.selection)
			if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestFew(t *testing.T) {
	out := func(far graph.Set) graph.Set { return graph.Linked{Types: []graph.ID{5}, Far: far} }
	for name, row := range map[string]struct {
		set  graph.Set
		want string
	}{
		"a set without repetitions": {graph.IDs{1}, "select c1.id as id from concept c1 where c1.id in ?1 limit 3 offset 0"},
		"two hops": {
			out(out(graph.IDs{1})),
			"with s4 as materialized (select l2.source as id from concept c1 join connection l2 on l2.target = c1.id and l2.type = ?2 where c1.id in ?1 limit 12 offset 0)," +
				" s6 as materialized (select l5.source as id from (select distinct id from s4) f3 join connection l5 on l5.target = f3.id and l5.type = ?3 limit 12 offset 0)" +
				" select distinct id from s6 union all select 0 where (select count(*) from s4) >= ?4 or (select count(*) from s6) >= ?5",
		},
	} {
		got, _, err := sqlstore.Few(plain{}, graph.Selection{Set: row.set, Unordered: true, Page: graph.Page{Limit: 3}}, 12)
		if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestCompileRefusesSetsThatCannotBeSelected(t *testing.T) {
	except := graph.Complement{Of: graph.IDs{1}}
	for _, set := range []graph.Set{
		except,
		graph.Intersection{},
		graph.Intersection{except, graph.IDs{2}},
		graph.Union{except},
		graph.Linked{Far: except},
		graph.Linked{Far: except, Depth: 2},
		graph.Holders{Of: except},
	} {
		if text, _, err := sqlstore.Compile(plain{}, graph.Selection{Set: set}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("compiling %#v = %q, %v; want unsupported", set, text, err)
		}
	}
}
