package openapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// Page draws a document as HTML and returns the Content-Security-Policy under which it works. What is written
// in the page is named by its hash, so the page can be kept and sent to everybody. The stylesheets and the
// theme of index, the site around it, give it its look; without one it has its own.
func Page(d *Document, index []byte) (drawn []byte, policy string, err error) {
	v := view{Info: d.Info, Chapters: chapters(d), Schemas: shapes(d.Components.Schemas)}
	v.Style, v.Script = template.CSS(pageStyle), template.JS(pageScript) //nolint:gosec // our own files
	v.Sheets, v.Theme = look(index)
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, v)
	policy = "default-src 'none'; script-src 'self' " + source(pageScript) + "; style-src 'self' " + source(pageStyle) +
		"; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
	return b.Bytes(), policy, err
}

func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

type view struct {
	Info     Info
	Sheets   []string
	Theme    string // address of the script that remembers the theme
	Style    template.CSS
	Script   template.JS
	Chapters []chapter
	Schemas  []shape
}

type chapter struct {
	Name, Anchor string
	Operations   []drawnOperation
}

type drawnOperation struct {
	ID, Method, Path, Says string
	Short                  string // the path as the contents have it
	Fields                 []drawnField
	In                     string // where the fields stand
	Takes, Gives           phrase
	Kind                   string // content type of the answer when it is not JSON
	Curl                   string
}

type drawnField struct {
	Name, Type, Otherwise string
	Required              bool
}

// A shape is a schema with a name.
type shape struct {
	Name    string
	Members []member
}

type member struct {
	Name, Says string
	Type       phrase
	Optional   bool
}

// A phrase is a type in words, in which a schema may be linked.
type phrase struct{ Before, Link, After string }

func chapters(d *Document) []chapter {
	var all []chapter
	for _, tag := range d.Tags {
		c := chapter{Name: tag.Name, Anchor: "chapter-" + strings.ReplaceAll(strings.ToLower(tag.Name), " ", "-")}
		for _, path := range d.Paths {
			for _, m := range path.Value {
				if slices.Contains(m.Value.Tags, tag.Name) {
					c.Operations = append(c.Operations, d.draw(path.Name, m.Name, m.Value))
				}
			}
		}
		all = append(all, c)
	}
	return all
}

func (d *Document) draw(path, method string, op *Operation) drawnOperation {
	drawn := drawnOperation{ID: op.ID, Method: strings.ToUpper(method), Path: path, Says: op.Summary, Short: strings.TrimPrefix(path, "/api/")}
	for _, p := range op.Parameters {
		drawn.In = "the address"
		drawn.Fields = append(drawn.Fields, drawField(p.Name, p.Schema, p.Required))
	}
	body := ""
	if op.RequestBody != nil {
		drawn.In, body = d.drawBody(&drawn, op.RequestBody)
	}
	if answer, ok := op.Responses.Get("200"); ok {
		drawn.Gives = inWords(answer.Content[0].Value.Schema)
		if kind := answer.Content[0].Name; kind != "application/json" {
			drawn.Kind = kind
		}
	}
	drawn.Curl = d.curl(drawn, op, body)
	return drawn
}

// drawBody returns where the fields stand and an example of a JSON body, "" when there are fields.
func (d *Document) drawBody(drawn *drawnOperation, body *Body) (in, example string) {
	schema := body.Content[0].Value.Schema
	if body.Content[0].Name == "application/json" {
		drawn.Takes = inWords(schema)
		if example := body.Content[0].Value.Example; example != nil {
			return "", string(example)
		}
		text, _ := json.Marshal(d.example(schema, "", 0)) // made of maps, lists and texts
		return "", string(text)
	}
	form := d.resolve(schema)
	for _, f := range form.Properties {
		drawn.Fields = append(drawn.Fields, drawField(f.Name, f.Value, slices.Contains(form.Required, f.Name)))
	}
	if len(body.Content) == 1 {
		return "multipart/form-data", ""
	}
	return "a form, multipart/form-data or a JSON object", ""
}

func drawField(name string, s *Schema, required bool) drawnField {
	f := drawnField{Name: name, Type: inWords(s).Before, Required: required}
	if s.Default != nil {
		text, _ := json.Marshal(s.Default) // a number, a flag or a text
		f.Otherwise = string(text)
	}
	return f
}

func (d *Document) resolve(s *Schema) *Schema {
	if named, ok := d.Components.Schemas.Get(linked(s)); ok {
		return named
	}
	return s
}

// linked is the name of the schema that another refers to.
func linked(s *Schema) string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

func inWords(s *Schema) phrase {
	switch {
	case s.Ref != "":
		return phrase{Link: linked(s)}
	case len(s.AnyOf) > 0:
		p := inWords(s.AnyOf[0])
		p.After += " or null"
		return p
	case s.Type == "array":
		p := inWords(s.Items)
		p.Before = "list of " + p.Before
		return p
	case s.AdditionalProperties != nil:
		p := inWords(s.AdditionalProperties)
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

func shapes(schemas List[*Schema]) []shape {
	var all []shape
	for _, m := range schemas {
		if strings.HasSuffix(m.Name, "Fields") {
			continue // they stand with their operation
		}
		all = append(all, shape{Name: m.Name, Members: members(m.Value, "")})
	}
	return all
}

// members are those of an object, and those of the objects written into it.
func members(s *Schema, within string) []member {
	var all []member
	for _, p := range s.Properties {
		optional := len(s.Required) > 0 && !slices.Contains(s.Required, p.Name)
		all = append(all, member{within + p.Name, p.Value.Description, inWords(p.Value), optional})
		all = append(all, members(p.Value, within+p.Name+".")...)
	}
	return all
}

// look finds in the document around the site its stylesheets and the script of its theme.
func look(index []byte) (sheets []string, theme string) {
	doc, err := html.Parse(bytes.NewReader(index))
	if err != nil {
		return nil, ""
	}
	for node := range doc.Descendants() {
		switch {
		case node.DataAtom == atom.Link && attribute(node, "rel") == "stylesheet":
			sheets = append(sheets, attribute(node, "href"))
		case node.DataAtom == atom.Script && attribute(node, "type") == "" && attribute(node, "src") != "":
			theme = attribute(node, "src")
		}
	}
	return sheets, theme
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
