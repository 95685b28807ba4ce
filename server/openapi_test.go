package server

import (
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-graph/weft/store/memory"
)

// A route without words, or with a type that JSON cannot say, does not get in.
func TestEveryRouteIsDescribed(t *testing.T) {
	s := New(memory.New(), Options{})
	defer s.Close()
	d, err := s.describe()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	read, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaDefaultsValidation(), openapi3.EnableMultiError()); err != nil {
		t.Error(err)
	}
	for _, area := range s.areas() {
		for _, r := range area.routes {
			if item := read.Paths.Find(r.path); item == nil || item.GetOperation(r.method) == nil {
				t.Errorf("%s %s is not in the document", r.method, r.path)
			}
		}
	}
}
