// Package openapi describes an HTTP API as an OpenAPI 3.1 document, and renders the document as a page.
//
//	Describe   endpoints → document    build.go: operations and fields; schema.go: schemas of Go types
//	Page       document → HTML         page.go, example.go: an example of each request as a curl command
//
// The schemas come from the Go types that the server decodes and encodes, so the document cannot disagree with the
// server. Both functions run once for each process, at the first request.
//
// Reasons for the design: docs/decisions/0014.
package openapi

import (
	"bytes"
	"encoding/json"
)

// A Document is an OpenAPI description. It keeps the order of its lists in JSON, even where the format has objects.
type Document struct {
	OpenAPI    string                `json:"openapi"`
	Info       Info                  `json:"info"`
	Servers    []Server              `json:"servers"`
	Security   []map[string][]string `json:"security"`
	Tags       []Tag                 `json:"tags"`
	Paths      List[Path]            `json:"paths"`
	Components Components            `json:"components"`
}

// Info describes the API as a whole.
type Info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"`
	Description string  `json:"description"`
	License     License `json:"license"`
}

// A License is the license of the API.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"` // from the SPDX list
}

// A Server is a base URL of the API.
type Server struct {
	URL string `json:"url"`
}

// A Tag groups operations into a chapter.
type Tag struct {
	Name string `json:"name"`
}

// A Path holds the operations of one path, by method in lower case.
type Path = List[*Operation]

// An Operation is one method of a path.
type Operation struct {
	ID          string         `json:"operationId"`
	Tags        []string       `json:"tags"`
	Summary     string         `json:"summary"`
	Parameters  []Parameter    `json:"parameters,omitempty"`
	RequestBody *Body          `json:"requestBody,omitempty"`
	Responses   List[Response] `json:"responses"`
}

// A Parameter is a value in the URL.
type Parameter struct {
	Name     string  `json:"name"`
	In       string  `json:"in"` // path or query
	Required bool    `json:"required"`
	Schema   *Schema `json:"schema"`
}

// A Body is the body of a request, for each content type it may have.
type Body struct {
	Required bool        `json:"required"`
	Content  List[Media] `json:"content"`
}

// A Response describes a response, or refers to one in Components.
type Response struct {
	Ref         string      `json:"$ref,omitempty"`
	Description string      `json:"description,omitempty"`
	Content     List[Media] `json:"content,omitempty"`
}

// Media is a body with one content type.
type Media struct {
	Schema  *Schema         `json:"schema"`
	Example json.RawMessage `json:"example,omitempty"`
}

// Components holds the parts to which several operations refer.
type Components struct {
	Schemas         List[*Schema]             `json:"schemas"`
	Responses       map[string]Response       `json:"responses"`
	SecuritySchemes map[string]SecurityScheme `json:"securitySchemes"`
}

// A SecurityScheme is a way to authenticate a caller.
type SecurityScheme struct {
	Type         string `json:"type"`
	Scheme       string `json:"scheme"`
	BearerFormat string `json:"bearerFormat,omitempty"`
	Description  string `json:"description"`
}

// A Schema is the JSON Schema of a value.
type Schema struct {
	Ref                  string        `json:"$ref,omitempty"`
	Type                 string        `json:"type,omitempty"`
	Format               string        `json:"format,omitempty"`
	Description          string        `json:"description,omitempty"`
	ContentMediaType     string        `json:"contentMediaType,omitempty"`
	ContentEncoding      string        `json:"contentEncoding,omitempty"`
	Enum                 []string      `json:"enum,omitempty"`
	Default              any           `json:"default,omitempty"`
	Items                *Schema       `json:"items,omitempty"`
	Properties           List[*Schema] `json:"properties,omitempty"`
	Required             []string      `json:"required,omitempty"`
	AdditionalProperties *Schema       `json:"additionalProperties,omitempty"`
	AnyOf                []*Schema     `json:"anyOf,omitempty"`
}

// A List is encoded as a JSON object whose members keep their order.
type List[T any] []Member[T]

// A Member is a member of a List.
type Member[T any] struct {
	Name  string
	Value T
}

// Get returns the value of a member, and whether the list has it.
func (l List[T]) Get(name string) (T, bool) {
	for _, m := range l {
		if m.Name == name {
			return m.Value, true
		}
	}
	var zero T
	return zero, false
}

// MarshalJSON implements json.Marshaler.
func (l List[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
