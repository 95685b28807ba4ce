package client_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// Build turns a nested record into drafts; the receipt holds the ids of the concepts that they became.
func ExampleClient_Write() {
	c := client.New("https://weft.example.com")
	c.Token = os.Getenv("WEFT_KEY")

	person, err := composition.Parse([]byte(`{"name": "Ann", "home": {"city": "Oslo"}}`))
	if err != nil {
		log.Fatal(err)
	}
	b := graph.Batch{Sender: graph.Sender{User: graph.Anonymous, Randomizer: 1}}
	if _, err := composition.Build(&b, "the_person", person, &composition.LocalIDs{}); err != nil {
		log.Fatal(err)
	}
	receipt, err := c.Write(context.Background(), b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Ann is concept", receipt.Concepts[0].ID)
}

// The answer of a query holds ids. Package composition reads the records.
func ExampleClient_Query() {
	ctx := context.Background()
	c := client.New("https://weft.example.com")

	answer, err := c.Query(ctx, wire.Query{Type: "the_person", Inpage: 20})
	if err != nil {
		log.Fatal(err)
	}
	people, err := composition.Read(ctx, c, answer.Roots, composition.WithID)
	if err != nil {
		log.Fatal(err)
	}
	for _, person := range people {
		fmt.Println(person)
	}
}
