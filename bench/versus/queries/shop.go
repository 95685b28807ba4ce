package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// typeNames are all that the questions mention.
var typeNames = []string{
	"the_customer", "the_customer_name", "the_name", "the_customer_city", "the_city", "the_customer_email",
	"the_product", "the_product_name", "the_title", "the_product_s_category", "the_category", "the_category_department",
	"the_order", "the_order_customer", "the_order_date", "the_date", "the_order_total", "the_total", "the_order_status", "the_status",
	"the_order_s_line", "the_line", "the_line_product", "the_line_quantity", "the_quantity",
	"the_synset", "the_synset_s_hypernym", "the_synset_gloss", "the_gloss", "the_word",
}

// What is asked of a shop.
const (
	threeHops       = "equality 3 hops away: orders of a product"
	threeHopsCommon = "… of a product that is in every hundredth order"
	pieces          = "like: customers by two pieces of a name"
	narrowRange     = "a range that one in a thousand is in, a page of 50"
	wideRanges      = "two ranges that a third and half are in, the second page of 50"
	either          = "OR of two branches: a rare city, or a product"
	without         = "NOT exists: customers without an order"
	oneLine         = "EXAND: one line with a product, more than 3 of it"
	oneLineCommon   = "… with a category, more than 5 of it"
	tree            = "a tree of 5 levels from 100 orders"
	children        = "how many orders each of 50 customers has"
	backwards       = "backwards: the newest 20 lines of a product, their orders and customers"
	newest          = "the newest 20 of a million, with date, total and status"
)

// facts are what of a shop the questions are about.
type facts struct {
	common, rare []string   // titles of products that sell much, and of those in the middle
	sold         []graph.ID // of common
	city         string     // where middling many customers live
	big, small   string     // totals that one in a thousand orders is above, and one in three below
}

func learn(ctx context.Context, h *hand, r graph.Reader) (f facts, err error) {
	sold, err := h.run(ctx, h.written("", `select target, count(*) from connection where type = #the_line_product group by target order by 2 desc, 1`).text)
	if err != nil {
		return f, err
	}
	for i := range 5 {
		f.sold = append(f.sold, sold[i*3][0])
		for list, product := range map[*[]string]graph.ID{&f.common: sold[i*3][0], &f.rare: sold[len(sold)/2+i*3][0]} {
			title, err := valueAt(ctx, r, product, h.types["the_product_name"])
			if err != nil {
				return f, err
			}
			*list = append(*list, title)
		}
	}
	cities, err := h.run(ctx, h.written("", `select target, min(source), count(*) from connection where type = #the_customer_city group by target order by 3, 1`).text)
	if err != nil {
		return f, err
	}
	if f.city, err = valueAt(ctx, r, cities[len(cities)/2][1], h.types["the_customer_city"]); err != nil {
		return f, err
	}
	totals, err := h.run(ctx, h.written("", `select cast(v.value as integer), count(*) from connection n join concept v on v.id = n.target
		where n.type = #the_order_total group by 1 order by 1`).text)
	f.spread(totals)
	return f, err
}

// valueAt is the value that the first connection of a type leads to.
func valueAt(ctx context.Context, r graph.Reader, from, typ graph.ID) (string, error) {
	found, err := r.Links(ctx, graph.Links{Of: []graph.ID{from}, Types: []graph.ID{typ}})
	if err != nil {
		return "", err
	}
	values, err := r.Concepts(ctx, []graph.ID{found[0].To})
	if err != nil {
		return "", err
	}
	return values[0].Value, nil
}

func (f *facts) spread(totals [][]graph.ID) {
	all, seen := 0, 0
	for _, row := range totals {
		all += int(row[1])
	}
	for _, row := range totals {
		if seen += int(row[1]); f.small == "" && seen > all/3 {
			f.small = row[0].String()
		}
		if f.big == "" && seen > all-all/1000 {
			f.big = row[0].String()
		}
	}
}

// ask is a query in the words of the wire.
func ask(typ string, page int, logic string, filters []string, below ...string) string {
	return fmt.Sprintf(`{"type":%q,"inpage":%d,"outputFormat":2,"filterLogic":%q,"filters":[%s]%s}`, typ, page, logic, strings.Join(filters, ","), hops(below))
}

// hop is a hop and what follows it; "<" before the connection follows it backwards.
func hop(connection, name string, below ...string) string {
	connection, reverse := strings.CutPrefix(connection, "<")
	return fmt.Sprintf(`{"typeConnection":%q,"reverse":%t,"name":%q%s}`, connection, reverse, name, hops(below))
}

func hops(below []string) string {
	return `,"freeschemaQueries":[` + strings.Join(below, ",") + "]"
}

func filter(name, on, typ, operator, search string) []string {
	return []string{fmt.Sprintf(`{"name":%q,"operateon":%q,"type":%q,"logicoperator":%q,"search":%q}`, name, on, typ, operator, search)}
}

// toTitle leads from an order to the names of its products.
var toTitle = hop("the_order_s_line", "line", hop("the_line_product", "product", hop("the_product_name", "title")))

// What leads from an order to the name of a product, back and forth.
const (
	fromTitle = `connection p cross join connection l cross join connection s where p.type = #the_product_name and p.target = {}
		and l.target = p.source and l.type = #the_line_product and s.target = l.source and s.type = #the_order_s_line
		[p, l, s, p.source, l.source, s.source]`
	lineTitle = `select s.id, l.id, p.id from $roots cross join connection s cross join connection l cross join connection p
		where s.source = r.value and s.type = #the_order_s_line and l.source = s.target and l.type = #the_line_product
		and p.source = l.target and p.type = #the_product_name and p.target = {} [s, l, p, s.target, l.target]`
)

func shopQuestions(f facts) []question { return slices.Concat(values(f), branches(f), shapes(f)) }

// values ask for orders and customers by what they hold.
func values(f facts) []question {
	return []question{
		asking(threeHops, f.rare, equality, func(h *hand, title string) []statement {
			return []statement{
				h.written(roots, `select distinct s.source from `+fromTitle+` order by 1 desc limit 10`, h.value("the_title", title)),
				h.written(links, lineTitle, h.value("the_title", title)),
			}
		}),
		asking(threeHopsCommon, f.common, equality, func(h *hand, title string) []statement {
			return []statement{
				h.written(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c] and exists (
					select 1 from connection s cross join connection l cross join connection p where s.source = c.id and s.type = #the_order_s_line
					and l.source = s.target and l.type = #the_line_product and p.source = l.target and p.type = #the_product_name and p.target = {}
					[s, l, p, s.target, l.target] $each) order by c.id desc limit 10`, h.value("the_title", title)),
				h.written(links, lineTitle, h.value("the_title", title)),
			}
		}),
		asking(pieces, []string{"%anna%marn%", "%felix%wal%ba%", "%omar%den%", "%rosa%vik%", "%ben %tal%"}, func(pattern string) string {
			return ask("the_customer", 20, "a", filter("a", "name", "the_name", "like", pattern), hop("the_customer_name", "name"))
		}, func(h *hand, pattern string) []statement {
			return []statement{
				h.written(roots, `select distinct n.source from ({}) v cross join connection n where n.target = v.id
					and n.type = #the_customer_name [n, n.source] order by 1 desc limit 20`, h.like(h.types["the_name"], pattern)),
				h.written(links, `select n.id from $roots cross join connection n where n.source = r.value and n.type = #the_customer_name
					and exists (select 1 from ({}) v where v.id = n.target) [n]`, h.like(h.types["the_name"], pattern)),
			}
		}),
		once(narrowRange, ask("the_order", 50, "a", filter("a", "total", "the_total", ">", f.big), hop("the_order_total", "total")),
			func(h *hand) []statement {
				return []statement{
					h.written(roots, `select distinct n.source from $keyed v cross join connection n where v.type = #the_total and v.key > {}
						and v.key < {} and n.target = v.id and n.type = #the_order_total [n, n.source] order by 1 desc limit 50`, h.key(f.big), h.numbers()),
					h.written(links, `select n.id from $roots cross join connection n where n.source = r.value and n.type = #the_order_total [n]`),
				}
			}),
		asking(wideRanges, []string{"2022-01-01", "2022-05-02", "2022-09-03"}, func(day string) string {
			filters := append(filter("a", "date", "the_date", ">=", day), filter("b", "total", "the_total", "<", f.small)...)
			return strings.Replace(ask("the_order", 50, "a AND b", filters, hop("the_order_date", "date"), hop("the_order_total", "total")), `"inpage":50`, `"inpage":50,"page":2`, 1)
		}, func(h *hand, day string) []statement {
			return []statement{
				h.written(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c]
					and exists (select 1 from connection n cross join concept v where n.source = c.id and n.type = #the_order_date and v.id = n.target and v.value >= '{}' [n, v] $each)
					and exists (select 1 from connection n cross join concept v where n.source = c.id and n.type = #the_order_total and v.id = n.target
						and cast(v.value as integer) < {} [n, v] $each)
					order by c.id desc limit 50 offset 50`, day, f.small),
				h.written(links, `select n.id from $roots cross join connection n where n.source = r.value and n.type in (#the_order_date, #the_order_total) [n]`),
			}
		}),
	}
}

// branches ask for what two branches hold, or one does not.
func branches(f facts) []question {
	return []question{
		asking(either, f.rare, func(title string) string {
			filters := append(filter("a", "city", "the_city", "=", f.city), filter("b", "title", "the_title", "=", title)...)
			return ask("the_order", 20, "a OR b", filters, hop("the_order_customer", "customer", hop("the_customer_city", "city")), toTitle)
		}, func(h *hand, title string) []statement {
			return []statement{
				h.written(roots, `select o.source as id from connection y cross join connection o where y.type = #the_customer_city and y.target = {}
					and o.target = y.source and o.type = #the_order_customer [y, o, y.source, o.source]
					union select s.source from `+fromTitle+` order by 1 desc limit 20`, h.value("the_city", f.city), h.value("the_title", title)),
				h.written(links, lineTitle, h.value("the_title", title)),
				h.written(links, `select o.id, y.id from $roots cross join connection o cross join connection y where o.source = r.value and o.type = #the_order_customer
					and y.source = o.target and y.type = #the_customer_city and y.target = {} [o, y, o.target]`, h.value("the_city", f.city)),
			}
		}),
		once(without, ask("the_customer", 20, "NOT a", filter("a", "order", "the_order", "exists", ""), hop("<the_order_customer", "order")),
			func(h *hand) []statement {
				return []statement{h.written(roots, `select c.id from concept c where c.type = #the_customer and c.category = 4 [c]
					and not exists (select 1 from connection n where n.target = c.id and n.type = #the_order_customer [n, n.source] $each) order by c.id desc limit 20`)}
			}),
		asking(oneLine, f.rare, func(title string) string { return together("title", "the_title", title, "3") },
			func(h *hand, title string) []statement {
				return []statement{
					h.written(roots, `select distinct s.source from `+fromTitle+` and exists (select 1 from connection q cross join concept v
						where q.source = l.source and q.type = #the_line_quantity and v.id = q.target and cast(v.value as integer) > 3 [q, v] $each)
						order by 1 desc limit 20`, h.value("the_title", title)),
					h.written(links, `select s.id, l.id, p.id, q.id from $roots cross join connection s cross join connection l cross join connection p
						cross join connection q cross join concept v where s.source = r.value and s.type = #the_order_s_line
						and l.source = s.target and l.type = #the_line_product and p.source = l.target and p.type = #the_product_name and p.target = {}
						and q.source = s.target and q.type = #the_line_quantity and v.id = q.target and cast(v.value as integer) > 3
						[s, l, p, q, s.target, l.target, v]`, h.value("the_title", title)),
				}
			}),
		asking(oneLineCommon, []string{"Tents", "Pans", "Jars", "Maps", "Lamps"}, func(category string) string { return together("category", "the_category", category, "5") },
			func(h *hand, category string) []statement {
				const line = `l.type = #the_line_product and p.source = l.target and p.type = #the_product_s_category and p.target = {}
					and q.source = s.target and q.type = #the_line_quantity
					and q.target in (select id from $keyed where type = #the_quantity and key > {} and key < {} $each) [s, l, p, q, s.target, l.target]`
				const tables = `connection s cross join connection q cross join connection l cross join connection p`
				values := []string{h.value("the_category", category), h.key("5"), h.numbers()}
				return []statement{
					h.written(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c] and exists (select 1 from `+tables+`
						where s.source = c.id and s.type = #the_order_s_line and l.source = s.target and `+line+` $each) order by c.id desc limit 20`, values...),
					h.written(links, `select s.id, l.id, p.id, q.id from $roots cross join `+tables+` where s.source = r.value and s.type = #the_order_s_line
						and l.source = s.target and `+line, values...),
				}
			}),
	}
}

// shapes ask for the newest and for what hangs on them.
func shapes(f facts) []question {
	return []question{
		once(tree, ask("the_order", 100, "", nil,
			hop("the_order_s_line", "", hop("the_line_product", "", hop("the_product_s_category", "", hop("the_category_department", ""))))),
			func(h *hand) []statement {
				return []statement{
					h.total("the_order"),
					h.written(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c] order by c.id desc limit 100`),
					h.written(links, `select s.id, l.id, k.id, d.id from $roots cross join connection s cross join connection l cross join connection k cross join connection d
						where s.source = r.value and s.type = #the_order_s_line and l.source = s.target and l.type = #the_line_product
						and k.source = l.target and k.type = #the_product_s_category and d.source = k.target and d.type = #the_category_department
						[s, l, k, d, s.target, l.target, k.target, d.target]`),
				}
			}),
		once(children, ask("the_customer", 50, "", nil, strings.Replace(hop("<the_order_customer", ""), "{", `{"aggregate":"count",`, 1)),
			func(h *hand) []statement {
				return []statement{
					h.total("the_customer"),
					h.written(roots, `select c.id from concept c where c.type = #the_customer and c.category = 4 [c] order by c.id desc limit 50`),
					h.written(counts, `select r.value, #the_order_customer, count(*) from $roots cross join connection n where n.target = r.value
						and n.type = #the_order_customer [n, n.source] group by 1`),
				}
			}),
		asking(backwards, ids(f.sold), func(product string) string {
			return fmt.Sprintf(`{"conceptIds":[%s],"outputFormat":2%s}`, product, hops([]string{strings.Replace(
				hop("<the_line_product", "", hop("<the_order_s_line", "", hop("the_order_customer", ""))), "{", `{"limit":true,"inpage":20,`, 1)}))
		}, func(h *hand, product string) []statement {
			return []statement{
				h.written(counts, `select {}, #the_line_product, count(*) from connection n where n.target = {} and n.type = #the_line_product [n, n.source]`, product, product),
				h.written(links, `select l.id, s.id, o.id from (select n.id, n.source from connection n where n.target = {} and n.type = #the_line_product
					[n, n.source] order by n.id desc limit 20) l cross join connection s cross join connection o where s.target = l.source and s.type = #the_order_s_line
					and o.source = s.source and o.type = #the_order_customer [s, o, s.source, o.target]`, product),
			}
		}),
		once(newest, strings.Replace(ask("the_order", 20, "", nil), "{", `{"selectors":["the_order_date","the_order_total","the_order_status"],`, 1),
			func(h *hand) []statement {
				return []statement{
					h.total("the_order"),
					h.written(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c] order by c.id desc limit 20`),
					h.written(links, `select n.id from $roots cross join connection n where n.source = r.value
						and n.type in (#the_order_date, #the_order_total, #the_order_status) [n, n.target]`),
				}
			}),
	}
}

func equality(title string) string {
	return ask("the_order", 10, "a", filter("a", "title", "the_title", "=", title), toTitle)
}

// together asks for orders of which one line has both.
func together(on, typ, value, more string) string {
	product := hop("the_line_product", "product", hop("the_product_name", "title"))
	if on == "category" {
		product = hop("the_line_product", "product", hop("the_product_s_category", "category"))
	}
	filters := append(filter("a", on, typ, "=", value), filter("b", "quantity", "the_quantity", ">", more)...)
	return ask("the_order", 20, "a EXAND b", filters, hop("the_order_s_line", "line", product, hop("the_line_quantity", "quantity")))
}

func ids(of []graph.ID) []string {
	texts := make([]string, len(of))
	for i, id := range of {
		texts[i] = id.String()
	}
	return texts
}
