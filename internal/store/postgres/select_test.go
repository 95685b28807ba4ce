package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/shop"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/postgres"
)

// Selections use indexes, and read tables in the order of the set.
func TestSelectUsesIndexes(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s := open(t, url)
	if err := shop.Generate(t.Context(), s, shop.Size{Customers: 15_000, Orders: 1_000, Products: 100}, nil); err != nil {
		t.Fatal(err)
	}
	execute(t, url, "analyze")
	types, err := graph.TypesNamed(t.Context(), s, "the_email", "the_date", "the_status", "the_customer_email", "the_order_customer",
		"the_order_status", "the_order_s_line", "the_line_product", "the_product_name", "the_title")
	if err != nil {
		t.Fatal(err)
	}
	where := func(typ string, op graph.Op, text string) graph.Set {
		return graph.Instances{Type: types[typ].ID, Where: &graph.Predicate{Op: op, Text: text}}
	}
	out := func(typ string, far graph.Set) graph.Set {
		return graph.Linked{Types: []graph.ID{types[typ].ID}, Far: far}
	}
	for name, row := range map[string]struct {
		set     graph.Set
		indexes []string // in the order of the plan
	}{
		"equality":          {where("the_status", graph.Equal, "open"), []string{"concept_key"}},
		"range":             {where("the_date", graph.Greater, "2024-12-01"), []string{"concept_key"}},
		"like":              {where("the_email", graph.Like, "%anna.m%"), []string{"concept_folded"}},
		"like in all types": {graph.Instances{Where: &graph.Predicate{Op: graph.Like, Text: "%anna.m%"}}, []string{"concept_folded"}},
		"equality in all types": {
			graph.Instances{Where: &graph.Predicate{Op: graph.Equal, Text: "open"}}, []string{"concept_kind_category", "concept_key"},
		},
		"one hop": {out("the_order_status", where("the_status", graph.Equal, "open")), []string{"concept_key", "connection_target"}},
		"two hops": {
			out("the_order_customer", out("the_customer_email", where("the_email", graph.Like, "%anna.m%"))),
			[]string{"concept_folded", "connection_target", "connection_target"},
		},
		"three hops": {
			out("the_order_s_line", out("the_line_product", out("the_product_name", where("the_title", graph.Equal, "x")))),
			[]string{"concept_key", "connection_target", "connection_target", "connection_target"},
		},
		"a checked set": {
			graph.Intersection{graph.IDs{100_000, 100_001}, out("the_order_status", where("the_status", graph.Equal, "open"))},
			[]string{"concept_pkey", "connection_pkey", "concept_pkey"},
		},
	} {
		for _, viewer := range []graph.ID{0, 3001} {
			plan, err := s.Explain(t.Context(), graph.Selection{Set: row.set, Viewer: viewer, Unordered: true, Page: graph.Page{Limit: 1_000}})
			if err != nil || strings.Contains(plan, "Seq Scan") {
				t.Errorf("%s, as %d: %v\n%s", name, viewer, err, plan)
			}
			rest := plan
			for _, index := range row.indexes {
				index = indexFor(viewer, index)
				_, after, found := strings.Cut(rest, " "+index+" ")
				if rest = after; !found {
					t.Errorf("%s, as %d, does not use %v\n%s", name, viewer, row.indexes, plan)
					break
				}
			}
		}
	}
}

// indexFor returns the index that a selection of a viewer uses instead of the given index. Without a viewer, only concept_key
// is replaced, by concept_key_scope, from which keys in scope 0 are read.
func indexFor(viewer graph.ID, index string) string {
	switch {
	case index == "concept_key":
		return "concept_key_scope"
	case viewer != 0 && index == "connection_target":
		return "connection_target_scope"
	case viewer != 0 && index == "connection_pkey":
		return "connection_source_scope"
	default:
		return index
	}
}

// Predicates select the same values as Predicate.Holds, even if keys are cut or values contain SQL wildcards.
func TestSelectAgreesWithPredicateHolds(t *testing.T) {
	t.Parallel()
	s := open(t, pgtest.Database(t))
	long := strings.Repeat("ÄbÇ", 42) // 126 letters, 210 bytes
	texts := []string{
		"", "a", "A", "b", "ab", "Ä", "ä", "\u1e9e", "a_b", "axb", "a%b", `a\b`, "it's", "$1", "-- x", "1", "1.0", "-1", "01", "2024-02-29", "2024-02-29T00:00:00Z",
		long, strings.ToLower(long), long + "a", long + "B", long + "b\u00fc", long[:127], long[:126], long[:128], strings.Repeat("x", 126), strings.Repeat("x", 127),
		strings.Repeat("x", 128), strings.Repeat("x", 300), strings.Repeat("x", 299) + "y",
	}
	b := graph.Batch{Sender: graph.Sender{User: 3001}, Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_thing"}}}
	for _, text := range texts {
		if graph.CheckText("a text", text) == nil {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: "the_thing", Value: text})
		}
	}
	receipt, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(texts, "%", "%a%", "%b%a%", "a\x00", long+"\x00", long+"a\x00", "%\x00%", "\xff", "%\xff%", "%xx%xy", "%'%", `%\%`, "%_%") {
		for _, op := range append(graph.Ops(), "?") {
			p := graph.Predicate{Op: op, Text: text}
			var want []graph.ID
			for _, c := range receipt.Concepts {
				if p.Holds(c) {
					want = append(want, c.ID)
				}
			}
			slices.Sort(want)
			typed := graph.Selection{Set: graph.Instances{Type: receipt.Concepts[0].Type, Where: &p}}
			checked := graph.Selection{Set: graph.Intersection{graph.IDs(idsOf(receipt.Concepts)), graph.Instances{Where: &p}}}
			for _, selection := range []graph.Selection{typed, checked} {
				if found, err := s.Select(t.Context(), selection); err != nil || !slices.Equal(found, slices.Compact(want)) {
					t.Errorf("%s %q: %v (%v); want %v", op, graph.Clip(text), found, err, want)
				}
			}
		}
	}
}

// One lamp is connected to a hundred hooks and another lamp to one hook. A search that reads only a few connections finds only
// the first lamp, many times.
func TestSelectFewFindsEnough(t *testing.T) {
	t.Parallel()
	s := open(t, pgtest.Database(t))
	b := graph.Batch{Sender: graph.Sender{User: 3001}, Concepts: []graph.ConceptDraft{
		{LocalID: -1, TypeName: "the_lamp", Value: "often"}, {LocalID: -2, TypeName: "the_lamp", Value: "once"},
	}}
	for i := range 101 {
		hook, lamp := graph.ID(-3-i), graph.ID(-1-i/100)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: hook, TypeName: "the_hook", Value: fmt.Sprint("hook ", i)})
		b.Connections = append(b.Connections,
			graph.ConnectionDraft{From: hook, To: lamp, TypeName: "the_hook_lamp"}, graph.ConnectionDraft{From: lamp, To: lamp - 1, TypeName: "the_lamp_next"})
	}
	receipt, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	all := idsOf(receipt.Concepts)
	onHooks := graph.Linked{
		Types: []graph.ID{receipt.Connections[0].Type}, Direction: graph.In,
		Far: graph.Instances{Type: receipt.Concepts[2].Type, Where: &graph.Predicate{Op: graph.Like, Text: "%HOOK%"}},
	}
	for name, row := range map[string]struct {
		set  graph.Set
		want []graph.ID
	}{
		"one hop":  {onHooks, all[:2]},
		"two hops": {graph.Linked{Types: []graph.ID{receipt.Connections[1].Type}, Direction: graph.In, Far: onHooks}, all[1:3]},
		"union":    {graph.Union{onHooks, graph.IDs{all[0]}}, all[:2]},
	} {
		for limit := 1; limit <= 3; limit++ {
			found, err := s.Select(t.Context(), graph.Selection{Set: row.set, Unordered: true, Page: graph.Page{Limit: limit}})
			slices.Sort(found)
			allWanted := !slices.ContainsFunc(found, func(id graph.ID) bool { return !slices.Contains(row.want, id) })
			if err != nil || !allWanted || len(slices.Compact(found)) != min(limit, 2) {
				t.Errorf("%s, at most %d: %v of %v (%v)", name, limit, found, row.want, err)
			}
		}
	}
}

// Two servers write and remove records of three lamps while others select them. No selection may see a part of a record, and
// Sizes must agree with the records.
func TestSelectionsSeeWholeBatchesOfTwoServers(t *testing.T) {
	t.Parallel()
	const rounds = 40
	url := pgtest.Database(t)
	stores := []*postgres.Store{open(t, url), open(t, url)}
	typ, lit, err := lamps(t.Context(), stores[0])
	if err != nil {
		t.Fatal(err)
	}
	var writing, reading sync.WaitGroup
	written := make(chan struct{})
	for i, s := range stores {
		writing.Go(func() {
			by := graph.Sender{User: graph.ID(3001 + i)}
			for n := range rounds {
				b := graph.Batch{Sender: by}
				for range 3 {
					b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: "the_lamp", Value: fmt.Sprint("Lit ", i, n, len(b.Concepts)), Access: graph.Public})
				}
				receipt, err := s.Write(t.Context(), b)
				if err == nil && n%4 > 0 {
					_, err = s.Write(t.Context(), graph.Batch{Sender: by, RemoveConcepts: idsOf(receipt.Concepts)})
				}
				if err != nil {
					t.Errorf("round %d of server %d: %v", n, i, err)
					return
				}
			}
		})
		reading.Go(func() {
			for done := false; !done; {
				select {
				case <-written:
					done = true
				default:
				}
				found, err := s.Select(t.Context(), lit)
				n, secondErr := s.CountByType(t.Context(), typ, 0)
				if err != nil || secondErr != nil || len(found)%3 != 0 || n%3 != 1 {
					t.Errorf("%d are lit of %d (%v, %v); want whole batches: a multiple of three, of one more than a multiple of three", len(found), n, err, secondErr)
					return
				}
			}
		})
	}
	writing.Wait()
	close(written)
	reading.Wait()
	const remaining = 2 * rounds / 4 * 3
	for _, s := range stores {
		found, err := s.Select(t.Context(), lit)
		sizes, secondErr := s.Sizes(t.Context(), []graph.ID{typ})
		if err != nil || secondErr != nil || len(found) != remaining || sizes[0].Instances != remaining+1 {
			t.Errorf("at the end %d are lit, of %v (%v, %v); want %d of %d", len(found), sizes, err, secondErr, remaining, remaining+1)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// lamps writes a lamp that is not lit, and returns the type of lamps and the selection of the lamps that are lit.
func lamps(ctx context.Context, s graph.Store) (typ graph.ID, lit graph.Selection, err error) {
	receipt, err := s.Write(ctx, graph.Batch{
		Sender: graph.Sender{User: 3001}, Concepts: []graph.ConceptDraft{{TypeName: "the_lamp", Value: "off", Access: graph.Public}},
	})
	if err != nil {
		return 0, lit, err
	}
	typ = receipt.Concepts[0].Type
	return typ, graph.Selection{Set: graph.Instances{Type: typ, Where: &graph.Predicate{Op: graph.Like, Text: "LIT%"}}}, nil
}

func idsOf(concepts []graph.Concept) (ids []graph.ID) {
	for _, c := range concepts {
		ids = append(ids, c.ID)
	}
	return ids
}

// If the index for Like cannot be created, Listen must log this once, and selections must find values without the
// index.
func TestSelectLikeWithoutAnIndex(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	execute(t, url, `create role plain login; grant create, usage on schema public to plain`)
	plain := strings.Replace(url, "weft@", "plain@", 1)
	for _, times := range []int{1, 0} {
		s := open(t, plain)
		logged := &bytes.Buffer{}
		s.LogTo(slog.New(slog.NewTextHandler(logged, nil)))
		if n := strings.Count(logged.String(), "pg_trgm"); min(n, 1) != times {
			t.Errorf("logged %q; want %d warnings about pg_trgm", logged, times)
		}
		_, lit, err := lamps(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: 3001}, Concepts: []graph.ConceptDraft{{TypeName: "the_lamp", Value: "is Lit"}}}); err != nil {
			t.Fatal(err)
		}
		if found, err := s.Select(t.Context(), lit); err != nil || len(found) != 1 {
			t.Errorf("found %v (%v); want one concept", found, err)
		}
		execute(t, url, `create extension if not exists pg_trgm`) // as the log advises an operator
	}
	execute(t, url, `drop owned by plain; drop role plain`)
}

func TestCheckFindsDamage(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		`update concept set key = 'xon' where value = 'off'`:   `"off", has a wrong key or folded value`,
		`update concept set folded = 'on' where value = 'off'`: `"off", has a wrong key or folded value`,
		`update tally set n = n + 1 where part = 0`:            `in part 0; the tally is 2`,
		`delete from tally where part = -2`:                    `in part -2; the tally is 0`,
	} {
		url := pgtest.Database(t)
		s := open(t, url)
		if _, _, err := lamps(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		execute(t, url, statement)
		if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("after %s: %v", statement, err)
		}
	}
}
