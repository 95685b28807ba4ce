package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/weft-graph/weft/internal/dataset/shop"
)

type benchCommand struct {
	Generate benchGenerate `cmd:"" set:"made=" help:"Fill an empty graph with a generated shop, for benchmarks."`
}

type benchGenerate struct {
	storeFlags
	Customers int     `default:"100000" help:"Number of customers."`
	Orders    int     `default:"1000000" help:"Number of orders, with three lines each."`
	Products  int     `default:"5000" help:"Number of products."`
	Scale     float64 `default:"1" help:"Factor for the numbers of customers and orders."`
}

// Help implements kong.HelpProvider.
func (benchGenerate) Help() string {
	return `The shop has customers with names and cities, products with categories, and orders with dates, totals and lines. It is owned by ` +
		`the system and public, except for every tenth order. The same numbers always generate the same shop. ` +
		`The defaults generate 17 million concepts and connections.`
}

// Run generates the shop and prints its size and cost.
func (c benchGenerate) Run() error {
	if c.scheme() == "memory:" {
		return usageErrorf("--store %s is discarded at exit; leave it out", c.Store)
	}
	ctx, stop := interruptible()
	defer stop()
	start := time.Now()
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	bar := newProgress(os.Stderr, "records")
	size := shop.Size{Customers: c.scaled(c.Customers), Orders: c.scaled(c.Orders), Products: c.Products}
	links := 0
	err = shop.Generate(ctx, store, size, func(p shop.Progress) {
		bar.show(p.Done, p.Total)
		links = p.Connections
	})
	bar.end()
	if err != nil && ctx.Err() != nil {
		err = errors.New("stopped; a shop cannot be resumed, so start again with an empty directory")
	}
	if err = errors.Join(err, store.Close()); err == nil {
		fmt.Printf("%d customers, %d orders, %d products, %d connections\n", size.Customers, size.Orders, size.Products, links)
		fmt.Println(formatUsage(start, c.Data))
	}
	return err
}

func (c benchGenerate) scaled(n int) int { return int(float64(n) * c.Scale) }
