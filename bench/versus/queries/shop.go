package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// typeNames lists the names of all types in the questions.
var typeNames = []string{
	"the_customer", "the_customer_name", "the_name", "the_customer_city", "the_city", "the_customer_email",
	"the_product", "the_product_name", "the_title", "the_product_s_category", "the_category", "the_category_department",
	"the_order", "the_order_customer", "the_order_date", "the_date", "the_order_total", "the_total", "the_order_status", "the_status",
	"the_order_s_line", "the_line", "the_line_product", "the_line_quantity", "the_quantity",
	"the_synset", "the_synset_s_hypernym", "the_synset_gloss", "the_gloss", "the_word",
}

// Names of the questions about a shop.
const (
	threeHops       = "equality 3 hops away: orders of a product"
	threeHopsCommon = "… of a product that is in every hundredth order"
	nameLike        = "like: customers by two pieces of a name"
	narrowRange     = "a range that one in a thousand is in, a page of 50"
	wideRanges      = "two ranges that a third and half are in, the second page of 50"
	twoBranches     = "OR of two branches: a rare city, or a product"
	withoutOrders   = "NOT exists: customers without an order"
	oneLine         = "EXAND: one line with a product, more than 3 of it"
	oneLineCommon   = "… with a category, more than 5 of it"
	fiveLevels      = "a tree of 5 levels from 100 orders"
	orderCounts     = "how many orders each of 50 customers has"
	newestLines     = "backwards: the newest 20 lines of a product, their orders and customers"
	newestOrders    = "the newest 20 of a million, with date, total and status"
)

// facts holds values of a shop that the questions use.
type facts struct {
	common, rare []string   // titles of best-selling products, and of average products
	sold         []graph.ID // ids of the products in common
	city         string     // city with an average number of customers
	big, small   string     // totals: a thousandth of the orders are above big, and a third are below small
}

// readFacts reads the values for the questions from a generated shop.
func readFacts(ctx context.Context, h *handwritten, r graph.Reader) (f facts, err error) {
	sold, err := h.run(ctx, h.build("", `select target, count(*) from connection where type = #the_line_product group by target order by 2 desc, 1`).text)
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
	cities, err := h.run(ctx, h.build("", `select target, min(source), count(*) from connection where type = #the_customer_city group by target order by 3, 1`).text)
	if err != nil {
		return f, err
	}
	if f.city, err = valueAt(ctx, r, cities[len(cities)/2][1], h.types["the_customer_city"]); err != nil {
		return f, err
	}
	totals, err := h.run(ctx, h.build("", `select cast(v.value as integer), count(*) from connection n join concept v on v.id = n.target
		where n.type = #the_order_total group by 1 order by 1`).text)
	f.setTotals(totals)
	return f, err
}

// valueAt returns the value at the end of the first connection of a type.
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

// setTotals sets big and small. Each row has a total and the number of orders with this total; the rows are sorted
// by total.
func (f *facts) setTotals(totals [][]graph.ID) {
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

// queryJSON returns a query as JSON, with one page of pageSize roots.
func queryJSON(typ string, pageSize int, logic string, filters []string, below ...string) string {
	return fmt.Sprintf(`{"type":%q,"inpage":%d,"outputFormat":2,"filterLogic":%q,"filters":[%s]%s}`, typ, pageSize, logic, strings.Join(filters, ","), hops(below))
}

// hop returns a nested query; "<" before the connection reverses it.
func hop(connection, name string, below ...string) string {
	connection, reverse := strings.CutPrefix(connection, "<")
	return fmt.Sprintf(`{"typeConnection":%q,"reverse":%t,"name":%q%s}`, connection, reverse, name, hops(below))
}

func hops(below []string) string {
	return `,"freeschemaQueries":[` + strings.Join(below, ",") + "]"
}

// filter returns a list with one filter as JSON.
func filter(name, on, typ, operator, search string) []string {
	return []string{fmt.Sprintf(`{"name":%q,"operateon":%q,"type":%q,"logicoperator":%q,"search":%q}`, name, on, typ, operator, search)}
}

// toTitle leads from an order to the names of its products.
var toTitle = hop("the_order_s_line", "line", hop("the_line_product", "product", hop("the_product_name", "title")))

// Parts of statements for the connections between orders and the name of a product: fromTitle finds these connections
// backwards, from a name; lineTitle finds them forwards, from the roots.
const (
	fromTitle = `connection p cross join connection l cross join connection s where p.type = #the_product_name and p.target = {}
		and l.target = p.source and l.type = #the_line_product and s.target = l.source and s.type = #the_order_s_line
		[p, l, s, p.source, l.source, s.source]`
	lineTitle = `select s.id, l.id, p.id from $roots cross join connection s cross join connection l cross join connection p
		where s.source = r.value and s.type = #the_order_s_line and l.source = s.target and l.type = #the_line_product
		and p.source = l.target and p.type = #the_product_name and p.target = {} [s, l, p, s.target, l.target]`
)

func shopQuestions(f facts) []question {
	return slices.Concat(valueQuestions(f), branchQuestions(f), nestedQuestions(f))
}

// valueQuestions returns questions about values of orders and customers.
func valueQuestions(f facts) []question {
	return []question{
		newQuestion(threeHops, f.rare, productQuery, func(h *handwritten, title string) []statement {
			return []statement{
				h.build(roots, `select distinct s.source from `+fromTitle+` order by 1 desc limit 10`, h.value("the_title", title)),
				h.build(links, lineTitle, h.value("the_title", title)),
			}
		}),
		newQuestion(threeHopsCommon, f.common, productQuery, func(h *handwritten, title string) []statement {
			return []statement{
				h.build(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c] and exists (
					select 1 from connection s cross join connection l cross join connection p where s.source = c.id and s.type = #the_order_s_line
					and l.source = s.target and l.type = #the_line_product and p.source = l.target and p.type = #the_product_name and p.target = {}
					[s, l, p, s.target, l.target] $each) order by c.id desc limit 10`, h.value("the_title", title)),
				h.build(links, lineTitle, h.value("the_title", title)),
			}
		}),
		newQuestion(nameLike, []string{"%anna%marn%", "%felix%wal%ba%", "%omar%den%", "%rosa%vik%", "%ben %tal%"}, func(pattern string) string {
			return queryJSON("the_customer", 20, "a", filter("a", "name", "the_name", "like", pattern), hop("the_customer_name", "name"))
		}, func(h *handwritten, pattern string) []statement {
			return []statement{
				h.build(roots, `select distinct n.source from ({}) v cross join connection n where n.target = v.id
					and n.type = #the_customer_name [n, n.source] order by 1 desc limit 20`, h.like(h.types["the_name"], pattern)),
				h.build(links, `select n.id from $roots cross join connection n where n.source = r.value and n.type = #the_customer_name
					and exists (select 1 from ({}) v where v.id = n.target) [n]`, h.like(h.types["the_name"], pattern)),
			}
		}),
		newSingleQuestion(narrowRange, queryJSON("the_order", 50, "a", filter("a", "total", "the_total", ">", f.big), hop("the_order_total", "total")),
			func(h *handwritten) []statement {
				return []statement{
					h.build(roots, `select distinct n.source from $keyed v cross join connection n where v.type = #the_total and v.key > {}
						and v.key < {} and n.target = v.id and n.type = #the_order_total [n, n.source] order by 1 desc limit 50`, h.key(f.big), h.numbers()),
					h.build(links, `select n.id from $roots cross join connection n where n.source = r.value and n.type = #the_order_total [n]`),
				}
			}),
		newQuestion(wideRanges, []string{"2022-01-01", "2022-05-02", "2022-09-03"}, func(day string) string {
			filters := append(filter("a", "date", "the_date", ">=", day), filter("b", "total", "the_total", "<", f.small)...)
			return strings.Replace(queryJSON("the_order", 50, "a AND b", filters, hop("the_order_date", "date"), hop("the_order_total", "total")), `"inpage":50`, `"inpage":50,"page":2`, 1)
		}, func(h *handwritten, day string) []statement {
			return []statement{
				h.build(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c]
					and exists (select 1 from connection n cross join concept v where n.source = c.id and n.type = #the_order_date and v.id = n.target and v.value >= '{}' [n, v] $each)
					and exists (select 1 from connection n cross join concept v where n.source = c.id and n.type = #the_order_total and v.id = n.target
						and cast(v.value as integer) < {} [n, v] $each)
					order by c.id desc limit 50 offset 50`, day, f.small),
				h.build(links, `select n.id from $roots cross join connection n where n.source = r.value and n.type in (#the_order_date, #the_order_total) [n]`),
			}
		}),
	}
}

// branchQuestions returns questions with conditions on two branches.
func branchQuestions(f facts) []question {
	return []question{
		newQuestion(twoBranches, f.rare, func(title string) string {
			filters := append(filter("a", "city", "the_city", "=", f.city), filter("b", "title", "the_title", "=", title)...)
			return queryJSON("the_order", 20, "a OR b", filters, hop("the_order_customer", "customer", hop("the_customer_city", "city")), toTitle)
		}, func(h *handwritten, title string) []statement {
			return []statement{
				h.build(roots, `select o.source as id from connection y cross join connection o where y.type = #the_customer_city and y.target = {}
					and o.target = y.source and o.type = #the_order_customer [y, o, y.source, o.source]
					union select s.source from `+fromTitle+` order by 1 desc limit 20`, h.value("the_city", f.city), h.value("the_title", title)),
				h.build(links, lineTitle, h.value("the_title", title)),
				h.build(links, `select o.id, y.id from $roots cross join connection o cross join connection y where o.source = r.value and o.type = #the_order_customer
					and y.source = o.target and y.type = #the_customer_city and y.target = {} [o, y, o.target]`, h.value("the_city", f.city)),
			}
		}),
		newSingleQuestion(withoutOrders, queryJSON("the_customer", 20, "NOT a", filter("a", "order", "the_order", "exists", ""), hop("<the_order_customer", "order")),
			func(h *handwritten) []statement {
				return []statement{h.build(roots, `select c.id from concept c where c.type = #the_customer and c.category = 4 [c]
					and not exists (select 1 from connection n where n.target = c.id and n.type = #the_order_customer [n, n.source] $each) order by c.id desc limit 20`)}
			}),
		newQuestion(oneLine, f.rare, func(title string) string { return lineQuery("title", "the_title", title, "3") },
			func(h *handwritten, title string) []statement {
				return []statement{
					h.build(roots, `select distinct s.source from `+fromTitle+` and exists (select 1 from connection q cross join concept v
						where q.source = l.source and q.type = #the_line_quantity and v.id = q.target and cast(v.value as integer) > 3 [q, v] $each)
						order by 1 desc limit 20`, h.value("the_title", title)),
					h.build(links, `select s.id, l.id, p.id, q.id from $roots cross join connection s cross join connection l cross join connection p
						cross join connection q cross join concept v where s.source = r.value and s.type = #the_order_s_line
						and l.source = s.target and l.type = #the_line_product and p.source = l.target and p.type = #the_product_name and p.target = {}
						and q.source = s.target and q.type = #the_line_quantity and v.id = q.target and cast(v.value as integer) > 3
						[s, l, p, q, s.target, l.target, v]`, h.value("the_title", title)),
				}
			}),
		newQuestion(oneLineCommon, []string{"Tents", "Pans", "Jars", "Maps", "Lamps"}, func(category string) string { return lineQuery("category", "the_category", category, "5") },
			func(h *handwritten, category string) []statement {
				const line = `l.type = #the_line_product and p.source = l.target and p.type = #the_product_s_category and p.target = {}
					and q.source = s.target and q.type = #the_line_quantity
					and q.target in (select id from $keyed where type = #the_quantity and key > {} and key < {} $each) [s, l, p, q, s.target, l.target]`
				const tables = `connection s cross join connection q cross join connection l cross join connection p`
				values := []string{h.value("the_category", category), h.key("5"), h.numbers()}
				return []statement{
					h.build(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c] and exists (select 1 from `+tables+`
						where s.source = c.id and s.type = #the_order_s_line and l.source = s.target and `+line+` $each) order by c.id desc limit 20`, values...),
					h.build(links, `select s.id, l.id, p.id, q.id from $roots cross join `+tables+` where s.source = r.value and s.type = #the_order_s_line
						and l.source = s.target and `+line, values...),
				}
			}),
	}
}

// nestedQuestions returns questions for the newest records with nested records.
func nestedQuestions(f facts) []question {
	return []question{
		newSingleQuestion(fiveLevels, queryJSON("the_order", 100, "", nil,
			hop("the_order_s_line", "", hop("the_line_product", "", hop("the_product_s_category", "", hop("the_category_department", ""))))),
			func(h *handwritten) []statement {
				return []statement{
					h.total("the_order"),
					h.build(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c] order by c.id desc limit 100`),
					h.build(links, `select s.id, l.id, k.id, d.id from $roots cross join connection s cross join connection l cross join connection k cross join connection d
						where s.source = r.value and s.type = #the_order_s_line and l.source = s.target and l.type = #the_line_product
						and k.source = l.target and k.type = #the_product_s_category and d.source = k.target and d.type = #the_category_department
						[s, l, k, d, s.target, l.target, k.target, d.target]`),
				}
			}),
		newSingleQuestion(orderCounts, queryJSON("the_customer", 50, "", nil, strings.Replace(hop("<the_order_customer", ""), "{", `{"aggregate":"count",`, 1)),
			func(h *handwritten) []statement {
				return []statement{
					h.total("the_customer"),
					h.build(roots, `select c.id from concept c where c.type = #the_customer and c.category = 4 [c] order by c.id desc limit 50`),
					h.build(counts, `select r.value, #the_order_customer, count(*) from $roots cross join connection n where n.target = r.value
						and n.type = #the_order_customer [n, n.source] group by 1`),
				}
			}),
		newQuestion(newestLines, ids(f.sold), func(product string) string {
			return fmt.Sprintf(`{"conceptIds":[%s],"outputFormat":2%s}`, product, hops([]string{strings.Replace(
				hop("<the_line_product", "", hop("<the_order_s_line", "", hop("the_order_customer", ""))), "{", `{"limit":true,"inpage":20,`, 1)}))
		}, func(h *handwritten, product string) []statement {
			return []statement{
				h.build(counts, `select {}, #the_line_product, count(*) from connection n where n.target = {} and n.type = #the_line_product [n, n.source]`, product, product),
				h.build(links, `select l.id, s.id, o.id from (select n.id, n.source from connection n where n.target = {} and n.type = #the_line_product
					[n, n.source] order by n.id desc limit 20) l cross join connection s cross join connection o where s.target = l.source and s.type = #the_order_s_line
					and o.source = s.source and o.type = #the_order_customer [s, o, s.source, o.target]`, product),
			}
		}),
		newSingleQuestion(newestOrders, strings.Replace(queryJSON("the_order", 20, "", nil), "{", `{"selectors":["the_order_date","the_order_total","the_order_status"],`, 1),
			func(h *handwritten) []statement {
				return []statement{
					h.total("the_order"),
					h.build(roots, `select c.id from concept c where c.type = #the_order and c.category = 4 [c] order by c.id desc limit 20`),
					h.build(links, `select n.id from $roots cross join connection n where n.source = r.value
						and n.type in (#the_order_date, #the_order_total, #the_order_status) [n, n.target]`),
				}
			}),
	}
}

// productQuery returns a query for the orders of a product.
func productQuery(title string) string {
	return queryJSON("the_order", 10, "a", filter("a", "title", "the_title", "=", title), toTitle)
}

// lineQuery returns a query for orders with a line that meets two conditions: its product has the title or category
// value, and its quantity is above moreThan.
func lineQuery(on, typ, value, moreThan string) string {
	product := hop("the_line_product", "product", hop("the_product_name", "title"))
	if on == "category" {
		product = hop("the_line_product", "product", hop("the_product_s_category", "category"))
	}
	filters := append(filter("a", on, typ, "=", value), filter("b", "quantity", "the_quantity", ">", moreThan)...)
	return queryJSON("the_order", 20, "a EXAND b", filters, hop("the_order_s_line", "line", product, hop("the_line_quantity", "quantity")))
}

// ids returns ids as strings.
func ids(list []graph.ID) []string {
	texts := make([]string, len(list))
	for i, id := range list {
		texts[i] = id.String()
	}
	return texts
}
