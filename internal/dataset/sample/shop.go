package sample

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// The number of records of the shop.
const (
	shopCustomers = 60
	shopOrders    = 120
	shopDays      = 180 // from the first order to the last
)

// shopTypes is the schema of the shop. A test checks that the records of the shop conform to it.
const shopTypes = `{"types": {
	"category": {"fields": {"name": {"kind": "text", "required": true}, "description": {"kind": "longText"}}},
	"product": {"fields": {
		"name": {"kind": "text", "required": true},
		"price": {"kind": "number", "min": 0},
		"stock": {"kind": "integer"},
		"discontinued": {"kind": "boolean"},
		"category": {"kind": "one", "targets": ["category"]}}},
	"customer": {"fields": {
		"name": {"kind": "text", "required": true},
		"email": {"kind": "text", "format": "email"},
		"city": {"kind": "text"},
		"since": {"kind": "date"}}},
	"order": {"fields": {
		"number": {"kind": "text", "required": true},
		"date": {"kind": "date"},
		"status": {"kind": "choice", "choices": ["open", "sent", "paid", "returned"]},
		"total": {"kind": "number"},
		"note": {"kind": "longText"},
		"customer": {"kind": "one", "targets": ["customer"]},
		"lines": {"kind": "many", "targets": ["line"]}}},
	"line": {"fields": {
		"quantity": {"kind": "integer", "min": 1},
		"price": {"kind": "number"},
		"product": {"kind": "one", "targets": ["product"]}}}
}}`

func shopSchema() *schema.Schema {
	s, err := schema.Parse([]byte(shopTypes))
	if err != nil {
		panic(err) // a constant
	}
	return s
}

// shopBatch returns the records of the shop.
func shopBatch(now time.Time) (graph.Batch, error) {
	s := &shop{random: rand.New(rand.NewPCG(1, 2)), now: now}
	s.addProducts()
	s.addCustomers()
	for i := range shopOrders {
		s.addOrder(i)
	}
	return s.batch, s.err
}

// A shop drafts the records of the sample.
type shop struct {
	random    *rand.Rand
	now       time.Time
	batch     graph.Batch
	ids       composition.LocalIDs
	err       error // the first error
	products  []pricedProduct
	customers []graph.ID
}

type pricedProduct struct {
	id    graph.ID
	cents int
}

// add drafts a record from pairs of a field and its text. Fields with an empty text are left out.
func (s *shop) add(typeName string, pairs ...string) graph.ID {
	var fields composition.Fields
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fields.Set(pairs[i], composition.TextValue(pairs[i+1]))
		}
	}
	id, err := composition.Build(&s.batch, typeName, fields.Record(), &s.ids)
	if s.err == nil {
		s.err = err
	}
	return id
}

func (s *shop) link(from graph.ID, typeName string, to graph.ID) {
	s.ids.Connection--
	s.batch.Connections = append(s.batch.Connections, graph.ConnectionDraft{
		LocalID: s.ids.Connection, From: from, To: to, TypeName: typeName, Order: graph.OrderLink,
	})
}

func (s *shop) addProducts() {
	for _, c := range shopCatalog {
		category := s.add("the_category", "name", c.name, "description", c.description)
		for _, p := range c.products {
			discontinued := ""
			if s.random.IntN(12) == 0 {
				discontinued = "true"
			}
			id := s.add("the_product", "name", p.name, "price", formatCents(p.cents), "stock", strconv.Itoa(s.random.IntN(400)),
				"discontinued", discontinued)
			s.link(id, "the_product_category", category)
			s.products = append(s.products, pricedProduct{id, p.cents})
		}
	}
}

func (s *shop) addCustomers() {
	for i := range shopCustomers {
		first, last := customerFirstNames[i%len(customerFirstNames)], customerLastNames[s.random.IntN(len(customerLastNames))]
		email := ""
		if i%10 != 9 { // some customers have no e-mail
			email = strings.ToLower(first+"."+last) + strconv.Itoa(i) + "@example.org"
		}
		since := s.now.AddDate(0, 0, -shopDays-s.random.IntN(900)).Format(time.DateOnly)
		city := customerCities[min(s.random.IntN(len(customerCities)), s.random.IntN(len(customerCities)))]
		s.customers = append(s.customers, s.add("the_customer", "name", first+" "+last, "email", email, "city", city, "since", since))
	}
}

// addOrder adds the order with index i and its one to four lines. The newest orders are open.
func (s *shop) addOrder(i int) {
	lines, total := make([]graph.ID, 1+s.random.IntN(4)), 0
	for j := range lines {
		p, quantity := s.products[s.random.IntN(len(s.products))], 1+s.random.IntN(5)
		total += p.cents * quantity
		lines[j] = s.add("the_line", "quantity", strconv.Itoa(quantity), "price", formatCents(p.cents))
		s.link(lines[j], "the_line_product", p.id)
	}
	status := []string{"paid", "paid", "paid", "sent", "returned"}[s.random.IntN(5)]
	if i >= shopOrders-8 {
		status = "open"
	}
	note := ""
	if s.random.IntN(6) == 0 {
		note = orderNotes[s.random.IntN(len(orderNotes))]
	}
	date := s.now.AddDate(0, 0, -shopDays+i*shopDays/shopOrders).Format(time.DateOnly)
	order := s.add("the_order", "number", fmt.Sprintf("A-%d", 1001+i), "date", date, "status", status, "total", formatCents(total), "note", note)
	// Customers at the start of the list buy most.
	s.link(order, "the_order_customer", s.customers[min(s.random.IntN(shopCustomers), s.random.IntN(shopCustomers))])
	for _, line := range lines {
		s.link(order, "the_order_s_lines", line)
	}
}

// formatCents returns an amount as schemas store numbers: the shortest decimal form.
func formatCents(cents int) string { return strconv.FormatFloat(float64(cents)/100, 'f', -1, 64) }

type shopCategory struct {
	name, description string
	products          []shopProduct
}

type shopProduct struct {
	name  string
	cents int
}

var shopCatalog = []shopCategory{
	{"Writing", "Pens, pencils and ink", []shopProduct{{"Pencil", 120}, {"Fountain pen", 3490}, {"Ballpoint pen", 250}, {"Blue ink", 890}, {"Red chalk", 340}, {"Eraser", 95}}},
	{"Paper", "Notebooks, sheets and envelopes", []shopProduct{{"Notebook, ruled", 650}, {"Notebook, plain", 650}, {"Drawing paper", 1290}, {"Envelopes, 25", 480}, {"Index cards", 390}}},
	{"Desk", "What stands on a desk", []shopProduct{{"Desk lamp", 5900}, {"Letter tray", 1990}, {"Scissors", 1150}, {"Tape dispenser", 790}, {"Paper knife", 1450}, {"Cork board", 2400}}},
	{"Thread", "Thread for sewing and weaving", []shopProduct{{"Cotton thread, white", 290}, {"Cotton thread, madder", 310}, {"Linen thread", 520}, {"Silk thread, indigo", 1280}, {"Wool yarn, weld", 760}}},
	{"Tools", "Tools for weaving", []shopProduct{{"Shuttle", 1890}, {"Heddle", 980}, {"Small loom", 14900}, {"Bobbin", 220}, {"Comb", 1650}}},
	{"Bags", "Bags to carry it all", []shopProduct{{"Tote bag", 1590}, {"Satchel", 8900}, {"Pencil case", 1290}, {"Document folder", 990}}},
}

var (
	customerFirstNames = []string{"Anna", "Ben", "Clara", "David", "Eva", "Felix", "Greta", "Hugo", "Ines", "Jonas", "Karla", "Leon", "Mara", "Noor", "Omar", "Priya", "Rosa", "Simon", "Tilda", "Yusuf"}
	customerLastNames  = []string{"Adler", "Brandt", "Costa", "Dahl", "Ekberg", "Fischer", "Gruber", "Hansen", "Ivanov", "Jansen", "Keller", "Lund", "Moser", "Novak", "Okafor", "Patel", "Rossi", "Steiner", "Tanaka", "Weber"}
	customerCities     = []string{"Graz", "Vienna", "Linz", "Salzburg", "Munich", "Zurich", "Ljubljana", "Trieste", "Prague", "Brno"}
	orderNotes         = []string{"Please ring twice.", "A gift: no invoice in the parcel, please.", "Leave it with the neighbours if we are out.", "Second attempt after a return.", "Call before delivery."}
)
