package shop

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

func (m *maker) product(b *batch, i int) graph.ID {
	product := b.record("the_product")
	price := m.price()
	m.prices = append(m.prices, price)
	b.link(product, "the_product_name", b.value("the_title", title(i)))
	b.link(product, "the_product_price", b.value("the_price", fmt.Sprintf("%d.%02d", price/100, price%100)))
	first := i % len(categories)
	b.link(product, "the_product_s_category", b.value("the_category", categories[first]))
	if second := m.IntN(len(categories)); second != first && m.IntN(4) == 0 {
		b.link(product, "the_product_s_category", b.value("the_category", categories[second]))
	}
	if i < len(categories) {
		b.link(b.value("the_category", categories[i]), "the_category_department", b.value("the_department", departments[i%len(departments)]))
	}
	return product
}

func (m *maker) customer(b *batch, i int) graph.ID {
	customer := b.record("the_customer")
	first, last := firstNames[m.first.Uint64()], lastName(m.last.Uint64())
	b.link(customer, "the_customer_name", b.value("the_name", first+" "+last))
	b.link(customer, "the_customer_city", b.value("the_city", city(m.city.Uint64())))
	if i%10 != 0 {
		email := strings.ToLower(first+"."+last) + strconv.Itoa(i) + "@example.org"
		b.link(customer, "the_customer_email", b.value("the_email", email))
	}
	return customer
}

func (m *maker) order(b *batch, i int) graph.ID {
	if i%10 == 9 {
		b.owner = FirstStranger + graph.ID(i/10%Strangers)
		defer func() { b.owner = 0 }()
	}
	order := b.record("the_order")
	total := 0
	for range LinesOfEach {
		line := b.record("the_line")
		product, quantity := pick(m.product1st, m.sold), 1+int(m.quantity.Uint64())
		total += m.prices[product] * quantity
		b.link(order, "the_order_s_line", line)
		b.link(line, "the_line_product", m.products[product])
		b.link(line, "the_line_quantity", b.value("the_quantity", strconv.Itoa(quantity)))
	}
	b.link(order, "the_order_customer", m.customers[pick(m.customer1st, m.buyer)])
	b.link(order, "the_order_date", b.value("the_date", m.date(i)))
	b.link(order, "the_order_total", b.value("the_total", strconv.Itoa(total/100)))
	b.link(order, "the_order_status", b.value("the_status", m.status(i)))
	return order
}
