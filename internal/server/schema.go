package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/typesource"
	"github.com/weft-graph/weft/schema"
	"github.com/weft-graph/weft/wire"
)

// schemaAPI serves the schema of the store. Every caller may read it; admins may change it.
type schemaAPI struct {
	views        *storeViews
	audit        *auditAPI
	maxBatchBody int64
}

func (a *schemaAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/schema", noBody, jsonEndpointAs[schemaDocument](a.read), "The types of applications: their fields, links and rules, in canonical form", requestShape{}},
		{"POST", "/api/v1/schema", a.maxBatchBody, jsonEndpoint(a.push), "Add and replace types, in one batch. Only admins may do this", jsonBody[wire.SchemaPush]()},
		{"POST", "/api/v1/schema/preview", a.maxBatchBody, inTurn(jsonEndpoint(a.preview)), "The changes that a push would make, and how many stored records would violate the changed types. Only admins may do this", jsonBody[wire.SchemaPush]()},
		{"GET", "/api/v1/schema/found", noBody, inTurn(jsonEndpoint(a.found)), "The fields and links of the newest records of a type that the caller may read, whether or not the schema has the type", fields("type text", "records int 200")},
		{"GET", "/api/v1/schema/source", noBody, jsonEndpoint(a.source), "Source code generated from the schema. The language is ts or go; package is the name of the Go package", fields("language text", "package text model")},
	}
}

// schemaDocument is the JSON of a schema, for the API reference.
type schemaDocument struct {
	Types map[string]schemaTypeDocument `json:"types"`
}

// schemaTypeDocument is the JSON of a type of a schema.
type schemaTypeDocument struct {
	Fields map[string]map[string]any `json:"fields"`
}

// jsonText is a value that is already encoded.
type jsonText []byte

// AppendJSON appends the text.
func (t jsonText) AppendJSON(b []byte) []byte { return append(b, t...) }

func (a *schemaAPI) read(req *request) (jsonText, error) {
	checked, _ := graph.As[*schemas.Store](a.views.as(access.System)) // every server has one
	return checked.Document(req.Context())
}

func (a *schemaAPI) push(req *request) (wire.SchemaChanges, error) {
	s, sent, err := pushedSchema(req)
	if err != nil {
		return wire.SchemaChanges{}, err
	}
	differences, err := schemas.Push(req.Context(), a.views.as(access.System), s, schemas.PushOptions{
		Prune: bool(sent.Prune), DryRun: bool(sent.DryRun),
	})
	if err == nil && len(differences) > 0 && !bool(sent.DryRun) {
		a.audit.add(req, action{"schema.push", strings.Join(typesOf(differences), " "), fmt.Sprintf("%d changes", len(differences))})
	}
	return wire.SchemaChanges{Differences: wireDifferences(differences)}, err
}

// typesOf returns the names of the types that differ.
func typesOf(differences []schema.Difference) []string {
	names := make([]string, len(differences))
	for i, d := range differences {
		names[i] = d.Type
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// pushedSchema returns the schema in a request of an admin.
func pushedSchema(req *request) (*schema.Schema, wire.SchemaPush, error) {
	var sent wire.SchemaPush
	if err := req.requireAdmin(); err != nil {
		return nil, sent, err
	}
	if err := req.requireKeyForAllTypes(); err != nil {
		return nil, sent, err
	}
	if err := wire.Decode(req.body, &sent); err != nil {
		return nil, sent, err
	}
	s, err := schema.Parse(sent.Schema)
	return s, sent, err
}

// wireDifferences converts differences to those of a response.
func wireDifferences(differences []schema.Difference) []wire.SchemaDifference {
	out := make([]wire.SchemaDifference, len(differences))
	for i, d := range differences {
		out[i] = wire.SchemaDifference{
			Type: d.Type, Field: d.Field, Before: json.RawMessage(d.Before), After: json.RawMessage(d.After),
		}
	}
	return out
}

// schemaPreview is a schemas.Preview in a response.
type schemaPreview struct {
	Differences []wire.SchemaDifference  `json:"differences"`
	Records     int                      `json:"records"`  // number of records that were checked
	Complete    bool                     `json:"complete"` // false if there are more records than a preview checks
	Violations  []schemas.RuleViolations `json:"violations"`
}

func (a *schemaAPI) preview(req *request) (schemaPreview, error) {
	s, sent, err := pushedSchema(req)
	if err != nil {
		return schemaPreview{}, err
	}
	p, err := schemas.PreviewPush(req.Context(), a.views.as(access.System), s, bool(sent.Prune))
	return schemaPreview{
		Differences: wireDifferences(p.Differences), Records: p.Records, Complete: p.Complete, Violations: p.Violations,
	}, err
}

// defaultDiscovered is the number of records that a discovery reads if the request has no field "records".
const defaultDiscovered = 200

func (a *schemaAPI) found(req *request) (schemas.Discovery, error) {
	fields, err := req.fields("type", "records")
	if err != nil {
		return schemas.Discovery{}, err
	}
	name, err := fields.Text("type")
	if err != nil {
		return schemas.Discovery{}, err
	}
	records, err := fields.Int("records", defaultDiscovered)
	if err != nil {
		return schemas.Discovery{}, err
	}
	return schemas.Discover(req.Context(), req.graph, name, records)
}

// schemaSource is source code generated from the schema.
type schemaSource struct {
	Source string `json:"source"`
}

func (a *schemaAPI) source(req *request) (schemaSource, error) {
	fields, err := req.fields("language", "package")
	if err != nil {
		return schemaSource{}, err
	}
	s, err := schemas.Load(req.Context(), a.views.as(access.System))
	if err != nil {
		return schemaSource{}, err
	}
	switch language := fields["language"]; language {
	case "ts":
		return schemaSource{string(typesource.TypeScript(s))}, nil
	case "go":
		source, err := typesource.Go(s, cmp.Or(fields["package"], "model"))
		return schemaSource{string(source)}, err
	default:
		return schemaSource{}, graph.Errorf(graph.Invalid, "the language %q is not ts or go", graph.Clip(language))
	}
}
