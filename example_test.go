package weft_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weft-graph/weft"
	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/client/outbox"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

type Contact struct {
	ID      graph.ID
	Name    string  `weft:",required"`
	Email   *string `weft:",unique,format=email"`
	Age     *int
	VIP     bool   `weft:"vip,default=false"`
	Stage   string `weft:",choices=lead|customer,default=lead"`
	Tags    []string
	Joined  schema.Day
	Photo   *schema.StoredFile
	Company schema.One[Company]
}

type Company struct {
	ID       graph.ID
	Name     string `weft:",required"`
	Founded  schema.Day
	Contacts schema.Many[Contact] `weft:",inverse=company"`
}

// startServer starts a server with the schema of Contact and the account ann@example.org, for the examples.
func startServer() (url string, stop func()) {
	contacts, err := schema.Define(Contact{}, Company{})
	if err != nil {
		log.Fatal(err)
	}
	app, err := weft.Open(context.Background(), "", weft.Options{Store: "memory", Schema: contacts})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := app.AddUser(context.Background(), "ann@example.org", "correct horse", false); err != nil {
		log.Fatal(err)
	}
	s := httptest.NewServer(app)
	return s.URL, func() {
		_ = app.Close()
		s.Close()
	}
}

// Typed records over HTTP.
func Example_records() {
	url, stop := startServer()
	defer stop()
	err := func(ctx context.Context) error {
		c := client.New(url)
		defer c.Close()
		if err := c.SignIn(ctx, "ann@example.org", "correct horse"); err != nil {
			return err
		}
		contacts, companies := client.For[Contact](c), client.For[Company](c)

		acme, err := companies.Create(ctx, Company{Name: "Acme", Founded: "1990-01-01"})
		if err != nil {
			return err
		}
		ann, err := contacts.Create(ctx, Contact{Name: "Ann", Age: new(30), VIP: true, Company: schema.To[Company](acme)})
		if err != nil {
			return err
		}
		if err := contacts.Update(ctx, ann, client.Fields{"age": 31, "tags": []string{"news"}}); err != nil {
			return err
		}

		vips := contacts.Find(client.Eq("vip", true), client.Gt("age", 20)).With("company").OrderBy("name")
		page, err := vips.Limit(20).Page(ctx)
		if err != nil {
			return err
		}
		for _, c := range page.Records {
			fmt.Println(c.Name, *c.Age, c.Company.Record.Name)
		}

		old := contacts.Find(client.Linked("company", client.Lt("founded", schema.Day("2000-01-01"))))
		for c, err := range old.All(ctx) {
			if err != nil {
				return err
			}
			fmt.Println("in an old company:", c.Name)
		}

		_, err = contacts.Create(ctx, Contact{Name: "Bo", Email: new("not an address")})
		if refused, ok := errors.AsType[*client.RefusedError](err); ok {
			fmt.Println(refused.Field, refused.Rule)
		}
		return nil
	}(context.Background())
	fmt.Println(err)
	// Output:
	// Ann 31 Acme
	// in an old company: Ann
	// email format
	// <nil>
}

// A transaction, links, counters, aggregates, and a removal that is undone.
func Example_writes() {
	url, stop := startServer()
	defer stop()
	err := func(ctx context.Context) error {
		c := client.New(url)
		defer c.Close()
		if err := c.SignIn(ctx, "ann@example.org", "correct horse"); err != nil {
			return err
		}
		contacts := client.For[Contact](c)

		var bo graph.ID
		tx, err := client.Transact(ctx, c, func(tx *client.Tx) error {
			acme, err := client.For[Company](tx).Create(ctx, Company{Name: "Acme"})
			if err != nil {
				return err
			}
			bo, err = client.For[Contact](tx).Create(ctx, Contact{Name: "Bo", Company: schema.To[Company](acme)})
			return err
		})
		if err != nil {
			return err
		}
		bo = tx.RealID(bo)

		if err := contacts.Increment(ctx, bo, "age", 1); err != nil {
			return err
		}
		if err := contacts.SetLink(ctx, bo, "company", 0); err != nil {
			return err
		}
		if _, err := contacts.Upsert(ctx, "email", Contact{Name: "Cleo", Email: new("cleo@example.org"), Stage: "customer"}); err != nil {
			return err
		}

		stages, err := contacts.Find().Aggregate(ctx, client.Aggregate{GroupBy: []string{"stage"}, Of: []string{"age"}})
		if err != nil {
			return err
		}
		for _, g := range stages {
			fmt.Println(g.Key["stage"], g.Count, g.Fields["age"].Sum)
		}

		removal, err := contacts.Remove(ctx, bo)
		if err != nil {
			return err
		}
		restored, err := removal.Undo(ctx) // with another id
		if err != nil {
			return err
		}
		again, err := contacts.Get(ctx, restored)
		fmt.Println(again.Name, *again.Age)
		return err
	}(context.Background())
	fmt.Println(err)
	// Output:
	// customer 1 0
	// lead 1 1
	// Bo 1
	// <nil>
}

// A live query and an upload.
func Example_live() {
	url, stop := startServer()
	defer stop()
	err := func(ctx context.Context) error {
		c := client.New(url)
		defer c.Close()
		if err := c.SignIn(ctx, "ann@example.org", "correct horse"); err != nil {
			return err
		}
		contacts := client.For[Contact](c)

		photo, err := c.Upload(ctx, "note.txt", "text/plain", strings.NewReader("hello"))
		if err != nil {
			return err
		}

		for page, err := range contacts.Find().OrderBy("name").Live(ctx) {
			if err != nil {
				return err
			}
			fmt.Println(len(page.Records), "contacts")
			if len(page.Records) == 1 {
				fmt.Println(page.Records[0].Photo.Name)
				break
			}
			if _, err := contacts.Create(ctx, Contact{Name: "Ann", Photo: &photo}); err != nil {
				return err
			}
		}
		return nil
	}(context.Background())
	fmt.Println(err)
	// Output:
	// 0 contacts
	// 1 contacts
	// note.txt
	// <nil>
}

// Writes while the server cannot be reached.
func Example_outbox() {
	url, stop := startServer()
	defer stop()
	err := func(ctx context.Context) error {
		directory, err := os.MkdirTemp("", "outbox")
		if err != nil {
			return err
		}
		defer os.RemoveAll(directory)
		path := filepath.Join(directory, "outbox.db")
		c := client.New(url)
		defer c.Close()
		if err := c.SignIn(ctx, "ann@example.org", "correct horse"); err != nil {
			return err
		}
		box, err := outbox.Open(ctx, path, c)
		if err != nil {
			return err
		}
		defer box.Close()

		id, err := client.For[Contact](box).Create(ctx, Contact{Name: "Ann"}) // durable now, sent later
		if err != nil {
			return err
		}
		ann, err := client.For[Contact](box).Get(ctx, id) // works without the server
		if err != nil {
			return err
		}
		fmt.Println(ann.Name)

		if err := box.Flush(ctx); err != nil { // waits until the server has everything
			for _, w := range box.Status().Writes {
				fmt.Println(w.Key, w.Err) // refused: box.Retry or box.Discard
			}
			return err
		}
		fmt.Println(box.RealID(id).IsReal())
		return nil
	}(context.Background())
	fmt.Println(err)
	// Output:
	// Ann
	// true
	// <nil>
}

// A server in a program, with a hook, a route and a job.
func ExampleOpen() {
	directory, err := os.MkdirTemp("", "weft")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	err = func(ctx context.Context) error {
		contacts, err := schema.Define(Contact{}, Company{})
		if err != nil {
			return err
		}
		app, err := weft.Open(ctx, directory, weft.Options{
			Schema: contacts,
			BeforeWrite: func(_ context.Context, w weft.Write) error {
				if len(w.Batch.RemoveConcepts) > 0 && !w.User.IsAdmin {
					return errors.New("only admins remove records")
				}
				return nil
			},
			AfterWrite: func(_ context.Context, w weft.Write) {
				if len(w.Receipt.Concepts) > 1000 {
					log.Println("a large batch of user", w.User.ID)
				}
			},
			Routes: map[string]weft.Handler{
				"GET /api/vips": func(w http.ResponseWriter, r *weft.Request) error {
					n, err := client.For[Contact](r.Records()).Find(client.Eq("vip", true)).Count(r.Context())
					if err != nil {
						return err
					}
					return json.NewEncoder(w).Encode(map[string]int{"vips": n})
				},
			},
			Jobs: []weft.Job{{Name: "count", Every: 24 * time.Hour, Run: func(ctx context.Context, app *weft.App) error {
				_, err := client.For[Contact](app.System()).Find().Count(ctx)
				return err
			}}},
		})
		if err != nil {
			return err
		}
		defer app.Close()

		ann, err := app.AddUser(ctx, "ann@example.org", "correct horse", false)
		if err != nil {
			return err
		}
		records := client.For[Contact](app.As(ann))
		id, err := records.Create(ctx, Contact{Name: "Bo", VIP: true})
		if err != nil {
			return err
		}
		_, err = records.Remove(ctx, id)
		fmt.Println(err)
		return nil // or app.ListenAndServe(ctx, "127.0.0.1:8080")
	}(context.Background())
	fmt.Println(err)
	// Output:
	// only admins remove records
	// <nil>
}
