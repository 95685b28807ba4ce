// Package shop makes up a shop of any size to measure with: customers and their orders, with lines of products.
// The same size gives the same shop. All of it belongs to the system and is public, but for every tenth order, which is
// private to one of Strangers and so hidden from whoever signs in.
//
//	from          connection               to
//	the_customer  the_customer_name        the_name: few are common, many are rare
//	              the_customer_city        the_city: likewise
//	              the_customer_email       the_email; every tenth customer has none
//	the_product   the_product_name         the_title
//	              the_product_price        the_price: "19.95"
//	              the_product_s_category   the_category: one or two
//	the_category  the_category_department  the_department
//	the_order     the_order_customer       the_customer: few order much, many nothing
//	              the_order_date           the_date: "2024-02-29"; later orders have later ones
//	              the_order_total          the_total: a whole number
//	              the_order_status         the_status: the newest are open, nearly all others paid
//	              the_order_s_line         the_line: three
//	the_line      the_line_product         the_product: few sell much
//	              the_line_quantity        the_quantity: 1 to 12
//
// A customer, a product, an order and a line are compositions; what else there is are values, and equal ones are one concept.
package shop

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A Size is how much there is in a shop.
type Size struct{ Customers, Orders, Products int }

// LinesOfEach is how many lines an order has.
const LinesOfEach = 3

// Strangers are the users whose orders are private: so many from FirstStranger on. No store gives away these ids.
const (
	Strangers              = 100
	FirstStranger graph.ID = 50_000
)

// Progress is how far the making of a shop has come.
type Progress struct {
	Done, Total int // customers, products and orders
	Connections int // written
}

// Check returns an Invalid error for a size that no shop has.
func (s Size) Check() error {
	if s.Customers < 1 || s.Products < 1 || s.Orders < 1 {
		return graph.Errorf(graph.Invalid, "a shop needs customers, products and orders, not %d, %d and %d", s.Customers, s.Products, s.Orders)
	}
	return nil
}

// Generate writes a shop into a store that has none, in large batches. Only the ids of customers and products stay in
// memory. The function tell, if there is one, hears of every batch.
//
// Errors: what Check says, Conflict when the store holds customers already, and what the store says.
func Generate(ctx context.Context, store graph.Store, size Size, tell func(Progress)) error {
	if err := size.Check(); err != nil {
		return err
	}
	found, err := graph.TypesNamed(ctx, store, "the_customer")
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return graph.Errorf(graph.Conflict, "the store holds customers already; a shop is made in one that has none")
	}
	m := &maker{store: store, tell: tell, dice: newDice(size), done: Progress{Total: size.Products + size.Customers + size.Orders}}
	if m.products, err = m.make(ctx, size.Products, 5_000, m.product); err != nil {
		return err
	}
	if m.customers, err = m.make(ctx, size.Customers, 10_000, m.customer); err != nil {
		return err
	}
	m.orders = size.Orders
	return m.each(ctx, size.Orders, 3_000, m.order, func(graph.ID) {})
}

// A maker is a shop being made.
type maker struct {
	*dice
	store     graph.Store
	tell      func(Progress)
	done      Progress
	products  []graph.ID
	prices    []int // in cents
	customers []graph.ID
	orders    int // to be
}

// make makes n records and returns their ids.
func (m *maker) make(ctx context.Context, n, together int, record func(b *batch, i int) graph.ID) ([]graph.ID, error) {
	ids := make([]graph.ID, 0, n)
	err := m.each(ctx, n, together, record, func(id graph.ID) { ids = append(ids, id) })
	return ids, err
}

// each makes n records, so many in a batch, and hands over their ids.
func (m *maker) each(ctx context.Context, n, together int, record func(b *batch, i int) graph.ID, made func(graph.ID)) error {
	for first := 0; first < n; first += together {
		b := &batch{values: map[typedValue]graph.ID{}}
		var heads []graph.ID
		for i := first; i < min(first+together, n); i++ {
			heads = append(heads, record(b, i))
		}
		real, err := b.write(ctx, m.store)
		if err != nil {
			return err
		}
		for _, head := range heads {
			made(real(head))
		}
		m.done.Done += len(heads)
		m.done.Connections += len(b.links)
		if m.tell != nil {
			m.tell(m.done)
		}
	}
	return nil
}
