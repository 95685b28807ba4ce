package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/weft-graph/weft/shop"
)

type benchCommand struct {
	Generate benchGenerate `cmd:"" set:"made=" help:"Fill an empty graph with a made-up shop, to measure with."`
}

type benchGenerate struct {
	storeFlags
	Customers int     `default:"100000" help:"How many customers."`
	Orders    int     `default:"1000000" help:"How many orders, of three lines each."`
	Products  int     `default:"5000" help:"How many products."`
	Scale     float64 `default:"1" help:"What to multiply customers and orders with."`
}

// Help says what the one-line help of the flags cannot.
func (benchGenerate) Help() string {
	return `The shop has customers with names and cities, products with categories, and orders with dates, totals and lines. It belongs to ` +
		`the system and everybody may read it, but for every tenth order. The same numbers give the same shop. ` +
		`Those left out give one of 17 million concepts and connections.`
}

// Run makes the shop, and reports what it took.
func (c benchGenerate) Run() error {
	if c.scheme() == "memory:" {
		return misusef("--store %s would forget at once what is made; leave it out", c.Store)
	}
	ctx, stop := interruptible()
	defer stop()
	began := time.Now()
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	bar := newProgress(os.Stderr, "records")
	size := shop.Size{Customers: c.scaled(c.Customers), Orders: c.scaled(c.Orders), Products: c.Products}
	links := 0
	err = shop.Generate(ctx, store, size, func(p shop.Progress) {
		bar.set(p.Done, p.Total)
		links = p.Connections
	})
	bar.end()
	if err != nil && ctx.Err() != nil {
		err = errors.New("stopped; a shop is made in one go, so begin again with an empty directory")
	}
	if err = errors.Join(err, store.Close()); err == nil {
		fmt.Printf("%d customers, %d orders, %d products, %d connections\n", size.Customers, size.Orders, size.Products, links)
		fmt.Println(effort(began, c.Data))
	}
	return err
}

func (c benchGenerate) scaled(n int) int { return int(float64(n) * c.Scale) }
