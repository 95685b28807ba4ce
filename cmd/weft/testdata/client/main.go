// Command client uses a server through a client that was generated from the server's OpenAPI document.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"client/api"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string) error {
	weft, err := api.NewClientWithResponses(url)
	if err != nil {
		return err
	}
	health, err := weft.HealthWithResponse(ctx)
	if err != nil || health.JSON200 == nil {
		return fmt.Errorf("health: %w %s", err, health.Status())
	}
	fmt.Println("health", health.JSON200.Status)

	record := func(id int64, typeName, value string, composition bool) api.SentConcept {
		category := int64(4)
		return api.SentConcept{Id: &id, CategoryId: &category, TypeCharacter: &typeName, CharacterValue: &value, IsComposition: &composition}
	}
	one, head, name := int64(1), int64(-1), int64(-2)
	concepts := []api.SentConcept{record(head, "the_person", "", true), record(name, "the_name", "Ann", false)}
	connections := []api.SentConnection{{Id: &head, OfTheConceptId: &head, ToTheConceptId: &name, TypeId: &head, OrderId: &one}}
	synced, err := weft.LocalConceptsWithResponse(ctx, api.Sync{Concepts: &concepts, Connections: &connections})
	if err != nil || synced.JSON200 == nil {
		return fmt.Errorf("sync: %w %s", err, synced.Body)
	}
	fmt.Println("sync", len(synced.JSON200.Concepts), len(synced.JSON200.Connections))

	person := synced.JSON200.Concepts[0].Id
	got, err := weft.GetConceptWithFormdataBodyWithResponse(ctx, api.GetConceptFields{Id: person})
	if err != nil || got.JSON200 == nil {
		return fmt.Errorf("concept: %w %s", err, got.Body)
	}
	fmt.Println("concept", got.JSON200.TypeCharacter, got.JSON200.Id == person)

	many, err := weft.GetConceptBulkWithResponse(ctx, []int64{person, synced.JSON200.Concepts[1].Id})
	if err != nil || many.JSON200 == nil {
		return fmt.Errorf("concepts: %w %s", err, many.Body)
	}
	fmt.Println("concepts", len(*many.JSON200))

	typeName := "the_person"
	answer, err := weft.FreeschemaQueryWithResponse(ctx, api.Query{Type: &typeName})
	if err != nil || answer.JSON200 == nil {
		return fmt.Errorf("query: %w %s", err, answer.Body)
	}
	fmt.Println("query", answer.JSON200.MainCount)

	links, err := weft.GetAllLinkersFromConceptWithResponse(ctx, &api.GetAllLinkersFromConceptParams{ConceptId: person})
	if err != nil || links.JSON200 == nil {
		return fmt.Errorf("links: %w %s", err, links.Body)
	}
	fmt.Println("links", len(*links.JSON200))

	refused, err := weft.GetAllLinkersFromConceptWithResponse(ctx, &api.GetAllLinkersFromConceptParams{ConceptId: 1 << 60})
	if err != nil || refused.StatusCode() != http.StatusBadRequest || refused.JSONDefault == nil {
		return fmt.Errorf("a refusal: %w %s", err, refused.Body)
	}
	fmt.Println("refused", refused.JSONDefault.Kind)
	return nil
}
