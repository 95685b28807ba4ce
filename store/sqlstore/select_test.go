package sqlstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
)

// plain is a database that has an index for "=" only.
type plain struct{}

func (plain) Parameter(n int) string                { return fmt.Sprint("?", n) }
func (plain) IDs(ids []graph.ID) any                { return ids }
func (plain) Among(column, parameter string) string { return column + " in " + parameter }
func (plain) Exists(selected string) string         { return "exists (" + selected + ")" }

func (plain) Join(table, name string, on []string) string {
	return " join " + table + " " + name + " on " + strings.Join(on, " and ")
}

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
			"some ids, from the end",
			graph.Selection{Set: graph.These{1, 2}, Page: graph.Page{After: 9, Descending: true}},
			"select c1.id as id from concept c1 where c1.id in ?1 and c1.id < ?2 order by 1 desc limit 0 offset 0",
		},
		{
			"a few in any order",
			graph.Selection{Set: out(graph.Instances{Type: 7, Where: equal}, 5), Page: graph.Page{Limit: 3, Skip: 1}, Unordered: true},
			"select distinct l1.source as id from (select distinct v2.id as id from value v2 where v2.type = ?2 and v2.key = ?3) f3" +
				" join connection l1 on l1.target = f3.id and l1.type = ?1 limit 3 offset 0",
		},
		{
			"what a viewer sees",
			graph.Selection{Set: graph.Instances{Type: 7, Where: equal}, Viewer: 1001},
			"select distinct v1.id as id from value v1 where v1.type = ?2 and v1.key = ?3 and v1.scope in (0, ?1) order by 1 limit 0 offset 0",
		},
		{
			"checks on what comes first",
			graph.Selection{Set: graph.Both{
				graph.Instances{Type: 7, Where: less}, out(graph.These{3}, 5, 6), graph.Except{Of: graph.Linked{Types: []graph.ID{8}, Direction: graph.In, Far: graph.Instances{Type: 9}}},
			}, Unordered: true},
			"select c1.id as id from concept c1 where c1.type = ?1 and c1.category = 4 and holds(c1, '<', ?2)" +
				" and exists (select 1 from connection l2 where l2.source = c1.id and l2.type in ?3 and l2.target in ?4)" +
				" and not (exists (select 1 from connection l3 join concept c4 on c4.id = l3.source where l3.target = c1.id and l3.type = ?5" +
				" and c4.type = ?6 and c4.category = 4)) limit 0 offset 0",
		},
		{
			"walks",
			graph.Selection{Set: graph.Linked{Types: []graph.ID{5}, Far: graph.These{3}, Depth: 4}, Unordered: true},
			"select f4.id as id from (with recursive w2(id, n) as (select c1.id, 0 from concept c1 where c1.id in ?1" +
				" union select l3.source, w2.n + 1 from w2 join connection l3 on l3.target = w2.id and l3.type = ?2 where w2.n < ?3)" +
				" select distinct id from w2 where n > 0) f4 limit 0 offset 0",
		},
		{
			"compositions around values",
			graph.Selection{Set: graph.Holders{Of: graph.These{3}}, Unordered: true},
			"select distinct c3.id as id from concept c1 join connection l2 on l2.target = c1.id join concept c3 on c3.id = l2.type and c3.composition" +
				" where c1.id in ?1 limit 0 offset 0",
		},
		{
			"any of several",
			graph.Selection{Set: graph.Either{graph.These{1}, out(nil, 5)}, Unordered: true},
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
		"nothing comes twice": {graph.These{1}, "select c1.id as id from concept c1 where c1.id in ?1 limit 3 offset 0"},
		"two hops": {
			out(out(graph.These{1})),
			"with s5 as materialized (select l2.source as id from concept c3 join connection l2 on l2.target = c3.id and l2.type = ?2 where c3.id in ?3 limit 12 offset 0)," +
				" s6 as materialized (select l1.source as id from (select distinct id from s5) f4 join connection l1 on l1.target = f4.id and l1.type = ?1 limit 12 offset 0)" +
				" select distinct id from s6 union all select 0 where (select count(*) from s5) >= ?4 or (select count(*) from s6) >= ?5",
		},
	} {
		got, _, err := sqlstore.Few(plain{}, graph.Selection{Set: row.set, Unordered: true, Page: graph.Page{Limit: 3}}, 12)
		if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestWhatIsNoSetIsNotCompiled(t *testing.T) {
	except := graph.Except{Of: graph.These{1}}
	for _, set := range []graph.Set{
		except,
		graph.Both{},
		graph.Both{except, graph.These{2}},
		graph.Either{except},
		graph.Linked{Far: except},
		graph.Linked{Far: except, Depth: 2},
		graph.Holders{Of: except},
	} {
		if text, _, err := sqlstore.Compile(plain{}, graph.Selection{Set: set}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%#v is %q, %v", set, text, err)
		}
	}
}
