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

// An Endpoint is a method of an address as the server knows it.
type Endpoint struct {
	Tag, Method, Path string
	Says              string
	// Fields of the address, or of a form or JSON object: "name type", "name type default". The type is int,
	// bool, text or file, with a question mark when the field may be left out.
	Fields []string
	Body   reflect.Type // of JSON, when there are no fields
	Gives  reflect.Type // of JSON
	Kind   string       // content type of what is not JSON
}

// Words are what an API says that its endpoints do not.
type Words struct {
	Info     Info
	Refusal  reflect.Type                     // the body of every answer that is not 200
	Known    map[reflect.Type]Schema          // of types whose JSON cannot be read off them
	Examples map[reflect.Type]json.RawMessage // of bodies
}

// Describe makes a document of endpoints. The error names every endpoint that cannot be described.
func Describe(words Words, endpoints []Endpoint) (*Document, error) {
	s := &schemas{known: words.Known, examples: words.Examples, names: map[use]string{}, taken: map[string]bool{}}
	d := &Document{
		OpenAPI:  "3.1.0",
		Info:     words.Info,
		Servers:  []Server{{URL: "/"}},
		Security: []map[string][]string{{}, {"token": {}}},
	}
	problem, err := s.of(use{words.Refusal, false})
	if err != nil {
		return nil, err
	}
	d.Components.Responses = map[string]Response{"Refusal": {Description: "What was wrong", Content: List[Media]{{"application/json", Media{Schema: problem}}}}}
	d.Components.SecuritySchemes = map[string]SecurityScheme{"token": {
		Type: "http", Scheme: "bearer", Description: "A token from signing in, or an API key. Without one the caller is nobody in particular.",
	}}
	var wrong error
	answers := make([]*Schema, len(endpoints)) // first, so that requests find which names are taken
	for i, e := range endpoints {
		if answers[i], err = s.answer(e); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%s %s gives %w", e.Method, e.Path, err))
		}
	}
	for i, e := range endpoints {
		if err := d.add(s, e, answers[i]); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%s %s: %w", e.Method, e.Path, err))
		}
	}
	d.Components.Schemas = s.list
	slices.SortFunc(d.Components.Schemas, func(a, b Member[*Schema]) int { return strings.Compare(a.Name, b.Name) })
	return d, wrong
}

func (s *schemas) answer(e Endpoint) (*Schema, error) {
	switch {
	case e.Gives != nil:
		return s.of(use{e.Gives, false})
	case e.Kind == "application/json":
		return &Schema{}, nil
	case e.Kind != "":
		return &Schema{Type: "string"}, nil
	default:
		return nil, errors.New("nothing: say its type or its content type")
	}
}

func (d *Document) add(s *schemas, e Endpoint, answer *Schema) error {
	if e.Says == "" {
		return errors.New("nothing says what it is for")
	}
	op := &Operation{ID: d.id(e), Tags: []string{e.Tag}, Summary: e.Says}
	kind := e.Kind
	if kind == "" {
		kind = "application/json"
	}
	op.Responses = List[Response]{
		{"200", Response{Description: "The answer", Content: List[Media]{{kind, Media{Schema: answer}}}}},
		{"default", Response{Ref: "#/components/responses/Refusal"}},
	}
	if err := op.asks(s, e); err != nil {
		return err
	}
	if !slices.Contains(d.Tags, Tag{e.Tag}) {
		d.Tags = append(d.Tags, Tag{e.Tag})
	}
	path, method := plain(e.Path), strings.ToLower(e.Method)
	for i := range d.Paths {
		if d.Paths[i].Name == path {
			d.Paths[i].Value = append(d.Paths[i].Value, Member[*Operation]{method, op})
			return nil
		}
	}
	d.Paths = append(d.Paths, Member[Path]{path, Path{{method, op}}})
	return nil
}

// plain is a path as OpenAPI writes it: {file...} is {file}.
func plain(path string) string { return strings.ReplaceAll(path, "...}", "}") }

// asks describes what a request holds: values in the path, and the others in the query of a GET or the body.
func (op *Operation) asks(s *schemas, e Endpoint) error {
	form := &Schema{Type: "object"}
	upload, inPath := false, wildcards(e.Path)
	for _, text := range e.Fields {
		f, err := readField(text)
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
			upload = upload || f.schema.ContentMediaType != ""
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
		body, err := s.of(use{e.Body, true})
		op.RequestBody = &Body{true, List[Media]{{"application/json", Media{body, s.examples[e.Body]}}}}
		return err
	case len(form.Properties) > 0:
		op.RequestBody = &Body{len(form.Required) > 0, s.encodings(op.ID, form, upload)}
	}
	return nil
}

// encodings are those in which the fields of a request may come.
func (s *schemas) encodings(id string, form *Schema, upload bool) List[Media] {
	name := title(id) + "Fields"
	s.list = append(s.list, Member[*Schema]{name, form})
	kinds := []string{"application/x-www-form-urlencoded", "multipart/form-data", "application/json"}
	if upload {
		kinds = []string{"multipart/form-data"}
	}
	var all List[Media]
	for _, kind := range kinds {
		all = append(all, Member[Media]{kind, Media{Schema: ref(name)}})
	}
	return all
}

type field struct {
	name     string
	required bool
	schema   *Schema
}

func readField(text string) (field, error) {
	words := strings.SplitN(text, " ", 3)
	if len(words) < 2 {
		return field{}, fmt.Errorf("the field %q has no type", text)
	}
	kind, optional := strings.CutSuffix(words[1], "?")
	f := field{name: words[0], required: !optional && len(words) == 2}
	switch kind {
	case "int":
		f.schema = &Schema{Type: "integer", Format: "int64"}
	case "bool":
		f.schema = &Schema{Type: "boolean"}
	case "text":
		f.schema = &Schema{Type: "string"}
	case "file":
		f.schema = &Schema{Type: "string", ContentMediaType: "application/octet-stream"}
	default:
		return f, fmt.Errorf("the field %q is of no known type: int, bool, text, file", text)
	}
	if len(words) == 3 {
		return f, f.otherwise(words[2])
	}
	return f, nil
}

// otherwise sets the default.
func (f *field) otherwise(text string) (err error) {
	switch f.schema.Type {
	case "integer":
		f.schema.Default, err = strconv.Atoi(text)
	case "boolean":
		f.schema.Default, err = strconv.ParseBool(text)
	default:
		f.schema.Default = text
	}
	if err != nil {
		err = fmt.Errorf("the field %q cannot be %q when it is left out", f.name, text)
	}
	return err
}

// wildcards are the names in a path: of /a/{id}/{file...}, id and file.
func wildcards(path string) []string {
	var names []string
	for piece := range strings.SplitSeq(path, "/") {
		if inside, ok := strings.CutPrefix(piece, "{"); ok {
			names = append(names, strings.TrimSuffix(strings.TrimSuffix(inside, "}"), "..."))
		}
	}
	return names
}

// id is the path in one word: /api/v1/get_concept_bulk is getConceptBulk. The second operation with a name
// has its method in front.
func (d *Document) id(e Endpoint) string {
	words := strings.FieldsFunc(e.Path, func(r rune) bool { return strings.ContainsRune("/_-{}.", r) })
	words = slices.DeleteFunc(words, func(word string) bool { return word == "api" || version(word) })
	id := ""
	for i, word := range words {
		if i > 0 {
			word = title(word)
		}
		id += word
	}
	if d.has(id) {
		id = strings.ToLower(e.Method) + title(id)
	}
	return id
}

func version(word string) bool {
	_, err := strconv.Atoi(strings.TrimPrefix(word, "v"))
	return err == nil && word[0] == 'v'
}

func (d *Document) has(id string) bool {
	for _, path := range d.Paths {
		for _, op := range path.Value {
			if op.Value.ID == id {
				return true
			}
		}
	}
	return false
}
