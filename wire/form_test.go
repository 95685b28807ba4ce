package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

const formType = "application/x-www-form-urlencoded"

func TestReadFieldsAcceptsFormsMultipartAndJSON(t *testing.T) {
	for _, c := range []struct {
		what, kind, body string
		names            []string
		want             wire.Fields
	}{
		{"a form", formType, "a=1&b=two+words", []string{"a", "b"}, wire.Fields{"a": "1", "b": "two words"}},
		{"an encoded form", formType, "a=caf%C3%A9%26co", []string{"a"}, wire.Fields{"a": "café&co"}},
		{"a raw value with &", formType, "a=salt & pepper&b=4", []string{"a", "b"}, wire.Fields{"a": "salt & pepper", "b": "4"}},
		{"a raw value with & and =", formType, "a=x&y=z", []string{"a"}, wire.Fields{"a": "x&y=z"}},
		{"a raw value with a lone %", formType, "a=100% sure", []string{"a"}, wire.Fields{"a": "100% sure"}},
		{"a raw value with a plus and spaces", formType, "a=1 + 1", []string{"a"}, wire.Fields{"a": "1 + 1"}},
		{"a raw value with a plus and a lone %", formType, "a=1+1 is 100% sure", []string{"a"}, wire.Fields{"a": "1+1 is 100% sure"}},
		{"an encoded value with a lone %", formType, "a=100%+caf%C3%A9%", []string{"a"}, wire.Fields{"a": "100% café%"}},
		{"a value that ends inside an escape", formType, "a=%2", []string{"a"}, wire.Fields{"a": "%2"}},
		{"percent before a sign", formType, "a=%+1%-1", []string{"a"}, wire.Fields{"a": "% 1%-1"}},
		{"a raw value with =", formType, "a=b=c", []string{"a"}, wire.Fields{"a": "b=c"}},
		{"an empty value", formType, "a=", []string{"a"}, wire.Fields{"a": ""}},
		{"empty body", formType, "", []string{"a"}, wire.Fields{}},
		{"no content type", "", "a=1", []string{"a"}, wire.Fields{"a": "1"}},
		{"JSON", "application/json; charset=utf-8", `{"a":"1","b":2,"c":true,"d":null,"e":[]}`, nil, wire.Fields{"a": "1", "b": "2", "c": "true", "d": ""}},
		{"JSON names in another case", "application/json", `{"Type_ID":5,"USER":"x","user":"y"}`, []string{"type_id", "user"}, wire.Fields{"Type_ID": "5", "type_id": "5", "USER": "x", "user": "y"}},
		{
			"multipart", `multipart/form-data; boundary=X`,
			"--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n\r\n2\r\n--X\r\ncontent-disposition: form-data; name=b\r\nContent-Type: text/plain\r\n\r\n\r\n--X--\r\n",
			nil,
			wire.Fields{"a": "1\r\n\r\n2", "b": ""},
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, err := wire.ReadFields(c.kind, []byte(c.body), c.names...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadFieldsRejectsMalformedBodies(t *testing.T) {
	for _, c := range []struct{ kind, body, want string }{
		{"text/xml", "<a/>", `the body is "text/xml"; want a form, multipart/form-data or JSON`},
		{"multipart/form-data", "--X", "the multipart body names no boundary"},
		{"multipart/form-data; boundary=X", "--Y--", `the multipart body has no boundary "X"`},
		{"multipart/form-data; boundary=X", "--X\r\n\r\n1", "the multipart body is cut off after 8 bytes"},
		{"multipart/form-data; boundary=X", "--X\r\nA: b\r\n\r\n1\r\n--X--", "a part of the multipart body has no name"},
		{"application/json", "[1]", "the JSON holds array; want an object"},
		{";;", "a=1", `the content type ";;" cannot be read`},
	} {
		_, err := wire.ReadFields(c.kind, []byte(c.body), "a")
		if graph.KindOf(err) != graph.Invalid || err.Error() != c.want {
			t.Errorf("ReadFields(%q, %q) is %v\nwant %s", c.kind, c.body, err, c.want)
		}
	}
}

func FuzzReadFields(f *testing.F) {
	f.Add(formType, "a=1&b=2%zz")
	f.Add("application/json", `{"a":1}`)
	f.Add("multipart/form-data; boundary=X", "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--X--")
	f.Fuzz(func(t *testing.T, kind, body string) {
		fields, err := wire.ReadFields(kind, []byte(body), "a", "b")
		if err != nil && graph.KindOf(err) != graph.Invalid {
			t.Errorf("%v is %q; want invalid", err, graph.KindOf(err))
		}
		for name := range fields {
			_, textErr := fields.Text(name)
			_, idErr := fields.ID(name)
			if textErr != nil && idErr == nil {
				t.Errorf("%q is a valid id but not a valid text: %v", name, textErr)
			}
		}
	})
}
