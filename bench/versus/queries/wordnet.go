package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// wordnetQuestions returns questions about synsets deep in the tree of hypernyms, and about the text of glosses.
func wordnetQuestions(ctx context.Context, h *handwritten) ([]question, error) {
	deep, err := h.run(ctx, h.build("", `select n.source from connection n where n.type = #the_synset_s_hypernym
		and not exists (select 1 from connection m where m.target = n.source and m.type = n.type) order by n.source limit 5 offset 20000`).text)
	if err != nil {
		return nil, err
	}
	var leaves []graph.ID
	for _, row := range deep {
		leaves = append(leaves, row[0])
	}
	return []question{
		newQuestion("WordNet: all hypernyms of a synset, with glosses", ids(leaves), func(synset string) string {
			up := strings.Replace(hop("the_synset_s_hypernym", ""), "{", `{"depth":20,"selectors":["the_synset_gloss"],`, 1)
			return fmt.Sprintf(`{"conceptIds":[%s],"outputFormat":2%s}`, synset, hops([]string{up}))
		}, func(h *handwritten, synset string) []statement {
			return []statement{h.build(links, `with recursive up(link, target) as (
				select n.id, n.target from connection n where n.source = {} and n.type = #the_synset_s_hypernym [n, n.target]
				union select n.id, n.target from up cross join connection n where n.source = up.target and n.type = #the_synset_s_hypernym [n, n.target])
				select link from up union all
				select g.id from up cross join connection g where g.source = up.target and g.type = #the_synset_gloss [g, g.target]`, synset)}
		}),
		newQuestion("WordNet: like on 117,000 glosses", []string{"%wild%animal%", "%musical%instrument%", "%tree%bark%", "%king of%", "%unit of%length%"}, func(pattern string) string {
			return queryJSON("the_synset", 20, "a", filter("a", "gloss", "the_gloss", "like", pattern), hop("the_synset_gloss", "gloss"))
		}, func(h *handwritten, pattern string) []statement {
			return []statement{
				h.build(roots, `select distinct n.source from ({}) v cross join connection n where n.target = v.id
					and n.type = #the_synset_gloss [n, n.source] order by 1 desc limit 20`, h.like(h.types["the_gloss"], pattern)),
				h.build(links, `select n.id from $roots cross join connection n where n.source = r.value and n.type = #the_synset_gloss [n, n.target]`),
			}
		}),
	}, nil
}
