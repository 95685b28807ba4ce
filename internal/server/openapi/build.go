package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// An Endpoint is an operation as the server declares it.
type Endpoint struct {
	Tag, Method, Path string
	Summary           string
	// Fields of the query string, of a form or of a JSON object: "name type" or "name type default". The type is int,
	// bool, text or file, followed by a question mark if the field is optional.
	Fields      []string
	Body        reflect.Type // type of a JSON body, instead of fields
	Response    reflect.Type // type of the JSON response
	ContentType string       // content type of a response that is not JSON
}

// API holds what all endpoints have in common.
type API struct {
	Info     Info
	Error    reflect.Type                     // the body of every response other than 200
	Known    map[reflect.Type]Schema          // for types whose JSON cannot be derived from the Go type
	Examples map[reflect.Type]json.RawMessage // example bodies of these types
}

// Describe returns the document of endpoints. The error lists every endpoint that cannot be described.
func Describe(api API, endpoints []Endpoint) (*Document, error) {
	s := &schemas{known: api.Known, examples: api.Examples, names: map[typeUse]string{}, usedNames: map[string]bool{}}
	d := &Document{
		OpenAPI:  "3.1.0",
		Info:     api.Info,
		Servers:  []Server{{URL: "/"}},
		Security: []map[string][]string{{}, {"token": {}}},
	}
	errorSchema, err := s.of(typeUse{api.Error, false})
	if err != nil {
		return nil, err
	}
	d.Components.Responses = map[string]Response{"ErrorResponse": {Description: "An error", Content: List[Media]{{"application/json", Media{Schema: errorSchema}}}}}
	d.Components.SecuritySchemes = map[string]SecurityScheme{"token": {
		Type: "http", Scheme: "bearer", Description: "An access token from signing in, or an API key. Without a token or key, the caller is a guest.",
	}}
	var problems error
	responses := make([]*Schema, len(endpoints)) // computed before the requests, because the names of requests depend on the names of responses
	for i, e := range endpoints {
		if responses[i], err = s.response(e); err != nil {
			problems = errors.Join(problems, fmt.Errorf("response of %s %s: %w", e.Method, e.Path, err))
		}
	}
	for i, e := range endpoints {
		if err := d.add(s, e, responses[i]); err != nil {
			problems = errors.Join(problems, fmt.Errorf("%s %s: %w", e.Method, e.Path, err))
		}
	}
	d.Components.Schemas = s.list
	slices.SortFunc(d.Components.Schemas, func(a, b Member[*Schema]) int { return strings.Compare(a.Name, b.Name) })
	return d, problems
}

func (s *schemas) response(e Endpoint) (*Schema, error) {
	switch {
	case e.Response != nil:
		return s.of(typeUse{e.Response, false})
	case e.ContentType == "application/json":
		return &Schema{}, nil
	case e.ContentType != "":
		return &Schema{Type: "string"}, nil
	default:
		return nil, errors.New("neither a type nor a content type is declared")
	}
}

// add adds an endpoint to the document.
func (d *Document) add(s *schemas, e Endpoint, response *Schema) error {
	if e.Summary == "" {
		return errors.New("no summary is declared")
	}
	op := &Operation{ID: d.operationID(e), Tags: []string{e.Tag}, Summary: e.Summary}
	contentType := e.ContentType
	if contentType == "" {
		contentType = "application/json"
	}
	op.Responses = List[Response]{
		{"200", Response{Description: "The response", Content: List[Media]{{contentType, Media{Schema: response}}}}},
		{"default", Response{Ref: "#/components/responses/ErrorResponse"}},
	}
	if err := op.describeRequest(s, e); err != nil {
		return err
	}
	if !slices.Contains(d.Tags, Tag{e.Tag}) {
		d.Tags = append(d.Tags, Tag{e.Tag})
	}
	path, method := openAPIPath(e.Path), strings.ToLower(e.Method)
	for i := range d.Paths {
		if d.Paths[i].Name == path {
			d.Paths[i].Value = append(d.Paths[i].Value, Member[*Operation]{method, op})
			return nil
		}
	}
	d.Paths = append(d.Paths, Member[Path]{path, Path{{method, op}}})
	return nil
}

// openAPIPath returns a path in the syntax of OpenAPI: {file} for {file...}.
func openAPIPath(path string) string { return strings.ReplaceAll(path, "...}", "}") }

// describeRequest describes the fields of a request, which are in the path, in the query string of GET and DELETE, or
// in the body.
func (op *Operation) describeRequest(s *schemas, e Endpoint) error {
	form := &Schema{Type: "object"}
	hasFile, inPath := false, wildcards(e.Path)
	for _, text := range e.Fields {
		f, err := parseField(text)
		if err != nil {
			return err
		}
		switch {
		case slices.Contains(inPath, f.name):
			inPath = slices.DeleteFunc(inPath, func(name string) bool { return name == f.name })
			op.Parameters = append(op.Parameters, Parameter{f.name, "path", true, f.schema})
		case e.Method == http.MethodGet || e.Method == http.MethodDelete:
			op.Parameters = append(op.Parameters, Parameter{f.name, "query", f.required, f.schema})
		default:
			hasFile = hasFile || f.schema.ContentMediaType != ""
			form.Properties = append(form.Properties, Member[*Schema]{f.name, f.schema})
			if f.required {
				form.Required = append(form.Required, f.name)
			}
		}
	}
	for _, name := range inPath {
		op.Parameters = append(op.Parameters, Parameter{name, "path", true, &Schema{Type: "string"}})
	}
	switch {
	case e.Body != nil:
		body, err := s.of(typeUse{e.Body, true})
		op.RequestBody = &Body{true, List[Media]{{"application/json", Media{body, s.examples[e.Body]}}}}
		return err
	case len(form.Properties) > 0:
		op.RequestBody = &Body{len(form.Required) > 0, s.formContent(op.ID, form, hasFile)}
	}
	return nil
}

// formContent returns the content types that the fields of a request may have.
func (s *schemas) formContent(id string, form *Schema, hasFile bool) List[Media] {
	name := title(id) + "Fields"
	s.list = append(s.list, Member[*Schema]{name, form})
	contentTypes := []string{"application/x-www-form-urlencoded", "multipart/form-data", "application/json"}
	if hasFile {
		contentTypes = []string{"multipart/form-data"}
	}
	var all List[Media]
	for _, contentType := range contentTypes {
		all = append(all, Member[Media]{contentType, Media{Schema: ref(name)}})
	}
	return all
}

type field struct {
	name     string
	required bool
	schema   *Schema
}

// parseField parses "name type default".
func parseField(text string) (field, error) {
	words := strings.SplitN(text, " ", 3)
	if len(words) < 2 {
		return field{}, fmt.Errorf("the field %q has no type", text)
	}
	typ, optional := strings.CutSuffix(words[1], "?")
	f := field{name: words[0], required: !optional && len(words) == 2}
	switch typ {
	case "int":
		f.schema = &Schema{Type: "integer", Format: "int64"}
	case "bool":
		f.schema = &Schema{Type: "boolean"}
	case "text":
		f.schema = &Schema{Type: "string"}
	case "file":
		f.schema = &Schema{Type: "string", ContentMediaType: "application/octet-stream"}
	default:
		return f, fmt.Errorf("the field %q has an unknown type; want int, bool, text or file", text)
	}
	if len(words) == 3 {
		return f, f.setDefault(words[2])
	}
	return f, nil
}

// setDefault parses the default of a field.
func (f *field) setDefault(text string) (err error) {
	switch f.schema.Type {
	case "integer":
		f.schema.Default, err = strconv.Atoi(text)
	case "boolean":
		f.schema.Default, err = strconv.ParseBool(text)
	default:
		f.schema.Default = text
	}
	if err != nil {
		err = fmt.Errorf("the field %q has the invalid default %q", f.name, text)
	}
	return err
}

// wildcards returns the names of the wildcards in a path: id and file in /a/{id}/{file...}.
func wildcards(path string) []string {
	var names []string
	for piece := range strings.SplitSeq(path, "/") {
		if inside, ok := strings.CutPrefix(piece, "{"); ok {
			names = append(names, strings.TrimSuffix(strings.TrimSuffix(inside, "}"), "..."))
		}
	}
	return names
}

// operationID returns an id made from the path: getConceptBulk for /api/v1/get_concept_bulk. The second operation with
// the same id, such as that of /api/Auth/refresh, is prefixed with its method.
func (d *Document) operationID(e Endpoint) string {
	words := strings.FieldsFunc(e.Path, func(r rune) bool { return strings.ContainsRune("/_-{}.", r) })
	words = slices.DeleteFunc(words, func(word string) bool { return word == "api" || isVersion(word) })
	id := ""
	for i, word := range words {
		if i == 0 {
			id = strings.ToLower(word[:1]) + word[1:]
		} else {
			id += title(word)
		}
	}
	if d.hasOperation(id) {
		id = strings.ToLower(e.Method) + title(id)
	}
	return id
}

func isVersion(word string) bool {
	_, err := strconv.Atoi(strings.TrimPrefix(word, "v"))
	return err == nil && word[0] == 'v'
}

func (d *Document) hasOperation(id string) bool {
	for _, path := range d.Paths {
		for _, op := range path.Value {
			if op.Value.ID == id {
				return true
			}
		}
	}
	return false
}
