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
		{"parentheses may have spaces around them", "( a OR b ) AND c", "(a OR b) AND c"},
		{"parentheses may be without spaces", "(a OR b)AND(c)", "(a OR b) AND c"},
		{"NOT binds tighter than AND", "NOT a AND b", "NOT a AND b"},
		{"EXAND binds tighter than NOT", "NOT a EXAND b", "NOT a EXAND b"},
		{"NOT to the right of EXAND extends as far as any other NOT", "a EXAND NOT b EXAND c AND d", "a EXAND NOT b EXAND c AND d"},
		{"parentheses limit a NOT to the left of EXAND", "a EXAND (NOT b) EXAND c", "a EXAND (NOT b) EXAND c"},
		{"redundant parentheses are removed", "(a AND (b AND c)) OR (d OR e)", "a AND b AND c OR d OR e"},
		{"EXAND in EXAND is not flattened", "(a EXAND b) EXAND c", "(a EXAND b) EXAND c"},
		{"NOT of NOT is kept", "NOT(NOT a)", "NOT NOT a"},
		{"operators in lower case are names", "and AND or OR not", "and AND or OR not"},
		{"names end at white space and parentheses", "\tprice>5\r\nAND (für-alle!)", "price>5 AND für-alle!"},
		{"white space is not an expression", "  ", ""},
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
		t.Errorf("the chain = %+v, %v; want one AND of 4 operands, the last at 19", flat, err)
	}
}

func TestParseLogicReportsThePosition(t *testing.T) {
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
			t.Errorf("%q: %v; want an invalid error", c.text, err)
		} else if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("%q:\n%s", c.text, diff)
		}
	}
}

func TestParseLogicHasLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("(NOT ", n/2) + "a" + strings.Repeat(")", n/2) }
	if _, _, err := query.ParseLogic(deep(query.MaxLogicDepth)); err != nil {
		t.Errorf("at the largest depth: %v", err)
	}
	for _, text := range []string{deep(query.MaxLogicDepth + 2), strings.Repeat(" ", query.MaxLogicBytes+1)} {
		if _, _, err := query.ParseLogic(text); graph.KindOf(err) != graph.TooLarge {
			t.Errorf("%.20q…: %v; want a tooLarge error", text, err)
		}
	}
}

func TestExpressionOmitsUnknownNames(t *testing.T) {
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
