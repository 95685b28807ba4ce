package shop

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// addProduct adds the product with index i. The first product of each category also adds the department of that
// category.
func (g *generator) addProduct(b *batch, i int) graph.ID {
	product := b.addRecord("the_product")
	price := g.randomPrice()
	g.prices = append(g.prices, price)
	b.addLink(product, "the_product_name", b.addValue("the_title", productTitle(i)))
	b.addLink(product, "the_product_price", b.addValue("the_price", fmt.Sprintf("%d.%02d", price/100, price%100)))
	first := i % len(categories)
	b.addLink(product, "the_product_s_category", b.addValue("the_category", categories[first]))
	if second := g.IntN(len(categories)); second != first && g.IntN(4) == 0 {
		b.addLink(product, "the_product_s_category", b.addValue("the_category", categories[second]))
	}
	if i < len(categories) {
		b.addLink(b.addValue("the_category", categories[i]), "the_category_department", b.addValue("the_department", departments[i%len(departments)]))
	}
	return product
}

// addCustomer adds the customer with index i. Every tenth customer has no email.
func (g *generator) addCustomer(b *batch, i int) graph.ID {
	customer := b.addRecord("the_customer")
	first, last := firstNames[g.firstName.Uint64()], lastNameOf(g.lastName.Uint64())
	b.addLink(customer, "the_customer_name", b.addValue("the_name", first+" "+last))
	b.addLink(customer, "the_customer_city", b.addValue("the_city", cityName(g.city.Uint64())))
	if i%10 != 0 {
		email := strings.ToLower(first+"."+last) + strconv.Itoa(i) + "@example.org"
		b.addLink(customer, "the_customer_email", b.addValue("the_email", email))
	}
	return customer
}

// addOrder adds the order with index i and its lines. Every tenth order is private.
func (g *generator) addOrder(b *batch, i int) graph.ID {
	if i%10 == 9 {
		b.privateOwner = FirstPrivateBuyer + graph.ID(i/10%PrivateBuyers)
		defer func() { b.privateOwner = 0 }()
	}
	order := b.addRecord("the_order")
	total := 0
	for range LinesPerOrder {
		line := b.addRecord("the_line")
		product, quantity := itemAtRank(g.productsByRank, g.productRank), 1+int(g.quantity.Uint64())
		total += g.prices[product] * quantity
		b.addLink(order, "the_order_s_line", line)
		b.addLink(line, "the_line_product", g.products[product])
		b.addLink(line, "the_line_quantity", b.addValue("the_quantity", strconv.Itoa(quantity)))
	}
	b.addLink(order, "the_order_customer", g.customers[itemAtRank(g.customersByRank, g.customerRank)])
	b.addLink(order, "the_order_date", b.addValue("the_date", g.orderDate(i)))
	b.addLink(order, "the_order_total", b.addValue("the_total", strconv.Itoa(total/100)))
	b.addLink(order, "the_order_status", b.addValue("the_status", g.orderStatus(i)))
	return order
}
