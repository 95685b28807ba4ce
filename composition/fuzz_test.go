package composition_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
)

// FuzzParse compares Parse with encoding/json, which ignores the order of keys and accepts duplicates.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e3,true,null,"x"],"b":{"c":{}}}`, `{"a":1,"a":2}`, `{"a":{"b":`, `[1,2] 3`, `"\ud83e\uddf5 \ud83e"`,
		"{\"a\":\"\xff\"}", strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200), ``, ` `, `{"__proto__":0}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := composition.Parse(data)
		if err != nil {
			if graph.KindOf(err) != graph.Invalid {
				t.Fatalf("%q: %v is %q; want invalid", data, err, graph.KindOf(err))
			}
			return
		}
		got, want := decodeStandard(t, []byte(v.String())), decodeStandard(t, data)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q became %s:\n%s", data, v, diff)
		}
		reparsed, err := composition.Parse([]byte(v.String()))
		if diff := cmp.Diff(v, reparsed); diff != "" || err != nil {
			t.Errorf("%s parsed again: %v\n%s", v, err, diff)
		}
	})
}

// decodeStandard decodes JSON with encoding/json.
func decodeStandard(t *testing.T, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	return v
}

// FuzzDecoder decodes a stream byte by byte and compares the result with that of parsing the whole stream at once.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		`[{"a":1},{"a":2}]`, `{"a":1} {"a":2}`, `[{"a":1},`, `[]`, ``, `[1] 2`, `{"a":1}]`, `[{"a":1}{"a":2}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := composition.NewDecoder(&oneByteReader{data})
		var items []composition.Value
		for {
			v, err := d.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				if graph.KindOf(err) != graph.Invalid {
					t.Fatalf("%q: %v is %q; want invalid", data, err, graph.KindOf(err))
				}
				return
			}
			items = append(items, v)
		}
		if whole, err := composition.Parse(data); err == nil {
			want := []composition.Value{whole}
			if whole.Kind == composition.List {
				want = nil
				for _, m := range whole.Members {
					want = append(want, m.Value)
				}
			}
			if diff := cmp.Diff(want, items); diff != "" {
				t.Errorf("%q read byte by byte:\n%s", data, diff)
			}
		}
	})
}

// A oneByteReader returns one byte per call.
type oneByteReader struct{ data []byte }

func (r *oneByteReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:1], r.data)
	r.data = r.data[n:]
	return n, nil
}

// FuzzRoundTrip writes a record, reads it back, and checks the rules in the package comment. A rejected record
// leaves no drafts.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{
		`{"name":"Ann","tags":["a","b"],"home":{"city":"Oslo","note":""},"x":{}}`,
		`{"a":{"t":"same"},"b":{"t":"same"},"c":[[],{},null,false,0]}`,
		`{"1":"b","0":"a"}`, `{"0":"a","x":1}`, `{"the_x":1,"in_the_x":2,"":3,"_":4,"the":5,"the_":{}}`,
		`[[["deep"]]]`, `"text"`, `{"x":1,"the_x":2}`, `{"01":1,"1":2,"9999999999":3}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := composition.Parse(data)
		if err != nil {
			return
		}
		b := graph.Batch{Sender: graph.Sender{User: 7}}
		if _, err := composition.Build(&b, "the_record", v, &composition.LocalIDs{}); err != nil {
			if graph.KindOf(err) != graph.Invalid || len(b.Concepts)+len(b.Connections) > 0 {
				t.Fatalf("%s: %v (%s) left %d drafts; want an Invalid error and no drafts", v, err, graph.KindOf(err), len(b.Concepts)+len(b.Connections))
			}
			return
		}
		store := memory.New()
		receipt, err := store.Write(t.Context(), b)
		if err != nil {
			t.Fatalf("%s was built but cannot be written: %v", v, err)
		}
		main := receipt.Concepts[0].ID
		if err := store.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		read, err := composition.Read(t.Context(), store, []graph.ID{main}, composition.Plain)
		if err != nil || len(read) != 1 {
			t.Fatalf("%s reads as %v, %v; want one value", v, read, err)
		}
		want := composition.RecordValue(composition.Member{Key: "the_record", Value: expected(v)})
		if read[0].String() != want.String() {
			t.Errorf("%s\nreads as %s\nwant     %s", v, read[0], want)
		}
	})
}

// expected returns the value that v must have when it is read back, by the rules in the package comment.
func expected(v composition.Value) composition.Value {
	switch {
	case v.Kind == composition.Null:
		return composition.TextValue("null")
	case !v.IsNested():
		return composition.TextValue(v.Text)
	case len(v.Members) == 0:
		return composition.RecordValue()
	}
	indexed := map[int]composition.Value{}
	record := composition.RecordValue()
	for i, m := range v.Members {
		key := strings.TrimPrefix(m.Key, "the_")
		if v.Kind == composition.List {
			key = strconv.Itoa(i)
		}
		if n, err := strconv.Atoi(key); err == nil && strconv.Itoa(n) == key && n >= 0 && n < 1e9 {
			indexed[n] = expected(m.Value)
		}
		record.Members = append(record.Members, composition.Member{Key: key, Value: expected(m.Value)})
	}
	if len(indexed) < len(v.Members) {
		return record
	}
	var order []int
	for n := range indexed {
		order = append(order, n)
	}
	slices.Sort(order)
	var items []composition.Value
	for _, n := range order {
		items = append(items, indexed[n])
	}
	return composition.ListValue(items...)
}
