package openapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// exampleURL is the server in the examples; page.js replaces it with the address of the page.
const exampleURL = "http://127.0.0.1:8080"

// curl returns a curl command that calls an operation.
func (d *Document) curl(view operationView, op *Operation, body string) string {
	path, query := view.Path, url.Values{}
	for _, p := range op.Parameters {
		if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", d.exampleText(p.Name, p.Schema))
		} else if p.Required || p.Schema.Default != nil {
			query.Set(p.Name, d.exampleText(p.Name, p.Schema))
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	command := "curl "
	if view.ContentType == "text/event-stream" {
		command += "--no-buffer "
	}
	if view.Method != http.MethodGet && (view.Method != http.MethodPost || op.RequestBody == nil) {
		command += "-X " + view.Method + " "
	}
	words := []string{command + shellQuote(exampleURL+path)}
	switch {
	case body != "":
		words = append(words, "-H 'Content-Type: application/json'", "-d "+shellQuote(body))
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
		flags = append(flags, flag+shellQuote(f.Name+"="+d.exampleText(f.Name, f.Value)))
	}
	return flags
}

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// exampleText returns an example value of a field.
func (d *Document) exampleText(name string, s *Schema) string {
	if s.ContentMediaType != "" {
		return "@picture.png"
	}
	text, _ := json.Marshal(d.example(s, name, 0)) // the example is a number, a flag or a string
	return strings.Trim(string(text), `"`)
}

// maxExampleDepth is the maximum nesting of an example, because schemas may contain themselves.
const maxExampleDepth = 3

// example returns an example value of a schema. The name of the member gives hints.
func (d *Document) example(s *Schema, name string, depth int) any {
	resolved := d.resolve(s)
	switch {
	case resolved.Default != nil:
		return resolved.Default
	case depth > maxExampleDepth:
		return nil
	case resolved.Type == "array":
		if item := d.example(resolved.Items, name, depth+1); item != nil {
			return []any{item}
		}
		return []any{}
	case resolved.Type == "object":
		members := List[any]{}
		for _, p := range resolved.Properties {
			if isTyped(p.Value) {
				members = append(members, Member[any]{p.Name, d.example(p.Value, p.Name, depth+1)})
			}
		}
		return members
	case resolved.Type == "integer", resolved.Type == "number":
		return exampleNumber(name)
	case resolved.Type == "boolean":
		return false
	default:
		return exampleWord(name)
	}
}

// isTyped reports whether a schema restricts its value; examples leave out members that may be anything.
func isTyped(s *Schema) bool { return s.Type != "" || s.Ref != "" }

func exampleNumber(name string) int {
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

func exampleWord(name string) string {
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
