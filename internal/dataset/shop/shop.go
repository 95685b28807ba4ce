// Package shop generates a shop of any size for benchmarks: customers, products, and orders with lines. Equal sizes
// produce equal shops. All records belong to the system and are public, except every tenth order, which is private to
// one of the PrivateBuyers and therefore hidden from other users.
//
//	from          connection               to
//	the_customer  the_customer_name        the_name: few names are common, many are rare
//	              the_customer_city        the_city: few cities are common, many are rare
//	              the_customer_email       the_email; every tenth customer has none
//	the_product   the_product_name         the_title
//	              the_product_price        the_price: "19.95"
//	              the_product_s_category   the_category: one or two
//	the_category  the_category_department  the_department
//	the_order     the_order_customer       the_customer: few have many orders, many have none
//	              the_order_date           the_date: "2024-02-29"; ascending with the order's index
//	              the_order_total          the_total: a whole number
//	              the_order_status         the_status: the newest orders are open, most others are paid
//	              the_order_s_line         the_line: three
//	the_line      the_line_product         the_product: few products are in many orders
//	              the_line_quantity        the_quantity: 1 to 12
//
// Customers, products, orders and lines are compositions. All other concepts are values; equal values are one concept.
//
// Cost: two store batches for each 5,000 products, 10,000 customers or 3,000 orders. The ids of products and customers
// stay in memory.
package shop

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A Size is the number of customers, orders and products.
type Size struct{ Customers, Orders, Products int }

// LinesPerOrder is the number of lines of an order.
const LinesPerOrder = 3

// The owners of private orders are PrivateBuyers users with consecutive ids, starting at FirstPrivateBuyer. Stores do
// not assign these ids.
const (
	PrivateBuyers              = 100
	FirstPrivateBuyer graph.ID = 50_000
)

// Progress is the progress of Generate.
type Progress struct {
	Done, Total int // customers, products and orders
	Connections int // written
}

// Check returns an Invalid error if a count is less than 1.
func (s Size) Check() error {
	if s.Customers < 1 || s.Products < 1 || s.Orders < 1 {
		return graph.Errorf(graph.Invalid, "a shop needs at least one customer, product and order; got %d, %d and %d", s.Customers, s.Products, s.Orders)
	}
	return nil
}

// Generate writes a shop into a store without customers, in large batches. onProgress, if not nil, is called after each
// batch.
//
// Errors: those of Check, Conflict if the store already has customers, and those of the store.
func Generate(ctx context.Context, store graph.Store, size Size, onProgress func(Progress)) error {
	if err := size.Check(); err != nil {
		return err
	}
	types, err := graph.TypesNamed(ctx, store, "the_customer")
	if err != nil {
		return err
	}
	if len(types) > 0 {
		return graph.Errorf(graph.Conflict, "the store already has customers; generate the shop in a store without customers")
	}
	g := &generator{store: store, onProgress: onProgress, randomizer: newRandomizer(size), progress: Progress{Total: size.Products + size.Customers + size.Orders}}
	if g.products, err = g.generateRecords(ctx, size.Products, 5_000, g.addProduct); err != nil {
		return err
	}
	if g.customers, err = g.generateRecords(ctx, size.Customers, 10_000, g.addCustomer); err != nil {
		return err
	}
	return g.generateBatches(ctx, size.Orders, 3_000, g.addOrder, func(graph.ID) {})
}

// A generator is the state of Generate.
type generator struct {
	*randomizer
	store      graph.Store
	onProgress func(Progress)
	progress   Progress
	products   []graph.ID
	prices     []int // in cents
	customers  []graph.ID
}

// generateRecords writes n records and returns their ids.
func (g *generator) generateRecords(ctx context.Context, n, batchSize int, record func(b *batch, i int) graph.ID) ([]graph.ID, error) {
	ids := make([]graph.ID, 0, n)
	err := g.generateBatches(ctx, n, batchSize, record, func(id graph.ID) { ids = append(ids, id) })
	return ids, err
}

// generateBatches writes n records in batches and passes their real ids to addID.
func (g *generator) generateBatches(ctx context.Context, n, batchSize int, record func(b *batch, i int) graph.ID, addID func(graph.ID)) error {
	for first := 0; first < n; first += batchSize {
		b := &batch{values: map[typedValue]graph.ID{}}
		var heads []graph.ID
		for i := first; i < min(first+batchSize, n); i++ {
			heads = append(heads, record(b, i))
		}
		realID, err := b.write(ctx, g.store)
		if err != nil {
			return err
		}
		for _, head := range heads {
			addID(realID(head))
		}
		g.progress.Done += len(heads)
		g.progress.Connections += len(b.links)
		if g.onProgress != nil {
			g.onProgress(g.progress)
		}
	}
	return nil
}
