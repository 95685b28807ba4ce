package shop

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// A randomizer chooses the contents of a shop. The same size always leads to the same choices. Frequencies follow Zipf distributions,
// with parameters that are plausible but not measured.
type randomizer struct {
	*rand.Rand
	size Size
	// The ranks of customers and products by the number of their orders; rank 0 is the most frequent.
	customerRank, productRank *rand.Zipf
	// The indexes of customers and products, in the order of their ranks.
	customersByRank, productsByRank []int
	// The indexes of names, and the quantity of a product in an order, minus 1.
	firstName, lastName, city, quantity *rand.Zipf
}

func newRandomizer(size Size) *randomizer {
	r := rand.New(rand.NewPCG(uint64(size.Orders), uint64(size.Customers)))
	zipf := func(s, v float64, n int) *rand.Zipf { return rand.NewZipf(r, s, v, uint64(n-1)) }
	return &randomizer{
		Rand: r, size: size,
		customerRank: zipf(1.2, 50, size.Customers), productRank: zipf(1.1, 20, size.Products),
		customersByRank: r.Perm(size.Customers), productsByRank: r.Perm(size.Products),
		firstName: zipf(1.1, 5, len(firstNames)), lastName: zipf(1.1, 10, lastNameCount), city: zipf(1.2, 5, cityCount), quantity: zipf(2, 1, maxQuantity),
	}
}

// itemAtRank returns the item at a random rank.
func itemAtRank(itemsByRank []int, rank *rand.Zipf) int { return itemsByRank[rank.Uint64()] }

// randomPrice returns a price in cents. Prices follow a log-normal distribution: the median is 20.05 units of currency, and about 1 % of
// the prices are above 200.
func (r *randomizer) randomPrice() int { return 5 + 10*int(200*math.Exp(r.NormFloat64())) }

// firstDay is the day of the first order; the last order is within openDays days after it.
var firstDay = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

const openDays = 5 * 365

// maxQuantity is the maximum quantity of one product in an order.
const maxQuantity = 12

// orderDate returns the date of an order. Orders are spread evenly over openDays.
func (r *randomizer) orderDate(order int) string {
	return firstDay.AddDate(0, 0, order*openDays/r.size.Orders).Format(time.DateOnly)
}

// orderStatus returns "open" for the newest 2 % of the orders, and a random final status for the others.
func (r *randomizer) orderStatus(order int) string {
	switch n := r.IntN(100); {
	case order >= r.size.Orders*98/100:
		return "open"
	case n < 90:
		return "paid"
	case n < 96:
		return "sent"
	case n < 99:
		return "returned"
	default:
		return "cancelled"
	}
}

var (
	firstNames = []string{
		"Anna", "Ben", "Clara", "David", "Eva", "Felix", "Greta", "Hugo", "Ida", "Jonas", "Karla", "Leon", "Mara", "Nils", "Olga",
		"Paul", "Rosa", "Simon", "Tilda", "Viktor", "Aisha", "Bao", "Chen", "Dina", "Emre", "Fatima", "Gita", "Hiro", "Ines", "Juan",
		"Kofi", "Lena", "Milan", "Noor", "Omar", "Priya", "Quentin", "Ravi", "Sita", "Tomas", "Uma", "Vera", "Wanja", "Xenia", "Yusuf", "Zoe",
	}
	syllables   = []string{"ba", "den", "fel", "gar", "hol", "jan", "kel", "lund", "mar", "nor", "pol", "ren", "stein", "tal", "vik", "wal"}
	departments = []string{"Home", "Outdoors", "Office", "Play", "Kitchen"}
	categories  = []string{
		"Lamps", "Tents", "Desks", "Games", "Pans", "Chairs", "Boots", "Pens", "Puzzles", "Knives", "Rugs", "Ropes", "Paper", "Dolls",
		"Bowls", "Curtains", "Maps", "Folders", "Kites", "Cups", "Shelves", "Stoves", "Clocks", "Drums", "Jars",
	}
	shapes    = []string{"Small", "Large", "Round", "Narrow", "Light", "Heavy", "Folding", "Plain", "Bright", "Quiet"}
	materials = []string{"oak", "steel", "linen", "glass", "clay", "cork", "wool", "brass", "paper", "stone"}
)

// lastNameCount is the number of names that lastNameOf returns. cityCount is the number of cities in which customers live.
const lastNameCount, cityCount = 16 * 16 * 16, 300

// lastNameOf returns a name of three syllables.
func lastNameOf(n uint64) string { return capitalize(syllable(n) + syllable(n/16) + syllable(n/256)) }

// cityName returns a name of two syllables and an ending.
func cityName(n uint64) string {
	return capitalize(syllable(n*7)+syllable(n/16*3+n)) + []string{"burg", "ford", "stad"}[n%3]
}

func syllable(n uint64) string { return syllables[n%16] }

func capitalize(word string) string { return string(word[0]-'a'+'A') + word[1:] }

// productTitle returns a unique title, such as "Small oak Lamps 0", for a product in category i%25.
func productTitle(i int) string {
	return shapes[i/25%10] + " " + materials[i/250%10] + " " + categories[i%25] + " " + strconv.Itoa(i)
}
