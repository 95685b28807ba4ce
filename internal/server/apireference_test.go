package server

import (
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-graph/weft/internal/store/memory"
)

// Every route must have a summary, and every type in its requests and responses a JSON schema.
func TestReferenceDescribesEveryRoute(t *testing.T) {
	s := New(memory.New(), Options{})
	defer s.Close()
	d, err := s.areas.reference.describe()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := parsed.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaDefaultsValidation(), openapi3.EnableMultiError()); err != nil {
		t.Error(err)
	}
	for _, area := range s.areas.list {
		for _, r := range area.routes {
			if item := parsed.Paths.Find(r.path); item == nil || item.GetOperation(r.method) == nil {
				t.Errorf("%s %s is not in the document", r.method, r.path)
			}
		}
	}
}
