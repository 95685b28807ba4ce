package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	_ "github.com/pocketbase/pocketbase/migrations" // creates the tables of PocketBase

	"github.com/weft-graph/weft/bench/versus/child"
)

const pocketName = "PocketBase"

// servePocketBase fills a PocketBase in a directory with the dataset and serves it until the process is stopped. The
// request log is off, which makes PocketBase faster. Records are readable by their owner, or by all users if they are
// public, as in Weft.
func servePocketBase(d dataset, dir string) error {
	app := core.NewBaseApp(core.BaseAppConfig{DataDir: dir})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	settings := app.Settings()
	settings.Logs.MaxDays = 0
	settings.Batch = core.BatchConfig{Enabled: true, MaxRequests: 10_000, Timeout: 600}
	if err := app.Save(settings); err != nil {
		return err
	}
	owner, err := pocketUser(app)
	if err != nil {
		return err
	}
	if err := pocketCollections(app); err != nil {
		return err
	}
	if err := pocketFill(app, d, owner); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.Listener = l
		fmt.Printf("http://%s\n", l.Addr())
		return e.Next()
	})
	err = apis.Serve(app, apis.ServeConfig{HttpAddr: l.Addr().String()})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func pocketUser(app core.App) (string, error) {
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return "", err
	}
	user := core.NewRecord(users)
	user.SetEmail(email)
	user.SetPassword(password)
	user.SetVerified(true)
	err = app.Save(user)
	return user.Id, err
}

func pocketCollections(app core.App) error {
	rule := `owner = @request.auth.id || public = true`
	signedIn := `@request.auth.id != ""`
	concept := core.NewBaseCollection("concept")
	concept.Fields.Add(&core.TextField{Name: "type"}, &core.TextField{Name: "value"},
		&core.TextField{Name: "owner"}, &core.BoolField{Name: "public"})
	concept.AddIndex("concept_value", false, "type, value", "")
	concept.ListRule, concept.ViewRule, concept.CreateRule = &rule, &rule, &signedIn
	if err := app.Save(concept); err != nil {
		return err
	}
	connection := core.NewBaseCollection("connection")
	connection.Fields.Add(
		&core.RelationField{Name: "source", CollectionId: concept.Id, MaxSelect: 1},
		&core.RelationField{Name: "target", CollectionId: concept.Id, MaxSelect: 1},
		&core.TextField{Name: "type"}, &core.TextField{Name: "owner"}, &core.BoolField{Name: "public"})
	connection.AddIndex("connection_source", false, "source, type", "")
	connection.AddIndex("connection_target", false, "target, type", "")
	connection.ListRule, connection.ViewRule, connection.CreateRule = &rule, &rule, &signedIn
	return app.Save(connection)
}

// pocketFill writes the rows directly to the database, because the API of PocketBase would take an hour.
func pocketFill(app core.App, d dataset, owner string) error {
	return app.RunInTransaction(func(tx core.App) error {
		concepts := tx.DB().NewQuery(`insert into concept (id, type, value, owner, public) values ({:id}, {:type}, {:value}, {:owner}, {:public})`).Prepare()
		defer concepts.Close()
		for i := range d.concepts {
			_, err := concepts.Bind(dbx.Params{"id": pocketID(i), "type": d.typeOf(i), "value": d.valueOf(i), "owner": owner, "public": d.isPublic(i)}).Execute()
			if err != nil {
				return err
			}
		}
		links := tx.DB().NewQuery(`insert into connection (id, source, target, type, owner, public) values ({:id}, {:source}, {:target}, {:type}, {:owner}, {:public})`).Prepare()
		defer links.Close()
		for i := range d.concepts {
			for j := range linksPerConcept {
				_, err := links.Bind(dbx.Params{
					"id": pocketID(i*linksPerConcept + j), "source": pocketID(i), "target": pocketID(d.target(i, j)),
					"type": relation, "owner": owner, "public": d.isPublic(i),
				}).Execute()
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func pocketID(i int) string { return fmt.Sprintf("r%014d", i) }

// pocketBase starts this program again as a PocketBase server.
func pocketBase(ctx context.Context, d dataset, dir string) (*contestant, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := child.Start(ctx, self, "-serve-pocketbase", dir, "-concepts", fmt.Sprint(d.concepts))
	if err != nil {
		return nil, err
	}
	body, _ := json.Marshal(map[string]string{"identity": email, "password": password})
	response, err := send(newRequest("POST", p.URL+"/api/collections/users/auth-with-password", jsonType, "", body))
	if err != nil {
		return nil, err
	}
	var session struct{ Token string }
	if err := json.Unmarshal(response, &session); err != nil {
		return nil, err
	}
	return &contestant{
		name: pocketName, process: p, questions: pocketQuestions(d, p.URL+"/api", session.Token), batchSizes: map[string]int{batch1k: 1_000, batch2k: 2_000},
	}, nil
}

func pocketQuestions(d dataset, apiURL, token string) map[string]question {
	get := func(path string, query func(n int) url.Values) question {
		return func(n int) *http.Request {
			r := newRequest("GET", apiURL+path+"?"+query(n).Encode(), "", "", nil)
			r.Header.Set("Authorization", token)
			return r
		}
	}
	linked := func(expand string) question {
		return get("/collections/connection/records", func(n int) url.Values {
			return url.Values{
				"filter": {fmt.Sprintf("source='%s' && type='%s'", pocketID(n%d.concepts), relation)},
				"expand": {expand}, "skipTotal": {"1"}, "perPage": {"50"},
			}
		})
	}
	return map[string]question{
		getByID: func(n int) *http.Request {
			r := newRequest("GET", apiURL+"/collections/concept/records/"+pocketID(n%d.concepts), "", "", nil)
			r.Header.Set("Authorization", token)
			return r
		},
		getByPair: get("/collections/concept/records", func(n int) url.Values {
			i := n % d.concepts
			return url.Values{
				"filter":    {fmt.Sprintf("type='%s' && value='%s'", d.typeOf(i), d.valueOf(i))},
				"skipTotal": {"1"}, "perPage": {"1"},
			}
		}),
		adjacency: linked("target"),
		nested:    linked("target.connection_via_source.target"),
		batch1k:   pocketBatch(apiURL, token, 1_000),
		batch2k:   pocketBatch(apiURL, token, 2_000),
	}
}

func pocketBatch(apiURL, token string, rows int) question {
	return func(int) *http.Request {
		requests := make([]string, rows)
		for i := range requests {
			requests[i] = fmt.Sprintf(`{"method":"POST","url":"/api/collections/concept/records","body":{"type":"the_measure","value":%q}}`, freshValue())
		}
		r := newRequest("POST", apiURL+"/batch", jsonType, "", []byte(`{"requests":[`+strings.Join(requests, ",")+`]}`))
		r.Header.Set("Authorization", token)
		return r
	}
}
