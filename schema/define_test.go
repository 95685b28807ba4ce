package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

type Contact struct {
	ID       graph.ID
	Name     string      `weft:"name,required,max=200"`
	Email    *string     `weft:",unique,format=email"`
	Age      *int        `weft:",min=0"`
	Score    float64     `weft:",default=0.5"`
	VIP      bool        `weft:"vip,default=false"`
	Joined   *schema.Day `weft:",default=today,min=2000-01-01"`
	Seen     *time.Time  `weft:",restricted"`
	Stage    string      `weft:",choices=lead|customer,default=lead"`
	Notes    string      `weft:",longText,was=remarks|text"`
	Code     string      `weft:",pattern=^[a-z]{1,3}$"`
	Tags     []string    `weft:",max=5,itemMax=20,format=textOnly"`
	Address  *Address    `weft:",required"`
	Phones   []Phone     `weft:""`
	Photo    *schema.StoredFile
	Meta     json.RawMessage
	Extra    map[string]any
	Company  *schema.One[Company]
	Reports  schema.Many[Contact] `weft:",inverse=manager"`
	Manager  *schema.One[Contact]
	Subjects schema.Many[any] `weft:",targets=contact|company"`
	Hidden   chan int         `weft:"-"`
	private  int
}

type Address struct {
	ZipCode string `weft:",required"`
	URL     string
}

type Phone struct{ Digits string }

type Company struct {
	Label    string
	Contacts schema.Many[Contact] `weft:",inverse=company"`
}

func TestDefineReadsStructTags(t *testing.T) {
	s, err := schema.Define(Contact{private: 1}, Company{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := schema.Parse([]byte(`{"types": {"contact": {"fields": {
		"name": {"kind": "text", "required": true, "max": 200}, "email": {"kind": "text", "unique": true, "format": "email"},
		"age": {"kind": "integer", "min": 0}, "score": {"kind": "number", "default": 0.5}, "vip": {"kind": "boolean", "default": false},
		"joined": {"kind": "date", "default": "today", "min": "2000-01-01"}, "seen": {"kind": "dateTime", "restricted": true},
		"stage": {"kind": "choice", "choices": ["lead", "customer"], "default": "lead"},
		"notes": {"kind": "longText", "was": ["remarks", "text"]}, "code": {"kind": "text", "pattern": "^[a-z]{1,3}$"},
		"tags": {"kind": "list", "max": 5, "of": {"kind": "text", "max": 20, "format": "textOnly"}},
		"address": {"kind": "record", "required": true, "fields": {"zipCode": {"kind": "text", "required": true}, "url": {"kind": "text"}}},
		"phones": {"kind": "list", "of": {"kind": "record", "fields": {"digits": {"kind": "text"}}}},
		"photo": {"kind": "file"}, "meta": {"kind": "json"}, "extra": {"kind": "json"},
		"company": {"kind": "one", "targets": ["company"]}, "manager": {"kind": "one", "targets": ["contact"]},
		"reports": {"kind": "many", "targets": ["contact"], "inverse": "manager"}, "subjects": {"kind": "many", "targets": ["contact", "company"]}
	}}, "company": {"fields": {"label": {"kind": "text"}, "contacts": {"kind": "many", "targets": ["contact"], "inverse": "company"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(canonical(t, want), canonical(t, s)); diff != "" {
		t.Error(diff)
	}
}

type tree struct{ Children []tree }

func TestDefineRejectsInvalidDefinitions(t *testing.T) {
	for text, v := range map[string]any{
		"defined by a struct": 5,
		"contains itself":     tree{},
		`unknown option "uniqe"`: struct {
			A string `weft:",uniqe"`
		}{},
		"cannot have the Go type": struct{ A chan int }{},
		"default=x is not JSON": struct {
			A int `weft:",default=x"`
		}{},
		`cannot be the name of a type`: struct{ A int }{},
	} {
		if _, err := schema.Define(v); graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), text) {
			t.Errorf("the error is %v; want %q", err, text)
		}
	}
}
