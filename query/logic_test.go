package query_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

func TestParseLogic(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"AND binds tighter than OR", "a OR b AND c OR d", "a OR b AND c OR d"},
		{"parentheses are spaced", "( a OR b ) AND c", "(a OR b) AND c"},
		{"or attached", "(a OR b)AND(c)", "(a OR b) AND c"},
		{"NOT binds tighter than AND", "NOT a AND b", "NOT a AND b"},
		{"EXAND binds tighter than NOT", "NOT a EXAND b", "NOT a EXAND b"},
		{"a NOT on the right of EXAND reaches as far as any other", "a EXAND NOT b EXAND c AND d", "a EXAND NOT b EXAND c AND d"},
		{"and is kept apart where it would reach too far", "a EXAND (NOT b) EXAND c", "a EXAND (NOT b) EXAND c"},
		{"what parentheses do not change they leave", "(a AND (b AND c)) OR (d OR e)", "a AND b AND c OR d OR e"},
		{"an EXAND in an EXAND stays", "(a EXAND b) EXAND c", "(a EXAND b) EXAND c"},
		{"two NOTs", "NOT(NOT a)", "NOT NOT a"},
		{"words in lower case are names", "and AND or OR not", "and AND or OR not"},
		{"a name is what stands between spaces and parentheses", "\tprice>5\r\nAND (für-alle!)", "price>5 AND für-alle!"},
		{"nothing", "  ", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			l, ok, err := query.ParseLogic(c.text)
			if err != nil || ok != (c.want != "") || ok && l.String() != c.want {
				t.Errorf("%q is %v, %v, %v; want %q", c.text, l, ok, err, c.want)
			}
		})
	}
	flat, _, err := query.ParseLogic("a AND b AND (c AND d)")
	if err != nil || flat.Op != query.And || len(flat.Of) != 4 || flat.Of[3].At != 19 {
		t.Errorf("a chain is %+v, %v", flat, err)
	}
}

func TestLogicSaysWhereItBreaks(t *testing.T) {
	long := strings.Repeat("name AND ", 20)
	for _, c := range []struct{ text, want string }{
		{"a AND", `the logic at character 6: the end where the name of a filter, NOT or "(" belongs: a AND⟦⟧`},
		{"ä AND ) b", `the logic at character 7: ")" where the name of a filter, NOT or "(" belongs: ä AND ⟦)⟧ b`},
		{"a b", `the logic at character 3: "b" where AND, OR, EXAND or the end belongs: a ⟦b⟧`},
		{"(a OR b", `the logic at character 8: the end where AND, OR, EXAND or ")" belongs: (a OR b⟦⟧`},
		{"a)", `the logic at character 2: ")" where AND, OR, EXAND or the end belongs: a⟦)⟧`},
		{long + "OR " + long, `the logic at character 181: "OR" where the name of a filter, NOT or "(" belongs: …ND name AND name AND name AND ⟦OR⟧ name AND name AND name AND na…`},
	} {
		_, _, err := query.ParseLogic(c.text)
		if err == nil || graph.KindOf(err) != graph.Invalid {
			t.Errorf("%q: %v; want an invalid one", c.text, err)
		} else if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("%q:\n%s", c.text, diff)
		}
	}
}

func TestLogicHasLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("(NOT ", n/2) + "a" + strings.Repeat(")", n/2) }
	if _, _, err := query.ParseLogic(deep(query.MaxLogicDepth)); err != nil {
		t.Errorf("as deep as it may be: %v", err)
	}
	for _, text := range []string{deep(query.MaxLogicDepth + 2), strings.Repeat(" ", query.MaxLogic+1)} {
		if _, _, err := query.ParseLogic(text); graph.KindOf(err) != graph.TooLarge {
			t.Errorf("%.20q…: %v; want one that says it is too large", text, err)
		}
	}
}

func TestExpressionLeavesOutNamesThatNoFilterHas(t *testing.T) {
	filters := []query.Filter{{Name: "a"}, {Name: "b"}, {Name: "b"}}
	for text, want := range map[string]string{
		"a AND x":                "a",
		"a EXAND x AND b":        "a AND b",
		"NOT x OR (a AND NOT b)": "a AND NOT b",
		"x AND (a AND (b OR y))": "a AND b",
		"NOT (x OR y)":           "",
	} {
		l, ok, err := query.Query{Filters: filters, Logic: text}.Expression()
		if err != nil || ok != (want != "") || ok && l.String() != want {
			t.Errorf("%q is %v, %v, %v; want %q", text, l, ok, err, want)
		}
	}
}
