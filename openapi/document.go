// Package openapi describes an HTTP API as an OpenAPI 3.1 document. The schemas are made of the Go types
// that the server decodes and encodes, so the document cannot say anything else than what is true. Page
// draws a document for people.
package openapi

import (
	"bytes"
	"encoding/json"
)

// A Document is what OpenAPI calls a description. Its lists keep their order in JSON, also where the format
// has objects.
type Document struct {
	OpenAPI    string                `json:"openapi"`
	Info       Info                  `json:"info"`
	Servers    []Server              `json:"servers"`
	Security   []map[string][]string `json:"security"`
	Tags       []Tag                 `json:"tags"`
	Paths      List[Path]            `json:"paths"`
	Components Components            `json:"components"`
}

// Info names the API.
type Info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"`
	Description string  `json:"description"`
	License     License `json:"license"`
}

// A License is that of the API.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"` // of SPDX
}

// A Server is an address at which the API is.
type Server struct {
	URL string `json:"url"`
}

// A Tag is a chapter.
type Tag struct {
	Name string `json:"name"`
}

// A Path is the operations of one address, by method in lower case.
type Path = List[*Operation]

// An Operation is a method of an address.
type Operation struct {
	ID          string         `json:"operationId"`
	Tags        []string       `json:"tags"`
	Summary     string         `json:"summary"`
	Parameters  []Parameter    `json:"parameters,omitempty"`
	RequestBody *Body          `json:"requestBody,omitempty"`
	Responses   List[Response] `json:"responses"`
}

// A Parameter is a value in the address.
type Parameter struct {
	Name     string  `json:"name"`
	In       string  `json:"in"` // path or query
	Required bool    `json:"required"`
	Schema   *Schema `json:"schema"`
}

// A Body is what a request holds, in each of the encodings it may have.
type Body struct {
	Required bool        `json:"required"`
	Content  List[Media] `json:"content"`
}

// A Response is what an answer holds.
type Response struct {
	Ref         string      `json:"$ref,omitempty"`
	Description string      `json:"description,omitempty"`
	Content     List[Media] `json:"content,omitempty"`
}

// Media is a body in one encoding.
type Media struct {
	Schema  *Schema         `json:"schema"`
	Example json.RawMessage `json:"example,omitempty"`
}

// Components are what several operations refer to.
type Components struct {
	Schemas         List[*Schema]             `json:"schemas"`
	Responses       map[string]Response       `json:"responses"`
	SecuritySchemes map[string]SecurityScheme `json:"securitySchemes"`
}

// A SecurityScheme is a way to say who asks.
type SecurityScheme struct {
	Type         string `json:"type"`
	Scheme       string `json:"scheme"`
	BearerFormat string `json:"bearerFormat,omitempty"`
	Description  string `json:"description"`
}

// A Schema says what a JSON value looks like.
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

// A List is a JSON object that keeps its order.
type List[T any] []Member[T]

// A Member is a named value of a List.
type Member[T any] struct {
	Name  string
	Value T
}

// Get returns the value under a name.
func (l List[T]) Get(name string) (T, bool) {
	for _, m := range l {
		if m.Name == name {
			return m.Value, true
		}
	}
	var none T
	return none, false
}

// MarshalJSON writes an object.
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
