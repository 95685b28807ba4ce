package openapi

import (
	"bytes"
	_ "embed" // the parts of the page
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"github.com/weft-graph/weft/internal/site/look"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// Page renders a document as HTML and returns the Content-Security-Policy that the page needs. The policy allows the
// inline script and style by their hashes and not by a nonce, so that the page can be cached for all callers. The
// page uses the stylesheets and the theme script of index, the site's document; without them it uses its own styles.
func Page(d *Document, index []byte) (html []byte, policy string, err error) {
	v := pageView{Info: d.Info, Chapters: chaptersOf(d), Schemas: schemaViews(d.Components.Schemas)}
	style := string(look.Fallback) + pageStyle
	v.Style, v.Script = template.CSS(style), template.JS(pageScript) //nolint:gosec // embedded files
	v.Look = look.Of(index)
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, v)
	policy = "default-src 'none'; script-src 'self' " + look.HashSource(pageScript) + "; style-src 'self' " + look.HashSource(style) +
		"; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
	return b.Bytes(), policy, err
}

// pageView is the data of page.html.
type pageView struct {
	look.Look
	Info     Info
	Style    template.CSS
	Script   template.JS
	Chapters []chapter
	Schemas  []schemaView
}

type chapter struct {
	Name, Anchor string
	Operations   []operationView
}

type operationView struct {
	ID, Method, Path, Summary string
	ShortPath                 string // in the contents
	Fields                    []fieldView
	FieldsIn                  string // the part of the request with the fields
	Body, Response            phrase
	ContentType               string // content type of a response that is not JSON
	Curl                      string
}

type fieldView struct {
	Name, Type, Default string
	Required            bool
}

type schemaView struct {
	Name    string
	Members []memberView
}

type memberView struct {
	Name, Description string
	Type              phrase
	Optional          bool
}

// A phrase names a type in words, with a link to a schema between them.
type phrase struct{ Before, Link, After string }

func chaptersOf(d *Document) []chapter {
	var all []chapter
	for _, tag := range d.Tags {
		c := chapter{Name: tag.Name, Anchor: "chapter-" + strings.ReplaceAll(strings.ToLower(tag.Name), " ", "-")}
		for _, path := range d.Paths {
			for _, m := range path.Value {
				if slices.Contains(m.Value.Tags, tag.Name) {
					c.Operations = append(c.Operations, d.show(path.Name, m.Name, m.Value))
				}
			}
		}
		all = append(all, c)
	}
	return all
}

func (d *Document) show(path, method string, op *Operation) operationView {
	view := operationView{
		ID: op.ID, Method: strings.ToUpper(method), Path: path, Summary: op.Summary, ShortPath: strings.TrimPrefix(path, "/api/"),
	}
	for _, p := range op.Parameters {
		view.FieldsIn = "the address"
		view.Fields = append(view.Fields, showField(p.Name, p.Schema, p.Required))
	}
	body := ""
	if op.RequestBody != nil {
		view.FieldsIn, body = d.showBody(&view, op.RequestBody)
	}
	if response, ok := op.Responses.Get("200"); ok {
		view.Response = phraseOf(response.Content[0].Value.Schema)
		if contentType := response.Content[0].Name; contentType != "application/json" {
			view.ContentType = contentType
		}
	}
	view.Curl = d.curl(view, op, body)
	return view
}

// showBody sets the body or the fields of an operation. It returns the part of the request with the fields, and an
// example of a JSON body, which is "" when the body has fields.
func (d *Document) showBody(view *operationView, body *Body) (fieldsIn, example string) {
	schema := body.Content[0].Value.Schema
	if body.Content[0].Name == "application/json" {
		view.Body = phraseOf(schema)
		if example := body.Content[0].Value.Example; example != nil {
			return "", string(example)
		}
		text, _ := json.Marshal(d.example(schema, "", 0)) // the example consists of maps, lists and strings
		return "", string(text)
	}
	form := d.resolve(schema)
	for _, f := range form.Properties {
		view.Fields = append(view.Fields, showField(f.Name, f.Value, slices.Contains(form.Required, f.Name)))
	}
	if len(body.Content) == 1 {
		return "multipart/form-data", ""
	}
	return "a form, multipart/form-data or a JSON object", ""
}

func showField(name string, s *Schema, required bool) fieldView {
	f := fieldView{Name: name, Type: phraseOf(s).Before, Required: required}
	if s.Default != nil {
		text, _ := json.Marshal(s.Default) // the default is a number, a flag or a string
		f.Default = string(text)
	}
	return f
}

// resolve follows the reference of a schema, if it is one.
func (d *Document) resolve(s *Schema) *Schema {
	if named, ok := d.Components.Schemas.Get(referencedName(s)); ok {
		return named
	}
	return s
}

// referencedName returns the name of the schema that a reference means.
func referencedName(s *Schema) string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// phraseOf describes a type in words.
func phraseOf(s *Schema) phrase {
	switch {
	case s.Ref != "":
		return phrase{Link: referencedName(s)}
	case len(s.AnyOf) > 0:
		p := phraseOf(s.AnyOf[0])
		p.After += " or null"
		return p
	case s.Type == "array":
		p := phraseOf(s.Items)
		p.Before = "list of " + p.Before
		return p
	case s.AdditionalProperties != nil:
		p := phraseOf(s.AdditionalProperties)
		p.Before = "object of " + p.Before
		return p
	case s.ContentMediaType != "":
		return phrase{Before: "file"}
	case s.ContentEncoding != "":
		return phrase{Before: s.ContentEncoding}
	case len(s.Enum) > 0:
		return phrase{Before: strings.Join(s.Enum, " | ")}
	case s.Type == "string":
		return phrase{Before: "text"}
	case s.Type == "":
		return phrase{Before: "anything"}
	default:
		return phrase{Before: s.Type}
	}
}

// schemaViews returns the schemas to list. Fields of forms are shown with their operation.
func schemaViews(schemas List[*Schema]) []schemaView {
	var all []schemaView
	for _, m := range schemas {
		if strings.HasSuffix(m.Name, "Fields") {
			continue
		}
		all = append(all, schemaView{Name: m.Name, Members: memberViews(m.Value, "")})
	}
	return all
}

// memberViews returns the members of an object, and the members of its inline objects as "outer.inner".
func memberViews(s *Schema, prefix string) []memberView {
	var all []memberView
	for _, p := range s.Properties {
		optional := len(s.Required) > 0 && !slices.Contains(s.Required, p.Name)
		all = append(all, memberView{prefix + p.Name, p.Value.Description, phraseOf(p.Value), optional})
		all = append(all, memberViews(p.Value, prefix+p.Name+".")...)
	}
	return all
}
