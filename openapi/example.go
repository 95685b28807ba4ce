package openapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// Here is where the examples ask; the page puts its own address there.
const here = "http://127.0.0.1:8080"

// curl is a command that asks an operation for something.
func (d *Document) curl(drawn drawnOperation, op *Operation, body string) string {
	path, query := drawn.Path, url.Values{}
	for _, p := range op.Parameters {
		if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", d.text(p.Name, p.Schema))
		} else if p.Required || p.Schema.Default != nil {
			query.Set(p.Name, d.text(p.Name, p.Schema))
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	command := "curl "
	if drawn.Kind == "text/event-stream" {
		command += "--no-buffer "
	}
	if drawn.Method != http.MethodGet && (drawn.Method != http.MethodPost || op.RequestBody == nil) {
		command += "-X " + drawn.Method + " "
	}
	words := []string{command + quoted(here+path)}
	switch {
	case body != "":
		words = append(words, "-H 'Content-Type: application/json'", "-d "+quoted(body))
	case op.RequestBody != nil:
		words = append(words, d.formFlags(op.RequestBody)...)
	}
	return strings.Join(words, " \\\n  ")
}

func (d *Document) formFlags(body *Body) []string {
	flag := "-d "
	if len(body.Content) == 1 {
		flag = "-F "
	}
	var flags []string
	for _, f := range d.resolve(body.Content[0].Value.Schema).Properties {
		flags = append(flags, flag+quoted(f.Name+"="+d.text(f.Name, f.Value)))
	}
	return flags
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// text is an example of a field.
func (d *Document) text(name string, s *Schema) string {
	if s.ContentMediaType != "" {
		return "@picture.png"
	}
	text, _ := json.Marshal(d.example(s, name, 0)) // a number, a flag or a text
	return strings.Trim(string(text), `"`)
}

// deepest is how far an example follows schemas that hold themselves.
const deepest = 3

// example is a value of a schema that stands under a name.
func (d *Document) example(s *Schema, name string, depth int) any {
	resolved := d.resolve(s)
	switch {
	case resolved.Default != nil:
		return resolved.Default
	case depth > deepest:
		return nil
	case resolved.Type == "array":
		if item := d.example(resolved.Items, name, depth+1); item != nil {
			return []any{item}
		}
		return []any{}
	case resolved.Type == "object":
		members := List[any]{}
		for _, p := range resolved.Properties {
			if telling(p.Value) {
				members = append(members, Member[any]{p.Name, d.example(p.Value, p.Name, depth+1)})
			}
		}
		return members
	case resolved.Type == "integer", resolved.Type == "number":
		return number(name)
	case resolved.Type == "boolean":
		return false
	default:
		return word(name)
	}
}

// telling leaves out of examples what may be anything.
func telling(s *Schema) bool { return s.Type != "" || s.Ref != "" }

func number(name string) int {
	switch lower := strings.ToLower(name); {
	case lower == "categoryid", lower == "category_id":
		return 4
	case lower == "accessid":
		return 5
	case strings.HasSuffix(lower, "id"):
		return 100_000
	case name == "":
		return 100_000
	default:
		return 1
	}
}

func word(name string) string {
	switch lower := strings.ToLower(name); {
	case strings.Contains(lower, "email"):
		return "ann@example.org"
	case strings.Contains(lower, "type"):
		return "the_person"
	case strings.Contains(lower, "password"):
		return "correct horse battery staple"
	case strings.Contains(lower, "value"), strings.Contains(lower, "name"):
		return "Ann"
	default:
		return "text"
	}
}
