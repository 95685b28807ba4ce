package shop

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// dice decide what is common and what is rare. They fall the same for the same size.
type dice struct {
	*rand.Rand
	size                                     Size
	buyer, sold, first, last, city, quantity *rand.Zipf
	// Who comes first, second… in the order of how often they are met.
	customer1st, product1st []int
}

func newDice(size Size) *dice {
	r := rand.New(rand.NewPCG(uint64(size.Orders), uint64(size.Customers)))
	skewed := func(s, v float64, n int) *rand.Zipf { return rand.NewZipf(r, s, v, uint64(n-1)) }
	return &dice{
		Rand: r, size: size,
		buyer: skewed(1.2, 50, size.Customers), sold: skewed(1.1, 20, size.Products),
		first: skewed(1.1, 5, len(firstNames)), last: skewed(1.1, 10, lastNames), city: skewed(1.2, 5, cities), quantity: skewed(2, 1, 12),
		customer1st: r.Perm(size.Customers), product1st: r.Perm(size.Products),
	}
}

func pick(order []int, place *rand.Zipf) int { return order[place.Uint64()] }

// price is in cents: half of all cost less than 20, few more than 200.
func (d *dice) price() int { return 5 + 10*int(200*math.Exp(d.NormFloat64())) }

// opened is the day of the first order; the last is five years later.
var opened = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

const openFor = 5 * 365 // days

func (d *dice) date(order int) string {
	return opened.AddDate(0, 0, order*openFor/d.size.Orders).Format(time.DateOnly)
}

func (d *dice) status(order int) string {
	switch n := d.IntN(100); {
	case order >= d.size.Orders*98/100:
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

const lastNames, cities = 16 * 16 * 16, 300

// lastName is three syllables; a city is two and an ending.
func lastName(n uint64) string { return capital(syllable(n) + syllable(n/16) + syllable(n/256)) }

func city(n uint64) string {
	return capital(syllable(n*7)+syllable(n/16*3+n)) + []string{"burg", "ford", "stad"}[n%3]
}

func syllable(n uint64) string { return syllables[n%16] }

func capital(word string) string { return string(word[0]-'a'+'A') + word[1:] }

// title is different for every product: its category in the singular is left to the reader.
func title(i int) string {
	return shapes[i/25%10] + " " + materials[i/250%10] + " " + categories[i%25] + " " + strconv.Itoa(i)
}
